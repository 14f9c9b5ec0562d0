"""The application's own process: one JSON line in, one JSON line out.

Run as `python -P -m evalparity.comparisons.recording.app_process SETTINGS`, where SETTINGS is a JSON object with `app`,
`concurrency` and `names`. The other side is `evalparity.comparisons.recording.process`.

    out, once   {"ready": {"takes": [...], "sources": {...}}}   or   {"refused": "why, and what to do"}
    in          {"id": 1, "question": "...", "case_id": "...", "conversation": [...], "tenant": null, "as_of": null,
                 "metadata": {...}}
    out         {"id": 1, "value": ..., "type": "tuple", "seconds": 0.2}
                or   {"id": 1, "kind": "...", "reason": "..."}
    out         {"beat": true}   every second, as long as the application leaves the process alive

What the application prints, on either stream, goes to standard error; it has no standard input. Standard library only.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO

from evalparity.comparisons.recording.app_import import App, RefusedError, describe, find_app, own_sources
from evalparity.comparisons.recording.returned import UnrecordableError, plain_result

BEAT = 1.0
"""Seconds between two signs of life."""

LONGEST = 32 * 1024 * 1024
"""Bytes of one answer."""

_DATE_LENGTH = len("2026-06-01")
Job = Mapping[str, Any]


class Desk:
    """Calls the application and writes what comes of it.

    Attributes:
        app: what to call.
    """

    def __init__(self, app: App, answers: BinaryIO, names: frozenset[str], folder: Path) -> None:
        self.app = app
        self._answers = answers
        self._names = names
        self._folder = folder
        self._lock = threading.Lock()
        self._open = 0

    def take(self) -> None:
        """Count a job that has come in."""
        with self._lock:
            self._open += 1

    @property
    def idle(self) -> bool:
        """Whether every job that came in has been answered."""
        return self._open == 0

    def call(self, job: Job) -> None:
        """Answer a job in this thread."""
        started = time.perf_counter()
        try:
            value = self._start(job)
            if inspect.isawaitable(value):
                value = asyncio.run(_awaited(value))
        except BaseException as error:  # noqa: BLE001 - the application may raise anything; it is this case's outcome
            self._raised(job, error)
        else:
            self._returned(job, value, time.perf_counter() - started)

    async def call_async(self, job: Job) -> None:
        """Answer a job in the running event loop."""
        started = time.perf_counter()
        try:
            value = self._start(job)
            if inspect.isawaitable(value):
                value = await value
        except BaseException as error:  # noqa: BLE001 - as above; nothing here is cancelled from outside
            self._raised(job, error)
        else:
            self._returned(job, value, time.perf_counter() - started)

    def _start(self, job: Job) -> Any:  # noqa: ANN401 - whatever the application returns
        given = {name: value for name in self.app.takes if (value := _offered(job, name)) or not self.app.takes[name]}
        if self.app.question is not None:
            return self.app.function(**{self.app.question: job["question"]}, **given)
        return self.app.function(job["question"], **given)

    def _returned(self, job: Job, value: object, seconds: float) -> None:
        try:
            read = plain_result(value, self._names)
        except UnrecordableError as error:
            self._answer(job, {"kind": error.kind, "reason": str(error)})
        except BaseException as error:  # noqa: BLE001 - objects of the application compute what is read of them
            self._raised(job, error)
        else:
            self._answer(job, {"value": read, "type": type(value).__name__, "seconds": seconds})

    def _raised(self, job: Job, error: BaseException) -> None:
        with suppress(Exception):  # an exception of the application's may fail to print itself
            sys.stderr.write(f"case {job['case_id']!r}:\n")
            traceback.print_exception(error)
        self._answer(job, {"kind": "raised", "reason": f"raised {describe(error, self._folder)}"})

    def _answer(self, job: Job, answer: dict[str, Any]) -> None:
        line = _line({"id": job["id"], **answer})
        if len(line) > LONGEST:
            told = f"returned more than {LONGEST // 2**20} MiB: return the answer and its contexts only."
            line = _line({"id": job["id"], "kind": "wrong_type", "reason": told})
        with self._lock:
            self._open -= 1
            self._write(line)

    def beat(self) -> None:
        """Write a sign of life."""
        with self._lock:
            self._write(_line({"beat": True}))

    def _write(self, line: bytes) -> None:
        try:
            self._answers.write(line)
            self._answers.flush()
        except OSError:
            os._exit(1)  # nobody reads any more; threads of the application must not keep the process


async def _awaited(value: Any) -> Any:  # noqa: ANN401 - whatever the application returns
    return await value


def _offered(job: Job, name: str) -> Any:  # noqa: ANN401 - the values of several fields
    value = job[name]
    if name != "as_of" or value is None:
        return value
    return date.fromisoformat(value) if len(value) == _DATE_LENGTH else datetime.fromisoformat(value)


def _line(message: dict[str, Any]) -> bytes:
    # ASCII only: a text may hold half of a character, which UTF-8 cannot write.
    return json.dumps(message).encode("ascii") + b"\n"


def _serve_here(desk: Desk, jobs: queue.SimpleQueue[Job | None]) -> None:
    """Call the application in the thread that imported it, one case after the other."""
    while (job := jobs.get()) is not None:
        desk.call(job)


def _serve_in_threads(desk: Desk, jobs: queue.SimpleQueue[Job | None]) -> None:
    """Call the application in a thread per case; one that never returns holds up no other."""
    threading.Thread(target=_beat_forever, args=(desk,), daemon=True).start()
    while (job := jobs.get()) is not None:
        threading.Thread(target=desk.call, args=(job,), daemon=True).start()


def _beat_forever(desk: Desk) -> None:
    while True:
        desk.beat()
        time.sleep(BEAT)


def _serve_in_loop(desk: Desk, jobs: queue.SimpleQueue[Job | None]) -> None:
    asyncio.run(_serve_async(desk, jobs))


async def _serve_async(desk: Desk, jobs: queue.SimpleQueue[Job | None]) -> None:
    loop = asyncio.get_running_loop()
    incoming: asyncio.Queue[Job | None] = asyncio.Queue()
    bridge = threading.Thread(target=_bridge, args=(jobs, loop, incoming), daemon=True)
    bridge.start()
    beating = asyncio.create_task(_beat_in_loop(desk))
    calls: set[asyncio.Task[None]] = set()
    while (job := await incoming.get()) is not None:
        call = asyncio.create_task(desk.call_async(job))
        calls.add(call)
        call.add_done_callback(calls.discard)
    beating.cancel()


def _bridge(
    jobs: queue.SimpleQueue[Job | None], loop: asyncio.AbstractEventLoop, incoming: asyncio.Queue[Job | None]
) -> None:
    job: Job | None = {}
    while job is not None:
        job = jobs.get()
        loop.call_soon_threadsafe(incoming.put_nowait, job)


async def _beat_in_loop(desk: Desk) -> None:
    while True:
        desk.beat()
        await asyncio.sleep(BEAT)


def _read(lines: BinaryIO, desk: Desk, jobs: queue.SimpleQueue[Job | None]) -> None:
    """Take jobs in until there are no more; when somebody still waits then, our parent is gone."""
    for line in lines:
        desk.take()
        jobs.put(json.loads(line))
    if not desk.idle:
        os._exit(1)
    jobs.put(None)


def _claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep both streams for the protocol; the application prints to standard error and reads nothing."""
    jobs = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return jobs, answers


def _server(app: App, concurrency: int) -> Callable[[Desk, queue.SimpleQueue[Job | None]], None]:
    if app.asynchronous:
        return _serve_in_loop
    return _serve_here if concurrency == 1 else _serve_in_threads


def main(settings: Mapping[str, Any]) -> None:
    """Find the application, tell how it is called, and answer jobs until standard input closes."""
    lines, answers = _claim_streams()
    del sys.argv[1:]  # they are ours; a module of the application may read them while it is imported
    folder = Path.cwd()
    try:
        app = find_app(settings["app"], folder)
    except RefusedError as error:
        answers.write(_line({"refused": str(error)}))
        answers.flush()
        os._exit(0)  # what an import that failed has left behind may wait for ever
    answers.write(_line({"ready": {"takes": sorted(app.takes), "sources": own_sources(app, folder)}}))
    answers.flush()
    desk = Desk(app, answers, frozenset(settings["names"]), folder)
    jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines, desk, jobs), daemon=True).start()
    _server(app, settings["concurrency"])(desk, jobs)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
