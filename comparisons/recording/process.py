"""Our side of the application's process: how it is started, asked and ended.

The other side is `evalparity.comparisons.recording.app_process`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalparity.adapters.boundary import kill_group, whole_texts
from evalparity.comparisons.recording.attempts import Failed, Question, Returned
from evalparity.unified_schema.errors import UsageError

START_LIMIT = 900.0
"""Seconds until the application must be imported; some load a model."""

FROZEN = 3.0
"""Seconds without a sign of life, after which a process with a case that is late counts as frozen."""

_GRACE = 5.0
_GLANCE = 0.1
_LINE_LIMIT = 64 * 1024 * 1024


class LostError(Exception):
    """Raised when the process ended, or froze, before it answered.

    Attributes:
        alone: whether no other case was in work, so that this one is to blame.
    """

    def __init__(self, message: str, *, alone: bool) -> None:
        self.alone = alone
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSettings:
    """How the application is run.

    Attributes:
        app: `package.module:function`.
        concurrency: calls at the same time, at most.
        names: names that mean something in what it returns.
        log: file that takes what it prints.
    """

    app: str
    concurrency: int
    names: frozenset[str]
    log: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What the process tells once the application is imported.

    Attributes:
        takes: what the function takes by keyword beyond the question.
        sources: SHA-256 of the user's own source files that are imported, by path.
    """

    takes: frozenset[str]
    sources: Mapping[str, str]


class AppProcess:
    """A running application.

    Attributes:
        ready: what it told when it was imported.
        retired: whether it gets no further cases: one that it never answered may still hold a thread of it.
    """

    def __init__(self, process: Process, ready: Ready) -> None:
        self.ready = ready
        self.retired = False
        self._process = process
        self._last = 0
        self._heard = asyncio.get_running_loop().time()
        self._waiting: dict[int, asyncio.Future[dict[str, Any] | LostError]] = {}
        self._reader = asyncio.create_task(self._read_answers())

    @property
    def usable(self) -> bool:
        """Whether it takes another case."""
        return not self.retired and not self._reader.done()

    @property
    def idle(self) -> bool:
        """Whether nobody waits for an answer."""
        return not self._waiting

    async def call(self, question: Question, limit: float) -> Returned | Failed:
        """Return what the application answers within `limit` seconds.

        Raises:
            LostError: the process ended or froze; others in work at the same time may be to blame.
        """
        self._last += 1
        job, answer = self._last, asyncio.get_running_loop().create_future()
        self._waiting[job] = answer
        try:
            async with asyncio.timeout(limit):
                await self._send({"id": job, "question": question.text, **question.offered()})
                message = await answer
        except TimeoutError:
            return await self._late(limit)
        finally:
            self._waiting.pop(job, None)
        if isinstance(message, LostError):
            raise message
        if "value" in message:
            return Returned(value=message["value"], type_name=message["type"], seconds=message["seconds"])
        return Failed(kind=message["kind"], reason=message["reason"])

    async def _late(self, limit: float) -> Failed:
        others = len(self._waiting) > 1
        self.retired = True
        if others and await self._is_frozen():  # whichever of them holds the interpreter, the others had no chance
            self.kill()
            raise LostError(f"did not answer within {limit:g} s", alone=False)
        return Failed(kind="timeout", reason=f"did not answer within {limit:g} s (--timeout).")

    async def _is_frozen(self) -> bool:
        """Wait for the next sign of life; return whether there is none."""
        clock = asyncio.get_running_loop().time
        asked = clock()
        while self._heard <= asked and not self._reader.done():
            if clock() - self._heard > FROZEN:
                return True
            await asyncio.sleep(_GLANCE)
        return self._reader.done()

    async def _send(self, job: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        if self._reader.done():
            raise self._lost(alone=False)  # it ended before it heard of this case
        try:
            self._process.stdin.write(json.dumps(job).encode("ascii") + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            await self._reader
            raise self._lost(alone=False) from None

    async def _read_answers(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(ValueError, LookupError, TypeError):  # a line that is none ends the process
            while line := await self._process.stdout.readline():
                self._heard = asyncio.get_running_loop().time()
                self._deliver(whole_texts(json.loads(line)))
        alone = len(self._waiting) == 1 and not self.retired
        self.retired = True  # from here on nobody may give it another case
        await self._end()
        lost = self._lost(alone=alone and len(self._waiting) == 1)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_result(lost)  # an exception that nobody awaits any more would be printed

    def _deliver(self, message: dict[str, Any]) -> None:
        answer = self._waiting.get(message["id"]) if "beat" not in message else None
        if answer is not None and not answer.done():
            answer.set_result(message)

    def _lost(self, *, alone: bool) -> LostError:
        return LostError(f"the application's process {_how(self._process.returncode)}", alone=alone)

    def kill(self) -> None:
        """End the process and everything it started, at once."""
        kill_group(self._process)

    async def close(self) -> None:
        """End the process: by closing its input, so that the application can put things away, or by force."""
        assert self._process.stdin is not None
        if self.retired:
            self.kill()
        self._process.stdin.close()
        try:
            await self._end()
        finally:
            self.kill()
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _end(self) -> None:
        try:
            await asyncio.wait_for(self._process.wait(), _GRACE)
        except TimeoutError:
            self.kill()
            await self._process.wait()


def _how(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


async def start_app(settings: AppSettings, environment: Mapping[str, str]) -> AppProcess:
    """Return the application's process once it is imported.

    Its working directory is ours, its environment ours without evalparity's keys.

    Args:
        settings: what to run.
        environment: variables.

    Raises:
        UsageError: the application cannot be imported or called; says what to do.
    """
    process = await _spawn(settings, environment)
    try:
        return AppProcess(process, await _wait_until_ready(process, settings))
    except BaseException:
        kill_group(process)
        await process.wait()
        raise


async def _spawn(settings: AppSettings, environment: Mapping[str, str]) -> Process:
    told = {"app": settings.app, "concurrency": settings.concurrency, "names": sorted(settings.names)}
    module = "evalparity.comparisons.recording.app_process"
    try:
        with settings.log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", module, json.dumps(told)),
                stdin=PIPE,
                stdout=PIPE,
                stderr=log,
                env=without_keys(environment),
                limit=_LINE_LIMIT,
                start_new_session=True,  # Ctrl-C on the terminal reaches us alone, and we end it
            )
    except OSError as error:
        raise UsageError(f"{settings.log}: cannot be written ({error.strerror}).") from error


def without_keys(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the judge's keys, and the names of files that hold them."""
    return {
        name: value
        for name, value in environment.items()
        if not (name.upper().startswith("EVALPARITY_") and "KEY" in name.upper())
    }


async def _wait_until_ready(process: Process, settings: AppSettings) -> Ready:
    assert process.stdout is not None
    place = f"--app {settings.app}"
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_LIMIT)
    except TimeoutError:
        raise UsageError(f"{place}: it was not imported within {START_LIMIT:g} s.") from None
    if not line:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
        told = f"its process {_how(process.returncode)} while it was imported; {settings.log} has what it printed."
        raise UsageError(f"{place}: {told}")
    message = json.loads(line)
    if "refused" in message:
        raise UsageError(f"{place}: {whole_texts(message['refused'])}")
    return Ready(takes=frozenset(message["ready"]["takes"]), sources=message["ready"]["sources"])
