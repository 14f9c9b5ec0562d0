"""The gateway: the one way by which every framework reaches the judge, and only the judge.

An OpenAI-compatible server on this machine's loopback address. Each cell of a run has a base URL of its own, so
each call belongs to exactly one cell, whatever a framework says about it. The way of a call:

    framework -> same judge enforced -> inputs noted -> earlier session, cassette, cache
        -> budget, turn, retries -> upstream
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType, TracebackType
from typing import Any, Self

from aiohttp import web

from evalparity.adapters.base import PromptStep, Sent
from evalparity.adapters.judge.answering import Answering, Exchanged, Read, Sources
from evalparity.adapters.judge.cells import Cell, PendingCall
from evalparity.adapters.judge.enforcement import enforce_chat, enforce_embedding, refusal, replaced
from evalparity.adapters.judge.failures import without_key
from evalparity.adapters.judge.limits import FairSlots
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.proof import InputProofBuilder, Texts
from evalparity.adapters.judge.replies import chat_reply, embedding_reply, written_text
from evalparity.adapters.judge.retries import Line
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.steps import STEP_HEADER, find_step, last_user_text, message_text
from evalparity.adapters.judge.traffic import Call, CallKind, CellTraffic
from evalparity.adapters.judge.upstream import Upstream, UpstreamRequest
from evalparity.unified_schema.errors import JudgeError

Json = dict[str, Any]
_KINDS: Mapping[str, CallKind] = MappingProxyType({"chat/completions": "chat", "embeddings": "embedding"})
_ROLES: Mapping[CallKind, str] = MappingProxyType({"chat": "judge", "embedding": "embedding model"})
_LONGEST_REQUEST = 256 * 1024**2
_LONGEST_STEP_NAME = 200
_OF_THE_RUN = frozenset({"budget", "judge_down", "not_recorded"})
"""Kinds that tell of the whole run, and not of what a server did."""
_NEVER_AGAIN = MappingProxyType({"x-should-retry": "false"})
"""OpenAI's SDKs obey it: whatever they are set to, the one retry policy is the gateway's."""
_REFUSED, _GONE, _FAILED = 400, 410, 502
"""No framework tries again after 400, 410 or 502; each of them would after 429."""


class Gateway:
    """The server of one run; an asynchronous context manager that also closes the upstreams.

    Args:
        settings: the judge of the run.
        upstream: where chat calls go.
        embedder: where embedding calls go; None: the run has no embedding model.
        steps: the prompts of each framework, to name the step of a call.
        sources: where answers may come from beside the upstream; its ledger takes every call that ended, None:
            nothing is written.
        prices: what calls cost; None: the public table alone.
        grace: seconds that a cell's answers on their way are awaited when it is closed.
    """

    def __init__(
        self,
        settings: JudgeSettings,
        *,
        upstream: Upstream,
        embedder: Upstream | None,
        steps: Mapping[str, Sequence[PromptStep]],
        sources: Sources | None = None,
        prices: Prices | None = None,
        grace: float = 10.0,
    ) -> None:
        sources = sources or Sources()
        self._settings, self._steps, self._ledger, self._grace = settings, steps, sources.ledger, grace
        self._keeps_requests = sources.keep_requests
        self._upstreams: Mapping[CallKind, Upstream] = (
            {"chat": upstream} if embedder is None else {"chat": upstream, "embedding": embedder}
        )
        slots = FairSlots(settings.concurrency)
        lines = {kind: Line(to, slots, settings, sources.budget) for kind, to in self._upstreams.items()}
        self._stops = [lines["chat"].stop, *([sources.budget.stop] if sources.budget is not None else [])]
        self._answering = Answering(settings, lines, sources, prices or Prices())
        self._cells: dict[str, Cell | None] = {}  # by the token in the URL; None: closed
        self._tokens: dict[str, str] = {}  # by the cell's own name
        self._run = secrets.token_urlsafe(24)
        self._port = 0

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=_LONGEST_REQUEST)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await asyncio.gather(*(self._close(name, grace=0.0) for name in list(self._tokens)))
        finally:
            await self._runner.cleanup()
            for upstream in self._upstreams.values():
                await upstream.close()

    @property
    def stopped(self) -> JudgeError | None:
        """Return why nothing more is asked of the judge in this run; None while it is."""
        return next((stop.cause for stop in self._stops if stop.cause is not None), None)

    def open_cell(
        self,
        *,
        cell: str,
        framework: str,
        metric: str,
        texts: Texts,
        sent: Sequence[Sent],
        repeat: int = 0,
    ) -> str:
        """Open a cell and return its base URL, up to and including `/v1`.

        Args:
            cell: name of the cell in the ledger; never part of the URL.
            framework: whose cell it is; takes turns with the others.
            metric: canonical metric, for messages.
            texts: the case's texts by canonical field, contexts as a tuple.
            sent: the texts that must reach the judge, and in which form.
            repeat: 0-based repeat, added to the seed.

        Raises:
            ValueError: a cell of this name is open.
        """
        if cell in self._tokens:
            raise ValueError(f"cell {cell!r} is open already")
        token = secrets.token_urlsafe(12)
        self._tokens[cell] = token
        self._cells[token] = Cell(
            name=cell,
            framework=framework,
            metric=metric,
            repeat=repeat,
            inputs=InputProofBuilder(texts, sent),
        )
        return f"http://127.0.0.1:{self._port}/{self._run}/{token}/v1"

    async def close_cell(self, cell: str) -> CellTraffic:
        """Close a cell and return its traffic, which by then stands in the ledger; its URL answers 410 from now on.

        Calls that wait are cancelled at once, calls on their way upstream after the gateway's grace; both end as
        failed with kind `interrupted`.

        Raises:
            KeyError: no cell of this name is open.
            EvalparityError: the ledger could not be written.
        """
        return await self._close(cell, grace=self._grace)

    async def _close(self, name: str, *, grace: float) -> CellTraffic:
        token = self._tokens.pop(name)
        cell, self._cells[token] = self._cells[token], None
        assert cell is not None  # a name is in _tokens while its cell is open
        await cell.settle(grace)
        if self._ledger is not None:
            await asyncio.wrap_future(self._ledger.flush())
        return cell.traffic()

    async def _serve(self, request: web.Request) -> web.Response:
        cell, kind = self._addressed(request)
        pending = cell.begin(kind)
        task = asyncio.create_task(self._answer(request, cell, pending))
        cell.running[task] = pending
        task.add_done_callback(lambda ended: cell.running.pop(ended, None))
        return await task

    def _addressed(self, request: web.Request) -> tuple[Cell, CallKind]:
        """Return whose call it is; without the run's token the gateway looks like an empty server."""
        run, _, rest = request.match_info["path"].partition("/")
        token, _, path = rest.partition("/v1/")
        is_ours = secrets.compare_digest(run.encode(), self._run.encode())
        if not is_ours or request.method != "POST" or path not in _KINDS or token not in self._cells:
            raise web.HTTPNotFound
        cell = self._cells[token]
        if cell is None:
            raise web.HTTPGone(text='{"error": {"message": "this cell is closed"}}', headers=_NEVER_AGAIN)
        return cell, _KINDS[path]

    async def _answer(self, request: web.Request, cell: Cell, pending: PendingCall) -> web.Response:
        """Read one request and serve it; half a request is no call, as its sender was gone before it had asked."""
        try:
            raw = await request.read()
        except (ConnectionError, asyncio.CancelledError):
            return web.Response(status=_REFUSED)
        except web.HTTPRequestEntityTooLarge as too_large:
            error = refusal(too_large.text or "it is too long")
            self._record(cell.end(pending, error=error))
            return _failure(error)
        pending.step = (request.headers.get(STEP_HEADER) or "")[:_LONGEST_STEP_NAME] or None
        return await self._answer_call(raw, cell, pending)

    async def _answer_call(self, raw: bytes, cell: Cell, pending: PendingCall) -> web.Response:
        """Serve one call to its end, whatever the end is, and record it."""
        reply: str | None = None
        error: JudgeError | None = None
        try:
            exchange = self._chat if pending.kind == "chat" else self._embed
            reply, body = await exchange(_parsed(raw), cell, pending)
            response = web.json_response(body)
        except JudgeError as failure:
            error = failure
        except asyncio.CancelledError:  # the task is the cell's own: only closing the cell cancels it
            error = JudgeError("interrupted", "the cell was closed before the judge answered")
        except Exception as failure:  # noqa: BLE001 - without a record of this call its cell could be scored
            error = self._unforeseen(failure)
        if error is not None:
            reply, response = None, _failure(error)
        self._record(cell.end(pending, reply=reply, error=error), pending.answer)
        return response

    def _record(self, call: Call, answer: bytes | None = None) -> None:
        if self._ledger is not None:
            self._ledger.write(call, answer)

    def _unforeseen(self, failure: Exception) -> JudgeError:
        text = repr(failure)
        for key in (self._settings.api_key, self._settings.embedding_api_key):
            text = without_key(text, key)
        return JudgeError("framework_error", f"the gateway could not serve this call ({text}); please report it")

    async def _chat(self, asked: Json, cell: Cell, pending: PendingCall) -> Exchanged:
        sent = enforce_chat(asked, self._settings, repeat=cell.repeat)
        pending.asked = replaced(asked, sent)
        text = last_user_text(asked["messages"])
        if pending.step is None:
            step = find_step(self._steps.get(cell.framework, ()), told=None, text=text)
            pending.step = step.name if step else None
        texts = [message_text(message) for message in asked["messages"]]  # without a schema of ours
        cell.inputs.see_messages(texts)

        def read(answer: Json) -> Exchanged:
            pending.written = written_text(answer)
            reply = chat_reply(answer, texts)
            pending.flags = reply.flags
            return reply.text, reply.body

        return await self._ask(sent, cell, pending, read)

    async def _embed(self, asked: Json, cell: Cell, pending: PendingCall) -> Exchanged:
        model = self._settings.embedding_model if "embedding" in self._upstreams else None
        sent = enforce_embedding(asked, model)
        pending.asked = replaced(asked, sent)
        cell.inputs.see_embedded(sent["input"])
        as_base64 = asked.get("encoding_format") == "base64"
        read = partial(embedding_reply, texts=len(sent["input"]), as_base64=as_base64)
        return await self._ask(sent, cell, pending, lambda answer: (None, read(answer)))

    async def _ask(self, sent: Json, cell: Cell, pending: PendingCall, read: Read) -> Exchanged:
        if self._keeps_requests:
            pending.request = json.dumps(sent)
        request = UpstreamRequest(
            kind=pending.kind, body=sent, framework=cell.framework, metric=cell.metric, step=pending.step
        )
        try:
            return await self._answering.answer(request, cell, pending, read)
        except JudgeError as error:
            if error.kind in _OF_THE_RUN:
                raise
            where = self._upstreams[pending.kind].where
            message = f"{_ROLES[pending.kind]} {sent['model']!r} {where}: {error}"
            raise JudgeError(error.kind, message) from error


def _parsed(raw: bytes) -> Json:
    try:
        asked = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise refusal(f"it is not JSON ({error})") from error
    if not isinstance(asked, dict):
        raise refusal("no JSON object")
    return asked


def _failure(error: JudgeError) -> web.Response:
    """An error in OpenAI's form; a framework that shows its message shows ours."""
    status = _REFUSED if error.kind == "framework_error" else _FAILED
    body = {"error": {"message": f"[{error.kind}] {error}", "type": error.kind, "param": None, "code": error.kind}}
    return web.json_response(body, status=status, headers=_NEVER_AGAIN)
