"""Which outcomes count as measurements; means, agreement and gaps are made of these and of nothing else."""

from __future__ import annotations

from evalparity.unified_schema.outcomes import Outcome

MEASURED = "measured"

UNCOUNTED_FLAGS = ("vacuous", "degraded")
"""Flags of a number that is shown and not counted: a convention, or a score from incomplete steps."""


def state(outcome: Outcome) -> str:
    """Return `measured`, or why the outcome is not: a flag (`vacuous`, `degraded`), an error or a skip kind."""
    if outcome.status != "scored":
        return str(outcome.kind)
    return next((flag for flag in UNCOUNTED_FLAGS if flag in outcome.flags), MEASURED)


def is_measured(outcome: Outcome) -> bool:
    """Say whether an outcome counts: scored, not by the no-claims convention, and from complete steps."""
    return state(outcome) == MEASURED
