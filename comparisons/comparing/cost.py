"""What each framework asked of the judge, per metric; a sum with an unknown part is unknown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalparity.comparisons.comparing.judges import Judge, judge_of
from evalparity.unified_schema.outcomes import Frozen, JudgeUsage, Outcome, add_amounts, add_counts


class CostRow(Frozen):
    """Judge traffic of one scorer on one metric with one judge, summed over its cells; unknown is None."""

    framework: str
    metric: str
    scorer: str
    judge: str | None = None
    """Name of the judge; None where the run has one judge or the scorer asks none."""
    calls: int
    """Chat calls that the framework requested."""
    billed_calls: int
    """Chat calls that the upstream bills or may bill: it answered, or was still at it when they were given up."""
    failed_calls: int
    """Chat and embedding calls that ended in an error."""
    embedding_calls: int
    input_tokens: int | None
    cached_tokens: int | None = None
    """Those of the input tokens that the upstream had in its cache."""
    output_tokens: int | None
    embedding_tokens: int | None = None
    """Tokens of the embedding calls; those above are of chat calls."""
    cost_usd: float | None
    """US dollars that the upstream bills; None when the price of any call is unknown; 0 when there was no call."""
    at_least_usd: float = 0.0
    """The same without the calls whose price is unknown."""
    unpriced_calls: int = 0
    """Billed calls, embeddings included, whose price is unknown."""
    requested_usd: float | None = None
    """US dollars for what the framework asked for: each answered call once, wherever its answer came from."""
    reused_calls: int = 0
    """Chat and embedding calls that were answered from the cache or a cassette."""
    shared_calls: int = 0
    """Those that an equal call of another cell answered, which is billed to that cell."""
    seconds: float
    """Time that requests were on their way to the judge, added up; they run side by side, so a run takes less."""


def total_cost(cells: Sequence[Outcome], judges: Sequence[str] = ()) -> tuple[CostRow, ...]:
    """Return one row per framework, metric, scorer and judge, in the order of the cells.

    Args:
        cells: outcomes.
        judges: names of the judges where there are several.
    """
    groups: dict[tuple[str, str, str, Judge], list[JudgeUsage]] = {}
    for cell in cells:
        groups.setdefault((cell.framework, cell.metric, cell.scorer, judge_of(cell, judges)), []).append(cell.judge)
    return tuple(_row(key, usages) for key, usages in groups.items())


def _row(key: tuple[str, str, str, Judge], usages: Sequence[JudgeUsage]) -> CostRow:
    # A cell that never called the judge has no price to know: it must not make the sum unknown.
    asked = [usage for usage in usages if usage.calls or usage.embedding_calls or usage.attempts]
    framework, metric, scorer, judge = key
    return CostRow(
        framework=framework,
        metric=metric,
        scorer=scorer,
        judge=judge,
        calls=sum(usage.calls for usage in asked),
        billed_calls=sum(usage.billed_calls for usage in asked),
        failed_calls=sum(usage.failed_calls for usage in asked),
        embedding_calls=sum(usage.embedding_calls for usage in asked),
        input_tokens=add_counts(usage.input_tokens for usage in asked),
        cached_tokens=add_counts(usage.cached_tokens for usage in asked),
        output_tokens=add_counts(usage.output_tokens for usage in asked),
        embedding_tokens=add_counts(usage.embedding_tokens for usage in asked),
        cost_usd=add_amounts(usage.cost_usd for usage in asked),
        at_least_usd=math.fsum(usage.at_least_usd for usage in asked),
        unpriced_calls=sum(usage.unpriced_calls for usage in asked),
        requested_usd=add_amounts(usage.requested_usd for usage in asked),
        reused_calls=sum(usage.reused_calls for usage in asked),
        shared_calls=sum(usage.shared_calls for usage in asked),
        seconds=sum(usage.seconds for usage in asked),
    )
