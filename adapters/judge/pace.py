"""How fast a server is asked: requests and tokens in any minute, and pauses that it asks for; for all frameworks alike.

A call takes its turn among the frameworks first (`FairSlots`) and keeps its pace then, first come, first served. So a
limit never lets one framework pass another.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass

MINUTE = 60.0


@dataclass(slots=True)
class Taken:
    """An amount that was taken from a limit, and when; corrected once it is known better."""

    at: float
    amount: float


class Window:
    """At most so much in any stretch of time: a log of what was taken, for as long as it counts (sliding window log).

    Args:
        limit: at most so much; None: any amount.
        seconds: length of the stretch.
    """

    def __init__(self, limit: float | None, seconds: float = MINUTE) -> None:
        self._limit, self._seconds = limit, seconds
        self._taken: deque[Taken] = deque()
        self._line = asyncio.Lock()  # wakes those that wait in the order in which they came

    async def take(self, amount: float) -> Taken:
        """Wait until so much may be taken, and take it; more than the limit is taken when nothing else is."""
        if self._limit is None:
            return Taken(time.monotonic(), amount)
        async with self._line:
            while True:
                wait = self._seconds_until(amount, self._limit)
                if not wait:
                    break
                await asyncio.sleep(wait)
            taken = Taken(time.monotonic(), amount)
            self._taken.append(taken)
            return taken

    def _seconds_until(self, amount: float, limit: float) -> float:
        now = time.monotonic()
        while self._taken and self._taken[0].at <= now - self._seconds:
            self._taken.popleft()
        over = sum(one.amount for one in self._taken) + amount - limit
        for one in self._taken:
            if over <= 0:
                break
            over -= one.amount
            if over <= 0 or one is self._taken[-1]:
                return max(one.at + self._seconds - now, 0.001)
        return 0.0


class Pace:
    """The limits of one server.

    Args:
        requests: per minute at most; None: any number.
        tokens: per minute at most, in and out; None: any number.
        seconds: what counts as a minute.
    """

    def __init__(self, requests: int | None = None, tokens: int | None = None, *, seconds: float = MINUTE) -> None:
        self._requests, self._tokens = Window(requests, seconds), Window(tokens, seconds)
        self._paused_until = 0.0
        self._answers, self._written = 0, 0.0

    async def keep(self, size: float) -> Taken:
        """Wait until a request may be sent; return what it is taken to use, to be corrected by `used`.

        Args:
            size: tokens of the request, about.
        """
        pause = self._paused_until - time.monotonic()
        if pause > 0:
            await asyncio.sleep(pause)
            return await self.keep(size)  # it may have become longer meanwhile
        taken = await self._tokens.take(size + (self._written / self._answers if self._answers else 0.0))
        await self._requests.take(1)
        return taken

    def used(self, taken: Taken, *, tokens: int | None, written: int | None) -> None:
        """Correct what a request was taken to use by what the server told; what it did not tell stays.

        Args:
            taken: what `keep` returned.
            tokens: in and out.
            written: those of them that are out, by which the next requests are estimated.
        """
        if tokens is not None:
            taken.amount = tokens
        if written is not None:
            self._answers, self._written = self._answers + 1, self._written + written

    def pause(self, seconds: float) -> None:
        """Send nothing for so long: the server told one call to wait, and would tell the others the same."""
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)
