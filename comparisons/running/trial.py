"""A trial of frameworks: each is started as in a run and scores one small case on the built-in judge."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from evalparity.adapters.base import Adapter
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.running.plan import Plan, make_plan
from evalparity.comparisons.running.run import Limits, Listener, run_plan
from evalparity.comparisons.running.settle import Settled
from evalparity.unified_schema.cases import Chunk, EvalCase, EvalSuite
from evalparity.unified_schema.outcomes import Outcome

_LIMITS = Limits(cell=60.0, framework=180.0)
_TEXT = "The merchant pays the return shipping."
_CASE = EvalCase(
    id="trial",
    input="Who pays the return shipping?",
    output=_TEXT,
    reference=_TEXT,
    retrieved_contexts=(Chunk(id="1", text=_TEXT),),
)


async def try_frameworks(adapters: Mapping[str, Adapter], versions: Mapping[str, str | None]) -> dict[str, Outcome]:
    """Return how the first scorer of each framework ended, by framework.

    Args:
        adapters: frameworks by name, all installed.
        versions: their versions.
    """
    settled: list[Settled] = []
    with tempfile.TemporaryDirectory(prefix="evalparity-") as name:
        await run_plan(
            _plan(adapters, versions),
            JudgeSettings(),
            limits=_LIMITS,
            sources=Sources(),
            logs=Path(name),
            listener=Listener(line=lambda _line: None, ended=settled.append),
        )
    return {one.outcome.framework: one.outcome for one in settled}


def _plan(adapters: Mapping[str, Adapter], versions: Mapping[str, str | None]) -> Plan:
    first = {name: adapter.scorers()[0] for name, adapter in adapters.items()}
    plan = make_plan(
        EvalSuite(name="trial", cases=(_CASE,)),
        adapters=adapters,
        versions=versions,
        metrics=dict.fromkeys(binding.metric for binding in first.values()),
        has_embeddings=True,
    )
    return replace(plan, cells=tuple(cell for cell in plan.cells if cell.binding == first[cell.framework]))
