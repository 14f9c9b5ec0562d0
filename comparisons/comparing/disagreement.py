"""Where frameworks disagree on a case: the flags, and the gaps too coarse to be flagged.

Compared are scores of one case and metric, by one judge and in one repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evalparity.adapters.base import Binding
from evalparity.comparisons.comparing.causes import Cause, find_causes, states
from evalparity.comparisons.comparing.evidence import TOLERANCE, Cell, Comparison
from evalparity.comparisons.comparing.flips import flip_cause, is_flipped
from evalparity.comparisons.comparing.judges import Judge, by_judge
from evalparity.comparisons.comparing.measured import RUN_KINDS, state
from evalparity.unified_schema.outcomes import Frozen, Outcome

JUDGED_KINDS = frozenset({"no_claims"})
"""Skipped, but only after the judge had looked: another framework may well have a score for the same answer."""

WHOLE_SCALE = 1.0


class Limits(Frozen):
    """When a gap is flagged; verdicts that differ at the thresholds are flagged whatever the gap.

    A gap must be at least `min_gap`, and larger than what `min_items` differing verdicts make in the scorer with
    the fewest items. A gap over the whole scale is always flagged: with a single item none could be larger.
    """

    min_gap: float = 0.3
    min_items: float = 1.0


class Disagreement(Frozen):
    """One case and metric on which the frameworks differ."""

    case_id: str
    metric: str
    judge: str | None = None
    """Name of the judge; None where the run has one judge."""
    repeat: int = 0
    scores: dict[str, float | None]
    """Score by scorer, as the framework gave it; None without a score. Those in `unmeasured` do not count."""
    unmeasured: dict[str, str]
    """By scorer why its score is missing or not counted: an error or skip kind, or a flag such as `vacuous`."""
    gap: float | None
    """Highest minus lowest counted score; None when the flag is about a missing score instead."""
    item_weight: float | None
    """What one verdict weighs in the scorer with the fewest items; None where no items are visible."""
    flipped: bool | None = None
    """Whether verdicts of counted scores differ at the thresholds; None where fewer than two have one."""
    causes: tuple[Cause, ...]


class Unresolved(Frozen):
    """A gap that is wide enough to be flagged and not larger than one item's weight."""

    case_id: str
    metric: str
    judge: str | None = None
    repeat: int = 0
    gap: float
    item_weight: float


def find_disagreements(
    cells: Sequence[Outcome], bindings: Mapping[str, Binding], limits: Limits, judges: Sequence[str] = ()
) -> tuple[Disagreement, ...]:
    """Return the flagged cases with their causes, in the order of the cells.

    Flagged is a gap beyond `limits`, verdicts that differ at the thresholds, or a score in one framework beside none
    that counts in another. Cells skipped without asking a judge, and cells that ended with the run as a whole, raise
    no flag.

    Args:
        cells: outcomes.
        bindings: by scorer.
        limits: when a gap is flagged.
        judges: names of the judges where there are several.
    """
    flagged = (_disagreement(group, judge, limits) for judge, group in _groups(cells, bindings, judges))
    return tuple(disagreement for disagreement in flagged if disagreement)


def find_unresolved(
    cells: Sequence[Outcome], bindings: Mapping[str, Binding], limits: Limits, judges: Sequence[str] = ()
) -> tuple[Unresolved, ...]:
    """Return the gaps of `min_gap` or more that are within the weight of `min_items` verdicts, and flip no verdict."""
    found = []
    for judge, group in _groups(cells, bindings, judges):
        gap, weight = _gap(group), _item_weight(group)
        if gap is None or weight is None or not _wide(gap, limits) or is_flipped(group):
            continue
        if not _flagged(gap, weight, limits):
            first = group[0].outcome
            found.append(
                Unresolved(
                    case_id=first.case_id,
                    metric=first.metric,
                    judge=judge,
                    repeat=first.repeat,
                    gap=gap,
                    item_weight=weight,
                )
            )
    return tuple(found)


def _groups(
    cells: Sequence[Outcome], bindings: Mapping[str, Binding], judges: Sequence[str]
) -> Iterator[tuple[Judge, tuple[Cell, ...]]]:
    groups: dict[tuple[str, str, int], list[Outcome]] = {}
    for outcome in cells:
        if outcome.status != "skipped" or outcome.kind in JUDGED_KINDS:
            groups.setdefault((outcome.case_id, outcome.metric, outcome.repeat), []).append(outcome)
    for group in groups.values():
        for judge, own in by_judge(group, judges):
            if len(own) > 1:
                yield judge, tuple(Cell(outcome=one, binding=bindings.get(one.scorer)) for one in own)


def _disagreement(group: tuple[Cell, ...], judge: Judge, limits: Limits) -> Disagreement | None:
    gap, weight, flipped = _gap(group), _item_weight(group), is_flipped(group)
    wide = gap is not None and _flagged(gap, weight, limits)
    if not wide and not flipped:
        gap = None
    if gap is None and not _one_sided(group):
        return None
    first = group[0].outcome
    return Disagreement(
        case_id=first.case_id,
        metric=first.metric,
        judge=judge,
        repeat=first.repeat,
        scores={cell.outcome.scorer: cell.outcome.score for cell in group},
        unmeasured=states(group),
        gap=gap,
        item_weight=weight,
        flipped=flipped,
        causes=_causes(Comparison(cells=group, gap=gap), wide=wide, flipped=bool(flipped)),
    )


def _causes(comparison: Comparison, *, wide: bool, flipped: bool) -> tuple[Cause, ...]:
    """Return why scores lie apart, and why verdicts differ where that alone does not tell."""
    if not flipped:
        return find_causes(comparison)
    flip = flip_cause(comparison)
    if wide:
        found = find_causes(comparison)
        return (flip, *found) if flip.grade == "confirmed" else found
    same = comparison.gap is None or comparison.gap <= TOLERANCE
    found = find_causes(Comparison(cells=comparison.cells, gap=None if same else comparison.gap))
    return (flip, *(cause for cause in found if cause.grade != "unexplained"))


def _gap(group: Sequence[Cell]) -> float | None:
    scores = [score for cell in group if cell.comparable and (score := cell.outcome.score) is not None]
    return round(max(scores) - min(scores), 9) if len(scores) > 1 else None


def _item_weight(group: Sequence[Cell]) -> float | None:
    counts = [len(cell.items) for cell in group if cell.comparable and cell.items]
    return 1 / min(counts) if counts else None


def _wide(gap: float, limits: Limits) -> bool:
    return gap >= limits.min_gap - TOLERANCE


def _flagged(gap: float, weight: float | None, limits: Limits) -> bool:
    beyond_items = weight is None or gap > limits.min_items * weight + TOLERANCE
    return _wide(gap, limits) and (beyond_items or gap >= WHOLE_SCALE - TOLERANCE)


def _one_sided(group: Sequence[Cell]) -> bool:
    """Whether one framework has a score and another has none that counts, for reasons of its own."""
    own = [cell for cell in group if cell.outcome.kind not in RUN_KINDS]
    found = {state(cell.outcome) for cell in own}
    return len(found) > 1 and any(cell.outcome.score is not None for cell in own)
