"""A judge in a process of its own that takes the same time for every call, whatever is asked.

    python benchmarks/fixed_judge.py 0.3 0.3        # seconds per chat and embedding call; prints its base URL

It answers every prompt of the three frameworks (`known_prompts`), others with 400, and embeds any text. A reply is
worked out while its time runs, so the time from request to reply stays fixed as long as the process keeps up.

`Judge` is the other side: it starts the process, and reads what was asked and when.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import struct
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web
from known_prompts import answer

from evalparity.adapters.judge.steps import last_user_text

Json = dict[str, Any]

SAMPLE_EVERY = 20
"""One request body in so many is kept, to load the server with what it is really asked."""


@dataclass(slots=True, kw_only=True)
class Served:
    """One call: whose prompt, `embedding`, or `unknown`; when it came and when its reply was due (monotonic clock)."""

    what: str
    begun: float
    ended: float = 0.0


@dataclass(slots=True)
class FixedJudge:
    """The application; `latency` and `embedding_latency` in seconds."""

    latency: float
    embedding_latency: float
    calls: list[Served] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)

    def app(self) -> web.Application:
        """Return the server's routes: OpenAI's two, and `/log` and `/latency` for the benchmark."""
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/v1/chat/completions", self.chat)
        app.router.add_post("/v1/embeddings", self.embeddings)
        app.router.add_post("/take", self.take)
        app.router.add_post("/latency", self.set_latency)
        return app

    async def chat(self, request: web.Request) -> web.Response:
        """Answer a known prompt, `n` times when asked to."""
        begun = time.monotonic()
        raw = await request.text()
        body = json.loads(raw)
        prompt = last_user_text(body["messages"])
        known = answer(prompt)
        framework, text = known or ("unknown", "")
        served = self._note(framework, begun, raw)
        if known is None:
            served.ended = time.monotonic()
            return web.json_response({"error": {"message": f"unknown prompt: {prompt[:200]}"}}, status=400)
        reply = json.dumps(_chat_json(body, text)).encode()
        return await self._in_time(served, reply)

    async def embeddings(self, request: web.Request) -> web.Response:
        """Embed one text or several."""
        begun = time.monotonic()
        body = await request.json()
        return await self._in_time(self._note("embedding", begun), json.dumps(_embedding_json(body)).encode())

    async def take(self, _request: web.Request) -> web.Response:
        """Return and forget what was asked so far, with the CPU time used by this process up to now."""
        calls = [[call.what, call.begun, call.ended] for call in self.calls]
        answer = {"calls": calls, "bodies": self.bodies, "cpu": time.process_time()}
        self.calls, self.bodies = [], []
        return web.json_response(answer)

    async def set_latency(self, request: web.Request) -> web.Response:
        """Take a new latency."""
        self.latency = self.embedding_latency = float(await request.text())
        return web.Response()

    def _note(self, what: str, begun: float, body: str | None = None) -> Served:
        served = Served(what=what, begun=begun)
        self.calls.append(served)
        if body is not None and len(self.calls) % SAMPLE_EVERY == 0:
            self.bodies.append(body)
        return served

    async def _in_time(self, served: Served, reply: bytes) -> web.Response:
        latency = self.embedding_latency if served.what == "embedding" else self.latency
        if latency:
            await asyncio.sleep(served.begun + latency - time.monotonic())
        served.ended = time.monotonic()
        return web.Response(body=reply, content_type="application/json")


def _chat_json(body: Json, text: str) -> Json:
    asked = sum(len(str(message.get("content"))) for message in body["messages"]) // 4
    answered = len(text) // 4
    choices = [
        {"index": n, "finish_reason": "stop", "message": {"role": "assistant", "content": text, "refusal": None}}
        for n in range(body.get("n") or 1)
    ]
    return {
        "id": "fixed",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": choices,
        "usage": {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered},
    }


def _embedding_json(body: Json) -> Json:
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    as_base64 = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": n, "embedding": _base64(_vector(text)) if as_base64 else _vector(text)}
        for n, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _vector(text: str) -> list[float]:
    """Return positive numbers, exact in single precision: what is measured here is time, not meaning."""
    return [(1 + byte) / 256 for byte in hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()]


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


@dataclass(frozen=True, slots=True)
class Taken:
    """What a judge was asked since the last time.

    Attributes:
        calls: every call, in the order of arrival.
        bodies: a sample of chat requests.
        cpu: seconds of CPU that the judge's process has used since its start.
    """

    calls: list[Served]
    bodies: list[str]
    cpu: float

    @property
    def most_in_flight(self) -> int:
        """Return how many calls were open at once at most."""
        changes = sorted([(c.begun, 1) for c in self.calls] + [(c.ended, -1) for c in self.calls])
        now = most = 0
        for _, change in changes:
            now += change
            most = max(most, now)
        return most


@dataclass(frozen=True, slots=True)
class Judge:
    """A running judge: its process, and its base URL up to and including `/v1`."""

    process: subprocess.Popen[str]
    url: str

    def take(self) -> Taken:
        """Return what it was asked since the last time."""
        found = json.loads(self._post("/take"))
        calls = [Served(what=what, begun=begun, ended=ended) for what, begun, ended in found["calls"]]
        return Taken(calls=calls, bodies=found["bodies"], cpu=found["cpu"])

    def set_latency(self, seconds: float) -> None:
        """Change how long it takes for a call of either kind."""
        self._post("/latency", str(seconds).encode())

    def _post(self, path: str, body: bytes = b"") -> bytes:
        request = urllib.request.Request(self.url.removesuffix("/v1") + path, data=body, method="POST")  # noqa: S310 - ours, on loopback
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as response:
            content: bytes = response.read()
        return content


@contextmanager
def started(latency: float, embedding_latency: float) -> Iterator[Judge]:
    """Start a judge in a process of its own; end it for certain."""
    command = [sys.executable, str(Path(__file__)), str(latency), str(embedding_latency)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield Judge(process=process, url=process.stdout.readline().strip())
    finally:
        process.kill()
        process.wait()


async def serve(latency: float, embedding_latency: float) -> None:
    """Serve until the process is ended."""
    runner = web.AppRunner(FixedJudge(latency, embedding_latency).app(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(*map(float, sys.argv[1:])))
