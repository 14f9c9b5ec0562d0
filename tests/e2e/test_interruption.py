"""A run that is stopped leaves a folder that `report` can read, whatever stopped it."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from support.commands import FOUR_METRICS, TEN_CASES, evalparity, start_evalparity
from support.judge_server import JudgeServer
from support.replies import reply_to

pytestmark = pytest.mark.slow

PATIENCE = 120.0


def stop_midway(folder: Path, number: signal.Signals) -> tuple[int, str, str]:
    """Start the example on a judge that stops answering, wait for some outcomes, send a signal; return how it ended."""
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        process = start_evalparity(
            "run", TEN_CASES, *FOUR_METRICS, "--judge", "m", "--judge-url", server.url, "--embedding-model", "e",
            "--out", folder, "--concurrency", "2", cwd=folder.parent,
        )  # fmt: skip
        try:
            wait_for(lambda: lines_of(folder / "outcomes.jsonl") > 60)
            server.hold()
            wait_for(lambda: server.most_in_flight > 0)
            process.send_signal(number)
            printed, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, printed, complaint


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)


def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_can_be_read(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "run"
    code, printed, complaint = stop_midway(folder, number)

    assert "Traceback" not in complaint
    if number == signal.SIGKILL:
        assert not (folder / "report.json").exists()
    else:
        assert code == 130
        assert "INTERRUPTED" in printed

    ended = evalparity("report", folder, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    report = json.loads(ended.stdout)
    assert report["run"]["complete"] is False
    assert len(report["cells"]) == 140
    kinds = Counter(cell["kind"] for cell in report["cells"])
    assert kinds["interrupted"] > 0
    assert kinds[None] > 10
    assert set(kinds) <= {None, "interrupted", "missing_field", "missing_verdicts"}
    assert "INTERRUPTED" in evalparity("report", folder).stdout


def test_half_a_line_at_the_end_is_a_cell_that_never_ended(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert (
        evalparity("run", TEN_CASES, "--framework", "builtin", "--metric", "exact_match", "--out", folder).returncode
        == 0
    )
    (folder / "report.json").unlink()
    outcomes = folder / "outcomes.jsonl"
    outcomes.write_bytes(outcomes.read_bytes()[:-20])

    report = json.loads(evalparity("report", folder, "--format", "json").stdout)

    assert len(report["cells"]) == 10
    assert sum(cell["kind"] == "interrupted" for cell in report["cells"]) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_in_its_pre_flight_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    with JudgeServer() as server:
        server.hold()
        process = start_evalparity("run", TEN_CASES, "--judge", "m", "--judge-url", server.url, cwd=tmp_path)
        try:
            wait_for(lambda: server.most_in_flight > 0)
            process.send_signal(number)
            _, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "Traceback" not in complaint
    assert list(tmp_path.iterdir()) == []
