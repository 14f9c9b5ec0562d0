"""How many calls are on their way at once, and whose turn is next."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class FairSlots:
    """Slots for calls in flight, given in rotation to the frameworks that wait.

    A framework that asks a thousand calls at once takes every free slot, but each slot that is given back goes
    to the next framework in turn, so that one that asks three calls waits for three turns and not for a thousand.

    Args:
        limit: slots, at least 1.
    """

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # in the order of their turns

    @asynccontextmanager
    async def taken(self, framework: str, *, again: bool = False) -> AsyncIterator[None]:
        """Hold one slot; wait for this framework's turn first.

        Args:
            framework: who asks.
            again: the call had a slot before, so it goes before the framework's other calls.
        """
        await self._take(framework, again=again)
        try:
            yield
        finally:
            self._give_back()

    async def _take(self, framework: str, *, again: bool) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        turns = self._waiting.setdefault(framework, deque())
        (turns.appendleft if again else turns.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # the slot was given in the moment of the cancellation
                self._give_back()
            raise

    def _give_back(self) -> None:
        while self._waiting:
            framework = next(iter(self._waiting))
            turns = self._waiting.pop(framework)
            turn = turns.popleft()
            if turns:
                self._waiting[framework] = turns  # to the end of the rotation
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
