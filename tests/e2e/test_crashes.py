"""A framework that crashes costs its own cells and nobody else's; what it may see is nothing of ours."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from evalparity.comparisons.running.run import Limits
from support.cases import case
from support.judge_server import JudgeServer
from support.replies import reply_to
from support.runs import FRAMEWORKS, plan_cases, run_cases
from support.workers import forget_the_others, run_and_signal, settings_for, worker_of

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")]


@pytest.fixture(autouse=True)
def others() -> None:
    forget_the_others()


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
