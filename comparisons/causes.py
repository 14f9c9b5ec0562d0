"""Why frameworks differ on a case: each cause is a counterfactual of its own, held against the recorded steps.

A cause is `confirmed` when recomputation or the record itself shows it, `consistent` when it fits and cannot be
shown, `unexplained` when nothing was found. What frameworks do is read from their bindings; nothing here knows
one by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from evalparity.adapters.base import Binding
from evalparity.comparisons.measured import MEASURED, is_measured, state
from evalparity.unified_schema.outcomes import ERROR_KINDS, FLAGS, Frozen, Item, Outcome

Grade = Literal["confirmed", "consistent", "unexplained"]

VERDICT_KINDS = ("missing_verdicts", "surplus_verdicts")
INPUT_FLAGS = ("input_missing", "input_rewritten")

TOLERANCE = 1e-6
"""A recomputed score this close to the framework's own is the same score."""

LONGEST_MESSAGE = 300


class Cause(Frozen):
    """One reason for a disagreement, with what a reader can check."""

    name: str
    grade: Grade
    closes: float | None = None
    """Share of the gap that this cause closes by itself, 0..1; None where it cannot be computed."""
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """An outcome and the binding that says how its framework scores."""

    outcome: Outcome
    binding: Binding | None

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that get a verdict; those that get a number instead are left out."""
        return tuple(item for item in self.outcome.details.items if item.value is None)

    @property
    def comparable(self) -> bool:
        """Whether the score may be set against another: measured, and not of something else (`proxy`)."""
        return is_measured(self.outcome) and self.outcome.closeness != "proxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The cells of one case and metric, one per scorer.

    Attributes:
        cells: in report order, those skipped without asking a judge left out.
        gap: highest minus lowest comparable score where that is what was flagged, else None.
        min_gap: the smallest gap that is flagged.
    """

    cells: tuple[Cell, ...]
    gap: float | None
    min_gap: float

    def name(self, cell: Cell) -> str:
        """Name a cell by its framework, or by its scorer where the framework has several."""
        same = [other for other in self.cells if other.outcome.framework == cell.outcome.framework]
        return cell.outcome.framework if len(same) == 1 else cell.outcome.scorer


def find_causes(comparison: Comparison) -> tuple[Cause, ...]:
    """Return every cause that holds; a gap without any is `unexplained`, with each framework's verdicts."""
    missing = [cause for find in MISSING_CAUSES if (cause := find(comparison))]
    if comparison.gap is None:
        return tuple(missing)
    closing = [cause for find in GAP_CAUSES if (cause := find(comparison))]
    return (*(closing or [_unexplained(comparison)]), *missing)


def not_measured(comparison: Comparison) -> Cause | None:
    """A framework gave no score: says which, of what kind, and what happened."""
    elsewhere = {"no_claims", *VERDICT_KINDS}
    failed = [c for c in comparison.cells if c.outcome.status == "errored" and c.outcome.kind not in elsewhere]
    if not failed:
        return None
    evidence = "; ".join(f"{comparison.name(cell)} has no score: {_failure(cell.outcome)}" for cell in failed)
    return Cause(name="not_measured", grade="confirmed", evidence=evidence)


def no_claims_convention(comparison: Comparison) -> Cause | None:
    """A judge found nothing to check, and the frameworks have different conventions for that."""
    empty = [cell for cell in comparison.cells if state(cell.outcome) in {"vacuous", "no_claims"}]
    if not empty:
        return None
    sentences = [_convention(comparison.name(cell), cell) for cell in empty]
    sentences += [_verdicts(comparison.name(cell), cell) for cell in comparison.cells if is_measured(cell.outcome)]
    grade = _grade(shown=all(_follows_convention(cell) for cell in empty))
    return Cause(name="no_claims_convention", grade=grade, evidence="; ".join(sentences))


def missing_verdicts(comparison: Comparison) -> Cause | None:
    """A judge gave fewer or more verdicts than there are items, or a step of a score is incomplete."""
    incomplete = [cell for cell in comparison.cells if state(cell.outcome) in {"degraded", *VERDICT_KINDS}]
    if not incomplete:
        return None
    grade = _grade(shown=all(len(_judged(cell)) < len(cell.items) for cell in incomplete))
    evidence = "; ".join(_incompleteness(comparison.name(cell), cell) for cell in incomplete)
    return Cause(name="missing_verdicts", grade=grade, evidence=evidence)


def ambiguous_claims(comparison: Comparison) -> Cause | None:
    """Unclear verdicts pass in one framework and fail in another: recomputed under one rule for all."""
    if comparison.gap is None:
        return None
    trials = [_under_one_rule(comparison, comparison.gap, unclear_passes=rule) for rule in (False, True)]
    found = [trial for trial in trials if trial is not None]
    return max(found, key=lambda cause: cause.closes or 0.0, default=None)


def different_inputs(comparison: Comparison) -> Cause | None:
    """A text of the case reached one framework's judge changed or not at all."""
    compared = [cell for cell in comparison.cells if cell.comparable]
    changed = [(c, flag) for c in compared for flag in INPUT_FLAGS if flag in c.outcome.flags]
    if not changed:
        return None
    evidence = "; ".join(f"{comparison.name(cell)}: {FLAGS[flag]}" for cell, flag in changed)
    return Cause(name="different_inputs", grade="consistent", evidence=evidence)


CauseFinder = Callable[[Comparison], Cause | None]

MISSING_CAUSES: tuple[CauseFinder, ...] = (not_measured, no_claims_convention, missing_verdicts)
"""Why a score is missing or not counted."""

GAP_CAUSES: tuple[CauseFinder, ...] = (ambiguous_claims, different_inputs)
"""Why measured scores lie apart."""


def _unexplained(comparison: Comparison) -> Cause:
    evidence = "; ".join(_verdicts(comparison.name(cell), cell) for cell in comparison.cells if cell.comparable)
    return Cause(name="unexplained", grade="unexplained", evidence=evidence)


def _under_one_rule(comparison: Comparison, gap: float, *, unclear_passes: bool) -> Cause | None:
    compared = [cell for cell in comparison.cells if cell.comparable]
    changed = [cell for cell in compared if _other_rule(cell, unclear_passes=unclear_passes)]
    scores = [
        _share(cell, unclear_passes=unclear_passes) if cell in changed else cell.outcome.score for cell in compared
    ]
    known = [score for score in scores if score is not None]
    remaining = max(known) - min(known)
    if not changed or remaining > gap - TOLERANCE:
        return None
    word = "yes" if unclear_passes else "no"
    sentences = [
        f"{_unclear(cell)} of {_count(cell, len(_judged(cell)))} unclear; counted as {word}, "
        f"{comparison.name(cell)} scores {_share(cell, unclear_passes=unclear_passes):.2f}"
        for cell in changed
    ]
    return Cause(
        name="ambiguous_claims",
        grade=_grade(shown=remaining < comparison.min_gap - TOLERANCE),
        closes=round((gap - remaining) / gap, 6),
        evidence=f"{'; '.join(sentences)}: gap {gap:.2f} -> {remaining:.2f}",
    )


def _other_rule(cell: Cell, *, unclear_passes: bool) -> bool:
    """Whether unclear verdicts count the other way here, and the verdicts give the framework's own score."""
    own = _unclear_passes(cell)
    score = cell.outcome.score
    if own is None or own is unclear_passes or score is None or not _unclear(cell):
        return False
    return abs(_share(cell, unclear_passes=own) - score) <= TOLERANCE


def _share(cell: Cell, *, unclear_passes: bool) -> float:
    """Return the share of judged items that pass; only for cells with judged items."""
    return _passing(cell, unclear_passes=unclear_passes) / len(_judged(cell))


def _passing(cell: Cell, *, unclear_passes: bool) -> int:
    passing = {"yes", "unclear"} if unclear_passes else {"yes"}
    return sum(item.verdict in passing for item in cell.items)


def _unclear_passes(cell: Cell) -> bool | None:
    return cell.binding.unclear_passes if cell.binding else None


def _judged(cell: Cell) -> list[Item]:
    return [item for item in cell.items if item.verdict is not None]


def _unclear(cell: Cell) -> int:
    return sum(item.verdict == "unclear" for item in cell.items)


def _follows_convention(cell: Cell) -> bool:
    """Whether the record itself shows the convention: no items, and the number that the binding declares."""
    if cell.outcome.kind == "no_claims":
        return True
    declared = cell.binding.empty_score if cell.binding else None
    return not cell.outcome.details.items and declared is not None and cell.outcome.score == declared


def _convention(name: str, cell: Cell) -> str:
    answer = "nothing" if cell.outcome.score is None else f"{cell.outcome.score:g}"
    return f"{name} answers {answer} when its judge finds no {_noun(cell, 0)}"


def _incompleteness(name: str, cell: Cell) -> str:
    judged, total = len(_judged(cell)), len(cell.items)
    if judged >= total:
        return f"{name}: {_failure(cell.outcome)}"
    found = f"{name} got {judged} verdicts for {_count(cell, total)}"
    if cell.outcome.score is None:
        return f"{found} and no score is accepted"
    rest = _passing(cell, unclear_passes=_unclear_passes(cell) is True) / total
    return f"{found} and scored {cell.outcome.score:.2f}; with the others as no it would be {rest:.2f}"


def _failure(outcome: Outcome) -> str:
    """Say in one line what happened: the kind, and the message or the kind's meaning."""
    why = state(outcome)
    meaning = ERROR_KINDS.get(why) or FLAGS.get(why, "")
    message = " ".join((outcome.reason or "").split()) if outcome.status == "errored" else ""
    return f"{(message or meaning)[:LONGEST_MESSAGE]} ({why})"


def _verdicts(name: str, cell: Cell) -> str:
    """Return what a cell's items were found to be, as `ragas: 1 claim yes, 3 no`."""
    values = [item.value for item in cell.outcome.details.items if item.value is not None]
    if values:
        low, high = f"{min(values):.2f}", f"{max(values):.2f}"
        return f"{name}: {_count(cell, len(values))} at {low if low == high else f'{low} to {high}'}"
    counts: Counter[str] = Counter(item.verdict or "without verdict" for item in cell.items)
    words = [word for word in ("yes", "no", "unclear", "without verdict") if counts[word]]
    if not words:
        return f"{name}: {cell.outcome.score:.2f}, no steps visible"
    first = f"{_count(cell, counts[words[0]])} {words[0]}"
    return f"{name}: {', '.join((first, *(f'{counts[word]} {word}' for word in words[1:])))}"


def _count(cell: Cell, number: int) -> str:
    return f"{number} {_noun(cell, number)}"


def _noun(cell: Cell, number: int) -> str:
    noun = cell.binding.item if cell.binding and cell.binding.item else "item"
    return noun if number == 1 else f"{noun}s"


def _grade(*, shown: bool) -> Grade:
    return "confirmed" if shown else "consistent"


def states(cells: Sequence[Cell]) -> dict[str, str]:
    """Return by scorer why it is not measured; measured ones are left out."""
    found = {cell.outcome.scorer: state(cell.outcome) for cell in cells}
    return {scorer: why for scorer, why in found.items() if why != MEASURED}
