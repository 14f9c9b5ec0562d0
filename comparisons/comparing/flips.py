"""Verdicts that differ: one framework passes a case that another fails, at the thresholds that were set."""

from __future__ import annotations

from collections.abc import Sequence

from evalparity.comparisons.comparing.causes import Cause
from evalparity.comparisons.comparing.evidence import TOLERANCE, Cell, Comparison


def is_flipped(group: Sequence[Cell]) -> bool | None:
    """Say whether the verdicts of comparable scores differ; None where fewer than two have one."""
    verdicts = [cell.outcome.verdict for cell in group if cell.comparable and cell.outcome.verdict is not None]
    return len(set(verdicts)) > 1 if len(verdicts) > 1 else None


def flip_cause(comparison: Comparison) -> Cause:
    """Return why verdicts differ where the scores themselves lie too close together to be flagged.

    `different_thresholds` when one threshold for all, whichever of those set, would give one verdict: that is
    recomputed, and so confirmed. Else `near_threshold`: the scores lie close together on both sides of it.
    """
    judged = {
        cell: (score, threshold)
        for cell, score in comparison.compared.items()
        if (threshold := cell.outcome.threshold) is not None
    }
    told = "; ".join(
        f"{comparison.name(cell)} {score:.2f} against {threshold:.2f}: {cell.outcome.verdict}"
        for cell, (score, threshold) in judged.items()
    )
    thresholds = {threshold for _, threshold in judged.values()}
    alike = [threshold for threshold in thresholds if len({score >= threshold for score, _ in judged.values()}) == 1]
    if len(thresholds) > 1 and len(alike) == len(thresholds):
        evidence = f"{told}; at one threshold for all they agree"
        return Cause(name="different_thresholds", grade="confirmed", evidence=evidence)
    distance = max(score for score, _ in judged.values()) - min(score for score, _ in judged.values())
    apart = f"the scores are {distance:.2f} apart" if distance > TOLERANCE else "the scores are the same"
    return Cause(name="near_threshold", grade="consistent", evidence=f"{told}; {apart}")
