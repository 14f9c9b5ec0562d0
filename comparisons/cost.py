"""What each framework asked of the judge, per metric; a sum with an unknown part is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from evalparity.unified_schema.outcomes import Frozen, JudgeUsage, Outcome, add_amounts, add_counts


class CostRow(Frozen):
    """Judge traffic of one scorer on one metric, summed over its cells; unknown is None."""

    framework: str
    metric: str
    scorer: str
    calls: int
    """Chat calls that the framework requested."""
    billed_calls: int
    """Chat calls that the upstream bills or may bill: it answered, or was still at it when they were given up."""
    failed_calls: int
    """Chat and embedding calls that ended in an error."""
    embedding_calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    """US dollars; None when the price of any call is unknown; 0 when there was no call."""
    seconds: float
    """Time that requests were on their way to the judge, added up; they run side by side, so a run takes less."""


def total_cost(cells: Sequence[Outcome]) -> tuple[CostRow, ...]:
    """Return one row per framework, metric and scorer, in the order of the cells."""
    groups: dict[tuple[str, str, str], list[JudgeUsage]] = {}
    for cell in cells:
        groups.setdefault((cell.framework, cell.metric, cell.scorer), []).append(cell.judge)
    return tuple(_row(key, usages) for key, usages in groups.items())


def _row(key: tuple[str, str, str], usages: Sequence[JudgeUsage]) -> CostRow:
    # A cell that never called the judge has no price to know: it must not make the sum unknown.
    asked = [usage for usage in usages if usage.calls or usage.embedding_calls or usage.attempts]
    framework, metric, scorer = key
    return CostRow(
        framework=framework,
        metric=metric,
        scorer=scorer,
        calls=sum(usage.calls for usage in asked),
        billed_calls=sum(usage.billed_calls for usage in asked),
        failed_calls=sum(usage.failed_calls for usage in asked),
        embedding_calls=sum(usage.embedding_calls for usage in asked),
        input_tokens=add_counts(usage.input_tokens for usage in asked),
        output_tokens=add_counts(usage.output_tokens for usage in asked),
        cost_usd=add_amounts(usage.cost_usd for usage in asked),
        seconds=sum(usage.seconds for usage in asked),
    )
