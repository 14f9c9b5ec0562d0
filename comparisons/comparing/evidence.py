"""The record of one case and metric in every framework, and how its steps are told in words.

What frameworks do is read from their bindings; nothing here knows one by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType

from evalparity.adapters.base import Binding
from evalparity.comparisons.comparing.measured import is_measured, state
from evalparity.unified_schema.outcomes import ERROR_KINDS, FLAGS, Item, Outcome

TOLERANCE = 1e-6
"""A recomputed score this close to the framework's own is the same score."""

LONGEST_MESSAGE = 300

NOUNS: Mapping[str, str] = MappingProxyType({"question": "generated question"})
"""What a reader is told where the name of an item alone says too little."""

RANKED = "mean precision at the ranks of the passing ones of"
"""How a score of ranked items is told: average precision, cut off at what was retrieved."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cell:
    """An outcome and the binding that says how its framework scores; one cell is equal to itself alone."""

    outcome: Outcome
    binding: Binding | None

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that get a verdict; those that get a number instead are left out."""
        return tuple(item for item in self.outcome.details.items if item.value is None)

    @property
    def judged(self) -> int:
        """How many items have a verdict."""
        return sum(item.verdict is not None for item in self.items)

    @property
    def unclear(self) -> int:
        """How many items have the verdict `unclear`."""
        return sum(item.verdict == "unclear" for item in self.items)

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers of the items that get one instead of a verdict."""
        return tuple(item.value for item in self.outcome.details.items if item.value is not None)

    @property
    def measure(self) -> str | None:
        """What the score is made of, alike for scores that are made alike; None where nothing tells.

        `share`, `ranked`, the mean of something, or the scorer's own name for a formula that no other has.
        """
        formula = self.binding.formula if self.binding is not None else None
        if formula == "own":
            return self.outcome.scorer
        if formula == "mean" or self.values or (self.binding is not None and self.binding.scale.cosine):
            return f"mean {self.unit}"
        return formula or ("share" if self.judged else None)

    @property
    def unit(self) -> str:
        """What the numbers of the items are."""
        if self.binding is not None and self.binding.scale.cosine:
            return "cosine"
        return "rating" if self.binding is not None and self.binding.item == "rating" else "value"

    @property
    def comparable(self) -> bool:
        """Whether the score may be set against another: measured, and not of something else (`proxy`)."""
        return is_measured(self.outcome) and self.outcome.closeness != "proxy"

    def passing(self, *, unclear_passes: bool) -> int:
        """Return how many items pass, under one rule for unclear verdicts or the other."""
        return sum(item.verdict == "yes" or (unclear_passes and item.verdict == "unclear") for item in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The cells of one case and metric, one per scorer.

    Attributes:
        cells: in report order, those skipped without asking a judge left out.
        gap: highest minus lowest comparable score where that is what was flagged, else None.
    """

    cells: tuple[Cell, ...]
    gap: float | None

    @property
    def compared(self) -> dict[Cell, float]:
        """The cells whose scores make the gap, each with its score."""
        scores = {cell: cell.outcome.score for cell in self.cells if cell.comparable}
        return {cell: score for cell, score in scores.items() if score is not None}

    def name(self, cell: Cell) -> str:
        """Name a cell by its framework, or by its scorer where the framework has several."""
        same = [other for other in self.cells if other.outcome.framework == cell.outcome.framework]
        return cell.outcome.framework if len(same) == 1 else cell.outcome.scorer


def convention(name: str, cell: Cell) -> str:
    """Return what a framework answers when there is nothing to check."""
    answer = "nothing" if cell.outcome.score is None else f"{cell.outcome.score:g}"
    return f"{name} answers {answer} when its judge finds no {noun(cell, 0)}"


def incompleteness(name: str, cell: Cell) -> str:
    """Return how many verdicts are missing, and what the score would be with these as no."""
    total = len(cell.items)
    if cell.judged >= total:
        return f"{name}: {failure(cell.outcome)}"
    found = f"{name} got {cell.judged} verdicts for {count(cell, total)}"
    if cell.outcome.score is None:
        return f"{found} and no score is accepted"
    own_rule = cell.binding is not None and cell.binding.unclear_passes is True
    rest = cell.passing(unclear_passes=own_rule) / total
    return f"{found} and scored {cell.outcome.score:.2f}; with the others as no it would be {rest:.2f}"


def failure(outcome: Outcome) -> str:
    """Say in one line what happened: the kind, and the message or the kind's meaning."""
    why = state(outcome)
    meaning = ERROR_KINDS.get(why) or FLAGS.get(why, "")
    message = " ".join((outcome.reason or "").split()) if outcome.status == "errored" else ""
    return f"{(message or meaning)[:LONGEST_MESSAGE]} ({why})"


def verdicts(name: str, cell: Cell) -> str:
    """Return what a cell's items were found to be, as `ragas: 1 claim yes, 3 no`."""
    if cell.values:
        return f"{name}: {count(cell, len(cell.values))} at {_span(cell.values)}"
    words = _verdict_counts(cell)
    if not words:
        return f"{name}: {cell.outcome.score:.2f}, no steps visible"
    (first, number), *others = words
    return f"{name}: {', '.join((f'{count(cell, number)} {first}', *(f'{n} {word}' for word, n in others)))}"


def definition(cell: Cell) -> str:
    """Return what a cell's score is made of, as `share of 2 statements (1 yes, 1 unclear)`."""
    if cell.values:
        return _number(cell)
    words = ", ".join(f"{n} {word}" for word, n in _verdict_counts(cell))
    formula = cell.binding.formula if cell.binding is not None else None
    rule = {"ranked": RANKED, "own": "a rule of its own over"}.get(formula or "", "share of")
    return f"{rule} {count(cell, len(cell.items))} ({words})" if words else "no steps visible"


def _number(cell: Cell) -> str:
    unit, items, score = cell.unit, count(cell, len(cell.values)), cell.outcome.score
    if unit == "rating":
        return f"{items} at {_span(cell.values)} of 1"
    if score is not None and abs(fmean(cell.values) - score) <= TOLERANCE:
        return f"mean {unit} of {items}"
    return f"a rule of its own over {items} with a {unit} of {_span(cell.values)}"


def _span(values: tuple[float, ...]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def _verdict_counts(cell: Cell) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter(item.verdict or "without verdict" for item in cell.items)
    return [(word, counts[word]) for word in ("yes", "no", "unclear", "without verdict") if counts[word]]


def count(cell: Cell, number: int) -> str:
    """Return a number of items with what the framework calls them, as `2 claims`."""
    return f"{number} {noun(cell, number)}"


def noun(cell: Cell, number: int) -> str:
    """Return what a framework calls so many of its items."""
    item = cell.binding.item if cell.binding and cell.binding.item else "item"
    word = NOUNS.get(item, item)
    return word if number == 1 else f"{word}s"
