"""The one retry policy: which failures are tried again, after how long, and until when."""

from __future__ import annotations

import asyncio
import math
import random
from dataclasses import dataclass
from typing import Any

from evalparity.adapters.judge.limits import FairSlots
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.upstream import Upstream, UpstreamRequest
from evalparity.unified_schema.errors import JudgeError

_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0


@dataclass(slots=True, kw_only=True)
class Attempts:
    """How far one call has come; its cell looks here when it is closed meanwhile.

    Attributes:
        made: requests sent upstream so far.
        on_wire: whether one is on its way now, so that its answer may be billed.
    """

    made: int = 0
    on_wire: bool = False


class Line:
    """The way to one upstream, with its turns, time limits and retries.

    Args:
        upstream: where the calls go.
        slots: calls in flight; a call that waits before its next attempt holds none.
        settings: attempts, time limit of one request, deadline of a call.
    """

    def __init__(self, upstream: Upstream, slots: FairSlots, settings: JudgeSettings) -> None:
        self._upstream, self._slots, self._settings = upstream, slots, settings

    async def ask(self, request: UpstreamRequest, attempts: Attempts) -> dict[str, Any]:
        """Return the upstream's answer, after as many attempts as the settings allow.

        The deadline runs from the first attempt: waiting for one's turn is not the judge's fault.

        Raises:
            JudgeError: the last failure; those that are not transient at once.
        """
        clock = asyncio.get_running_loop().time
        give_up_at = math.inf
        while True:
            async with self._slots.taken(request.framework, again=attempts.made > 0):
                give_up_at = min(give_up_at, clock() + self._settings.deadline)
                try:
                    return await self._attempt(request, attempts, give_up_at - clock())
                except JudgeError as error:
                    failure = error
            await asyncio.sleep(self._pause(failure, attempts.made, give_up_at - clock()))

    async def _attempt(self, request: UpstreamRequest, attempts: Attempts, left: float) -> dict[str, Any]:
        limit = max(0.0, min(self._settings.request_timeout, left))
        attempts.made += 1
        attempts.on_wire = True
        try:
            async with asyncio.timeout(limit):
                return await self._upstream.send(request)
        except TimeoutError as error:
            message = f"no answer within {limit:.3g} s; check that the server is up, or raise the time limit"
            raise JudgeError("timeout", message, transient=True) from error
        finally:
            attempts.on_wire = False

    def _pause(self, failure: JudgeError, made: int, left: float) -> float:
        """Return the seconds until the next attempt, or raise the failure when there is none."""
        if not failure.transient:
            raise failure
        if made >= self._settings.attempts:
            raise _given_up(failure, f"given up after attempt {made}")
        pause = pause_after(made, failure.retry_after)
        if pause >= left:
            raise _given_up(failure, f"given up, as the next attempt in {pause:.0f} s would miss the deadline")
        return pause


def pause_after(made: int, retry_after: float | None) -> float:
    """Return the seconds to wait after so many attempts: what the server asks for, and never in step with others.

    Full jitter (Brooker 2015, "Exponential Backoff And Jitter"): uniform in 0..min(30, 0.5 * 2^(made - 1)); after
    Retry-After that many seconds and up to half a second more.
    """
    if retry_after is not None:
        return retry_after + random.uniform(0, _FIRST_PAUSE)  # noqa: S311 - spreads load, keeps no secret
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (made - 1))
    return random.uniform(0, longest)  # noqa: S311 - as above


def _given_up(failure: JudgeError, why: str) -> JudgeError:
    return JudgeError(failure.kind, f"{failure} ({why})", retry_after=failure.retry_after)
