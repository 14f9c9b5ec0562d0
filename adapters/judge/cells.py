"""The calls of one cell while it is open, and what is left of them when it is closed."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from evalparity.adapters.judge.proof import InputProofBuilder
from evalparity.adapters.judge.replies import Tokens
from evalparity.adapters.judge.retries import Attempts
from evalparity.adapters.judge.traffic import Call, CallKind, CellTraffic, Served
from evalparity.unified_schema.errors import JudgeError


@dataclass(slots=True, kw_only=True)
class PendingCall:
    """What is known so far of a call that has not ended.

    Attributes:
        kind: chat or embedding.
        ordinal: 0-based position among the cell's calls of this kind.
        place: 0-based position among all calls of the cell.
        step: which prompt of the framework; None while or when unknown.
        asked: the parameters that were replaced.
        key: address of its answer; None while unknown, or where answers are not kept.
        served: where its answer came from.
        answer: packed, to be kept in the ledger, once it is known to be a good one.
        attempts: how far it has come upstream.
        tokens: as the upstream told them.
        cost_usd: of its last answer; None while or where unknown.
        written: text of the reply as the judge wrote it; None while there is none.
        flags: what was taken out of it.
        request: the body that is sent, as JSON; None where it is not to be kept.
        started: on the monotonic clock.
    """

    kind: CallKind
    ordinal: int
    place: int
    step: str | None = None
    asked: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    served: Served = "upstream"
    answer: bytes | None = None
    attempts: Attempts = field(default_factory=Attempts)
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None
    written: str | None = None
    flags: tuple[str, ...] = ()
    request: str | None = None
    started: float = field(default_factory=time.perf_counter)


@dataclass(slots=True, kw_only=True)
class Cell:
    """One open cell.

    Attributes:
        name: the cell's token in the ledger.
        framework: whose cell it is.
        metric: which canonical metric it scores.
        repeat: added to the seed.
        inputs: the proof of equal inputs in the making.
        running: calls that have not ended, by the task that serves them.
    """

    name: str
    framework: str
    metric: str
    repeat: int
    inputs: InputProofBuilder
    running: dict[asyncio.Task[Any], PendingCall] = field(default_factory=dict)
    _counts: Counter[CallKind] = field(default_factory=Counter)
    _occurrences: Counter[str] = field(default_factory=Counter)
    _ended: dict[int, Call] = field(default_factory=dict)

    def begin(self, kind: CallKind) -> PendingCall:
        """Return a new call, the next of its kind."""
        pending = PendingCall(kind=kind, ordinal=self._counts[kind], place=self._counts.total())
        self._counts[kind] += 1
        return pending

    def occurrence(self, digest: str) -> int:
        """Return how many requests of this digest the cell made before; the next one counts from now on."""
        self._occurrences[digest] += 1
        return self._occurrences[digest] - 1

    def end(self, pending: PendingCall, *, reply: str | None = None, error: JudgeError | None = None) -> Call:
        """Note how a call ended and return its record."""
        call = Call(
            cell=self.name,
            ordinal=pending.ordinal,
            kind=pending.kind,
            step=pending.step,
            asked=pending.asked,
            key=pending.key,
            served=pending.served,
            attempts=pending.attempts.made,
            billable=pending.attempts.billable,
            error_kind=error.kind if error else None,
            error=str(error) if error else None,
            input_tokens=pending.tokens.input_tokens,
            cached_tokens=pending.tokens.cached_tokens,
            reasoning_tokens=pending.tokens.reasoning_tokens,
            output_tokens=pending.tokens.output_tokens,
            cost_usd=pending.cost_usd,
            seconds=pending.attempts.seconds,
            waited=max(0.0, time.perf_counter() - pending.started - pending.attempts.seconds),
            reply=reply,
            written=pending.written if pending.written != reply else None,
            flags=pending.flags,
            request=pending.request,
        )
        self._ended[pending.place] = call
        return call

    async def settle(self, grace: float) -> None:
        """End all calls: those that are not on their way at once, the others after so many seconds at most.

        An answer that is on its way is billed whether it is awaited or not; one that was never asked for is not.
        """
        await asyncio.sleep(0)  # tasks that have not begun would end without a record
        for task, pending in self.running.items():
            if not pending.attempts.on_wire:
                task.cancel()
        if self.running:
            await asyncio.wait(self.running, timeout=grace)
        for task in self.running:
            task.cancel()
        if self.running:
            await asyncio.wait(self.running)

    def traffic(self) -> CellTraffic:
        """Return all calls that have ended, in the order in which they were asked, and the proof of inputs."""
        calls = tuple(self._ended[place] for place in sorted(self._ended))
        return CellTraffic(calls=calls, proof=self.inputs.proof())
