"""Run a plan: every framework in its own process, all calls through one gateway, one outcome per cell."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from evalparity.adapters.base import Adapter, JsonObject, JudgeReply, Reading, Wiring
from evalparity.adapters.boundary import (
    CellError,
    FrameworkProcess,
    ProcessEndedError,
    framework_process,
    whole_texts,
)
from evalparity.adapters.judge.connect import connect
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.ledger import Ledger
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import CellTraffic
from evalparity.comparisons.plan import Batch, Plan, PlannedCell, in_batches
from evalparity.comparisons.settle import Failure, Settled, refuse, settle
from evalparity.unified_schema.errors import FrameworkError

FUTILE_STARTS = 3
"""How many processes of a framework may end in a row without one answer; then its other cells are given up."""

_MESSAGE_LENGTH = 300

_HANG_GRACE = 15.0
"""Seconds past a cell's limit after which a process that has not reported the time-out itself is hung."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Time limits of a run, in seconds."""

    cell: float = 1800.0
    framework: float = 21600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Who is told what happens: a line for the user, each cell as it ends."""

    line: Callable[[str], None]
    ended: Callable[[Settled], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetting:
    """What all frameworks of one run share."""

    gateway: Gateway
    judge: JudgeSettings
    limits: Limits
    logs: Path
    listener: Listener
    wiring: Wiring

    async def close(self, name: str) -> CellTraffic | None:
        """Close a cell and return its traffic; None when closing it was under way already."""
        try:
            return await self.gateway.close_cell(name)
        except KeyError:
            return None

    def fail(self, batch: Batch, failure: Failure, traffic: CellTraffic | None = None) -> None:
        """Report the end of cells that got no answer."""
        for cell in batch.cells:
            self.settle(cell, failure, traffic, pays=cell is batch.cell)

    def settle(
        self, cell: PlannedCell, answer: Reading | Failure, traffic: CellTraffic | None = None, *, pays: bool = True
    ) -> None:
        """Report the end of a cell; an answer that cannot be an outcome is an error of the framework."""
        try:
            settled = settle(cell, answer, traffic, self.judge.name, pays=pays)
        except ValueError as error:
            reason = f"{cell.binding.scorer} answered what cannot be recorded: {_short(error)}"
            failure = Failure(kind="framework_error", reason=reason)
            settled = settle(cell, failure, traffic, self.judge.name, pays=pays)
        self.listener.ended(settled)


async def run_plan(
    plan: Plan, judge: JudgeSettings, *, limits: Limits, ledger: Path, logs: Path, listener: Listener
) -> None:
    """Bring every cell of the plan to its end, reported to the listener as it falls.

    One framework crashing, hanging or failing to start harms no other. Cancelling ends all processes at once and
    leaves the cells that had not ended unreported.

    Args:
        plan: what to run.
        judge: the one judge of the run.
        limits: time limits.
        ledger: file that takes a row per judge call.
        logs: folder that takes what each framework prints.
        listener: is told what happens.
    """
    steps = {name: adapter.steps for name, adapter in plan.adapters.items()}
    upstream, embedder = connect(judge, steps)
    with closing(Ledger(ledger)) as calls:
        async with Gateway(judge, upstream=upstream, embedder=embedder, steps=steps, ledger=calls) as gateway:
            setting = RunSetting(
                gateway=gateway, judge=judge, limits=limits, logs=logs, listener=listener, wiring=plan.wiring
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
        for batch in batches:
            for cell in batch.cells:
                setting.settle(cell, adapter.read(cell.binding, adapter.translate(cell.case, cell.binding), ()))
        return
    in_flight: dict[str, Batch] = {}
    try:
        async with asyncio.timeout(setting.limits.framework):
            left = await _run_in_processes(adapter, batches, in_flight, setting)
    except TimeoutError:
        left = Failure(
            kind="timeout",
            reason=f"{adapter.name} reached its time limit of {setting.limits.framework:g} s (--framework-timeout)",
        )
    closed = await asyncio.gather(*map(setting.close, in_flight))
    for batch, traffic in zip(in_flight.values(), closed, strict=True):
        setting.fail(batch, left, traffic)
    for batch in batches:
        setting.fail(batch, left)


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
    finally:
        stopped.set()


async def _run_in_one_process(
    adapter: Adapter, batches: deque[Batch], in_flight: dict[str, Batch], setting: RunSetting
) -> int:
    """Score cells until none is left or the process ends; return how many batches the framework answered."""
    assert adapter.command is not None
    with tempfile.TemporaryDirectory(prefix="evalparity-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        log = setting.logs / f"{adapter.name}.log"
        async with framework_process(adapter.name, adapter.command(home), folder=home, log=log) as process:
            scorer = _Scorer(adapter=adapter, process=process, in_flight=in_flight, setting=setting)
            width = min(setting.judge.concurrency, len(batches))
            return sum(await asyncio.gather(*(scorer.work_off(batches) for _ in range(width))))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scorer:
    """One framework's running process and what is under way in it."""

    adapter: Adapter
    process: FrameworkProcess
    in_flight: dict[str, Batch]
    setting: RunSetting

    async def work_off(self, batches: deque[Batch]) -> int:
        """Score one batch after the other until none is left or the process has ended; return how many it answered."""
        answered = 0
        while batches and self.process.alive:
            answered += await self._score(batches.popleft())
        return answered

    async def _score(self, batch: Batch) -> bool:
        name = cell_name(batch.cell, self.setting.judge)
        self.in_flight[name] = batch
        result = await self._ask(name, batch.cell)
        traffic = await self.setting.close(name)
        failed = isinstance(result, Failure)
        answers = [result if isinstance(result, Failure) else self._read(c, result, traffic) for c in batch.cells]
        del self.in_flight[name]
        for cell, answer in zip(batch.cells, answers, strict=True):
            self.setting.settle(cell, answer, traffic, pays=cell is batch.cell)
        return self.process.alive or not failed

    async def _ask(self, name: str, cell: PlannedCell) -> JsonObject | Failure:
        limit = self.setting.limits.cell
        try:
            async with asyncio.timeout(limit + _HANG_GRACE):
                return await self.process.score(self._job(name, cell))
        except CellError as error:
            return self._failure(error)
        except ProcessEndedError as error:
            return Failure(kind="framework_crash", reason=str(error))
        except TimeoutError:
            self.process.kill()
            return Failure(
                kind="timeout",
                reason=f"{self.adapter.name} hung for {limit:g} s and was ended (--cell-timeout)",
            )

    def _job(self, name: str, cell: PlannedCell) -> JsonObject:
        url = self.setting.gateway.open_cell(
            cell=name,
            framework=self.adapter.name,
            metric=cell.binding.metric,
            texts=_texts(cell),
            sent=cell.binding.sent,
            repeat=cell.repeat,
        )
        judge = self.setting.judge
        return {
            "id": name,
            "scorer": cell.binding.asked_scorer,
            "inputs": dict(self.adapter.translate(cell.case, cell.binding)),
            "judge": {
                "base_url": url,
                "model": judge.model,
                "embedding_model": judge.embedding_model,
                "max_output_tokens": judge.max_output_tokens,
            },
            "wiring": self.setting.wiring,
            "timeout": self.setting.limits.cell,
        }

    def _failure(self, error: CellError) -> Failure:
        if error.type_name == "TimeoutError":
            return Failure(kind="timeout", reason=f"{self.adapter.name}: {error} (--cell-timeout)")
        kind = self.adapter.error_kind(error.type_name, str(error)) if self.adapter.error_kind else None
        return Failure(
            kind=kind or "framework_error",
            reason=f"{self.adapter.name} raised {error.type_name}: {_short(error)}",
        )

    def _read(self, cell: PlannedCell, result: JsonObject, traffic: CellTraffic | None) -> Reading | Failure:
        replies = tuple(
            JudgeReply(step=call.step, text=whole_texts(call.reply))
            for call in (traffic.calls if traffic is not None else ())
            if call.kind == "chat" and call.reply is not None
        )
        try:
            return self.adapter.read(cell.binding, result, replies)
        except (LookupError, TypeError, ValueError) as error:
            return Failure(
                kind="framework_error", reason=f"{self.adapter.name} answered out of its contract: {error!r}"
            )


def cell_name(cell: PlannedCell, judge: JudgeSettings) -> str:
    """Return the name of a cell in the ledger: scorer, case, and repeat and judge where there are several."""
    parts = [cell.binding.asked_scorer, cell.case.id]
    if cell.repeat:
        parts.append(f"repeat {cell.repeat}")
    if judge.label is not None:
        parts.append(f"judge {judge.label}")
    return " ".join(parts)


def _short(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= _MESSAGE_LENGTH else text[: _MESSAGE_LENGTH - 1] + "…"


def _texts(cell: PlannedCell) -> dict[str, str | tuple[str, ...]]:
    case = cell.case
    texts: dict[str, str | tuple[str, ...]] = {
        name: text for name in ("input", "output", "reference") if (text := getattr(case, name)) is not None
    }
    for field in ("prompt_contexts", "retrieved_contexts"):
        texts[field] = case.context_texts(field)
    return texts
