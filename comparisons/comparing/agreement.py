"""How far two frameworks agree on a metric, over the cases that both measured."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import correlation, fmean

from pydantic import Field

from evalparity.comparisons.comparing.judges import Judge, by_judge
from evalparity.comparisons.comparing.measured import is_measured
from evalparity.unified_schema.outcomes import Frozen, Outcome

FEWEST_FOR_RANKS = 3
"""Two points always correlate perfectly or not at all."""

CaseKey = tuple[str, int]
"""Case id and repeat."""


class Interval(Frozen):
    """A value with its confidence interval; unknown ends are None."""

    value: float
    ci_low: float | None = None
    ci_high: float | None = None


class Pair(Frozen):
    """Two scorers over the cases that both measured; what is not computed or not defined is None."""

    a: str
    b: str
    n: int
    """Cases that both measured; with repeats, each repeat of a case counts."""
    unpaired: int
    """Cases planned for both that one of them did not measure; left out, never filled in."""
    spearman: float | None = None
    """Rank correlation, -1..1."""
    kendall: float | None = None
    mean_abs_difference: float | None = None
    """Mean of |a - b|, 0..1."""
    bias: float | None = None
    """Mean of a - b: above 0, a scores higher."""
    limits: tuple[float, float] | None = None
    kappa: float | None = None
    ac1: float | None = None
    mcnemar_p: float | None = None
    ci: dict[str, tuple[float, float]] = Field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    """Why a number above is not defined, one sentence each."""


class Agreement(Frozen):
    """All pairs of scorers of one metric, with one judge."""

    metric: str
    judge: str | None = None
    """Name of the judge; None where the run has one judge or no scorer of the metric asks one."""
    n: int
    """Cases that every scorer of the metric measured; with repeats, each repeat of a case counts."""
    krippendorff_alpha: Interval | None = None
    pairs: tuple[Pair, ...]


def measure_agreement(cells: Sequence[Outcome], judges: Sequence[str] = ()) -> tuple[Agreement, ...]:
    """Compare the scorers of every metric that has two or more, in the order of the cells.

    What a framework cannot score at all (`unsupported`) is no missing cell and is left out. Scores are compared
    within one judge and one repeat.

    Args:
        cells: outcomes.
        judges: names of the judges where there are several.
    """
    by_metric: dict[str, list[Outcome]] = {}
    for cell in cells:
        if cell.kind != "unsupported":
            by_metric.setdefault(cell.metric, []).append(cell)
    agreements = (
        _agreement(metric, judge, seen) for metric, own in by_metric.items() for judge, seen in by_judge(own, judges)
    )
    return tuple(agreement for agreement in agreements if agreement.pairs)


def _agreement(metric: str, judge: Judge, cells: Sequence[Outcome]) -> Agreement:
    columns: dict[str, dict[CaseKey, Outcome]] = {}
    for cell in cells:
        columns.setdefault(cell.scorer, {})[cell.case_id, cell.repeat] = cell
    measured = [{key for key, cell in column.items() if is_measured(cell)} for column in columns.values()]
    return Agreement(
        metric=metric,
        judge=judge,
        n=len(set.intersection(*measured)),
        pairs=tuple(_pair(columns[a], columns[b]) for a, b in combinations(columns, 2)),
    )


def _pair(a: Mapping[CaseKey, Outcome], b: Mapping[CaseKey, Outcome]) -> Pair:
    planned = [key for key in a if key in b]
    both = [key for key in planned if is_measured(a[key]) and is_measured(b[key])]
    scores_a, scores_b = _scores(a, both), _scores(b, both)
    name_a, name_b = next(iter(a.values())).scorer, next(iter(b.values())).scorer
    spearman, no_ranks = _spearman({name_a: scores_a, name_b: scores_b}, cases=len({case for case, _ in both}))
    no_differences = _why_no_differences(next(iter(a.values())), next(iter(b.values())), len(both))
    differences = [] if no_differences else [x - y for x, y in zip(scores_a, scores_b, strict=True)]
    return Pair(
        a=name_a,
        b=name_b,
        n=len(both),
        unpaired=len(planned) - len(both),
        spearman=spearman,
        mean_abs_difference=fmean(map(abs, differences)) if differences else None,
        bias=fmean(differences) if differences else None,
        reasons=tuple(reason for reason in (no_ranks, no_differences) if reason),
    )


def _scores(column: Mapping[CaseKey, Outcome], keys: Sequence[CaseKey]) -> list[float]:
    return [score for key in keys if (score := column[key].score) is not None]


def _spearman(columns: Mapping[str, Sequence[float]], *, cases: int) -> tuple[float | None, str | None]:
    """Return Spearman's rank correlation, or why it is not defined; repeats of a case make no further cases.

    It is Pearson's correlation of the ranks, equal scores sharing the mean of their ranks: what
    `scipy.stats.spearmanr` computes, without the second and the memory that its import takes.
    """
    if cases < FEWEST_FOR_RANKS:
        return None, f"no rank correlation: {cases} cases measured by both, {FEWEST_FOR_RANKS} are needed"
    for name, scores in columns.items():
        if min(scores) == max(scores):
            return None, f"no rank correlation: {name} scored {scores[0]:.2f} in all {cases} cases"
    return round(correlation(*map(_ranks, columns.values())), 12), None


def _ranks(scores: Sequence[float]) -> list[float]:
    ordered = sorted(scores)
    return [(bisect_left(ordered, score) + bisect_right(ordered, score)) / 2 for score in scores]


def _why_no_differences(a: Outcome, b: Outcome, n: int) -> str | None:
    proxies = [cell.scorer for cell in (a, b) if cell.closeness == "proxy"]
    if proxies:
        return f"no differences: {' and '.join(proxies)} measures something else and is compared by rank only"
    return None if n else "no differences: no case was measured by both"
