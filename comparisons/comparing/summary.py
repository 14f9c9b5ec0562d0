"""One line for each metric, scorer and judge: how much was measured, the mean, the pass rate, the judge's noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance

from evalparity.comparisons.comparing.judges import Judge, judge_of
from evalparity.comparisons.comparing.measured import is_measured, state
from evalparity.unified_schema.outcomes import Closeness, Frozen, Outcome


class SummaryRow(Frozen):
    """One metric by one scorer over the suite, by one judge."""

    metric: str
    scorer: str
    framework: str
    judge: str | None = None
    """Name of the judge; None where the run has one judge or the scorer asks none."""
    closeness: Closeness
    planned: int
    """Cells planned; scored, skipped and errored add up to it."""
    measured: int
    """Scored cells that count; with the vacuous, the degraded and those with missing input they are all scored."""
    scored: int
    skipped: int
    errored: int
    vacuous: int
    """Scored by the framework's convention for nothing to check."""
    degraded: int
    """Scored from incomplete steps."""
    input_missing: int
    """Scored by a judge that did not see all of the case."""
    mean: float | None
    """Over the measured cells; None without any."""
    ci_low: float | None = None
    ci_high: float | None = None
    threshold: float | None = None
    """Score from which on a cell passes; None: none was set."""
    pass_rate: float | None = None
    """Share of the measured cells that pass; None without a threshold or a measured cell."""
    repeat_sd: float | None = None
    """How far scores of one case lie apart from one repeat to the next; None where no case was measured twice."""


def summarise(cells: Sequence[Outcome], judges: Sequence[str] = ()) -> tuple[SummaryRow, ...]:
    """Return one row for each metric, scorer and judge, in the order of the cells.

    Args:
        cells: outcomes.
        judges: names of the judges where there are several.
    """
    groups: dict[tuple[str, str, str, Judge], list[Outcome]] = {}
    for cell in cells:
        groups.setdefault((cell.metric, cell.framework, cell.scorer, judge_of(cell, judges)), []).append(cell)
    return tuple(_row(group, judge) for (*_, judge), group in groups.items())


def _row(cells: Sequence[Outcome], judge: Judge) -> SummaryRow:
    statuses = Counter(cell.status for cell in cells)
    states = Counter(state(cell) for cell in cells if cell.status == "scored")
    counted = [cell for cell in cells if is_measured(cell)]
    scores = [cell.score for cell in counted if cell.score is not None]
    return SummaryRow(
        metric=cells[0].metric,
        scorer=cells[0].scorer,
        framework=cells[0].framework,
        judge=judge,
        closeness=cells[0].closeness,
        planned=len(cells),
        measured=len(counted),
        scored=statuses["scored"],
        skipped=statuses["skipped"],
        errored=statuses["errored"],
        vacuous=states["vacuous"],
        degraded=states["degraded"],
        input_missing=states["input_missing"],
        mean=fmean(scores) if scores else None,
        threshold=cells[0].threshold,
        pass_rate=_pass_rate(counted),
        repeat_sd=repeat_sd(counted),
    )


def _pass_rate(counted: Sequence[Outcome]) -> float | None:
    verdicts = [cell.verdict for cell in counted if cell.verdict is not None]
    return verdicts.count("pass") / len(verdicts) if verdicts else None


def repeat_sd(counted: Sequence[Outcome]) -> float | None:
    """Return the within-case standard deviation over repeats, or None where no case was measured twice.

    The variances of the cases are pooled, each weighted by its degrees of freedom: the root of
    sum((n_i - 1) s_i^2) / sum(n_i - 1), over cases measured n_i >= 2 times (Bland and Altman 1996, Measurement error,
    BMJ 312:1654, the within-subject standard deviation).
    """
    by_case: dict[str, list[float]] = {}
    for cell in counted:
        if cell.score is not None:
            by_case.setdefault(cell.case_id, []).append(cell.score)
    repeated = [scores for scores in by_case.values() if len(scores) > 1]
    freedom = sum(len(scores) - 1 for scores in repeated)
    if not freedom:
        return None
    return sqrt(sum((len(scores) - 1) * variance(scores) for scores in repeated) / freedom)
