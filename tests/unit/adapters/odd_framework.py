"""A framework that does what none should, for the tests of the worker's loop; it runs in a process of its own."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

FRAMEWORK = "odd"


class Wordless(Exception):  # noqa: N818 - a framework names its exceptions as it likes
    """An exception whose message cannot be read."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def version() -> str:
    """Return a version."""
    return "1"


async def score(job: dict[str, Any]) -> Any:
    """Do what the job's scorer says."""
    return await _DEEDS[job["scorer"]]()


async def _good() -> dict[str, Any]:
    return {"value": 1}


async def _collector() -> dict[str, Any]:
    return {"on": gc.isenabled(), "left out": gc.get_freeze_count()}


async def _surrogate() -> dict[str, Any]:
    return {"text": "half a smile: \ud83d, a whole one: \U0001f600, 退款"}


async def _cancelled() -> None:
    raise asyncio.CancelledError


async def _cancelled_task() -> None:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task


async def _leave() -> None:
    raise SystemExit(3)


async def _wordless() -> None:
    raise Wordless


async def _own_time_limit() -> None:
    raise TimeoutError("the framework's own limit")


async def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


async def _odd_keys() -> dict[Any, Any]:
    return {(1, 2): 3}


async def _stubborn() -> dict[str, Any]:
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)


_DEEDS = {
    "good": _good,
    "collector": _collector,
    "surrogate": _surrogate,
    "cancelled": _cancelled,
    "cancelled task": _cancelled_task,
    "leave": _leave,
    "wordless": _wordless,
    "own time limit": _own_time_limit,
    "circle": _circle,
    "odd keys": _odd_keys,
    "stubborn": _stubborn,
}
