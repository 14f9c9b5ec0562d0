"""Deterministic metrics of our own: no judge, no process, no framework."""
