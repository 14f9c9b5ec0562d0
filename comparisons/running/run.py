"""Run a plan: every framework in its own process, all calls through one gateway, one outcome per cell."""

from __future__ import annotations

import asyncio
import math
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from evalparity.adapters.base import Adapter, WorkerCommand
from evalparity.adapters.boundary import framework_process
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.connect import connect
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.running.plan import Batch, Plan, in_batches
from evalparity.comparisons.running.run_setting import Limits, Listener, RunSetting
from evalparity.comparisons.running.scorer import Scorer, read, translated
from evalparity.comparisons.running.settle import Failure, refuse
from evalparity.unified_schema.errors import EvalparityError, FrameworkError

__all__ = ["Limits", "Listener", "run_plan"]

FUTILE_STARTS = 3
"""How many processes of a framework may end in a row without one answer; then its other cells are given up."""


async def run_plan(
    plan: Plan,
    judge: JudgeSettings,
    *,
    limits: Limits,
    sources: Sources,
    logs: Path,
    listener: Listener,
    prices: Prices | None = None,
) -> None:
    """Bring every cell of the plan to its end, reported to the listener as it falls.

    One framework crashing, hanging or failing to start harms no other. Cancelling ends all processes at once and
    leaves the cells that had not ended unreported.

    Args:
        plan: what to run.
        judge: the one judge of the run.
        limits: time limits.
        sources: where answers come from beside the judge; its ledger takes a row per judge call.
        logs: folder that takes what each framework prints.
        listener: is told what happens.
        prices: what calls cost; None: by the public table.
    """
    steps = {name: adapter.steps for name, adapter in plan.adapters.items()}
    upstream, embedder = connect(judge, steps)
    served = Gateway(judge, upstream=upstream, embedder=embedder, steps=steps, sources=sources, prices=prices)
    async with served as gateway:
        setting = RunSetting(
            gateway=gateway,
            judge=judge,
            limits=limits,
            logs=logs,
            listener=listener,
            wiring=plan.wiring,
        )
        await _run_all(plan, setting)


async def _run_all(plan: Plan, setting: RunSetting) -> None:
    work: dict[str, deque[Batch]] = {name: deque() for name in plan.adapters}
    for cell in plan.cells:
        if cell.refusal is not None:
            setting.listener.ended(refuse(cell, cell.refusal, setting.judge.name))
    for batch in in_batches(plan.cells):
        work[batch.cell.framework].append(batch)
    async with asyncio.TaskGroup() as group:
        for name, batches in work.items():
            if batches:
                group.create_task(_run_framework(plan.adapters[name], batches, setting))


async def _run_framework(adapter: Adapter, batches: deque[Batch], setting: RunSetting) -> None:
    if adapter.command is None:
        _score_here(adapter, batches, setting)
        return
    in_flight: dict[str, Batch] = {}
    seconds, reason = _time_for(adapter, setting)
    try:
        async with asyncio.timeout(seconds):
            left = await _run_in_processes(adapter, batches, in_flight, setting)
    except TimeoutError:
        left = Failure(kind="timeout", reason=reason)
    closed = await asyncio.gather(*map(setting.close, in_flight))
    for batch, traffic in zip(in_flight.values(), closed, strict=True):
        setting.fail(batch, left, traffic)
    for batch in batches:
        setting.fail(batch, left)


def _time_for(adapter: Adapter, setting: RunSetting) -> tuple[float, str]:
    """Return the seconds that a framework may take, and what its cells are told that do not end in them."""
    limits, own = setting.limits, setting.limits.framework
    rest = math.inf if limits.ends_at is None else max(0.0, limits.ends_at - time.monotonic())
    if rest < own:
        return rest, f"the run reached its time limit of {limits.run:g} s (--run-timeout)"
    return own, f"{adapter.name} reached its time limit of {own:g} s (--framework-timeout)"


def _score_here(adapter: Adapter, batches: Iterable[Batch], setting: RunSetting) -> None:
    """Score cells in this process: the adapter has none of its own and asks no judge."""
    for cell in (cell for batch in batches for cell in batch.cells):
        inputs = translated(adapter, cell)
        setting.settle(cell, inputs if isinstance(inputs, Failure) else read(adapter, cell, inputs))


async def _run_in_processes(
    adapter: Adapter, batches: deque[Batch], in_flight: dict[str, Batch], setting: RunSetting
) -> Failure:
    """Score cells, starting the process again when it ends early; return why any cells are left."""
    try:
        await _install(adapter, setting.listener)
    except FrameworkError as error:
        return Failure(kind="framework_absent", reason=str(error))
    futile = 0
    try:
        while batches and futile < FUTILE_STARTS:
            answered = await _run_in_one_process(adapter, batches, in_flight, setting)
            futile = 0 if answered else futile + 1
    except (FrameworkError, OSError) as error:
        return Failure(kind="framework_crash", reason=f"{adapter.name} cannot run: {error}")
    return Failure(kind="framework_crash", reason=f"the process of {adapter.name} kept ending without an answer")


async def _install(adapter: Adapter, listener: Listener) -> None:
    """Fetch what the framework needs; a run that is stopped stops this as well, at its next line of progress."""
    if adapter.install is None:
        return
    stopped = threading.Event()

    def tell(line: str) -> None:
        if stopped.is_set():
            raise FrameworkError(adapter.name, "the run was stopped")
        listener.line(line)

    try:
        await asyncio.to_thread(adapter.install, tell)
    except EvalparityError:
        raise
    except Exception as error:
        raise FrameworkError(adapter.name, f"{adapter.name} could not be installed: {error!r}") from error
    finally:
        stopped.set()


def _command(adapter: Adapter, home: Path) -> WorkerCommand:
    assert adapter.command is not None
    try:
        return adapter.command(home)
    except Exception as error:
        raise FrameworkError(adapter.name, f"its adapter names no process: {error!r}") from error


async def _run_in_one_process(
    adapter: Adapter, batches: deque[Batch], in_flight: dict[str, Batch], setting: RunSetting
) -> int:
    """Score cells until none is left or the process ends; return how many batches the framework answered."""
    with tempfile.TemporaryDirectory(prefix="evalparity-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        log = setting.logs / f"{adapter.name}.log"
        async with framework_process(adapter.name, _command(adapter, home), folder=home, log=log) as process:
            scorer = Scorer(adapter=adapter, process=process, in_flight=in_flight, setting=setting)
            width = min(setting.judge.concurrency, len(batches))
            return sum(await asyncio.gather(*(scorer.work_off(batches) for _ in range(width))))
