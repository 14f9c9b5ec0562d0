"""A gateway in front of a `JudgeServer`, and plain requests to it, for tests."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.connect import connect
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.ledger import Ledger
from evalparity.adapters.judge.settings import JudgeSettings
from support.judge_server import JudgeServer

KEY = "sk-planted-0123456789-secret"


@asynccontextmanager
async def gateway_to(
    server: JudgeServer,
    *,
    ledger: Ledger | None = None,
    sources: Sources | None = None,
    steps: Mapping[str, Sequence[PromptStep]] | None = None,
    grace: float = 10.0,
    **settings: Any,
) -> AsyncIterator[Gateway]:
    """Open a gateway to a server; settings beyond model, URL and key by name."""
    known = {"model": "the-judge", "url": server.url, "embedding_model": "the-embedder", "api_key": KEY}
    judge = JudgeSettings(**(known | settings))
    upstream, embedder = connect(judge, steps or {})
    async with Gateway(
        judge,
        upstream=upstream,
        embedder=embedder,
        steps=steps or {},
        sources=sources or Sources(ledger=ledger),
        grace=grace,
    ) as gateway:
        yield gateway


def open_cell(gateway: Gateway, cell: str = "cell", framework: str = "ragas", **more: Any) -> str:
    """Open a cell without texts to prove."""
    return gateway.open_cell(
        **({"cell": cell, "framework": framework, "metric": "faithfulness", "texts": {}, "sent": ()} | more)
    )


async def ask(
    url: str,
    text: str = "hello",
    *,
    path: str = "chat/completions",
    headers: Mapping[str, str] | None = None,
    session: aiohttp.ClientSession | None = None,
    **body: Any,
) -> tuple[int, Any]:
    """Send one request to a cell's URL; returns the status and the JSON."""
    given = {"messages": [{"role": "user", "content": text}]} if path == "chat/completions" else {"input": text}
    if session is None:
        async with aiohttp.ClientSession() as own:
            return await ask(url, text, path=path, headers=headers, session=own, **body)
    async with session.post(f"{url}/{path}", json={"model": "any"} | given | body, headers=headers) as response:
        raw = await response.text()
    return response.status, json.loads(raw) if raw.startswith("{") else raw
