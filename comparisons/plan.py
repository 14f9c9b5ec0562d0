"""What will run: one cell for each case, metric and framework that measures it; decided before anything is spent."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalparity.adapters.base import Adapter, Binding
from evalparity.adapters.registry import ADAPTERS, load_adapter
from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import Status


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
    """One (case, metric, scorer) to score, or the reason why it is not."""

    case: EvalCase
    binding: Binding
    framework: str
    refusal: Refusal | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Case, metric and scorer: what makes this cell unique in a run."""
        return (self.case.id, self.binding.metric, self.binding.scorer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All cells of a run, in the order of the report.

    Attributes:
        cells: by case, then metric, then framework.
        adapters: the frameworks of the run by name, absent ones included.
        versions: installed version by framework; None for an absent one.
        metrics: names of the metrics, in order.
    """

    cells: tuple[PlannedCell, ...]
    adapters: Mapping[str, Adapter]
    versions: Mapping[str, str | None]
    metrics: tuple[str, ...]


def choose_adapters(names: Sequence[str]) -> tuple[dict[str, Adapter], dict[str, str | None]]:
    """Return adapters and installed versions: the named frameworks, or all that are installed.

    A named framework that is absent stays in the plan, so that its cells are reported; an unnamed one is left out.

    Raises:
        UsageError: a name is unknown.
    """
    adapters = {name: load_adapter(name) for name in (names or ADAPTERS)}
    versions = {name: adapter.installed_version() for name, adapter in adapters.items()}
    if not names:
        adapters = {name: adapter for name, adapter in adapters.items() if versions[name] is not None}
    return adapters, {name: versions[name] for name in adapters}


def choose_metrics(names: Sequence[str], adapters: Mapping[str, Adapter]) -> tuple[str, ...]:
    """Return the named metrics, or all that the frameworks have a binding for, in the order of reports.

    Raises:
        UsageError: a name is unknown, or no chosen framework has the metric.
    """
    for name in names:
        _check_metric(name, adapters)
    bound = {metric for adapter in adapters.values() for metric in adapter.bindings}
    return tuple(metric for metric in METRICS if metric in (set(names) or bound))


def _check_metric(name: str, adapters: Mapping[str, Adapter]) -> None:
    if name not in METRICS:
        near = difflib.get_close_matches(name, METRICS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(METRICS)}."
        raise UsageError(f"unknown metric {name!r}: {hint}")
    if not any(name in adapter.bindings for adapter in adapters.values()):
        able = [other for other in ADAPTERS if name in load_adapter(other).bindings]
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
) -> Plan:
    """Return the plan of a run; pure.

    Args:
        suite: the cases.
        adapters: frameworks by name.
        versions: installed version by framework, None when absent.
        metrics: canonical metrics.
        has_embeddings: whether an embedding model is named; without one, cells that need it are skipped.
    """
    metrics = tuple(metrics)
    cells = tuple(
        PlannedCell(
            case=case,
            binding=adapter.bindings[metric],
            framework=name,
            refusal=_missing_field(case, metric)
            or _absent(adapter, versions[name])
            or _no_embeddings(adapter.bindings[metric], has_embeddings=has_embeddings),
        )
        for case in suite.cases
        for metric in metrics
        for name, adapter in adapters.items()
        if metric in adapter.bindings
    )
    return Plan(cells=cells, adapters=adapters, versions=versions, metrics=metrics)


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
    if has_embeddings or binding.embedding_calls.high == 0:
        return None
    return Refusal(
        status="skipped",
        kind="no_embedding_model",
        reason=f"{binding.scorer} needs embeddings: name a model with --embedding-model",
    )
