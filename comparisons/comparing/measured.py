"""Which outcomes count as measurements; means, agreement and gaps are made of these and of nothing else."""

from __future__ import annotations

from evalparity.unified_schema.outcomes import Outcome

MEASURED = "measured"

UNCOUNTED_FLAGS = ("vacuous", "degraded", "input_missing")
"""Flags of a number that is shown and not counted: a convention, incomplete steps, or a judge that saw less."""

RUN_KINDS = frozenset({"framework_absent", "interrupted", "budget"})
"""What befalls a run as a whole is told once, not as a disagreement on every case, nor as a cause of one."""


def state(outcome: Outcome) -> str:
    """Return `measured`, or why the outcome is not: one of `UNCOUNTED_FLAGS`, an error or a skip kind."""
    if outcome.status != "scored":
        return str(outcome.kind)
    return next((flag for flag in UNCOUNTED_FLAGS if flag in outcome.flags), MEASURED)


def is_measured(outcome: Outcome) -> bool:
    """Say whether an outcome counts: scored, by no convention, from complete steps and complete inputs."""
    return state(outcome) == MEASURED
