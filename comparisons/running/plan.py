"""What will run: one cell for each case, metric and framework that measures it; decided before anything is spent."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalparity.adapters.base import Adapter, Binding, CallCount, Wiring
from evalparity.adapters.registry import adapter_names, load_adapter
from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import Status

ALL = "all"
"""Stands for every metric, or every scorer, that there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a planned cell does not run.

    Attributes:
        status: `skipped` (nothing to measure) or `errored` (something is wrong with the set-up).
        kind: out of `SKIP_KINDS` or `ERROR_KINDS`.
        reason: what it is and what to do.
    """

    status: Status
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCell:
    """One (case, metric, scorer, repeat) to score with one judge, or the reason why it is not.

    Attributes:
        case: what is scored.
        binding: how.
        framework: by whom.
        repeat: 0-based; added to the judge's seed.
        threshold: score from which on the cell passes; None: no verdict is asked for.
        refusal: why it does not run; None: it does.
    """

    case: EvalCase
    binding: Binding
    framework: str
    repeat: int = 0
    threshold: float | None = None
    refusal: Refusal | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Case, metric, scorer and repeat: what makes this cell unique among those of one judge."""
        return (self.case.id, self.binding.metric, self.binding.scorer, self.repeat)

    @property
    def calls(self) -> CallCount:
        """Return the chat calls that the cell makes in stock wiring if it runs by itself."""
        return self.binding.calls.of(self.contexts)

    @property
    def contexts(self) -> int:
        """Return how many contexts are judged."""
        field = METRICS[self.binding.metric].contexts
        return len(self.case.context_texts(field)) if field is not None else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All cells of a run, in the order of the report.

    Attributes:
        cells: by case, then metric, framework, scorer and repeat.
        adapters: the frameworks of the run by name, absent ones included.
        versions: installed version by framework; None for an absent one.
        metrics: names of the metrics, in order.
    """

    cells: tuple[PlannedCell, ...]
    adapters: Mapping[str, Adapter]
    versions: Mapping[str, str | None]
    metrics: tuple[str, ...]
    wiring: Wiring = "stock"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """How a plan departs from one cell for each case and each framework's default scorer.

    Attributes:
        scorers: which ones, where a framework has several; see `choose_scorers`.
        thresholds: score from which on a cell passes, 0..1, by metric or by scorer; a scorer's own goes first.
        repeats: how often every cell that asks a judge is scored, 1 or more.
        wiring: as the frameworks ship (`stock`), or without what does not change a score (`lean`).
    """

    scorers: Sequence[str] = ()
    thresholds: Mapping[str, float] = field(default_factory=dict)
    repeats: int = 1
    wiring: Wiring = "stock"

    def threshold(self, binding: Binding) -> float | None:
        """Return the threshold of a scorer: its own, else its metric's, else None."""
        return self.thresholds.get(binding.scorer, self.thresholds.get(binding.metric))


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Cells that one answer of the framework scores.

    Attributes:
        cell: the one that is asked for; the judge's calls are its calls.
        readers: cells of derived scorers, which read the same answer in another way.
    """

    cell: PlannedCell
    readers: tuple[PlannedCell, ...] = ()

    @property
    def cells(self) -> tuple[PlannedCell, ...]:
        """Return all of them."""
        return (self.cell, *self.readers)


def in_batches(cells: Iterable[PlannedCell]) -> tuple[Batch, ...]:
    """Return the cells that run, those that share an answer together; refused cells are left out."""
    groups: dict[tuple[str, str, int], list[PlannedCell]] = {}
    for cell in cells:
        if cell.refusal is None:
            groups.setdefault((cell.case.id, cell.binding.asked_scorer, cell.repeat), []).append(cell)
    ordered = (sorted(group, key=lambda cell: cell.binding.derived_from is not None) for group in groups.values())
    return tuple(Batch(cell=first, readers=tuple(others)) for first, *others in ordered)


def choose_adapters(names: Sequence[str]) -> tuple[dict[str, Adapter], dict[str, str | None]]:
    """Return adapters and installed versions: the named frameworks, or all that are installed.

    A named framework that is absent stays in the plan, so that its cells are reported; an unnamed one is left out.

    Raises:
        UsageError: a name is unknown.
    """
    adapters = {name: load_adapter(name) for name in (names or adapter_names())}
    versions = {name: adapter.installed_version() for name, adapter in adapters.items()}
    if not names:
        adapters = {name: adapter for name, adapter in adapters.items() if versions[name] is not None}
    return adapters, {name: versions[name] for name in adapters}


def choose_metrics(names: Sequence[str], adapters: Mapping[str, Adapter]) -> tuple[str, ...]:
    """Return the named metrics, or the default ones that a framework measures, in the order of reports.

    Args:
        names: metrics; `all` stands for every one that a framework measures.
        adapters: frameworks by name.

    Raises:
        UsageError: a name is unknown, or no chosen framework has the metric.
    """
    for name in names:
        if name != ALL:
            _check_metric(name, adapters)
    bound = {metric for adapter in adapters.values() for metric in adapter.bindings}
    named = bound if ALL in names else set(names)
    default = {name for name in bound if METRICS[name].default}
    return tuple(metric for metric in METRICS if metric in (named or default))


def choose_scorers(
    names: Sequence[str], adapters: Mapping[str, Adapter], metrics: Iterable[str]
) -> tuple[Binding, ...]:
    """Return the scorers of the metrics: the named ones, and a framework's default where it has none named.

    Args:
        names: scorers, such as `ragas:factual_correctness`; `all` stands for every scorer of the metrics.
        adapters: frameworks by name.
        metrics: canonical metrics.

    Raises:
        UsageError: a name is unknown, or its framework or its metric is not part of the run.
    """
    metrics = tuple(metrics)
    known = {binding.scorer: binding for adapter in adapters.values() for binding in adapter.scorers()}
    for name in names:
        if name != ALL:
            _check_scorer(name, known, metrics)
    chosen: list[Binding] = []
    for metric in metrics:
        for adapter in adapters.values():
            own = adapter.bindings.get(metric, ())
            named = own if ALL in names else tuple(binding for binding in own if binding.scorer in names)
            chosen += named or own[:1]
    return tuple(chosen)


def _check_scorer(name: str, known: Mapping[str, Binding], metrics: Sequence[str]) -> None:
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`evalparity adapters --table` lists them."
        raise UsageError(f"unknown scorer {name!r} among the frameworks of this run: {hint}")
    if known[name].metric not in metrics:
        raise UsageError(f"scorer {name} measures {known[name].metric}: add --metric {known[name].metric}.")


def _check_metric(name: str, adapters: Mapping[str, Adapter]) -> None:
    if name not in METRICS:
        near = difflib.get_close_matches(name, METRICS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(METRICS)}."
        raise UsageError(f"unknown metric {name!r}: {hint}")
    if not any(name in adapter.bindings for adapter in adapters.values()):
        able = [other for other in adapter_names() if name in load_adapter(other).bindings]
        raise UsageError(
            f"none of {', '.join(adapters)} measures {name}: add --framework with one of {', '.join(able)}."
        )


def make_plan(
    suite: EvalSuite,
    *,
    adapters: Mapping[str, Adapter],
    versions: Mapping[str, str | None],
    metrics: Iterable[str],
    has_embeddings: bool,
    options: PlanOptions | None = None,
) -> Plan:
    """Return the plan of a run; pure.

    Args:
        suite: the cases.
        adapters: frameworks by name.
        versions: installed version by framework, None when absent.
        metrics: canonical metrics.
        has_embeddings: whether an embedding model is named; without one, cells that need it are skipped.
        options: scorers, thresholds, repeats and wiring; None: the defaults.

    Raises:
        UsageError: a scorer is unknown or no part of the run.
    """
    metrics, options = tuple(metrics), options or PlanOptions()
    framework_of = {binding.scorer: name for name, adapter in adapters.items() for binding in adapter.scorers()}
    chosen = choose_scorers(options.scorers, adapters, metrics)
    cells = tuple(
        PlannedCell(
            case=case,
            binding=binding,
            framework=framework_of[binding.scorer],
            repeat=repeat,
            threshold=options.threshold(binding),
            refusal=_missing_field(case, binding.metric)
            or _absent(adapters[framework_of[binding.scorer]], versions[framework_of[binding.scorer]])
            or _no_embeddings(binding, has_embeddings=has_embeddings),
        )
        for case in suite.cases
        for binding in chosen
        for repeat in range(options.repeats if binding.asks_judge else 1)
    )
    return Plan(cells=cells, adapters=adapters, versions=versions, metrics=metrics, wiring=options.wiring)


def _missing_field(case: EvalCase, metric: str) -> Refusal | None:
    blank = case.blank_fields(METRICS[metric].requires)
    if not blank:
        return None
    return Refusal(
        status="skipped",
        kind="missing_field",
        reason=f"{metric} needs {' and '.join(blank)}, missing or blank in this case",
    )


def _absent(adapter: Adapter, version: str | None) -> Refusal | None:
    if version is not None:
        return None
    return Refusal(
        status="errored",
        kind="framework_absent",
        reason=f"{adapter.name} is not installed: {adapter.install_hint}",
    )


def _no_embeddings(binding: Binding, *, has_embeddings: bool) -> Refusal | None:
    if has_embeddings or binding.embedding_calls.none:
        return None
    return Refusal(
        status="skipped",
        kind="no_embedding_model",
        reason=f"{binding.scorer} needs embeddings: name a model with --embedding-model",
    )
