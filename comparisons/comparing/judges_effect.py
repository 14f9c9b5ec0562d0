"""What the judge changes and what the framework changes, held apart, where each framework ran with several judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean

from evalparity.comparisons.comparing.measured import is_measured
from evalparity.unified_schema.outcomes import Frozen, Outcome

FEWEST_CASES = 2
"""With one case there is no variance between cases to set the others against."""

Level = tuple[str, str, str]
"""Case, scorer and judge."""


class VarianceShares(Frozen):
    """Where scores of the same cases differ, by what: case, framework, judge and left add up to 1."""

    case: float
    """Some cases score higher than others, whoever scores them."""
    framework: float | None
    """Some frameworks score higher than others, over all cases and judges; None where there is one scorer."""
    judge: float
    """Some judges score higher than others, over all cases and frameworks."""
    left: float
    """The rest: differences that hold for some cases or combinations only, and noise."""
    case_by_framework: float | None
    """Part of `left`: frameworks differ otherwise on one case than on another; None where there is one scorer."""
    case_by_judge: float
    """Part of `left`: judges differ otherwise on one case than on another."""


class JudgeEffect(Frozen):
    """One metric by several judges, over the cases that every scorer measured with every judge."""

    metric: str
    judges: tuple[str, ...]
    scorers: tuple[str, ...]
    """Those compared: they ask a judge, measure the same thing (no `proxy`), and measured at least one case."""
    n: int
    """Cases that every one of these scorers measured with every judge, in all repeats."""
    left_out: int
    """Other cases of the metric, for which a measurement is missing."""
    between_judges: float | None
    """Mean |difference| between two judges within one scorer, 0..1; None without a case."""
    between_frameworks: float | None
    """Mean |difference| between two scorers with one judge, 0..1; None without a case or with one scorer."""
    shares: VarianceShares | None
    """None where it is not defined."""
    reasons: tuple[str, ...] = ()
    """Why a number is not defined or a scorer is left out, one sentence each."""


def judge_effects(cells: Sequence[Outcome], judges: Sequence[str]) -> tuple[JudgeEffect, ...]:
    """Return what judge and framework change for every metric that asks a judge, in the order of the cells.

    Scores over repeats are averaged first. Nothing is filled in: a case counts when no measurement of it is missing.

    Args:
        cells: outcomes.
        judges: names of the judges; with fewer than two, nothing is returned.
    """
    if len(judges) < 2:  # noqa: PLR2004 - nothing to compare
        return ()
    by_metric: dict[str, list[Outcome]] = {}
    for cell in cells:
        if cell.judge_model is not None and cell.closeness != "proxy":
            by_metric.setdefault(cell.metric, []).append(cell)
    return tuple(_effect(metric, own, judges) for metric, own in by_metric.items())


def _effect(metric: str, cells: Sequence[Outcome], judges: Sequence[str]) -> JudgeEffect:
    known = dict.fromkeys(cell.scorer for cell in cells)
    measuring = {cell.scorer for cell in cells if is_measured(cell)}
    scorers = tuple(scorer for scorer in known if scorer in measuring)
    scores = _scores(cells)
    cases = tuple(dict.fromkeys(cell.case_id for cell in cells))
    complete = tuple(case for case in cases if _complete(case, scorers, judges, scores))
    shares, why = _shares(scores, complete, scorers, judges)
    reasons = [f"{scorer} measured no case and is left out" for scorer in known if scorer not in measuring]
    return JudgeEffect(
        metric=metric,
        judges=tuple(judges),
        scorers=scorers,
        n=len(complete),
        left_out=len(cases) - len(complete),
        between_judges=_mean_difference(
            scores,
            [
                ((case, scorer, a), (case, scorer, b))
                for case in complete
                for scorer in scorers
                for a, b in combinations(judges, 2)
            ],
        ),
        between_frameworks=_mean_difference(
            scores,
            [
                ((case, a, judge), (case, b, judge))
                for case in complete
                for judge in judges
                for a, b in combinations(scorers, 2)
            ],
        ),
        shares=shares,
        reasons=(*reasons, *([why] if why else [])),
    )


def _scores(cells: Iterable[Outcome]) -> dict[Level, float]:
    """Return the mean over repeats of each case, scorer and judge, without those of which a repeat is missing."""
    groups: dict[Level, list[Outcome]] = {}
    for cell in cells:
        groups.setdefault((cell.case_id, cell.scorer, str(cell.judge_model)), []).append(cell)
    return {
        level: fmean(cell.score for cell in own if cell.score is not None)
        for level, own in groups.items()
        if all(map(is_measured, own))
    }


def _complete(case: str, scorers: Sequence[str], judges: Sequence[str], scores: Mapping[Level, float]) -> bool:
    return bool(scorers) and all((case, scorer, judge) in scores for scorer in scorers for judge in judges)


def _mean_difference(scores: Mapping[Level, float], pairs: Sequence[tuple[Level, Level]]) -> float | None:
    return fmean(abs(scores[a] - scores[b]) for a, b in pairs) if pairs else None


def _shares(
    scores: Mapping[Level, float], cases: Sequence[str], scorers: Sequence[str], judges: Sequence[str]
) -> tuple[VarianceShares | None, str | None]:
    """Return the shares of variance, or why they are not defined.

    Every case is scored by every scorer with every judge, once (repeats averaged), so that the sum of squares about
    the grand mean falls apart without remainder (Fisher 1925, Statistical Methods for Research Workers, chapter VII;
    for three crossed factors Winer 1971, Statistical Principles in Experimental Design, chapter 5):

        SS_total = sum (x - m)^2                SS_judge = n_case n_scorer sum over judges (m_judge - m)^2
        SS_case_by_judge = n_scorer sum over cases and judges (m_case_judge - m_case - m_judge + m)^2

    and so on for the other factors, m being means. A share is SS / SS_total (eta squared: Cohen 1973, Eta-squared and
    partial eta-squared in fixed factor ANOVA designs).
    """
    if len(cases) < FEWEST_CASES:
        return None, f"no shares of variance: {len(cases)} cases measured by all, {FEWEST_CASES} are needed"
    levels = [(case, scorer, judge) for case in cases for scorer in scorers for judge in judges]
    total = _spread(scores, levels, ())
    if total < _NO_VARIANCE * len(levels):
        return None, f"no shares of variance: all scores of the {len(cases)} cases are alike"
    case, framework, judge = (_spread(scores, levels, (factor,)) / total for factor in range(3))
    case_framework = _spread(scores, levels, (0, 1)) / total - case - framework
    case_judge = _spread(scores, levels, (0, 2)) / total - case - judge
    one = len(scorers) == 1
    return VarianceShares(
        case=_share(case),
        framework=None if one else _share(framework),
        judge=_share(judge),
        left=_share(1 - case - framework - judge),
        case_by_framework=None if one else _share(case_framework),
        case_by_judge=_share(case_judge),
    ), None


_NO_VARIANCE = 1e-18
"""Mean square below which scores differ by rounding alone."""


def _spread(scores: Mapping[Level, float], levels: Sequence[Level], factors: tuple[int, ...]) -> float:
    """Return the sum over all scores of the squared distance from the grand mean of the mean of a score's group.

    Scores are of one group when they share these factors; without any, each score is a group of its own.
    """
    groups: dict[tuple[str, ...], list[float]] = {}
    for level in levels:
        key = tuple(level[factor] for factor in factors) if factors else level
        groups.setdefault(key, []).append(scores[level])
    grand = fmean(scores[level] for level in levels)
    return sum(len(group) * (fmean(group) - grand) ** 2 for group in groups.values())


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 9)
