"""The pre-flight of one judge: through a gateway of its own, before any framework starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from evalparity.adapters.judge.answering import Sources
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


async def check_judge(
    judge: JudgeSettings,
    kinds: frozenset[CallKind],
    sources: Sources,
    prices: Prices,
    waiting: Callable[[], None],
) -> Preflight:
    """Ask a judge and its embedding model whether they can do what a run needs; nothing where both are built in.

    A judge that has answered all of it before, as the cache knows, is not asked again: a run that finds all of its
    answers in the cache sends nothing.

    Args:
        judge: the judge.
        kinds: the calls that the run will make.
        sources: where its answers may come from.
        prices: what calls cost.
        waiting: is called before anything is sent.
    """
    if judge.url is None and judge.embedding_server is None:
        return Preflight()
    if sources.cassette is not None:
        return await _fly(judge, kinds, sources, prices)
    if sources.cache is not None and (await _fly(judge, kinds, Sources(cassette=sources.cache), prices)).known:
        return await _fly(judge, kinds, replace(sources, cassette=sources.cache), prices)
    waiting()
    return await _fly(judge, kinds, sources, prices)


async def _fly(judge: JudgeSettings, kinds: frozenset[CallKind], sources: Sources, prices: Prices) -> Preflight:
    upstream, embedder = connect(judge, {})
    served = Gateway(judge, upstream=upstream, embedder=embedder, steps={}, sources=sources, prices=prices)
    async with served as gateway:
        return await preflight(gateway, judge, kinds, recorded=sources.cassette is not None)
