"""Why frameworks differ on a case: each cause is a counterfactual of its own, held against the recorded steps.

A cause is `confirmed` when recomputation closes the gap or the record itself shows it, `consistent` when it fits
and does not suffice or cannot be shown, `unexplained` when nothing was found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from evalparity.comparisons.comparing import evidence as told
from evalparity.comparisons.comparing.evidence import TOLERANCE, Cell, Comparison
from evalparity.comparisons.comparing.measured import MEASURED, RUN_KINDS, is_measured, state
from evalparity.unified_schema.outcomes import FLAGS, Frozen

Grade = Literal["confirmed", "consistent", "unexplained"]

VERDICT_KINDS = ("missing_verdicts", "surplus_verdicts")

CLOSED = 0.9
"""From this share on, a recomputation that closes so much of a gap confirms its cause."""

FEWEST_CLOSED = 0.1
"""Below this share a recomputation says nothing about the gap."""


class Cause(Frozen):
    """One reason for a disagreement, with what a reader can check."""

    name: str
    grade: Grade
    closes: float | None = None
    """Share of the gap that this cause closes by itself, 0..1; None where it cannot be computed."""
    evidence: str


def find_causes(comparison: Comparison) -> tuple[Cause, ...]:
    """Return every cause that holds; a gap without any is `unexplained`, with each framework's verdicts."""
    missing = [cause for find in MISSING_CAUSES if (cause := find(comparison))]
    if comparison.gap is None:
        return tuple(missing)
    closing = [cause for find in GAP_CAUSES if (cause := find(comparison))]
    return (*(closing or [_unexplained(comparison)]), *missing)


def not_measured(comparison: Comparison) -> Cause | None:
    """A framework gave no score on this case: says which, of what kind, and what happened."""
    elsewhere = {"no_claims", *VERDICT_KINDS, *RUN_KINDS}
    failed = [c for c in comparison.cells if c.outcome.status == "errored" and c.outcome.kind not in elsewhere]
    if not failed:
        return None
    evidence = "; ".join(f"{comparison.name(cell)} has no score: {told.failure(cell.outcome)}" for cell in failed)
    return Cause(name="not_measured", grade="confirmed", evidence=evidence)


def no_claims_convention(comparison: Comparison) -> Cause | None:
    """A judge found nothing to check, and the frameworks have different conventions for that."""
    empty = [cell for cell in comparison.cells if state(cell.outcome) in {"vacuous", "no_claims"}]
    if not empty:
        return None
    sentences = [told.convention(comparison.name(cell), cell) for cell in empty]
    measured = [cell for cell in comparison.cells if is_measured(cell.outcome)]
    sentences += [told.verdicts(comparison.name(cell), cell) for cell in measured]
    grade = _grade(shown=all(_follows_convention(cell) for cell in empty))
    return Cause(name="no_claims_convention", grade=grade, evidence="; ".join(sentences))


def missing_verdicts(comparison: Comparison) -> Cause | None:
    """A judge gave fewer or more verdicts than there are items, or a step of a score is incomplete."""
    incomplete = [cell for cell in comparison.cells if state(cell.outcome) in {"degraded", *VERDICT_KINDS}]
    if not incomplete:
        return None
    grade = _grade(shown=all(cell.judged < len(cell.items) for cell in incomplete))
    evidence = "; ".join(told.incompleteness(comparison.name(cell), cell) for cell in incomplete)
    return Cause(name="missing_verdicts", grade=grade, evidence=evidence)


def missing_inputs(comparison: Comparison) -> Cause | None:
    """A text of the case never reached one framework's judge, so that its score does not count."""
    lacking = [cell for cell in comparison.cells if state(cell.outcome) == "input_missing"]
    if not lacking:
        return None
    sentences = [f"{comparison.name(cell)} scored {cell.outcome.score:.2f}, and {_LACKS}" for cell in lacking]
    return Cause(name="missing_inputs", grade="confirmed", evidence="; ".join(sentences))


def ambiguous_claims(comparison: Comparison) -> Cause | None:
    """Unclear verdicts pass in one framework and fail in another: recomputed under one rule for all.

    Only where every score that is known to be made of something is a share of verdicts: that a share comes near a
    cosine when it is counted otherwise shows nothing.
    """
    if comparison.gap is None or any(cell.measure not in {None, "share"} for cell in comparison.compared):
        return None
    trials = [_under_one_rule(comparison, comparison.gap, unclear_passes=rule) for rule in (False, True)]
    found = [trial for trial in trials if trial is not None]
    return max(found, key=lambda cause: (cause.grade == "confirmed", cause.closes or 0.0), default=None)


def different_definition(comparison: Comparison) -> Cause | None:
    """The scores are made of different things, a share of verdicts here and cosines there: who measures what.

    Holds where the gap lies between two definitions and not as well between two scorers of one. It cannot be
    recomputed, so it is never more than `consistent`.
    """
    if comparison.gap is None:
        return None
    widest = _widest_differences(comparison.compared)
    if widest[False] < comparison.gap - TOLERANCE or widest[True] > (1 - FEWEST_CLOSED) * comparison.gap:
        return None
    names: dict[str, list[str]] = {}
    for cell in comparison.compared:
        names.setdefault(told.definition(cell), []).append(comparison.name(cell))
    evidence = "; ".join(f"{_enumerated(own)}: {definition}" for definition, own in names.items())
    return Cause(name="different_definition", grade="consistent", evidence=evidence)


def different_inputs(comparison: Comparison) -> Cause | None:
    """A text of the case reached one framework's judge changed."""
    changed = [cell for cell in comparison.compared if "input_rewritten" in cell.outcome.flags]
    if not changed:
        return None
    evidence = "; ".join(f"{comparison.name(cell)}: {FLAGS['input_rewritten']}" for cell in changed)
    return Cause(name="different_inputs", grade="consistent", evidence=evidence)


CauseFinder = Callable[[Comparison], Cause | None]

MISSING_CAUSES: tuple[CauseFinder, ...] = (not_measured, no_claims_convention, missing_verdicts, missing_inputs)
"""Why a score is missing or not counted."""

GAP_CAUSES: tuple[CauseFinder, ...] = (ambiguous_claims, different_definition, different_inputs)
"""Why measured scores lie apart."""

_LACKS = FLAGS["input_missing"]


def _unexplained(comparison: Comparison) -> Cause:
    evidence = "; ".join(told.verdicts(comparison.name(cell), cell) for cell in comparison.compared)
    return Cause(name="unexplained", grade="unexplained", evidence=evidence)


def _under_one_rule(comparison: Comparison, gap: float, *, unclear_passes: bool) -> Cause | None:
    before = comparison.compared
    changed = {
        cell: cell.passing(unclear_passes=unclear_passes) / cell.judged
        for cell in before
        if _other_rule(cell, unclear_passes=unclear_passes)
    }
    after = {**before, **changed}
    remaining = max(after.values()) - min(after.values())
    closes = (gap - remaining) / gap
    if not changed or closes < FEWEST_CLOSED - TOLERANCE:
        return None
    turned = _turned(before, after, gap)
    word = "yes" if unclear_passes else "no"
    sentences = [
        f"{cell.unclear} of {told.count(cell, cell.judged)} unclear; counted as {word}, "
        f"{comparison.name(cell)} scores {score:.2f}"
        for cell, score in changed.items()
    ]
    alike = all(cell.measure == "share" for cell in before)
    return Cause(
        name="ambiguous_claims",
        grade=_grade(shown=alike and not turned and closes >= CLOSED - TOLERANCE),
        closes=round(closes, 6),
        evidence=f"{'; '.join(sentences)}: gap {gap:.2f} -> {remaining:.2f}{', the other way round' * turned}",
    )


def _other_rule(cell: Cell, *, unclear_passes: bool) -> bool:
    """Whether unclear verdicts count the other way here, and the verdicts give the framework's own score."""
    own = cell.binding.unclear_passes if cell.binding else None
    score = cell.outcome.score
    if own is None or own is unclear_passes or score is None or not cell.unclear:
        return False
    return abs(cell.passing(unclear_passes=own) / cell.judged - score) <= TOLERANCE


def _turned(before: Mapping[Cell, float], after: Mapping[Cell, float], gap: float) -> bool:
    """Whether the scorer that was highest is now below the one that was lowest."""
    low = min(before.values())
    highest = [cell for cell, score in before.items() if score >= low + gap - TOLERANCE]
    lowest = [cell for cell, score in before.items() if score <= low + TOLERANCE]
    return any(after[high] < after[low] - TOLERANCE for high in highest for low in lowest)


def _widest_differences(scores: Mapping[Cell, float]) -> dict[bool, float]:
    """Return the widest difference between two scores of one definition (True), and of two (False)."""
    widest = {True: 0.0, False: 0.0}
    known = [(cell.measure, score) for cell, score in scores.items() if cell.measure is not None]
    for (one, score), (other, another) in combinations(known, 2):
        widest[one == other] = max(widest[one == other], abs(score - another))
    return widest


def _follows_convention(cell: Cell) -> bool:
    """Whether the record itself shows the convention: no items, and the number that the binding declares."""
    if cell.outcome.kind == "no_claims":
        return True
    declared = cell.binding.empty_score if cell.binding else None
    return not cell.outcome.details.items and declared is not None and cell.outcome.score == declared


def _enumerated(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _grade(*, shown: bool) -> Grade:
    return "confirmed" if shown else "consistent"


def states(cells: Sequence[Cell]) -> dict[str, str]:
    """Return by scorer why it is not measured; measured ones are left out."""
    found = {cell.outcome.scorer: state(cell.outcome) for cell in cells}
    return {scorer: why for scorer, why in found.items() if why != MEASURED}
