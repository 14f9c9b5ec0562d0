"""A framework that hangs is ended at its time limit; the others never notice."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from evalparity.comparisons.running.run import Limits
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
