"""Runs a user's RAG application over a suite and records what it answers."""
