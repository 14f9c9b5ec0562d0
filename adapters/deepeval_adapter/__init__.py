"""DeepEval 4.3.1 as a framework of evalparity."""
