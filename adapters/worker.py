"""The loop inside a Python framework's process: one JSON line in, one JSON line out, many cells at once.

Run as `python -m evalparity.adapters.worker MODULE`, where MODULE offers `FRAMEWORK` (a name), `version()` and
`async score(job) -> result`. The other side is `evalparity.adapters.boundary`; Promptfoo's Node driver speaks
the same lines.

    out, once   {"ready": {"framework": "ragas", "version": "0.4.3"}}
    in          {"id": "...", "scorer": "...", "inputs": {...}, "judge": {"base_url", "model",
                 "embedding_model", "max_output_tokens"}, "timeout": 300}
    out         {"id": "...", "result": {...}}   or   {"id": "...", "error": {"type": "...", "message": "..."}}
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any, BinaryIO


def main(module_name: str) -> None:
    """Serve jobs from standard input until it closes."""
    answers = _claim_standard_output()
    module = import_module(module_name)
    _write(answers, {"ready": {"framework": module.FRAMEWORK, "version": module.version()}})
    asyncio.run(_serve(module, answers))


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
    try:
        result = await asyncio.wait_for(module.score(job), job["timeout"])
    except TimeoutError:
        error = {"type": "TimeoutError", "message": f"no score within {job['timeout']} s"}
        _write(answers, {"id": job["id"], "error": error})
    except Exception as error:  # noqa: BLE001 - a framework may raise anything; it becomes this cell's outcome
        _write(answers, {"id": job["id"], "error": {"type": type(error).__name__, "message": str(error)}})
    else:
        _write(answers, {"id": job["id"], "result": result})


def _write(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass") + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
