"""The loop inside a Python framework's process: one JSON line in, one JSON line out, many cells at once.

Run as `python -m evalparity.adapters.worker MODULE`, where MODULE offers `FRAMEWORK` (a name), `version()` and
`async score(job) -> result`. The other side is `evalparity.adapters.boundary`; Promptfoo's Node driver speaks
the same lines.

    out, once   {"ready": {"framework": "ragas", "version": "0.4.3"}}
    in          {"id": "...", "scorer": "...", "inputs": {...}, "judge": {"base_url", "model",
                 "embedding_model", "max_output_tokens"}, "wiring": "stock", "timeout": 300}
    out         {"id": "...", "result": {...}}   or   {"id": "...", "error": {"type": "...", "message": "..."}}

Every job is answered, by its limit at the latest. Lines out are ASCII.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, BinaryIO


def main(module_name: str) -> None:
    """Serve jobs from standard input until it closes."""
    answers = _claim_standard_output()
    module = _load(module_name)
    answers.write(_line({"ready": {"framework": module.FRAMEWORK, "version": module.version()}}))
    asyncio.run(_serve(module, answers))


def _load(module_name: str) -> ModuleType:
    """Import a framework without searching for garbage meanwhile: Ragas, 400,000 objects, starts a third sooner.

    What an import makes stays until the process ends, so it is left out of every later search too.
    """
    gc.disable()
    try:
        return import_module(module_name)
    finally:
        gc.freeze()
        gc.enable()


def _claim_standard_output() -> BinaryIO:
    """Keep standard output for answers; whatever the framework prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return answers


async def _serve(module: ModuleType, answers: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    jobs: set[asyncio.Task[None]] = set()
    while line := await loop.run_in_executor(None, sys.stdin.buffer.readline):
        task = asyncio.create_task(_answer(module, json.loads(line), answers))
        jobs.add(task)
        task.add_done_callback(jobs.discard)
    await asyncio.gather(*jobs)


async def _answer(module: ModuleType, job: dict[str, Any], answers: BinaryIO) -> None:
    message = await _within_limit(module, job)
    answers.write(_line({"id": job["id"], **message}))


async def _within_limit(module: ModuleType, job: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a job at its limit at the latest, whether or not the framework lets itself be cancelled."""
    if "timeout" not in job:
        return _error("KeyError", "the job names no timeout")
    scoring = asyncio.create_task(_score(module, job))
    done, _ = await asyncio.wait({scoring}, timeout=job["timeout"])
    if done:
        return scoring.result()
    scoring.cancel()
    return _error("TimeoutError", f"no score within {job['timeout']} s")


async def _score(module: ModuleType, job: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"result": await module.score(job)}
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return _error("CancelledError", str(error) or "the framework cancelled its own work")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a framework may raise anything; it is this cell's outcome
        return _error(type(error).__name__, _text_of(error))


def _error(type_name: str, message: str) -> dict[str, Any]:
    return {"error": {"type": type_name, "message": message}}


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - as above; without a message the cell still gets its answer
        return "its message cannot be read"


def _line(message: dict[str, Any]) -> bytes:
    """Return a message as one line of ASCII, since a text may hold half of a character, which UTF-8 cannot write."""
    try:
        return json.dumps(message, default=str).encode("ascii") + b"\n"
    except Exception as error:  # noqa: BLE001 - a result may hold anything; it becomes this cell's outcome
        told = f"the result cannot be written as JSON: {_text_of(error)}"
        return _line({"id": message["id"], **_error(type(error).__name__, told)})


if __name__ == "__main__":
    main(sys.argv[1])
