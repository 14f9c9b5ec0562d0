"""The pre-flight of one judge: through a gateway of its own, before any framework starts."""

from __future__ import annotations

from evalparity.adapters.judge.connect import connect
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.preflight import Preflight, preflight
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import CallKind
from evalparity.comparisons.running.plan import Plan


def kinds_of(plan: Plan) -> frozenset[CallKind]:
    """Return which calls the cells of a plan make."""
    bindings = [cell.binding for cell in plan.cells if cell.refusal is None]
    needed: dict[CallKind, bool] = {
        "chat": any(not binding.calls_in(plan.wiring).none for binding in bindings),
        "embedding": any(not binding.embedding_calls.none for binding in bindings),
    }
    return frozenset(kind for kind, is_needed in needed.items() if is_needed)


async def check_judge(judge: JudgeSettings, kinds: frozenset[CallKind], prices: Prices) -> Preflight:
    """Ask a judge and its embedding model whether they can do what a run needs; nothing where both are built in.

    Args:
        judge: the judge.
        kinds: the calls that the run will make.
        prices: what calls cost.
    """
    if judge.url is None and judge.embedding_server is None:
        return Preflight()
    upstream, embedder = connect(judge, {})
    async with Gateway(judge, upstream=upstream, embedder=embedder, steps={}, prices=prices) as gateway:
        return await preflight(gateway, judge, kinds)
