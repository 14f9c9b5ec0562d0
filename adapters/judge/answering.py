"""How one call gets its answer: from an earlier session, a cassette, the cache, an equal call on its way, or upstream.

Whatever is reused was a good answer to the very same request. Failures are never kept, and never shared: a call that
waited for an equal one that failed asks for itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evalparity.adapters.judge.answers import Answers, Json, answer_key, packed, request_digest
from evalparity.adapters.judge.budget import Budget, most_used
from evalparity.adapters.judge.cache import Cache
from evalparity.adapters.judge.cells import Cell, PendingCall
from evalparity.adapters.judge.ledger import Ledger, PastCall
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.replies import Tokens, read_tokens
from evalparity.adapters.judge.retries import Line
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import CallKind, Served
from evalparity.adapters.judge.upstream import UpstreamRequest
from evalparity.unified_schema.errors import JudgeError

Exchanged = tuple[str | None, Json]
"""The text of a reply, None for embeddings, and the JSON that the framework gets."""

Read = Callable[[Json], Exchanged]
"""Reads an answer, or raises the `JudgeError` that it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where answers may come from, beside the server.

    Attributes:
        ledger: of the run; holds what earlier sessions were answered.
        cassette: answers alone; nothing is ever sent.
        cache: the user's; None: nothing is reused between cells and runs.
        budget: of the run; None: any amount.
        keep_requests: whether the ledger takes what was sent beside what was answered.
    """

    ledger: Ledger | None = None
    cassette: Answers | None = None
    cache: Cache | None = None
    budget: Budget | None = None
    keep_requests: bool = False


class Answering:
    """Finds the answers of one judge's calls.

    Args:
        settings: the judge.
        lines: the ways to its servers.
        sources: where answers may come from instead.
        prices: what calls cost.
    """

    def __init__(
        self, settings: JudgeSettings, lines: Mapping[CallKind, Line], sources: Sources, prices: Prices
    ) -> None:
        self._settings, self._lines, self._sources, self._prices = settings, lines, sources, prices
        self._on_the_way: dict[str, asyncio.Future[Json | None]] = {}

    async def answer(self, request: UpstreamRequest, cell: Cell, pending: PendingCall, read: Read) -> Exchanged:
        """Return the answer to a call, and note in it where that came from, what it used and what it costs.

        Args:
            request: what is asked.
            cell: whose call it is.
            pending: the call.
            read: reads the answer.

        Raises:
            JudgeError: the call failed; kind `not_recorded` where a cassette lacks it, `budget` where it is spent.
        """
        server = self._lines[request.kind].server
        if server is None:  # a built-in judge costs nothing and remembers nothing
            return read(await self._ask(request, pending))
        digest = request_digest(server, request)
        pending.key = key = answer_key(digest, occurrence=cell.occurrence(digest), repeat=cell.repeat)
        past = self._sources.ledger.past(cell.name, key) if self._sources.ledger is not None else None
        if past is not None:
            return self._go_on(past, pending, read)
        if self._sources.cassette is not None:
            return self._reuse("cassette", _recorded(self._sources.cassette, key), request, pending, read)
        if self._sources.cache is not None:
            return await self._ask_once(key, self._sources.cache, request, pending, read)
        return self._keep(await self._ask(request, pending), pending, read)

    def _go_on(self, past: PastCall, pending: PendingCall, read: Read) -> Exchanged:
        """Take over what an earlier session was answered, with what it cost then."""
        call = past.call
        pending.served = "earlier" if call.served == "upstream" else call.served
        pending.attempts.made, pending.attempts.billable = call.attempts, call.billable
        pending.attempts.seconds = call.seconds
        pending.tokens, pending.cost_usd = read_tokens(past.answer), call.cost_usd
        return read(past.answer)

    def _reuse(
        self, served: Served, answer: Json, request: UpstreamRequest, pending: PendingCall, read: Read
    ) -> Exchanged:
        pending.served = served
        self._note(answer, request, pending)
        return self._keep(answer, pending, read)

    async def _ask_once(
        self, key: str, cache: Cache, request: UpstreamRequest, pending: PendingCall, read: Read
    ) -> Exchanged:
        while True:
            found = cache.find(key)
            if found is not None:
                return self._reuse("cache", found, request, pending, read)
            other = self._on_the_way.get(key)
            if other is None:
                break
            shared = await asyncio.shield(other)
            if shared is not None:
                return self._reuse("shared", shared, request, pending, read)
        mine = self._on_the_way[key] = asyncio.get_running_loop().create_future()
        good: Json | None = None
        try:
            answer = await self._ask(request, pending)
            exchanged = self._keep(answer, pending, read)
            good = answer
            assert pending.answer is not None
            cache.keep(key, pending.answer, model=request.body["model"])
            return exchanged
        finally:
            del self._on_the_way[key]
            mine.set_result(good)

    def _keep(self, answer: Json, pending: PendingCall, read: Read) -> Exchanged:
        """Read an answer; one that is good goes into the ledger with its call."""
        exchanged = read(answer)
        pending.answer = packed(answer)
        return exchanged

    async def _ask(self, request: UpstreamRequest, pending: PendingCall) -> Json:
        try:
            answer = await self._lines[request.kind].ask(request, pending.attempts)
            self._note(answer, request, pending)
            return answer
        finally:
            self._spend(request, pending)

    def _note(self, answer: Json, request: UpstreamRequest, pending: PendingCall) -> None:
        pending.tokens = read_tokens(answer)
        pending.cost_usd = self._cost(request, pending.tokens)

    def _spend(self, request: UpstreamRequest, pending: PendingCall) -> None:
        """Count what a call used against the budget; of attempts that told nothing, the most they can have used."""
        budget, billable = self._sources.budget, pending.attempts.billable
        if budget is None or not budget.weighs_calls or not billable:
            return
        limit = self._settings.max_output_tokens if request.kind == "chat" else 0
        last = most_used(request.body, told=pending.tokens, output_limit=limit)
        lost = most_used(request.body, told=Tokens(), output_limit=limit)
        used = [last, *[lost] * (billable - 1)]
        budget.after_call(
            tokens=sum((one.input_tokens or 0) + (one.output_tokens or 0) for one in used),
            cost_usd=sum(self._cost(request, one) or 0.0 for one in used),
        )

    def _cost(self, request: UpstreamRequest, tokens: Tokens) -> float | None:
        url = self._settings.url if request.kind == "chat" else self._settings.embedding_server
        model: Any = request.body["model"]
        return self._prices.cost(model, url, tokens, request.kind)


def _recorded(cassette: Answers, key: str) -> Json:
    answer = cassette.find(key)
    if answer is None:
        raise JudgeError(
            "not_recorded",
            "the cassette holds no answer to this call: suite, scorers, framework versions or repeats differ from the "
            "recording, or the call failed then; record it anew with --record",
        )
    return answer
