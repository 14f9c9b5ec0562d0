"""Asks the application case by case: with a time limit and retries, and without one case harming another."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from evalparity.comparisons.recording.attempts import MAY_PASS, Failed, Question, Returned
from evalparity.comparisons.recording.process import AppProcess, LostError
from evalparity.unified_schema.errors import UsageError

_LONGEST_WAIT = 30.0
_FUTILE_STARTS = 3
"""How many starts may fail in a row; then the other cases are given up."""

Start = Callable[[], Awaitable[AppProcess]]


@dataclass(slots=True)
class _Seat:
    """One application process at a time, started anew when it is spent."""

    start: Start
    process: AppProcess | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    failed_starts: int = 0

    async def take(self) -> AppProcess:
        """Return a process that takes another case.

        Raises:
            UsageError: it cannot be started.
        """
        async with self.lock:
            if self.process is None or not self.process.usable:
                self.process = await self._started()
            return self.process

    async def _started(self) -> AppProcess:
        if self.failed_starts >= _FUTILE_STARTS:
            raise UsageError(f"it failed to start {_FUTILE_STARTS} times in a row")
        self.failed_starts += 1
        process = await self.start()
        self.failed_starts = 0
        return process


class AppCalls:
    """The application, asked by many at once.

    A case that is late costs the process its further use: it is retired and ends with the last case in work, while
    a new one takes the next cases. When a process ends or freezes with several cases in work, none is blamed: each is
    asked once more, with no other beside it.
    """

    def __init__(self, first: AppProcess, start: Start, *, limit: float, retries: int) -> None:
        self._shared = _Seat(start, first)
        self._single = _Seat(start)
        self._one_at_a_time = asyncio.Lock()
        self._limit = limit
        self._retries = retries
        self._processes = {first}

    async def ask(self, question: Question) -> tuple[Returned | Failed, int]:
        """Return what came of a case in the end, and how many attempts it took."""
        for attempt in range(self._retries + 1):
            if attempt:
                await asyncio.sleep(min(_LONGEST_WAIT, 2.0 ** (attempt - 1)) * random.uniform(0.5, 1.0))  # noqa: S311 - spreads load
            outcome = await self._ask_once(question)
            if isinstance(outcome, Returned) or outcome.kind not in MAY_PASS:
                break
        return outcome, attempt + 1

    async def _ask_once(self, question: Question) -> Returned | Failed:
        try:
            return await self._ask_in(self._shared, question)
        except LostError as error:
            if error.alone:
                return Failed(kind="ended", reason=f"was not answered: {error}.")
        async with self._one_at_a_time:
            try:
                return await self._ask_in(self._single, question)
            except LostError as error:
                return Failed(kind="ended", reason=f"was not answered: {error}, twice.")

    async def _ask_in(self, seat: _Seat, question: Question) -> Returned | Failed:
        try:
            process = await seat.take()
        except UsageError as error:
            return Failed(kind="absent", reason=f"was not asked: {error}")
        self._processes.add(process)
        try:
            return await process.call(question, self._limit)
        finally:
            if process.idle and not process.usable:
                self._processes.discard(process)
                await process.close()

    async def close(self) -> None:
        """End all processes, those that work on a case by force."""
        for process in self._processes:
            if not process.idle:
                process.kill()
        await asyncio.gather(*(process.close() for process in self._processes))
        self._processes.clear()
