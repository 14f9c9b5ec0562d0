"""The report of a run: one value, the source of every view, and a contract (`report.schema.json`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal

from evalparity.adapters.base import Binding
from evalparity.comparisons.comparing.agreement import Agreement, measure_agreement
from evalparity.comparisons.comparing.cost import CostRow, total_cost
from evalparity.comparisons.comparing.disagreement import (
    Disagreement,
    Limits,
    Unresolved,
    find_disagreements,
    find_unresolved,
)
from evalparity.comparisons.comparing.judges import several_judges
from evalparity.comparisons.comparing.judges_effect import JudgeEffect, judge_effects
from evalparity.comparisons.comparing.summary import SummaryRow, summarise
from evalparity.comparisons.running.inputs import FrameworkInputs, InputCheck, count_inputs
from evalparity.comparisons.running.run_info import RunInfo
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import Frozen, Outcome

SCHEMA_VERSION: Final = 1


class Report(Frozen):
    """Everything a reader is told about a run; unknown is None, never NaN and never 0."""

    schema_version: Literal[1] = SCHEMA_VERSION
    run: RunInfo
    cells: tuple[Outcome, ...]
    summary: tuple[SummaryRow, ...]
    agreement: tuple[Agreement, ...]
    disagreements: tuple[Disagreement, ...]
    unresolved: tuple[Unresolved, ...]
    """Gaps wide enough to be flagged, but within the weight of one item."""
    cost: tuple[CostRow, ...]
    inputs: dict[str, FrameworkInputs]
    judge_effects: tuple[JudgeEffect, ...] = ()
    """What the judge changes and what the framework changes; empty where the run has one judge."""
    limits: Limits
    """When a gap was flagged."""


def build_report(
    run: RunInfo,
    outcomes: Iterable[Outcome],
    bindings: Mapping[str, Binding],
    inputs: Iterable[InputCheck],
    *,
    case_order: Sequence[str],
    limits: Limits | None = None,
) -> Report:
    """Make the report of a run; the same outcomes in any order give the same report.

    Args:
        run: what was run.
        outcomes: one per planned cell, in any order.
        bindings: by scorer, in the order of reports.
        inputs: one check per cell whose calls were answered, in any order.
        case_order: ids of the cases as the suite has them.
        limits: when a gap is flagged; None: 0.3 and one item.

    Raises:
        ValueError: two outcomes for one cell, which would count it twice.
    """
    judges = several_judges(run)
    rank = {name: at for at, name in enumerate(judges)}
    place = _report_order(case_order, tuple(run.frameworks), tuple(bindings))

    def in_order(of: Outcome | InputCheck, case: str) -> tuple[Place, int, int]:
        return place(case, of.metric, of.framework, of.scorer), rank.get(of.judge_model or "", len(rank)), of.repeat

    cells = sorted(outcomes, key=lambda cell: in_order(cell, cell.case_id))
    _refuse_twins(cells)
    checks = sorted(inputs, key=lambda check: in_order(check, check.case_id))
    used = limits or Limits()
    by_metric = sorted(cells, key=lambda cell: in_order(cell, ""))
    return Report(
        run=run,
        cells=tuple(cells),
        summary=summarise(by_metric, judges),
        agreement=measure_agreement(by_metric, judges),
        disagreements=find_disagreements(cells, bindings, used, judges),
        unresolved=find_unresolved(cells, bindings, used, judges),
        # What imported scores cost is not known, which is something else than nothing.
        cost=() if run.imported else total_cost(by_metric, judges),
        inputs=count_inputs(checks, run.frameworks),
        judge_effects=judge_effects(by_metric, judges),
        limits=used,
    )


Place = tuple[tuple[int, str], ...]


def _report_order(
    cases: Sequence[str], frameworks: Sequence[str], scorers: Sequence[str]
) -> Callable[[str, str, str, str], Place]:
    """Return a sort key: case, metric, framework, scorer; names that are not listed come last, by name."""
    ranks = [{name: at for at, name in enumerate(names)} for names in (cases, METRICS, frameworks, scorers)]

    def place(*names: str) -> Place:
        return tuple((rank.get(name, len(rank)), name) for rank, name in zip(ranks, names, strict=True))

    return place


def _refuse_twins(cells: Sequence[Outcome]) -> None:
    seen = set()
    for cell in cells:
        key = (cell.case_id, cell.metric, cell.scorer, cell.framework, cell.judge_model, cell.repeat)
        if key in seen:
            raise ValueError(f"two outcomes for one cell: case {cell.case_id}, {cell.scorer}")
        seen.add(key)
