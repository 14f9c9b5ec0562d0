"""Run real frameworks over a few cases, the way the command line does, and look at what became of each cell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.ledger import Ledger
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.running.plan import Plan, PlanOptions, choose_adapters, choose_metrics, make_plan
from evalparity.comparisons.running.run import Limits, Listener, run_plan
from evalparity.comparisons.running.settle import Settled
from evalparity.unified_schema.cases import EvalCase
from support.cases import suite

FRAMEWORKS = ("ragas", "deepeval", "promptfoo")
METRICS = ("faithfulness", "context_recall", "answer_relevancy")
"""One metric of each kind: claims against contexts, sentences of a reference, embeddings in two of the frameworks."""


def plan_cases(
    cases: Sequence[EvalCase],
    *,
    frameworks: Sequence[str] = FRAMEWORKS,
    metrics: Sequence[str] = METRICS,
    scorers: Sequence[str] = (),
    judge: JudgeSettings | None = None,
) -> Plan:
    """Return the plan for a few cases."""
    adapters, versions = choose_adapters(frameworks)
    return make_plan(
        suite(*cases),
        adapters=adapters,
        versions=versions,
        metrics=choose_metrics(metrics, adapters),
        options=PlanOptions(scorers=scorers),
        has_embeddings=(judge or JudgeSettings()).embedding_model is not None,
    )


def run_cases(
    plan: Plan,
    folder: Path,
    *,
    judge: JudgeSettings | None = None,
    limits: Limits | None = None,
    ended: Callable[[Settled], None] = lambda _settled: None,
    on: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run,
) -> list[Settled]:
    """Run a plan and return how every cell ended, in the order in which they did; `on` runs the coroutine."""
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    settled: list[Settled] = []

    def keep(one: Settled) -> None:
        settled.append(one)
        ended(one)

    with closing(Ledger(folder / "ledger.sqlite")) as ledger:
        on(
            run_plan(
                plan,
                judge or JudgeSettings(),
                limits=limits or Limits(cell=60, framework=240),
                sources=Sources(ledger=ledger),
                logs=folder / "logs",
                listener=Listener(line=lambda _line: None, ended=keep),
            )
        )
    return settled
