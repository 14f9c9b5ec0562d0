"""One framework's running process: cells are handed to it, and its answers are read."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass

from evalparity.adapters.base import Adapter, JsonObject, JudgeReply, Reading
from evalparity.adapters.boundary import CellError, FrameworkProcess, ProcessEndedError, whole_texts
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import CellTraffic
from evalparity.comparisons.running.plan import Batch, PlannedCell
from evalparity.comparisons.running.run_setting import RunSetting, short
from evalparity.comparisons.running.settle import Failure
from evalparity.unified_schema.outcomes import ERROR_KINDS

_HANG_GRACE = 15.0
"""Seconds past a cell's limit after which a process that has not reported the time-out itself is hung."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """One framework's running process and what is under way in it."""

    adapter: Adapter
    process: FrameworkProcess
    in_flight: dict[str, Batch]
    setting: RunSetting

    async def work_off(self, batches: deque[Batch]) -> int:
        """Score one batch after the other until none is left or the process has ended; return how many it answered.

        Those that would ask the judge end at once when the run asks it no more.
        """
        answered = 0
        while batches and self.process.alive:
            batch = batches.popleft()
            stopped = self.setting.stopped if batch.cell.binding.asks_judge else None
            if stopped is not None:
                self.setting.fail(batch, stopped)
            answered += stopped is not None or await self._score(batch)
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
        inputs = translated(self.adapter, cell)
        if isinstance(inputs, Failure):
            return inputs
        try:
            async with asyncio.timeout(limit + _HANG_GRACE):
                return await self.process.score(self._job(name, cell, inputs))
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

    def _job(self, name: str, cell: PlannedCell, inputs: JsonObject) -> JsonObject:
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
            "inputs": dict(inputs),
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
        return Failure(
            kind=_error_kind(self.adapter, error),
            reason=f"{self.adapter.name} raised {error.type_name}: {short(error)}",
        )

    def _read(self, cell: PlannedCell, result: JsonObject, traffic: CellTraffic | None) -> Reading | Failure:
        replies = tuple(
            JudgeReply(step=call.step, text=whole_texts(call.reply))
            for call in (traffic.calls if traffic is not None else ())
            if call.kind == "chat" and call.reply is not None
        )
        return read(self.adapter, cell, result, replies)


def translated(adapter: Adapter, cell: PlannedCell) -> JsonObject | Failure:
    """Return the inputs of a cell for the framework; an adapter of whatever origin may fail at it."""
    try:
        return adapter.translate(cell.case, cell.binding)
    except Exception as error:  # noqa: BLE001 - it is this cell's outcome and must not end the others
        return Failure(kind="framework_error", reason=f"the adapter of {adapter.name} cannot translate it: {error!r}")


def read(
    adapter: Adapter, cell: PlannedCell, result: JsonObject, replies: tuple[JudgeReply, ...] = ()
) -> Reading | Failure:
    """Return what an answer of the framework means; one that the adapter cannot read is out of its contract."""
    try:
        return adapter.read(cell.binding, result, replies)
    except Exception as error:  # noqa: BLE001 - as above
        return Failure(kind="framework_error", reason=f"{adapter.name} answered out of its contract: {error!r}")


def _error_kind(adapter: Adapter, error: CellError) -> str:
    if adapter.error_kind is None:
        return "framework_error"
    try:
        kind = adapter.error_kind(error.type_name, str(error))
    except Exception:  # noqa: BLE001 - as above; the framework's own error is what the user must see
        return "framework_error"
    return kind if kind in ERROR_KINDS else "framework_error"


def cell_name(cell: PlannedCell, judge: JudgeSettings) -> str:
    """Return the name of a cell in the ledger, as `ragas:faithfulness#1@strict case-id`.

    It is the scorer, the repeat unless it is the first, the judge where it has a label, and the case. The case comes
    last, after the first space: its id may hold anything, and no two cells may share a name.
    """
    repeat = f"#{cell.repeat}" if cell.repeat else ""
    label = f"@{judge.label}" if judge.label is not None else ""
    return f"{cell.binding.asked_scorer}{repeat}{label} {cell.case.id}"


def _texts(cell: PlannedCell) -> dict[str, str | tuple[str, ...]]:
    case = cell.case
    texts: dict[str, str | tuple[str, ...]] = {
        name: text for name in ("input", "output", "reference") if (text := getattr(case, name)) is not None
    }
    for field in ("prompt_contexts", "retrieved_contexts"):
        texts[field] = case.context_texts(field)
    return texts
