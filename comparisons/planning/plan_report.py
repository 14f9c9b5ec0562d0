"""What `evalparity plan` tells: one value, from which its views are made. Unknown is null, never 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from evalparity.adapters.base import Wiring
from evalparity.comparisons.planning.expected import (
    COUNTING_MARGIN,
    TOKENS_PER_LEXICAL_TOKEN,
    ExpectedRow,
    ExpectedTotal,
    total_use,
)
from evalparity.comparisons.planning.rehearsal import FailedCell, Rehearsal, unready
from evalparity.comparisons.running.run_info import FrameworkInfo, JudgeInfo, PriceInfo, StudyInfo, SuiteInfo
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.unified_schema.outcomes import Frozen, Status

SCHEMA_VERSION: Final = 1


class PlanInfo(Frozen):
    """What would be run."""

    wiring: Wiring
    repeats: int
    """How often each cell that asks a judge is planned."""
    suite: SuiteInfo
    study: StudyInfo | None = None
    """None: the settings come from the command line alone."""
    judges: tuple[JudgeInfo, ...]
    frameworks: dict[str, FrameworkInfo]
    """By name, in the order of reports."""
    prices: PriceInfo


class RefusedCell(Frozen):
    """A planned cell that will not run, whatever the repeat."""

    case_id: str
    metric: str
    scorer: str
    framework: str
    judge: str | None
    """Name of the judge; None: the scorer asks none."""
    status: Status
    kind: str
    reason: str


class RehearsalInfo(Frozen):
    """From what the tokens are estimated."""

    cases: int
    """Cases of which any cell was rehearsed."""
    cells: int
    tokens_per_lexical_token: float = TOKENS_PER_LEXICAL_TOKEN
    """How many tokens of a language model are taken for one of the lexical judge; its own are taken as they are."""
    counting_margin: float = COUNTING_MARGIN
    """By what share a model's own count of the same prompts may be off, either way."""
    failed: tuple[FailedCell, ...] = ()
    """Cells that ended in an error; they are no part of the estimate."""
    waiting: dict[str, str]
    """Frameworks that were not started because they have something to fetch first, and what."""


class PlanReport(Frozen):
    """Everything a reader is told about a plan."""

    schema_version: Literal[1] = SCHEMA_VERSION
    plan: PlanInfo
    rows: tuple[ExpectedRow, ...]
    """One per judge and scorer; one for a scorer that asks no judge."""
    totals: tuple[ExpectedTotal, ...]
    """One per judge and framework; what asks no judge counts to the first."""
    total: ExpectedTotal
    """All judges and frameworks."""
    refused: tuple[RefusedCell, ...]
    """Cells that will not run, each once."""
    rehearsal: RehearsalInfo | None
    """None: nothing was rehearsed, and tokens are unknown."""


def report_plan(
    info: PlanInfo,
    plans: Sequence[JudgePlan],
    rows: Sequence[tuple[ExpectedRow, ...]],
    rehearsal: Rehearsal | None,
) -> PlanReport:
    """Return what is told of a plan.

    Args:
        info: what would be run.
        plans: one per judge.
        rows: what is expected of each, in the same order.
        rehearsal: from what the tokens come; None: there was none.
    """
    flat = tuple(row for own in rows for row in own)
    return PlanReport(
        plan=info,
        rows=flat,
        totals=tuple(_totals(plans, rows)),
        total=total_use(flat),
        refused=tuple(_refused(plans)),
        rehearsal=_rehearsal_info(rehearsal, plans[0]) if rehearsal is not None else None,
    )


def _totals(plans: Sequence[JudgePlan], rows: Sequence[tuple[ExpectedRow, ...]]) -> Iterator[ExpectedTotal]:
    for one, own in zip(plans, rows, strict=True):
        for framework in one.plan.adapters:
            of_framework = [row for row in own if row.framework == framework]
            if of_framework:
                yield total_use(of_framework, framework=framework, judge=one.judge.name)


def _refused(plans: Sequence[JudgePlan]) -> Iterator[RefusedCell]:
    for one in plans:
        for cell in one.plan.cells:
            if cell.refusal is not None and cell.repeat == 0:
                yield RefusedCell(
                    case_id=cell.case.id,
                    metric=cell.binding.metric,
                    scorer=cell.binding.scorer,
                    framework=cell.framework,
                    judge=one.judge.name if cell.binding.asks_judge else None,
                    status=cell.refusal.status,
                    kind=cell.refusal.kind,
                    reason=cell.refusal.reason,
                )


def _rehearsal_info(rehearsal: Rehearsal, first: JudgePlan) -> RehearsalInfo:
    return RehearsalInfo(
        cases=rehearsal.cases,
        cells=sum(map(len, rehearsal.cells.values())),
        failed=rehearsal.failed,
        waiting=unready(first.plan),
    )
