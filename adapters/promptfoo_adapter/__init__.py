"""Promptfoo: what it measures, its locked Node package, and the driver that asks it."""
