"""Our side of a framework's process: a private folder, a scrubbed environment, JSON lines, an end that is sure.

The other side is `evalparity.adapters.worker` (Python frameworks) or a driver that speaks the same lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import site
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from evalparity.adapters.base import JsonObject, WorkerCommand
from evalparity.unified_schema.errors import FrameworkError

START_LIMIT = 120.0
"""Seconds until a framework must be ready; Ragas takes six on a cold, busy machine."""

_GRACE = 5.0
_LINE_LIMIT = 64 * 1024 * 1024
_NO_WAY_OUT = "http://127.0.0.1:9"

_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENAI_API_KEY": "dummy",
        # A framework reaches the gateway on loopback and nothing else.
        "HTTP_PROXY": _NO_WAY_OUT,
        "HTTPS_PROXY": _NO_WAY_OUT,
        "ALL_PROXY": _NO_WAY_OUT,
        "http_proxy": _NO_WAY_OUT,
        "https_proxy": _NO_WAY_OUT,
        "all_proxy": _NO_WAY_OUT,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }
)


class CellError(Exception):
    """Raised when the framework answered one cell with an exception of its own.

    Attributes:
        type_name: name of the exception's class, as the framework raised it.
    """

    def __init__(self, type_name: str, message: str) -> None:
        self.type_name = type_name
        super().__init__(message)


class ProcessEndedError(FrameworkError):
    """Raised for every cell in flight when the framework's process ends or breaks the protocol."""


def scrubbed_environment(folder: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """Return the whole environment of a framework's process: nothing of the user's, no key, a private home."""
    return {
        **_ENVIRONMENT,
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "XDG_CACHE_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        # Packages that pip installed for the user are found by HOME, which we replace.
        "PYTHONUSERBASE": site.getuserbase(),
        **_windows_needs(),
        **extra,
    }


def _windows_needs() -> dict[str, str]:
    return {name: os.environ[name] for name in ("SYSTEMROOT", "SYSTEMDRIVE") if name in os.environ}


class FrameworkProcess:
    """A running framework that scores many cells at once.

    Attributes:
        framework: name of the framework.
        version: the version that the process itself reported.
    """

    def __init__(self, framework: str, version: str, process: Process) -> None:
        self.framework = framework
        self.version = version
        self._process = process
        self._waiting: dict[str, asyncio.Future[JsonObject]] = {}
        self._reader = asyncio.create_task(self._read_answers())

    @property
    def pid(self) -> int:
        """Return the id of the process, so that it can be found from outside."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process still reads jobs and writes answers."""
        return not self._reader.done() and self._process.returncode is None

    async def score(self, job: JsonObject) -> JsonObject:
        """Return the framework's result for one job.

        Raises:
            CellError: the framework raised an exception for this cell; the others go on.
            ProcessEndedError: the process ended before it answered.
        """
        job_id = str(job["id"])
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        if self._reader.done():
            raise self._ended()
        self._waiting[job_id] = answer
        try:
            await self._send(job)
            return await answer
        finally:
            self._waiting.pop(job_id, None)

    async def _send(self, job: JsonObject) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(_encode(job))
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise self._ended() from error

    async def _read_answers(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                self._deliver(whole_texts(json.loads(line)))
        except (ValueError, LookupError, TypeError):
            self.kill()
        finally:
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(self._ended())

    def _deliver(self, message: dict[str, Any]) -> None:
        answer = self._waiting.get(message["id"])
        if answer is None or answer.done():
            return
        if "result" in message:
            answer.set_result(message["result"])
        else:
            error = message["error"]
            answer.set_exception(CellError(error["type"], error["message"]))

    def _ended(self) -> ProcessEndedError:
        code = self._process.returncode
        how = f"ended with code {code}" if code is not None else "stopped answering"
        return ProcessEndedError(
            self.framework, f"the process of {self.framework} {how}; its log stands in the run folder"
        )

    def kill(self) -> None:
        """End the process and everything it started, at once."""
        kill_group(self._process)

    async def close(self) -> None:
        """End the process: by closing its input first, by force when it does not follow."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_GRACE):
                await self._process.wait()
        except TimeoutError:
            pass
        finally:
            self.kill()
            await self._process.wait()
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)


@contextlib.asynccontextmanager
async def framework_process(
    framework: str, command: WorkerCommand, *, folder: Path, log: Path
) -> AsyncIterator[FrameworkProcess]:
    """Start a framework in `folder`, yield it when it is ready, and end it for certain.

    What the process prints goes to `log`.

    Raises:
        FrameworkError: it could not be started or was not ready in time.
    """
    process = await _spawn(framework, command, folder, log)
    try:
        version = await _wait_until_ready(framework, process, log)
        running = FrameworkProcess(framework, version, process)
    except BaseException:
        kill_group(process)
        await process.wait()
        raise
    try:
        yield running
    except BaseException:
        running.kill()
        raise
    finally:
        await running.close()


async def _spawn(framework: str, command: WorkerCommand, folder: Path, log: Path) -> Process:
    try:
        with _open_private(log) as log_file:
            return await asyncio.create_subprocess_exec(
                *command.argv,
                stdin=PIPE,
                stdout=PIPE,
                stderr=log_file,
                cwd=folder,
                env=scrubbed_environment(folder, command.env),
                limit=_LINE_LIMIT,
                # Its own group: Ctrl-C on the terminal reaches us alone, and we end it with all that it started.
                start_new_session=True,
            )
    except OSError as error:
        raise FrameworkError(framework, f"{framework} could not be started: {error}") from error


def _open_private(log: Path) -> BinaryIO:
    """Open a file at its end, for its owner alone: a framework may print texts of the suite."""
    return os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


async def _wait_until_ready(framework: str, process: Process, log: Path) -> str:
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_LIMIT)
        return str(json.loads(line)["ready"]["version"])
    except (TimeoutError, ValueError, LookupError, TypeError) as error:
        raise FrameworkError(framework, f"{framework} did not start: {_last_line(log)}") from error


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else f"it printed nothing; its log is {log}"


def whole_texts(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a JSON value with each half of a surrogate pair replaced by U+FFFD.

    Weak judges write half an emoji as an escape; no file and no database can hold it.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {whole_texts(key): whole_texts(one) for key, one in value.items()}
    return [whole_texts(one) for one in value] if isinstance(value, list) else value


def _encode(job: JsonObject) -> bytes:
    # ASCII only: half a surrogate pair has no UTF-8, and a line that is not UTF-8 would end the process.
    return json.dumps(job).encode() + b"\n"


def kill_group(process: Process) -> None:
    """End a process that leads a group of its own, with all that it started; nothing happens when it has ended."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
