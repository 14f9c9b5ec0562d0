"""Ragas 0.4.3: everything that evalparity knows of it."""
