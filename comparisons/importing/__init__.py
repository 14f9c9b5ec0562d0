"""Scores that people have already: joined to the cases of a suite, and settled as cells of a run."""
