"""A run that was killed goes on: nothing that ended is run again, nothing that was answered is paid for again."""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.commands import FOUR_METRICS, TEN_CASES, evalparity, start_evalparity
from support.judge_faults import UNAUTHORISED
from support.judge_server import JudgeServer
from support.replies import reply_to
from support.reports import without_times

pytestmark = pytest.mark.slow

IN_FLIGHT = 4
LATENCY = 0.01
"""Seconds of a reply; they are given one after the other, so a run lasts some seconds."""

RECALL = ("--metric", "context_recall", "--metric", "answer_relevancy")


def slow(request, _n) -> str:
    time.sleep(LATENCY)
    return reply_to(request)


def options(server: JudgeServer, folder: Path, *more: str) -> tuple[str | Path, ...]:
    return (
        TEN_CASES, "--judge", "m", "--judge-url", server.url, "--embedding-model", "e",
        "--concurrency", str(IN_FLIGHT), "--out", folder, *more,
    )  # fmt: skip


def report_of(folder: Path) -> dict:
    return json.loads((folder / "report.json").read_text())


def asked(server: JudgeServer) -> Counter[str]:
    return Counter(json.dumps(received.body, sort_keys=True) for received in server.requests)


def killed_at(command: Sequence[str | Path], seconds: float, cwd: Path) -> bool:
    """Start a run and kill it after so many seconds; return whether it had not ended by itself."""
    process = start_evalparity(*command, cwd=cwd)
    try:
        process.wait(seconds)
    except Exception:  # noqa: BLE001 - still running, as it should
        process.kill()
        process.communicate()
        return True
    process.communicate()
    return False


@pytest.mark.parametrize(
    ("frameworks", "metrics", "kills", "latest"),
    [(("promptfoo", "builtin"), RECALL, 16, 2.0), (("ragas", "deepeval", "promptfoo", "builtin"), FOUR_METRICS, 4, 6)],
    ids=["one framework", "all"],
)
def test_killed_at_random_moments_a_run_comes_to_the_same_end(tmp_path, frameworks, metrics, kills, latest):
    seed = random.randrange(10**6)
    moments = random.Random(seed)
    chosen = [part for name in frameworks for part in ("--framework", name)]
    folder, whole = tmp_path / "killed", tmp_path / "whole"
    with JudgeServer(slow) as server:
        ended = evalparity("run", *options(server, whole, *chosen, *metrics))
        assert ended.returncode in {0, 3}, ended.stderr
        once = asked(server)
        server.requests.clear()

        command = ("run", *options(server, folder, *chosen, *metrics))
        times = 0
        while times < kills:
            times += killed_at(command, moments.uniform(0.4, latest), tmp_path)
            if (folder / "report.json").exists():  # done before all kills: the next ones hit a new run
                assert without_times(report_of(folder)) == without_times(report_of(whole))
                shutil.rmtree(folder)
                server.requests.clear()
            # A run that was killed before it had begun has no folder to resume.
            if (folder / "run.json").exists():
                command = ("run", "--resume", folder)
            else:
                shutil.rmtree(folder, ignore_errors=True)
                command = ("run", *options(server, folder, *chosen, *metrics))
        last = evalparity(*command)
        assert last.returncode == ended.returncode, last.stderr
        twice = asked(server)

    assert without_times(report_of(folder)) == without_times(report_of(whole)), f"seed {seed}"
    assert set(twice) == set(once), f"seed {seed}"
    assert (twice - once).total() <= kills * IN_FLIGHT
    lines = (folder / "outcomes.jsonl").read_text().splitlines()
    assert len(lines) == len(report_of(folder)["cells"])  # no cell was run again


@pytest.fixture(scope="module")
def stopped(tmp_path_factory) -> tuple[Path, JudgeServer]:
    """The folder of a run that its budget ended, and the server that it asked."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    suite = folder.parent / "suite.yaml"
    shutil.copy(TEN_CASES, suite)
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        command = options(server, folder, "--framework", "promptfoo", *RECALL, "--max-calls", "9")
        ended = evalparity("run", suite, *command[1:])
        assert ended.returncode == 4, ended.stderr
        yield folder, server


def test_a_run_that_its_budget_ended_goes_on_with_a_larger_one(stopped, tmp_path):
    folder, server = stopped
    assert len(server.requests) == 9
    report = report_of(folder)
    kinds = Counter(cell["kind"] for cell in report["cells"])
    assert kinds["budget"] > 5
    reasons = {cell["reason"] for cell in report["cells"] if cell["kind"] == "budget"}
    assert all("--max-calls 9 was reached" in reason for reason in reasons)
    begun = [cell for cell in report["cells"] if cell["judge"]["calls"]]
    assert len(begun) <= 9 + IN_FLIGHT  # the others were not even begun
    copy = tmp_path / "run"
    shutil.copytree(folder, copy)
    ended = evalparity("run", "--resume", copy, "--max-calls", "1000")
    assert ended.returncode in {0, 3}, ended.stderr
    assert "cells are done" in ended.stderr
    whole = tmp_path / "whole"
    evalparity("run", *options(server, whole, "--framework", "promptfoo", *RECALL))
    now, then = without_times(report_of(copy)), without_times(report_of(whole))
    now["run"]["suite"].pop("path"), then["run"]["suite"].pop("path")
    assert now == then


def test_a_judge_that_goes_down_ends_the_run_early_and_one_that_is_up_again_ends_it_well(tmp_path):
    broken = [False]

    def answer(request, n):
        broken[0] = broken[0] or n == 30
        return UNAUTHORISED if broken[0] else reply_to(request)

    with JudgeServer(answer) as server:
        run = (*options(server, tmp_path / "run"), *FOUR_METRICS)
        ended = evalparity("run", *run)
        assert ended.returncode == 3, ended.stderr
        asked_for = len(server.requests)
        broken[0] = False
        server._counts["chat"] = 31
        again = evalparity("run", "--resume", tmp_path / "run", "--retry-errors")
        whole = evalparity("run", *options(server, tmp_path / "whole"), *FOUR_METRICS)
    assert "STOPPED EARLY" in ended.stdout
    assert "calls in a row and was not asked again" in ended.stdout
    assert asked_for < 60
    assert again.returncode == whole.returncode, again.stderr
    assert without_times(report_of(tmp_path / "run")) == without_times(report_of(tmp_path / "whole"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge", "other"), "--judge cannot be given"),
        (("--metric", "bleu", "--seed", "1"), "No such option"),
        (("--metric", "bleu"), "--metric cannot be given"),
        (("--out", "elsewhere"), "leave --out off"),
        ((str(TEN_CASES),), "name one SUITE to run, or give --resume RUN alone"),
    ],
)
def test_what_would_make_two_runs_of_one_is_refused(stopped, arguments, said):
    ended = evalparity("run", "--resume", stopped[0], *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_suite_that_has_changed_is_refused(stopped, tmp_path):
    folder, _ = stopped
    suite = folder.parent / "suite.yaml"
    before = suite.read_text()
    suite.write_text(before + "\n# changed\n")
    try:
        ended = evalparity("run", "--resume", folder)
    finally:
        suite.write_text(before)
    assert ended.returncode == 2
    assert "has changed since the run began" in ended.stderr


def test_a_version_that_has_changed_is_refused(stopped, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(stopped[0], copy)
    record = json.loads((copy / "run.json").read_text())
    record["info"]["frameworks"]["promptfoo"]["version"] = "0.1.0"
    (copy / "run.json").write_text(json.dumps(record))
    ended = evalparity("run", "--resume", copy)
    assert ended.returncode == 2
    assert "promptfoo was 0.1.0 when the run began" in ended.stderr


@pytest.mark.parametrize("what", ["empty", "imported", "missing", "damaged"])
def test_what_is_no_run_to_resume_is_told(tmp_path, what):
    folder = tmp_path / "run"
    if what != "missing":
        folder.mkdir()
    if what == "damaged":
        (folder / "run.json").write_text('{"info": ')
    if what == "imported":
        old = Path(__file__).parents[1] / "data" / "run_of_0_1_0"
        shutil.rmtree(folder)
        shutil.copytree(old, folder)
    ended = evalparity("run", "--resume", folder)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    said = {"imported": "does not tell how the run was asked for", "damaged": "damaged or from another version"}
    assert said.get(what, "is no run folder") in ended.stderr


def test_two_processes_cannot_be_at_one_run(stopped, tmp_path):
    folder, server = stopped
    copy = tmp_path / "run"
    shutil.copytree(folder, copy)
    server.hold()
    first = start_evalparity("run", "--resume", copy, "--max-calls", "1000", cwd=tmp_path)
    try:
        deadline = time.monotonic() + 60
        while not (copy / "run.lock").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        second = evalparity("run", "--resume", copy)
    finally:
        server.release()
        first.communicate(timeout=60)
    assert second.returncode == 2
    assert "another process is at this run" in second.stderr
    assert first.returncode in {0, 3}
    assert not (copy / "run.lock").exists()
