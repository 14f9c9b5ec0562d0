"""One real Ragas process for the tests of this folder, started as a run starts it."""

from __future__ import annotations

import asyncio
import itertools
import json
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any, Self, TypeVar

import pytest

from evalparity.adapters.boundary import framework_process
from evalparity.adapters.ragas_adapter.adapter import ADAPTER
from support.judge_faults import Fault, Json
from support.judge_server import JudgeServer, message_text

T = TypeVar("T")


class Ragas:
    """A running Ragas process that plain tests can ask: its event loop turns in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._numbers = itertools.count()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._stack = AsyncExitStack()

    def __enter__(self) -> Self:
        assert ADAPTER.command is not None
        self._thread.start()
        started = framework_process("ragas", ADAPTER.command(self.folder), folder=self.folder, log=self.folder / "log")
        self.process = self._wait(self._stack.enter_async_context(started))
        return self

    def __exit__(self, *_error: object) -> None:
        self._wait(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def submit(self, scorer: str, inputs: Mapping[str, Any], url: str, *, timeout: float = 60) -> Future[Json]:
        job = {
            "id": f"{next(self._numbers)} {scorer}",
            "scorer": scorer,
            "inputs": dict(inputs),
            "judge": {"base_url": url, "model": "m", "embedding_model": "e", "max_output_tokens": 4096},
            "timeout": timeout,
        }
        return asyncio.run_coroutine_threadsafe(self.process.score(job), self._loop)

    def score(self, scorer: str, inputs: Mapping[str, Any], url: str, *, timeout: float = 60) -> Json:
        return self.submit(scorer, inputs, url, timeout=timeout).result()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


@pytest.fixture(scope="session")
def ragas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ragas]:
    with Ragas(tmp_path_factory.mktemp("ragas")) as running:
        yield running


def _step_of(request: Json) -> str:
    """Return which of Ragas' steps a request is, from the schema in its system message."""
    system = message_text(request["messages"][0])
    return next(step.name for step in ADAPTER.steps if f'"title": "{step.name}"' in system)


@pytest.fixture
def step_of() -> Callable[[Json], str]:
    """Return which of Ragas' steps a request is."""
    return _step_of


@pytest.fixture
def judge() -> Iterator[Callable[..., JudgeServer]]:
    """Start servers that answer each step with a fixed reply: text, a fault, or JSON."""
    stack = ExitStack()

    def start(replies: Mapping[str, Any], **options: Any) -> JudgeServer:
        def answer(request: Json, _n: int) -> str | Fault:
            reply = replies[_step_of(request)]
            return reply if isinstance(reply, str | Fault) else json.dumps(reply, ensure_ascii=False)

        return stack.enter_context(JudgeServer(answer, **options))

    with stack:
        yield start
