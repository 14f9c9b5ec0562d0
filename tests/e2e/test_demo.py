"""The whole path: the example suite through the three real frameworks to one report."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from evalparity.adapters.registry import load_adapter
from evalparity.unified_schema.metrics import METRICS
from support.commands import EXAMPLE, ROOT, evalparity

pytestmark = pytest.mark.slow

FRAMEWORKS = {"ragas": "0.4.3", "deepeval": "4.3.1", "promptfoo": "0.123.1"}
CASES = 27
SCORERS = {
    (name, metric)
    for name in (*FRAMEWORKS, "builtin")
    for metric in load_adapter(name).bindings
    if METRICS[metric].default
}
"""Framework and metric of every default scorer of the default metrics."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("demo") / "run"
    ended = evalparity("run", EXAMPLE, "--out", folder)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    return folder, ended.stdout


@pytest.fixture(scope="module")
def report(demo: tuple[Path, str]) -> dict[str, Any]:
    ended = evalparity("report", demo[0], "--format", "json")
    assert ended.returncode == 0, ended.stderr

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    parsed: dict[str, Any] = json.loads(ended.stdout, parse_constant=refuse)
    return parsed


def test_the_report_keeps_its_contract(report: dict[str, Any]) -> None:
    schema = json.loads((ROOT / "comparisons" / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, schema, cls=jsonschema.Draft202012Validator)
    assert {
        name: one["version"] for name, one in report["run"]["frameworks"].items() if name != "builtin"
    } == FRAMEWORKS
    assert report["run"]["judge"]["kind"] == "lexical"
    assert report["run"]["complete"] is True


def test_every_planned_cell_has_one_outcome(report: dict[str, Any]) -> None:
    keys = [(cell["case_id"], cell["metric"], cell["scorer"]) for cell in report["cells"]]
    assert len(keys) == len(set(keys)) == CASES * len(SCORERS)
    assert {cell["status"] for cell in report["cells"]} == {"scored", "skipped"}
    assert all((cell["score"] is None) == (cell["status"] != "scored") for cell in report["cells"])


def test_the_summary_follows_from_the_cells(report: dict[str, Any]) -> None:
    for row in report["summary"]:
        own = [cell for cell in report["cells"] if cell["scorer"] == row["scorer"] and cell["metric"] == row["metric"]]
        counted = [
            cell["score"]
            for cell in own
            if cell["status"] == "scored" and not {"vacuous", "degraded"} & set(cell["flags"])
        ]
        assert row["planned"] == len(own) == CASES
        assert row["measured"] == len(counted)
        assert math.isclose(row["mean"], sum(counted) / len(counted))


def test_what_the_example_teaches_is_what_the_report_finds(report: dict[str, Any]) -> None:
    scores = {(cell["case_id"], cell["scorer"]): cell["score"] for cell in report["cells"]}
    found = {
        (one["case_id"], one["metric"]): {cause["name"]: cause["grade"] for cause in one["causes"]}
        for one in report["disagreements"]
    }
    assert scores["correct", "ragas:faithfulness"] == scores["correct", "deepeval:faithfulness"] == 1.0
    # Found, and in the wrong order: what counts is full, what ranks is not.
    assert scores["right-passage-last", "ragas:context_recall"] == 1.0
    assert scores["right-passage-last", "ragas:context_precision"] == pytest.approx(0.25)
    # Faithful is not correct: an outdated rule, repeated word for word.
    assert scores["outdated-version", "ragas:faithfulness"] == 1.0
    assert scores["outdated-version", "deepeval:g_eval_answer_correctness"] == 0.0
    # Not retrieved: recall says so. Cut before the prompt: recall cannot.
    assert scores["retrieval-miss", "ragas:context_recall"] == 0.0
    assert scores["cut-before-the-prompt", "ragas:context_recall"] == 1.0
    # An answer that asks for the highest score gets none for asking.
    assert scores["talks-to-the-judge", "ragas:faithfulness"] == 0.0
    assert found["neither-supported-nor-denied", "faithfulness"] == {"ambiguous_claims": "confirmed"}
    assert any("no_claims_convention" in causes for causes in found.values())
    for framework in ("ragas", "promptfoo"):
        contradiction = [
            v for (case_id, scorer), v in scores.items() if case_id == "contradiction" and framework in scorer
        ]
        assert min(v for v in contradiction if v is not None) < 0.5


def test_all_inputs_are_verified(report: dict[str, Any]) -> None:
    for framework in FRAMEWORKS:
        inputs = report["inputs"][framework]
        assert inputs["checked"] > 0
        assert inputs["verified"] == inputs["checked"], inputs["cells"]


def test_calls_and_tokens_are_counted_for_each_framework(report: dict[str, Any]) -> None:
    for framework in FRAMEWORKS:
        rows = [row for row in report["cost"] if row["framework"] == framework]
        assert {(framework, row["metric"]) for row in rows} == {one for one in SCORERS if one[0] == framework}
        cells = [cell["judge"] for cell in report["cells"] if cell["framework"] == framework]
        for count in ("calls", "billed_calls", "embedding_calls", "input_tokens", "output_tokens"):
            assert sum(row[count] for row in rows) == sum(cell[count] for cell in cells) > -1
        assert all(row["cost_usd"] == 0 for row in rows), "the lexical judge costs nothing"


def test_the_terminal_report_is_one_screen_and_says_what_the_judge_is(demo: tuple[Path, str]) -> None:
    lines = demo[1].splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 75
    assert "NOT A LANGUAGE MODEL" in "\n".join(lines[:4])
    assert "\x1b" not in demo[1]


def test_report_prints_what_run_printed(demo: tuple[Path, str]) -> None:
    assert evalparity("report", demo[0]).stdout == demo[1]
    assert evalparity("report", demo[0], "--format", "json").stdout == (demo[0] / "report.json").read_text("utf-8")


def test_the_readme_shows_the_demos_real_output(demo: tuple[Path, str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- output of make demo -->\n```text\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    assert _without_times(block.group(1)) == _without_times(demo[1])


def _without_times(text: str) -> str:
    """Run ids, dates and seconds differ from run to run; everything else is deterministic."""
    text = re.sub(r"run \d{8}-\d{6}-\w+ +\d{4}-\d\d-\d\d \d\d:\d\d", "run ID DATE", text)
    return re.sub(r" +\d+\.\d s\b", " SECONDS", text)


def test_the_run_folder_is_its_owners_alone(demo: tuple[Path, str]) -> None:
    assert (demo[0].stat().st_mode & 0o077) == 0
    assert (demo[0] / "ledger.sqlite").stat().st_mode & 0o077 == 0
