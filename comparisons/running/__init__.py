"""Plans cells, runs them and settles each with exactly one outcome."""
