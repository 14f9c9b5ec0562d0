"""Runs that reuse answers: from the cache, from a cassette; and the commands that look after them."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from support.commands import FOUR_METRICS, TEN_CASES, evalparity
from support.judge_server import JudgeServer
from support.replies import reply_to

pytestmark = pytest.mark.slow

NO_MORE = "http://127.0.0.1:9/v1"


class Runs:
    """Three runs of all frameworks with one cache: the first pays, the second is free, the third is replayed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "answers.sqlite"
        self.cassette = folder / "answers.cassette"
        self.requests: list[int] = []
        self.printed: list[str] = []
        with JudgeServer(lambda request, _n: reply_to(request), key="sk-planted-0123456789-secret") as server:
            self.judge = ("--judge", "m", "--judge-url", server.url, "--embedding-model", "e")
            for number in (1, 2):
                ended = self.run(
                    f"run{number}", "--cache-file", str(self.cache), "--record", str(self.cassette), key=True
                )
                assert ended.returncode == 3, ended.stderr  # three cells lack verdicts
                self.requests.append(len(server.requests))
                self.printed.append(ended.stdout)

    def run(self, name: str, *more: str, key: bool = False):
        secret = {"EVALPARITY_JUDGE_API_KEY": "sk-planted-0123456789-secret"} if key else {}
        return evalparity(
            "run", TEN_CASES, *FOUR_METRICS, *self.judge, "--out", self.folder / name, *more,
            EVALPARITY_NO_CACHE="", **secret,
        )  # fmt: skip

    def report(self, name: str) -> dict:
        return json.loads((self.folder / name / "report.json").read_text())


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Runs:
    return Runs(tmp_path_factory.mktemp("answers"))


def usage(report: dict, name: str) -> float:
    return sum(row[name] for row in report["cost"])


def test_a_second_identical_run_asks_nothing_and_costs_nothing(runs):
    assert runs.requests[0] == runs.requests[1] > 100
    first, second = runs.report("run1"), runs.report("run2")
    assert usage(second, "calls") == usage(first, "calls")
    assert (usage(second, "billed_calls"), usage(second, "input_tokens"), usage(second, "cost_usd")) == (0, 0, 0)
    assert usage(second, "reused_calls") == usage(second, "calls") + usage(second, "embedding_calls")
    assert scores(first) == scores(second)
    assert "answered from the cache" in runs.printed[1]
    assert second["run"]["judge"] == first["run"]["judge"]
    assert (second["run"]["preflight"]["calls"], second["run"]["preflight"]["attempts"]) == (2, 0)


def test_what_is_billed_and_what_came_from_elsewhere_add_up(runs):
    first = runs.report("run1")
    asked = usage(first, "calls") + usage(first, "embedding_calls")
    before = first["run"]["preflight"]
    asked += before["calls"] + before["embedding_calls"]
    assert usage(first, "reused_calls") + usage(first, "shared_calls") + runs.requests[0] == asked


def scores(report: dict) -> list:
    return [(cell["case_id"], cell["scorer"], cell["raw"], cell["kind"], cell["details"]) for cell in report["cells"]]


def test_a_cassette_needs_no_server_and_no_key_and_gives_the_same_bytes_again(runs):
    for name in ("replay1", "replay2"):
        ended = runs.run(name, "--replay", str(runs.cassette))
        assert ended.returncode == 3, ended.stderr
    first, second = runs.report("replay1"), runs.report("replay2")
    for report in (first, second):
        report["run"].pop("id"), report["run"].pop("created_at")
    assert json.dumps(first) == json.dumps(second)  # seconds too: no clock is part of a replay
    assert scores(first) == scores(runs.report("run1"))
    assert usage(first, "billed_calls") == usage(first, "seconds") == 0


def test_a_cassette_holds_no_key_and_no_path(runs):
    text = gzip.decompress(runs.cassette.read_bytes()).decode()
    assert "sk-planted" not in text
    assert str(runs.folder) not in text


def test_what_is_not_on_the_cassette_is_an_error_of_its_cell(runs, tmp_path):
    suite = tmp_path / "suite.yaml"
    text = TEN_CASES.read_text()
    suite.write_text(text.replace("input:", "input: New", 1))
    ended = evalparity(
        "run", suite, *FOUR_METRICS, "--framework", "promptfoo", *runs.judge, "--replay", runs.cassette,
        "--out", tmp_path / "run", "--format", "json",
    )  # fmt: skip
    assert ended.returncode == 3, ended.stderr
    cells = json.loads(ended.stdout)["cells"]
    missing = [cell for cell in cells if cell["kind"] == "not_recorded"]
    assert missing
    assert len({cell["case_id"] for cell in missing}) == 1
    assert all("record it anew" in cell["reason"] for cell in missing)


def test_another_judge_than_the_recorded_one_is_refused_at_once(runs, tmp_path):
    ended = evalparity(
        "run", TEN_CASES, "--judge", "other", "--judge-url", NO_MORE, "--replay", runs.cassette, "--out", tmp_path / "r"
    )
    assert ended.returncode == 2
    assert "was not recorded with judge 'other'" in ended.stderr
    assert "--judge m" in ended.stderr
    assert not (tmp_path / "r").exists()


def test_the_cache_can_be_looked_at_and_emptied(runs, tmp_path):
    copy = tmp_path / "c.sqlite"
    shutil.copy(runs.cache, copy)
    shown = evalparity("cache", "stats", "--cache-file", copy).stdout
    assert shown.splitlines()[0] == str(copy)
    assert shown.splitlines()[1].startswith(f"{runs.requests[0]} answers, 0.")
    assert "answers taken out" in evalparity("cache", "clear", "--cache-file", copy).stdout
    assert evalparity("cache", "stats", "--cache-file", copy).stdout.splitlines()[1] == "0 answers, 0.0 MB"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--record", "a", "--replay", "b"), "exclude each other"),
        (("--replay", "none.cassette"), "cannot be read"),
        (("--record", "a"), "there is nothing to record"),
        (("--max-cost", "1", "--judge", "m", "--judge-url", NO_MORE), "the price of 'm' at"),
        (("--max-cost", "nan"), "no amount of US dollars"),
        (("--max-calls", "0"), "0 is not in the range"),
        (("--retry-errors",), "goes with --resume"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_runs(tmp_path, arguments, said):
    ended = evalparity("run", TEN_CASES, *arguments, "--out", tmp_path / "run", cwd=tmp_path)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "run").exists()


def test_a_budget_of_dollars_holds_with_prices_of_ones_own(tmp_path):
    prices = tmp_path / "prices.yaml"
    prices.write_text("per: 1 token\nmodels:\n  - {model: m, input: 1, output: 1}\n  - {model: e, input: 0}\n")
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        ended = evalparity(
            "run", TEN_CASES, "--metric", "context_recall", "--framework", "promptfoo", "--judge", "m",
            "--judge-url", server.url, "--embedding-model", "e", "--prices", prices, "--max-cost", "600",
            "--concurrency", "2", "--out", tmp_path / "run", "--format", "json",
        )  # fmt: skip
        spent = server.input_tokens + server.output_tokens  # a dollar each
    assert ended.returncode == 4, ended.stderr
    report = json.loads(ended.stdout)
    assert sum(row["cost_usd"] for row in (*report["cost"], report["run"]["preflight"])) == spent
    assert 600 <= spent < 600 + 2 * 1000
    reasons = {cell["reason"] for cell in report["cells"] if cell["kind"] == "budget"}
    assert any("--max-cost 600 was reached" in reason for reason in reasons)
