"""Find the frameworks' processes, and send them signals in the middle of a run (Linux)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.running.run import Limits
from evalparity.comparisons.running.settle import Settled
from support.cases import case
from support.judge_server import JudgeServer
from support.replies import asked_by, reply_to
from support.runs import plan_cases, run_cases

MARKS = {"ragas": b"ragas_adapter.judge", "deepeval": b"deepeval_adapter.judge", "promptfoo": b"driver.mjs"}
"""What stands in the command line of each framework's process."""

_THEIRS: set[int] = set()


def forget_the_others() -> None:
    """Leave out the processes that run now: other tests of this process may keep a framework running."""
    _THEIRS.clear()
    _THEIRS.update(descendants(os.getpid()))


def worker_of(framework: str) -> int | None:
    """Return the process id of the worker of a framework that was started since `forget_the_others`."""
    ours = (pid for pid in descendants(os.getpid()) if pid not in _THEIRS)
    return next((pid for pid in ours if MARKS[framework] in command_line(pid)), None)


def command_line(pid: int) -> bytes:
    """Return the command line of a process; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(pid: int) -> list[int]:
    """Return the process ids of all children, and theirs."""
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
    """Return the judge at a test server, few calls at a time."""
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
