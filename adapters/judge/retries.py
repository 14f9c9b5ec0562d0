"""The one retry policy: which failures are tried again, after how long, and until when."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from evalparity.adapters.judge.breaker import Breaker
from evalparity.adapters.judge.budget import Budget
from evalparity.adapters.judge.limits import FairSlots
from evalparity.adapters.judge.pace import MINUTE, Pace, Taken
from evalparity.adapters.judge.replies import read_tokens
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.stop import Stop
from evalparity.adapters.judge.upstream import Upstream, UpstreamRequest
from evalparity.unified_schema.errors import JudgeError

_BYTES_A_TOKEN = 4
"""English text; what a request really had is told with its answer."""
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 30.0


@dataclass(slots=True, kw_only=True)
class Attempts:
    """How far one call has come; its cell looks here when it is closed meanwhile.

    Attributes:
        made: requests sent upstream so far.
        billable: those of them that the upstream may bill; one that is on its way is among them.
        seconds: how long they were on their way, all together.
        on_wire: whether one is on its way now.
    """

    made: int = 0
    billable: int = 0
    seconds: float = 0.0
    on_wire: bool = False

    @contextmanager
    def one(self) -> Iterator[None]:
        """Count what happens inside as one attempt; whatever ends it may be billed, unless a `JudgeError` denies it."""
        begun = time.perf_counter()
        self.made += 1
        self.billable += 1
        self.on_wire = True
        try:
            yield
        except JudgeError as error:
            self.billable -= not error.billable
            raise
        finally:
            self.on_wire = False
            self.seconds += time.perf_counter() - begun


class Line:
    """The way to one upstream, with its turns, time limit and retries.

    Args:
        upstream: where the calls go.
        slots: calls in flight; a call that waits before its next attempt holds none.
        settings: attempts, time limit of one request, how long a call may wait between attempts.
        budget: is asked before each request; None: any number may be sent.
        minute: seconds that count as a minute of the limits.
    """

    def __init__(
        self,
        upstream: Upstream,
        slots: FairSlots,
        settings: JudgeSettings,
        budget: Budget | None = None,
        *,
        minute: float = MINUTE,
    ) -> None:
        self._upstream, self._slots, self._settings, self._budget = upstream, slots, settings, budget
        self._breaker = Breaker(upstream.where)
        self._pace = Pace(settings.requests_per_minute, settings.tokens_per_minute, seconds=minute)

    @property
    def server(self) -> str | None:
        """Return the base URL of the upstream; None: it is built in."""
        return self._upstream.server

    @property
    def stop(self) -> Stop:
        """Return what is set once the upstream is down; no request is sent afterwards."""
        return self._breaker.stop

    async def ask(self, request: UpstreamRequest, attempts: Attempts) -> dict[str, Any]:
        """Return the upstream's answer, after as many attempts as the settings allow.

        Raises:
            JudgeError: the last failure; those that are not transient at once; kind `judge_down` once it is down.
        """
        self.stop.check()
        try:
            answer = await self._ask(request, attempts)
        except JudgeError as error:
            if attempts.made:
                self._breaker.failed(error)
            raise
        self._breaker.answered()
        return answer

    async def _ask(self, request: UpstreamRequest, attempts: Attempts) -> dict[str, Any]:
        waited = 0.0
        while True:
            async with self._slots.taken(request.framework, again=attempts.made > 0):
                taken = await self._pace.keep(self._size(request))
                self.stop.check()
                if self._budget is not None:
                    self._budget.before_request()
                try:
                    with attempts.one():
                        answer = await self._send(request)
                except JudgeError as error:
                    failure = error
                else:
                    self._note(answer, taken)
                    return answer
            if failure.retry_after is not None:
                self._pace.pause(min(failure.retry_after, self._settings.deadline))
            pause = self._pause(failure, attempts.made, waited)
            await asyncio.sleep(pause)
            waited += pause

    def _size(self, request: UpstreamRequest) -> float:
        """Return about how many tokens a request has; counted only where it matters."""
        if self._settings.tokens_per_minute is None:
            return 0.0
        return len(json.dumps(request.body.get("messages", request.body.get("input")))) / _BYTES_A_TOKEN

    def _note(self, answer: Mapping[str, Any], taken: Taken) -> None:
        tokens = read_tokens(answer)
        told = [count for count in (tokens.input_tokens, tokens.output_tokens) if count is not None]
        self._pace.used(taken, tokens=sum(told) if told else None, written=tokens.output_tokens)

    async def _send(self, request: UpstreamRequest) -> dict[str, Any]:
        limit = self._settings.request_timeout
        try:
            async with asyncio.timeout(limit):
                return await self._upstream.send(request)
        except TimeoutError as error:
            message = (
                f"no answer within {limit:g} s; check that the server is up, give it more time with --judge-timeout, "
                "or ask it fewer calls at once with --concurrency"
            )
            # Never tried again: the server is still at this request and would be at both.
            raise JudgeError("timeout", message, billable=True) from error

    def _pause(self, failure: JudgeError, made: int, waited: float) -> float:
        """Return the seconds until the next attempt, or raise the failure when there is none."""
        if not failure.transient:
            raise failure
        if made >= self._settings.attempts:
            raise _given_up(failure, f"given up after attempt {made}")
        pause = pause_after(made, failure.retry_after)
        limit = self._settings.deadline
        if waited + pause > limit:
            raise _given_up(
                failure, f"given up, as the next attempt in {pause:.0f} s is beyond the {limit:g} s of waits"
            )
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
