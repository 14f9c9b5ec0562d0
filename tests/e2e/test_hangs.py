"""A framework that hangs is ended at its time limit; the others never notice."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from evalparity.comparisons.running.run import Limits
from support.commands import TEN_CASES, evalparity
from support.judge_faults import HANG
from support.judge_server import JudgeServer
from support.runs import FRAMEWORKS
from support.workers import forget_the_others, run_and_signal, worker_of

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")]


@pytest.fixture(autouse=True)
def others() -> None:
    forget_the_others()


@pytest.mark.parametrize("victim", FRAMEWORKS)
def test_a_hang_ends_at_the_frameworks_time_limit(tmp_path: Path, victim: str) -> None:
    settled = run_and_signal(victim, signal.SIGSTOP, tmp_path, Limits(cell=500, framework=30))

    assert len(settled) == 27
    hung = [one.outcome for one in settled if one.outcome.status == "errored"]
    assert {(outcome.framework, outcome.kind) for outcome in hung} == {(victim, "timeout")}
    assert all("--framework-timeout" in (outcome.reason or "") for outcome in hung)
    assert all(one.outcome.status == "scored" for one in settled if one.outcome.framework != victim)
    assert worker_of(victim) is None


def test_the_whole_run_ends_at_its_time_limit_whatever_is_left(tmp_path: Path) -> None:
    with JudgeServer(lambda _request, _n: HANG) as server:
        ended = evalparity(
            "run", TEN_CASES, "--metric", "faithfulness", "--judge", "m", "--judge-url", server.url, "--no-preflight",
            "--run-timeout", "8", "--out", tmp_path / "run", "--format", "json",
        )  # fmt: skip
    assert ended.returncode == 3, ended.stderr
    cells = [cell for cell in json.loads(ended.stdout)["cells"] if cell["framework"] != "builtin"]
    assert len(cells) == 30
    assert {(cell["status"], cell["kind"]) for cell in cells} == {("errored", "timeout")}
    assert all("--run-timeout" in cell["reason"] for cell in cells)
