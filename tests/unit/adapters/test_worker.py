"""The loop inside a Python framework's process answers every job, whatever the framework does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest


def ask(*jobs: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], bytes]:
    """Return the answers by job id, and the bytes that came; the process is ended once all have answered."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "evalparity.adapters.worker", "odd_framework"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert json.loads(process.stdout.readline()) == {"ready": {"framework": "odd", "version": "1"}}
        process.stdin.write(b"".join(json.dumps(job).encode() + b"\n" for job in jobs))
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in jobs]
    finally:
        process.kill()
        process.communicate()
    answers = [json.loads(line) for line in lines]
    return {answer["id"]: answer for answer in answers}, b"".join(lines)


def job(scorer: str, **others: Any) -> dict[str, Any]:
    return {"id": scorer, "scorer": scorer, "timeout": 30, **others}


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("scorer", "kind", "told"),
    [
        ("cancelled", "CancelledError", ""),
        ("cancelled task", "CancelledError", ""),
        ("leave", "SystemExit", "3"),
        ("wordless", "Wordless", "cannot be read"),
        ("own time limit", "TimeoutError", "the framework's own limit"),
        ("circle", "ValueError", "cannot be written as JSON"),
        ("odd keys", "TypeError", "cannot be written as JSON"),
        ("unknown", "KeyError", "unknown"),
    ],
)
def test_whatever_goes_wrong_is_the_error_of_that_cell_alone(scorer: str, kind: str, told: str) -> None:
    answers, _ = ask(job(scorer), job("good"))

    assert answers[scorer]["error"]["type"] == kind
    assert told in answers[scorer]["error"]["message"]
    assert answers["good"]["result"] == {"value": 1}


@pytest.mark.timeout(20)
def test_a_framework_that_refuses_to_be_cancelled_is_answered_for_at_its_limit() -> None:
    answers, _ = ask(job("stubborn", timeout=0.2), job("good"))

    assert answers["stubborn"]["error"] == {"type": "TimeoutError", "message": "no score within 0.2 s"}
    assert answers["good"]["result"] == {"value": 1}


def test_a_job_without_a_time_limit_is_answered_too() -> None:
    answers, _ = ask({"id": "a", "scorer": "good"})

    assert answers["a"]["error"]["type"] == "KeyError"


def test_a_lone_surrogate_is_never_invalid_text_on_the_wire() -> None:
    answers, raw = ask(job("surrogate"))

    assert raw.isascii()
    assert answers["surrogate"]["result"] == {"text": "half a smile: \ud83d, a whole one: \U0001f600, 退款"}


def test_garbage_is_searched_for_again_once_the_framework_is_loaded_but_not_in_the_framework_itself() -> None:
    answers, _ = ask(job("collector"))
    assert answers["collector"]["result"]["on"] is True
    assert answers["collector"]["result"]["left out"] > 1000
