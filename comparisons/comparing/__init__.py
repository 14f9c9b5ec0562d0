"""Compares what was measured: agreement, disagreements with causes, judges, cost; pure."""
