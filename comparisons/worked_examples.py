"""Worked examples: each case of a suite is scored with the metric that it is named after, by every scorer there is."""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
from dataclasses import dataclass
from pathlib import Path

from evalparity.adapters.base import Binding
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.registry import ADAPTERS
from evalparity.comparisons.messages import tell
from evalparity.comparisons.running.plan import ALL, Plan, PlanOptions, choose_adapters, make_plan
from evalparity.comparisons.running.run import Limits, Listener, run_plan
from evalparity.comparisons.running.settle import Settled
from evalparity.unified_schema import METRICS, EvalCase, EvalSuite, Metric, Outcome, UsageError, load_suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One case and what every scorer of its metric makes of it.

    Attributes:
        metric: the metric that the case is named after.
        case: what was scored.
        scored: each scorer with its outcome, in the order of the binding tables.
    """

    metric: Metric
    case: EvalCase
    scored: tuple[tuple[Binding, Outcome], ...]


def run_examples(suite: Path) -> tuple[Example, ...]:
    """Score the examples of a suite on the lexical judge, with the real frameworks, in the order of metrics.

    Args:
        suite: a suite file whose case ids are names of metrics.

    Raises:
        UsageError: a framework is not installed, or a metric has no case of its name.
        SuiteError: the suite has errors.
    """
    loaded = load_suite(suite).suite
    plan = _plan(loaded)
    outcomes = {one.outcome.scorer: one.outcome for one in _run(plan)}
    cases = {case.id: case for case in loaded.cases}
    scorers = {name: [cell.binding for cell in plan.cells if cell.case.id == name] for name in METRICS}
    return tuple(
        Example(
            metric=METRICS[name],
            case=cases[name],
            scored=tuple((binding, outcomes[binding.scorer]) for binding in scorers[name]),
        )
        for name in METRICS
    )


def _plan(suite: EvalSuite) -> Plan:
    adapters, versions = choose_adapters(tuple(ADAPTERS))
    for name, adapter in adapters.items():
        if versions[name] is None:
            raise UsageError(f"the examples are scored by every framework; {name} is missing: {adapter.install_hint}")
    lacking = sorted(set(METRICS) - {case.id for case in suite.cases})
    if lacking:
        raise UsageError(f"no case is named after {', '.join(lacking)}: add one to the examples.")
    plan = make_plan(
        suite,
        adapters=adapters,
        versions=versions,
        metrics=METRICS,
        has_embeddings=True,
        options=PlanOptions(scorers=(ALL,)),
    )
    return dataclasses.replace(plan, cells=tuple(cell for cell in plan.cells if cell.case.id == cell.binding.metric))


def _run(plan: Plan) -> list[Settled]:
    settled: list[Settled] = []
    with tempfile.TemporaryDirectory(prefix="evalparity-examples-") as name:
        folder = Path(name)
        asyncio.run(
            run_plan(
                plan,
                JudgeSettings(),
                limits=Limits(),
                sources=Sources(),
                logs=folder,
                listener=Listener(line=tell, ended=settled.append),
            )
        )
    return settled
