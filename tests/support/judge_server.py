"""A real OpenAI-compatible server on loopback, scripted by a function: the judge of the tests.

    def answer(request, n):                 # the request's JSON, and how many chat requests came before it
        return '{"verdicts": []}' if n else rate_limited(after=1)

    with JudgeServer(answer) as server:
        settings = JudgeSettings(model="m", url=server.url, embedding_model="e", api_key="any")
        ...
        server.requests                     # what arrived, in order: kind, path, headers, body, served
        server.input_tokens                 # what it counted and told in its replies

It runs in a thread of its own, so plain and asynchronous tests use it alike. A function that returns text
is a judge that works; one that returns a `Fault` (all of them: `support.judge_faults`) is not.
`server.hold()` keeps all replies back until `server.release()`.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import ssl
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web

from support.judge_faults import UNAUTHORISED, Fault, Json, failing

Answer = Callable[[Json, int], "str | Fault"]
EmbeddingFault = Callable[[Json, int], "Fault | None"]


@dataclass(slots=True, kw_only=True)
class Received:
    """One request as it arrived, when (monotonic clock), and whether its reply was good (faults: False)."""

    kind: str
    path: str
    headers: Mapping[str, str]
    body: Json
    at: float = field(default_factory=time.monotonic)
    served: bool = False


def count_tokens(text: str) -> int:
    """Return this server's idea of tokens: words apart by white space, at least one."""
    return max(1, len(text.split()))


def embed_text(text: str) -> list[float]:
    """Return eight numbers that depend on nothing but the text; exact in single precision."""
    return [byte / 128.0 - 1.0 for byte in hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]]


def message_text(message: Json) -> str:
    """Return the text of a chat message, whose content is a string or a list of parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def last_user_text(request: Json) -> str:
    """Return the text of the last user message of a chat request."""
    return next(message_text(item) for item in reversed(request["messages"]) if item["role"] == "user")


class JudgeServer:
    """The server; a context manager.

    Args:
        answer: from the request's JSON and the number of chat requests before it to a reply.
        embedding_fault: the same for embeddings; None: answer them well.
        key: when given, other keys get 401.
        models: names that it lists; others get 404. None: it has no list and takes any name.
        certificate: speak TLS with it.

    Attributes:
        url: base URL, up to and including `/v1`.
        requests: all requests in the order of their arrival.
        input_tokens, output_tokens: the sum of the usage that its chat replies told.
        most_in_flight: how many requests were open at once at most.
    """

    def __init__(
        self,
        answer: Answer = lambda _request, _n: "ok",
        *,
        embedding_fault: EmbeddingFault = lambda _request, _n: None,
        key: str | None = None,
        models: Sequence[str] | None = None,
        certificate: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[Received] = []
        self.url = ""
        self.input_tokens = self.output_tokens = 0
        self.most_in_flight = 0
        self._answer, self._embedding_fault, self._key = answer, embedding_fault, key
        self._models, self._certificate = models, certificate
        self._in_flight = 0
        self._counts = {"chat": 0, "embedding": 0}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def chat_requests(self) -> list[Received]:
        """Return the chat requests in the order of their arrival."""
        return [received for received in self.requests if received.kind == "chat"]

    @property
    def embedding_requests(self) -> list[Received]:
        """Return the embedding requests in the order of their arrival."""
        return [received for received in self.requests if received.kind == "embedding"]

    def hold(self) -> None:
        """Keep back every reply from now on."""
        self._loop.call_soon_threadsafe(self._open.clear)

    def release(self) -> None:
        """Let the replies go."""
        self._loop.call_soon_threadsafe(self._open.set)

    async def _start(self) -> None:
        self._open, self._closing = asyncio.Event(), asyncio.Event()
        self._open.set()
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embeddings)
        if self._models is not None:
            app.router.add_get("/v1/models", self._list_models)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self._certificate)
        await site.start()
        scheme = "http" if self._certificate is None else "https"
        self.url = f"{scheme}://127.0.0.1:{self._runner.addresses[0][1]}/v1"

    async def _stop(self) -> None:
        self._closing.set()
        self._open.set()
        await self._runner.cleanup()
        # A connection that came in during the clean-up belongs to nobody; unclosed, it would fail another test.
        for transport in list(self._loop._transports.values()):
            transport.close()
        await asyncio.sleep(0)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        received, n = await self._receive(request, "chat")
        reply = self._refusal(request, received) or self._answer(received.body, n)
        return await self._reply(request, received, reply, _chat_json)

    async def _embeddings(self, request: web.Request) -> web.StreamResponse:
        received, n = await self._receive(request, "embedding")
        fault = self._refusal(request, received) or self._embedding_fault(received.body, n)
        return await self._reply(request, received, fault or "", lambda body, _text: _embedding_json(body))

    async def _list_models(self, request: web.Request) -> web.Response:
        if not self._admits(request):
            return web.Response(status=UNAUTHORISED.status, body=UNAUTHORISED.body, content_type="application/json")
        return web.json_response({"object": "list", "data": [{"id": name} for name in self._models or ()]})

    def _refusal(self, request: web.Request, received: Received) -> Fault | None:
        if not self._admits(request):
            return UNAUTHORISED
        known = self._models is None or received.body["model"] in self._models
        return None if known else failing(404, "no such model")

    def _admits(self, request: web.Request) -> bool:
        return self._key is None or request.headers.get("Authorization") == f"Bearer {self._key}"

    async def _receive(self, request: web.Request, kind: str) -> tuple[Received, int]:
        body = await request.json()
        received = Received(kind=kind, path=request.path, headers=dict(request.headers), body=body)
        self.requests.append(received)
        self._counts[kind] += 1
        return received, self._counts[kind] - 1

    async def _reply(
        self, request: web.Request, received: Received, reply: str | Fault, good: Callable[[Json, str], Json]
    ) -> web.StreamResponse:
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            await self._open.wait()
            return await self._send(request, received, reply, good)
        finally:
            self._in_flight -= 1

    async def _send(
        self, request: web.Request, received: Received, reply: str | Fault, good: Callable[[Json, str], Json]
    ) -> web.StreamResponse:
        fault = Fault(text=reply) if isinstance(reply, str) else reply
        if fault.hang:
            await self._closing.wait()
        if fault.hang or fault.disconnect:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        body = fault.body
        if body is None:
            content = good(received.body, fault.text)
            content = fault.edit(content) if fault.edit else content
            self._count(content.get("usage") or {})
            body = json.dumps(content).encode()
            received.served = isinstance(reply, str)
        headers = {"Content-Type": "application/json"} | dict(fault.headers)
        return web.Response(status=fault.status, body=body, headers=headers)

    def _count(self, usage: Json) -> None:
        if "completion_tokens" in usage:  # embeddings tell none
            self.input_tokens += usage["prompt_tokens"]
            self.output_tokens += usage["completion_tokens"]


def _chat_json(body: Json, text: str) -> Json:
    asked = sum(count_tokens(message_text(message)) for message in body["messages"])
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": count_tokens(text),
            "total_tokens": asked + count_tokens(text),
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _embedding_json(body: Json) -> Json:
    texts: Sequence[str] = [body["input"]] if isinstance(body["input"], str) else body["input"]
    asked = sum(count_tokens(text) for text in texts)
    return {
        "object": "list",
        "model": body["model"],
        "data": [
            {"object": "embedding", "index": index, "embedding": _encode(embed_text(text), body)}
            for index, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": asked, "total_tokens": asked},
    }


def _encode(vector: list[float], body: Json) -> list[float] | str:
    if body.get("encoding_format") != "base64":
        return vector
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
