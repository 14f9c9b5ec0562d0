"""Processes that end, refuse to start or answer nonsense: one outcome per cell all the same.

The frameworks' own processes are in tests/e2e; here a small worker of ours speaks their protocol, so that it can
misbehave on purpose.
"""

from __future__ import annotations

import asyncio
import dataclasses
import sys
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest

from evalparity.adapters.base import Adapter, WorkerCommand
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.registry import load_adapter
from evalparity.comparisons.running.plan import make_plan
from evalparity.comparisons.running.run import Limits, Listener, run_plan
from evalparity.comparisons.running.settle import Settled
from evalparity.unified_schema.errors import FrameworkError
from support.cases import case, suite
from support.judge_faults import Fault
from support.judge_server import JudgeServer
from support.runs import run_cases

WORKER = """
import json, os, sys, urllib.request
print(json.dumps({"ready": {"framework": "x", "version": "1"}}), flush=True)
done = 0
for line in sys.stdin:
    job = json.loads(line)
    BODY
    done += 1
"""

ASK = """\
request = urllib.request.Request(
    job["judge"]["base_url"] + "/chat/completions",
    data=json.dumps({"model": "m", "messages": [{"role": "user", "content": "?"}]}).encode(),
    headers={"Content-Type": "application/json"},
)
urllib.request.urlopen(request)
"""

RESULT = (
    '{"score": 1.0, "reason": None, "truths": [], "claims": ["a"], "statements": None, "contexts": None,'
    ' "verdicts": [{"said": "yes", "verdict": "yes", "reason": REASON, "statement": None}], "replied": [1],'
    ' "counted": ["yes"], "rating": None}'
)


def only(framework: str, metric: str) -> Adapter:
    """Return an adapter with the default scorer of one metric and no other."""
    adapter = load_adapter(framework)
    return dataclasses.replace(adapter, bindings={metric: (adapter.binding(metric),)})


def worker(body: str) -> Adapter:
    """Return DeepEval's adapter with a process of ours that runs `body` for each job."""
    script = WORKER.replace("    BODY", textwrap.indent(body, "    "))
    return dataclasses.replace(
        only("deepeval", "faithfulness"),
        installed_version=lambda: "4.3.1",
        command=lambda _folder: WorkerCommand(argv=(sys.executable, "-c", script)),
    )


def answer(reason: str = "None") -> str:
    result = RESULT.replace("REASON", reason)
    return f'print(json.dumps({{"id": job["id"], "result": {result}}}), flush=True)'


def run(
    adapter: Adapter,
    folder: Path,
    *,
    cases: int = 1,
    limits: Limits | None = None,
    judge: JudgeSettings | None = None,
) -> list[Settled]:
    plan = make_plan(
        suite(*(case(f"c{n}") for n in range(cases))),
        adapters={"deepeval": adapter, "builtin": only("builtin", "exact_match")},
        versions={"deepeval": "4.3.1", "builtin": "0"},
        metrics=("faithfulness", "exact_match"),
        has_embeddings=True,
    )
    return run_cases(plan, folder, limits=limits, judge=judge)


def kinds(settled: list[Settled]) -> Counter[str | None]:
    return Counter(one.outcome.kind for one in settled if one.outcome.framework == "deepeval")


def others_are_scored(settled: list[Settled]) -> bool:
    return all(one.outcome.status == "scored" for one in settled if one.outcome.framework == "builtin")


def test_a_score_without_asking_the_judge_is_no_score(tmp_path: Path) -> None:
    (one,) = (s.outcome for s in run(worker(answer()), tmp_path) if s.outcome.framework == "deepeval")
    assert (one.status, one.kind, one.raw) == ("errored", "framework_error", 1.0)
    assert "without asking the judge" in (one.reason or "")


def test_half_an_emoji_in_an_answer_is_replaced_and_recorded(tmp_path: Path) -> None:
    settled = run(worker(answer('"half " + chr(0xD83D)')), tmp_path)
    texts = [item.reason for one in settled for item in one.outcome.details.items]
    assert texts == ["half \ufffd"]
    assert all(one.model_dump_json() for one in settled)


@pytest.mark.parametrize(
    ("argv", "said"),
    [(("/nowhere/program",), "could not be started"), ((sys.executable, "-c", "print('no')"), "did not start")],
)
def test_a_framework_that_cannot_start_harms_no_other(tmp_path: Path, argv: tuple[str, ...], said: str) -> None:
    adapter = dataclasses.replace(worker("pass"), command=lambda _folder: WorkerCommand(argv=argv))
    settled = run(adapter, tmp_path, cases=3)
    assert kinds(settled) == {"framework_crash": 3}
    assert all(said in (one.outcome.reason or "") for one in settled if one.outcome.framework == "deepeval")
    assert others_are_scored(settled)


def test_a_process_that_keeps_ending_is_started_again_as_long_as_it_answers(tmp_path: Path) -> None:
    body = f"if done == 20: os._exit(1)\n{answer()}"
    settled = run(worker(body), tmp_path, cases=100)
    counted = kinds(settled)
    # Each process answers 20 cells; those in flight when it ends are lost, and no others.
    assert sum(counted.values()) == 100
    assert counted["framework_error"] >= 50
    assert set(counted) == {"framework_error", "framework_crash"}
    assert others_are_scored(settled)


def test_a_process_that_never_answers_is_given_up(tmp_path: Path) -> None:
    started = time.monotonic()
    settled = run(worker("os._exit(1)"), tmp_path, cases=100)
    assert kinds(settled) == {"framework_crash": 100}
    assert time.monotonic() - started < 60


def test_lines_that_break_the_protocol_end_the_process(tmp_path: Path) -> None:
    settled = run(worker("print('hello', flush=True)"), tmp_path, cases=2)
    assert kinds(settled) == {"framework_crash": 2}
    assert others_are_scored(settled)


@pytest.mark.parametrize(
    ("limits", "option"),
    [(Limits(cell=60, framework=3), "--framework-timeout"), (Limits(cell=1, framework=60), "--cell-timeout")],
)
def test_a_time_limit_is_named_even_while_a_call_is_open(
    tmp_path: Path, limits: Limits, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evalparity.comparisons.running.scorer._HANG_GRACE", 1.0)
    with JudgeServer(lambda _request, _n: Fault(hang=True)) as server:
        judge = JudgeSettings(model="m", url=server.url)
        settled = run(worker(ASK), tmp_path, limits=limits, judge=judge)
        assert len(server.requests) == 1
    assert kinds(settled) == {"timeout": 1}
    assert option in next(one.outcome.reason or "" for one in settled if one.outcome.framework == "deepeval")
    assert others_are_scored(settled)


def test_an_installation_that_fails_is_an_absent_framework(tmp_path: Path) -> None:
    def fail(_line: object) -> None:
        raise FrameworkError("deepeval", "no network: try again")

    settled = run(dataclasses.replace(worker(answer()), install=fail), tmp_path)
    assert kinds(settled) == {"framework_absent": 1}
    assert others_are_scored(settled)


def test_a_run_that_is_stopped_stops_its_installation(tmp_path: Path) -> None:
    lines = []

    def install(line) -> None:
        for n in range(600):
            lines.append(n)
            line(f"{n}")
            time.sleep(0.05)

    adapter = dataclasses.replace(worker(answer()), install=install)

    plan = make_plan(
        suite(case()),
        adapters={"deepeval": adapter},
        versions={"deepeval": "4.3.1"},
        metrics=("faithfulness",),
        has_embeddings=True,
    )
    listener = Listener(line=lambda _line: None, ended=lambda _settled: None)
    (tmp_path / "logs").mkdir()

    async def stop_soon() -> None:
        asked = {"limits": Limits(), "listener": listener, "sources": Sources(), "logs": tmp_path / "logs"}
        await asyncio.wait_for(run_plan(plan, JudgeSettings(), **asked), 0.5)

    started = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(stop_soon())
    assert time.monotonic() - started < 5
    assert len(lines) < 100
