"""Run plan after plan in the same frameworks' processes, for tests that are about replies and not about processes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from evalparity.adapters.base import WorkerCommand
from evalparity.adapters.boundary import FrameworkProcess, framework_process
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.registry import load_adapter
from evalparity.comparisons.running import run
from evalparity.comparisons.running.plan import Plan
from evalparity.comparisons.running.settle import Settled
from support.runs import run_cases


class Bench:
    """Real frameworks that are started by the first plan that needs them and stay for the next; a context manager.

    Only for plans in which every job is answered: an answer that comes after its run would be taken for the next one's.

    Attributes:
        starts: the frameworks in the order in which they were started; one that ends is started again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.starts: list[str] = []
        self._runner = asyncio.Runner()
        self._kept: dict[str, FrameworkProcess] = {}
        self._stack = contextlib.AsyncExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._runner:
            self._runner.run(self._stack.aclose())

    def run_cases(self, plan: Plan, folder: Path, *, judge: JudgeSettings | None = None) -> list[Settled]:
        """Do as `support.runs.run_cases` does, in the processes that are kept; what they print goes to one log each."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run, "framework_process", self._process)
            return run_cases(plan, folder, judge=judge, on=self._runner.run)

    @contextlib.asynccontextmanager
    async def _process(
        self, framework: str, _command: WorkerCommand, **_of_the_run: Path
    ) -> AsyncIterator[FrameworkProcess]:
        kept = self._kept.get(framework)
        if kept is None or not kept.alive:
            kept = self._kept[framework] = await self._start(framework)
        yield kept

    async def _start(self, framework: str) -> FrameworkProcess:
        self.starts.append(framework)
        home = self.folder / f"{framework}-{len(self.starts)}"  # the run's own one ends with the run
        home.mkdir()
        start = load_adapter(framework).command
        assert start is not None
        started = framework_process(framework, start(home), folder=home, log=self.folder / f"{framework}.log")
        return await self._stack.enter_async_context(started)
