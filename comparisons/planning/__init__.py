"""Tells what a run would do and cost, before anything is spent."""
