"""Suites in the EvalPort format (first called OpenEval), version 1."""
