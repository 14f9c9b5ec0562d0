"""A framework that crashes or hangs costs its own cells and nobody else's; what it may see is nothing of ours."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.run import Limits
from evalparity.comparisons.settle import Settled
from support.cases import case
from support.judge_server import JudgeServer
from support.replies import asked_by, reply_to
from support.runs import FRAMEWORKS, plan_cases, run_cases

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")]

MARKS = {"ragas": b"ragas_adapter.judge", "deepeval": b"deepeval_adapter.judge", "promptfoo": b"driver.mjs"}


@pytest.fixture(autouse=True)
def others() -> Iterator[None]:
    """Other tests of this process may keep a framework running: theirs are not ours."""
    THEIRS.update(descendants(os.getpid()))
    yield
    THEIRS.clear()


THEIRS: set[int] = set()


def worker_of(framework: str) -> int | None:
    """Return the process id of the worker of a framework that this test has started."""
    ours = (pid for pid in descendants(os.getpid()) if pid not in THEIRS)
    return next((pid for pid in ours if MARKS[framework] in command_line(pid)), None)


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def settings_for(server: JudgeServer) -> JudgeSettings:
    return JudgeSettings(model="m", url=server.url, embedding_model="e", concurrency=6)


def run_and_signal(victim: str, number: signal.Signals, folder: Path, limits: Limits) -> list[Settled]:
    """Run three cases on all frameworks and send a signal to one of them once it asks the judge."""
    sent = []

    def answer(request: dict, _n: int) -> str:
        pid = worker_of(victim)
        if not sent and pid is not None and asked_by(request) == victim:
            os.kill(pid, number)
            sent.append(pid)
        return reply_to(request)

    with JudgeServer(answer) as server:
        judge = settings_for(server)
        settled = run_cases(plan_cases([case(name) for name in "abc"], judge=judge), folder, judge=judge, limits=limits)
    assert sent, "the signal was never sent"
    return settled


@pytest.mark.parametrize("victim", FRAMEWORKS)
def test_a_crash_costs_its_own_cells_only(tmp_path: Path, victim: str) -> None:
    settled = run_and_signal(victim, signal.SIGKILL, tmp_path, Limits(cell=60, framework=200))

    assert len(settled) == 27
    crashed = [one.outcome for one in settled if one.outcome.status == "errored"]
    assert crashed
    assert {outcome.framework for outcome in crashed} == {victim}
    assert {outcome.kind for outcome in crashed} == {"framework_crash"}
    assert all(victim in (outcome.reason or "") for outcome in crashed)
    assert all(one.outcome.status == "scored" for one in settled if one.outcome.framework != victim)
    # Cells that had not begun are scored by a second process.
    assert any(one.outcome.status == "scored" for one in settled if one.outcome.framework == victim)


@pytest.mark.parametrize("victim", FRAMEWORKS)
def test_a_hang_ends_at_the_frameworks_time_limit(tmp_path: Path, victim: str) -> None:
    settled = run_and_signal(victim, signal.SIGSTOP, tmp_path, Limits(cell=500, framework=45))

    assert len(settled) == 27
    hung = [one.outcome for one in settled if one.outcome.status == "errored"]
    assert {(outcome.framework, outcome.kind) for outcome in hung} == {(victim, "timeout")}
    assert all("--framework-timeout" in (outcome.reason or "") for outcome in hung)
    assert all(one.outcome.status == "scored" for one in settled if one.outcome.framework != victim)
    assert worker_of(victim) is None


def test_a_framework_sees_nothing_of_our_environment_and_leaves_no_process(tmp_path: Path) -> None:
    seen: dict[str, bytes] = {}

    def answer(request: dict, _n: int) -> str:
        for framework in FRAMEWORKS:
            pid = worker_of(framework)
            if pid is not None:
                seen[framework] = Path(f"/proc/{pid}/environ").read_bytes()
        return reply_to(request)

    with JudgeServer(answer) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALPARITY_JUDGE_API_KEY", "planted-key-1")
        patch.setenv("OPENAI_API_KEY", "planted-key-2")
        patch.setenv("SOME_SECRET", "planted-secret")
        judge = settings_for(server)
        run_cases(plan_cases([case()], judge=judge), tmp_path, judge=judge)

    assert set(seen) == set(FRAMEWORKS)
    for framework, environment in seen.items():
        assert b"planted" not in environment, framework
        variables = dict(line.split(b"=", 1) for line in environment.split(b"\0") if b"=" in line)
        assert variables[b"HOME"] != bytes(Path.home())
        assert variables[b"HTTPS_PROXY"] == b"http://127.0.0.1:9"
        assert worker_of(framework) is None
