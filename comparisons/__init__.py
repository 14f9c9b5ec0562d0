"""Plan, run and compare: from a suite and the frameworks to one report."""
