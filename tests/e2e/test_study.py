"""Studies on the command line: a framework swapped in one line, several judges, and mistakes that cost nothing."""

from __future__ import annotations

import difflib
import json
import re
import signal
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evalparity.unified_schema.study import Study, StudyEmbeddings, StudyJudge, StudyLimits
from support.commands import EXAMPLE, ROOT, TEN_CASES, evalparity, start_evalparity
from support.judge_server import JudgeServer
from support.replies import reply_to

RAGAS, DEEPEVAL = (EXAMPLE.with_name(f"study-{name}.yaml") for name in ("ragas", "deepeval"))

SUITE = """\
evalparity: 1
name: returns
defaults:
  input: How long is the return period?
  reference: Goods can be returned within 7 days of delivery. The customer pays return shipping.
cases:
  - id: supported
    output: Goods can be returned within 7 days. The customer pays the shipping.
    retrieved_contexts:
      - Goods can be returned within 7 days of delivery.
      - For returns without a reason the customer pays the shipping.
  - id: half
    output: Goods can be returned within 7 days. The merchant pays for gift wrapping.
    retrieved_contexts: [Goods can be returned within 7 days of delivery.]
  - id: nothing
    output: Refunds arrive in thirty minutes. Pandas eat bamboo.
    retrieved_contexts: [Opening hours are from nine to five.]
"""


def write(folder: Path, study: str, suite: str = SUITE) -> None:
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    (folder / "study.yaml").write_text(study, encoding="utf-8")


def refused(ended: Any, *needed: str) -> None:
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    for text in needed:
        assert text in ended.stderr


# --- one line swaps the framework


def test_the_two_example_studies_differ_in_one_line() -> None:
    texts = [path.read_text(encoding="utf-8").splitlines() for path in (RAGAS, DEEPEVAL)]
    changed = [line for line in difflib.ndiff(*texts) if line[0] in "+-"]
    assert changed == ["- frameworks: [ragas, promptfoo]", "+ frameworks: [deepeval, promptfoo]"]


DATA_KEYS = {"frameworks", "inputs", "scores", "unmeasured"}
"""Objects whose keys are names of frameworks or scorers; the values are of one shape."""


def shape(value: Any, name: str = "") -> Any:
    """Return the keys of everything in a report, its names and numbers left out; what is empty has no shape."""
    if isinstance(value, list):
        return merged([shape(item) for item in value])
    if not isinstance(value, dict):
        return None
    if name in DATA_KEYS:
        return merged([shape(inner) for inner in value.values()])
    return {key: shape(inner, key) for key, inner in value.items()}


def merged(shapes: list[Any]) -> Any:
    """Return the one shape of alike things; of objects, what is known of each key."""
    known = [one for one in shapes if one is not None]
    assert len({tuple(one) for one in known}) <= 1
    return {key: merged([one[key] for one in known]) for key in known[0]} if known else None


def fits(one: Any, other: Any) -> bool:
    """Whether two shapes agree wherever both are known."""
    if one is None or other is None:
        return True
    return one.keys() == other.keys() and all(fits(one[key], other[key]) for key in one)


@pytest.mark.slow
def test_swapping_the_framework_changes_nothing_else(tmp_path: Path) -> None:
    reports = []
    for study in (RAGAS, DEEPEVAL):
        ended = evalparity("run", TEN_CASES, "--study", study, "--out", tmp_path / study.stem, "--format", "json")
        assert ended.returncode in {0, 3}, ended.stderr
        reports.append(json.loads(ended.stdout))
    first, second = reports
    assert list(first) == list(second)
    assert shape(first)["cells"] is not None
    assert fits(shape(first), shape(second))
    for read in (
        lambda report: [row["metric"] for row in report["summary"]],
        lambda report: [(row["metric"], row["planned"], row["threshold"]) for row in report["summary"]],
        lambda report: [one["metric"] for one in report["agreement"]],
        lambda report: [(cell["case_id"], cell["metric"], cell["threshold"]) for cell in report["cells"]],
        lambda report: [list(cell) for cell in report["cells"]],
        lambda report: report["run"]["suite"],
        lambda report: report["run"]["judge"],
        lambda report: report["limits"],
    ):
        assert read(first) == read(second)
    assert [list(report["run"]["frameworks"]) for report in reports] == [
        ["ragas", "promptfoo"], ["deepeval", "promptfoo"],
    ]  # fmt: skip
    unchanged = [[c for c in report["cells"] if c["framework"] == "promptfoo"] for report in reports]
    assert [c["score"] for c in unchanged[0]] == [c["score"] for c in unchanged[1]]


# --- several judges

TWO_JUDGES = """\
study: 1
frameworks: [ragas, deepeval]
metrics: [faithfulness, exact_match]
thresholds:
  faithfulness: 0.7
judges:
  - lexical
  - {{name: undecided, model: vendor/model-7b, url: {url}, temperature: 0.5, seed: 100}}
embeddings: lexical
repeats: 2
"""


@pytest.fixture(scope="module")
def two_judges(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, JudgeServer]:
    """A run with the lexical judge and with a server that answers yes and no to everything."""
    folder = tmp_path_factory.mktemp("judges")
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        write(folder, TWO_JUDGES.format(url=server.url))
        ended = evalparity("run", "suite.yaml", "--study", "study.yaml", "--out", "run", cwd=folder)
    assert ended.returncode == 0, ended.stderr
    return folder, ended.stdout, server


@pytest.fixture(scope="module")
def report(two_judges: tuple[Path, str, JudgeServer]) -> dict[str, Any]:
    ended = evalparity("report", two_judges[0] / "run", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    parsed: dict[str, Any] = json.loads(ended.stdout)
    return parsed


@pytest.mark.slow
def test_each_framework_runs_with_each_judge_and_the_rest_runs_once(report: dict[str, Any]) -> None:
    keys = Counter((cell["case_id"], cell["scorer"], cell["judge_model"], cell["repeat"]) for cell in report["cells"])
    assert set(keys.values()) == {1}
    judged = Counter(key[2] for key in keys)
    # 3 cases, 2 frameworks, 2 repeats with each judge; exact match by deepeval alone or by ragas too, once a case.
    assert (judged["lexical"], judged["undecided"]) == (12, 12)
    assert judged[None] == len({cell["scorer"] for cell in report["cells"] if cell["metric"] == "exact_match"}) * 3
    assert report["run"]["judge"]["model"] == "lexical"
    (other,) = report["run"]["other_judges"]
    assert (other["name"], other["model"], other["temperature"], other["seed"]) == (
        "undecided", "vendor/model-7b", 0.5, 100,
    )  # fmt: skip


@pytest.mark.slow
def test_the_second_judge_is_asked_as_the_study_says(two_judges: tuple[Path, str, JudgeServer]) -> None:
    bodies = [request.body for request in two_judges[2].chat_requests]
    assert {body["model"] for body in bodies} == {"vendor/model-7b"}
    assert {body["temperature"] for body in bodies} == {0.5}
    seeds = Counter(body["seed"] for body in bodies)
    assert (seeds[100] - 2, seeds[101]) == (len(bodies) // 2 - 1, len(bodies) // 2 - 1)  # 2 are the pre-flight's


@pytest.mark.slow
def test_calls_are_in_one_ledger_under_their_judge(
    two_judges: tuple[Path, str, JudgeServer], report: dict[str, Any]
) -> None:
    with sqlite3.connect(two_judges[0] / "run" / "ledger.sqlite") as ledger:
        calls = Counter(cell for (cell,) in ledger.execute("SELECT cell FROM calls"))
    assert calls["ragas:faithfulness#1@undecided half"] == 2
    of_judge = {name: sum(n for cell, n in calls.items() if f"@{name} " in cell) for name in ("lexical", "undecided")}
    assert calls["pre-flight@undecided"] == report["run"]["preflight"]["calls"] == 2
    assert of_judge["undecided"] + 2 == len(two_judges[2].chat_requests)
    for name, number in of_judge.items():
        assert number == sum(row["calls"] for row in report["cost"] if row["judge"] == name)


@pytest.mark.slow
def test_what_the_judge_changes_follows_from_the_scores(report: dict[str, Any]) -> None:
    scores = {
        (cell["case_id"], cell["framework"], cell["judge_model"]): cell["score"]
        for cell in report["cells"]
        if cell["metric"] == "faithfulness" and cell["repeat"] == 1
    }
    cases, frameworks = ("supported", "half", "nothing"), ("ragas", "deepeval")
    assert {scores[case, f, "undecided"] for case in cases for f in frameworks} == {0.5}
    between_judges = [abs(scores[c, f, "lexical"] - 0.5) for c in cases for f in frameworks]
    between_frameworks = [abs(scores[c, "ragas", "lexical"] - scores[c, "deepeval", "lexical"]) for c in cases] + [
        0
    ] * 3
    (effect,) = report["judge_effects"]
    assert (effect["metric"], effect["n"], effect["judges"]) == ("faithfulness", 3, ["lexical", "undecided"])
    assert effect["between_judges"] == pytest.approx(sum(between_judges) / 6)
    assert effect["between_frameworks"] == pytest.approx(sum(between_frameworks) / 6)
    shares = effect["shares"]
    assert shares["case"] + shares["framework"] + shares["judge"] + shares["left"] == pytest.approx(1)


@pytest.mark.slow
def test_pass_rates_are_per_judge(report: dict[str, Any]) -> None:
    rows = {(row["framework"], row["judge"]): row for row in report["summary"] if row["metric"] == "faithfulness"}
    assert rows["ragas", "undecided"]["pass_rate"] == 0.0
    assert rows["ragas", "lexical"]["pass_rate"] == pytest.approx(1 / 3)
    assert rows["ragas", "lexical"]["repeat_sd"] == 0.0


@pytest.mark.slow
def test_the_page_on_studies_shows_what_this_run_prints(two_judges: tuple[Path, str, JudgeServer]) -> None:
    page = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
    printed = two_judges[1]
    for heading in ("SCORES", "PASS RATE", "NOISE", "JUDGES"):
        shown = printed[printed.index(f"\n{heading}  ") + 1 :].split("\n\n")[0]
        assert shown in page, f"docs/study.md should show:\n{shown}"
    assert SUITE in page
    assert TWO_JUDGES.format(url="http://localhost:8000/v1") in page


@pytest.mark.slow
def test_a_run_stopped_at_its_second_judge_keeps_the_first(tmp_path: Path) -> None:
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        server.hold()
        write(tmp_path, TWO_JUDGES.format(url=server.url))
        process = start_evalparity(
            "run", "suite.yaml", "--study", "study.yaml", "--framework", "deepeval", "--no-preflight",
            "--out", "run", cwd=tmp_path,
        )  # fmt: skip
        try:
            wait_for(lambda: server.most_in_flight > 0)
            process.send_signal(signal.SIGINT)
            printed, complaint = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130, complaint
    assert "INTERRUPTED" in printed
    assert "Traceback" not in complaint
    cells = json.loads(evalparity("report", tmp_path / "run", "--format", "json").stdout)["cells"]
    kinds = {name: {cell["kind"] for cell in cells if cell["judge_model"] == name} for name in ("lexical", "undecided")}
    assert kinds == {"lexical": {None}, "undecided": {"interrupted"}}


def wait_for(condition: Any) -> None:
    import time

    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_judge_that_is_down_harms_no_other(tmp_path: Path) -> None:
    write(tmp_path, TWO_JUDGES.format(url="http://127.0.0.1:9/v1"))
    ended = evalparity(
        "run", "suite.yaml", "--study", "study.yaml", "--out", "run", "--framework", "ragas",
        "--metric", "faithfulness", "--repeats", "1", "--no-preflight", cwd=tmp_path,
    )  # fmt: skip
    assert ended.returncode == 3, ended.stderr
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    states = {(cell["judge_model"], cell["kind"]) for cell in report["cells"] if cell["metric"] == "faithfulness"}
    assert states == {("lexical", None), ("undecided", "connect")}
    (effect,) = report["judge_effects"]
    assert (effect["n"], effect["between_judges"]) == (0, None)
    assert report["run"]["study"]["overridden"] == ["--framework", "--metric", "--repeats"]
    assert report["run"]["repeats"] == 1


# --- wiring


@pytest.mark.slow
def test_lean_wiring_saves_calls_and_changes_no_score(tmp_path: Path) -> None:
    write(tmp_path, "study: 1\nframeworks: deepeval\nmetrics: faithfulness\nwiring: lean\n")
    found = {}
    for wiring in ("lean", "stock"):
        flags = [] if wiring == "lean" else ["--wiring", "stock"]
        ended = evalparity("run", "suite.yaml", "--study", "study.yaml", *flags, "--out", wiring, cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert f"{wiring} wiring" in ended.stdout.splitlines()[0]
        report = json.loads((tmp_path / wiring / "report.json").read_text())
        assert report["run"]["wiring"] == wiring
        found[wiring] = ([cell["score"] for cell in report["cells"]], sum(row["calls"] for row in report["cost"]))
    assert found["lean"][0] == found["stock"][0]
    assert found["lean"][1] < found["stock"][1]


# --- validate, and mistakes


def test_the_studies_of_the_page_are_valid(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
    studies = [block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if block.startswith("study:")]
    assert len(studies) == 2
    for study in studies:
        (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
        assert evalparity("validate", "study.yaml", cwd=tmp_path).returncode == 0
    fields = {*Study.model_fields, *StudyJudge.model_fields, *StudyEmbeddings.model_fields, *StudyLimits.model_fields}
    assert [field for field in fields - {"judges"} if f"{field}:" not in studies[0]] == []


def test_validate_takes_a_study_by_its_keys(tmp_path: Path) -> None:
    for study in (RAGAS, DEEPEVAL):
        ended = evalparity("validate", study)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "a study of faithfulness, context_recall by" in ended.stdout
    (tmp_path / "s.yaml").write_text("metrics: [faithfullness]\nrepeats: 0\nframeworks: [raggas]\n")
    refused(evalparity("validate", "s.yaml", cwd=tmp_path), "s.yaml:1: metrics[0]", "s.yaml:2: repeats", "s.yaml:3:")
    (tmp_path / "s.yaml").write_text("metrics: [context_precision]\nframeworks: [promptfoo]\n")
    refused(evalparity("validate", "s.yaml", cwd=tmp_path), "s.yaml:1: metrics[0]: none of promptfoo measures")


MISTAKES = {
    "a metric that no framework has": (
        "study: 1\nframeworks: [promptfoo]\nmetrics: [context_precision]\n", [],
        ["study.yaml:3: metrics[0]: none of promptfoo measures context_precision"],
    ),
    "unknown names": (
        "frameworks: [raggas]\nmetrcs: [faithfulness]\n", [], ["study.yaml:1", "'ragas'", "study.yaml:2", "metrics?"],
    ),
    "a key in the file": ("judge: {model: m, api_key: planted}\n", [], ["study.yaml:1: judge.api_key", "key_file"]),
    "a key file that is absent": (
        "judge: {model: m, url: 'http://localhost:9/v1', key_file: k}\n", [], ["judge.key_file", "cannot be read"],
    ),
    "one option for two judges": (
        "judges: [lexical, {name: b, model: lexical}]\n", ["--judge-url", "http://localhost:9/v1"],
        ["--judge-url fits one judge", "study.yaml names 2"],
    ),
    "an unknown scorer": ("study: 1\n", ["--scorer", "ragas:fatihfulness"], ["unknown scorer", "ragas:faithfulness"]),
    "an unknown threshold": ("study: 1\n", ["--threshold", "fatihfulness=1"], ["--threshold", "'faithfulness'"]),
    "no threshold": ("study: 1\n", ["--threshold", "faithfulness=8"], ["is no threshold"]),
    "no repeats": ("study: 1\n", ["--repeats", "0"], ["--repeats"]),
    "a wiring": ("study: 1\n", ["--wiring", "loose"], ["stock", "lean"]),
    "a suite as a study": (SUITE, [], ["this is a suite"]),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_and_costs_nothing(tmp_path: Path, name: str) -> None:
    study, arguments, needed = MISTAKES[name]
    write(tmp_path, study)
    ended = evalparity("run", "suite.yaml", "--study", "study.yaml", *arguments, cwd=tmp_path)
    refused(ended, *needed)
    assert "planted" not in ended.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["study.yaml", "suite.yaml"]


def test_a_study_that_is_not_there_and_a_study_as_a_suite(tmp_path: Path) -> None:
    write(tmp_path, "study: 1\n")
    refused(evalparity("run", "suite.yaml", "--study", "studdy.yaml", cwd=tmp_path), "did you mean 'study.yaml'")
    refused(evalparity("run", "study.yaml", cwd=tmp_path), "study.yaml:1: this is a study: give it with --study")
