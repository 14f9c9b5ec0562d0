"""The report of a run: one value, the source of every view, and a contract (`report.schema.json`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final, Literal

from pydantic import AwareDatetime

from evalparity.adapters.base import Binding
from evalparity.comparisons.agreement import Agreement, measure_agreement
from evalparity.comparisons.cost import CostRow, total_cost
from evalparity.comparisons.disagreement import (
    Disagreement,
    Limits,
    Unresolved,
    find_disagreements,
    find_unresolved,
)
from evalparity.comparisons.measured import MEASURED, state
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import Closeness, Frozen, Outcome

SCHEMA_VERSION: Final = 1


class SuiteInfo(Frozen):
    """Which suite was run."""

    name: str
    path: str
    """As the user gave it."""
    sha256: str
    """Of the file's bytes."""
    cases: int


class JudgeInfo(Frozen):
    """Which judge gave the verdicts, the same for every framework; it holds no key."""

    kind: Literal["lexical", "endpoint"]
    """`lexical`: the built-in comparison of words, no language model."""
    model: str
    url: str | None = None
    embedding_model: str | None = None
    embedding_url: str | None = None
    temperature: float
    seed: int
    max_output_tokens: int


class FrameworkInfo(Frozen):
    """One framework of the run."""

    name: str
    version: str | None
    """As installed; None when it is absent."""


class RunInfo(Frozen):
    """What was run, when, and whether it came to its end."""

    id: str
    created_at: AwareDatetime
    wiring: Literal["stock", "lean"] = "stock"
    suite: SuiteInfo
    judge: JudgeInfo
    frameworks: dict[str, FrameworkInfo]
    """By instance name, in the order of reports."""
    complete: bool
    """False when the run was interrupted."""


class SummaryRow(Frozen):
    """One metric by one scorer over the suite."""

    metric: str
    scorer: str
    framework: str
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
    pass_rate: float | None = None


class InputCheck(Frozen):
    """Whether the texts of one cell reached the judge whole."""

    case_id: str
    metric: str
    scorer: str
    framework: str
    missing: tuple[str, ...] = ()
    """Canonical fields that were not found in any call of the cell."""
    rewritten: tuple[str, ...] = ()
    """Canonical fields that the framework changed on their way."""


class FrameworkInputs(Frozen):
    """The input checks of one framework: verified, rewritten and missing add up to checked."""

    checked: int
    verified: int
    rewritten: int
    missing: int
    """Cells with a missing text, rewritten ones among them."""
    cells: tuple[InputCheck, ...]
    """The cells that are not verified."""


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
    place = _report_order(case_order, tuple(run.frameworks), tuple(bindings))
    cells = sorted(outcomes, key=lambda c: (place(c.case_id, c.metric, c.framework, c.scorer), c.repeat))
    _refuse_twins(cells)
    checks = sorted(inputs, key=lambda c: place(c.case_id, c.metric, c.framework, c.scorer))
    used = limits or Limits()
    by_metric = sorted(cells, key=lambda c: place("", c.metric, c.framework, c.scorer))
    return Report(
        run=run,
        cells=tuple(cells),
        summary=_summarise(by_metric),
        agreement=measure_agreement(by_metric),
        disagreements=find_disagreements(cells, bindings, used),
        unresolved=find_unresolved(cells, bindings, used),
        cost=total_cost(by_metric),
        inputs=_count_inputs(checks, run.frameworks),
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


def _summarise(cells: Sequence[Outcome]) -> tuple[SummaryRow, ...]:
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    for cell in cells:
        groups.setdefault((cell.metric, cell.framework, cell.scorer), []).append(cell)
    return tuple(_summary_row(group) for group in groups.values())


def _summary_row(cells: Sequence[Outcome]) -> SummaryRow:
    statuses = Counter(cell.status for cell in cells)
    states = Counter(state(cell) for cell in cells if cell.status == "scored")
    counted = [cell.score for cell in cells if state(cell) == MEASURED and cell.score is not None]
    return SummaryRow(
        metric=cells[0].metric,
        scorer=cells[0].scorer,
        framework=cells[0].framework,
        closeness=cells[0].closeness,
        planned=len(cells),
        measured=len(counted),
        scored=statuses["scored"],
        skipped=statuses["skipped"],
        errored=statuses["errored"],
        vacuous=states["vacuous"],
        degraded=states["degraded"],
        input_missing=states["input_missing"],
        mean=fmean(counted) if counted else None,
    )


def _count_inputs(checks: Sequence[InputCheck], frameworks: Iterable[str]) -> dict[str, FrameworkInputs]:
    by_framework: dict[str, list[InputCheck]] = {name: [] for name in frameworks}
    for check in checks:
        by_framework.setdefault(check.framework, []).append(check)
    return {name: _framework_inputs(own) for name, own in by_framework.items()}


def _framework_inputs(checks: Sequence[InputCheck]) -> FrameworkInputs:
    missing = [check for check in checks if check.missing]
    rewritten = [check for check in checks if check.rewritten and not check.missing]
    return FrameworkInputs(
        checked=len(checks),
        verified=len(checks) - len(missing) - len(rewritten),
        rewritten=len(rewritten),
        missing=len(missing),
        cells=tuple(check for check in checks if check.missing or check.rewritten),
    )
