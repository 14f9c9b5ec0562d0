"""The faults of real results and exports that were collected beside this project, each with the value that is right."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.reading import known_writers, load_any
from evalparity.comparisons.commands.import_results import import_results
from evalparity.comparisons.comparing.report import Report
from evalparity.unified_schema import load_cases
from evalparity.unified_schema.exchange import ReadOptions
from evalparity.unified_schema.writing import write_suite
from support.cases import case, suite

INPUTS = Path(__file__).parents[4] / "shared" / "cases" / "inputs"
pytestmark = pytest.mark.skipif(not INPUTS.is_dir(), reason="the collected inputs (../shared/cases) are not here")


WITHOUT_A_THRESHOLD = {"equals", "contains", "factuality"}
"""Assertions that are right or wrong, whatever the threshold."""


def described(name: str) -> dict[str, Any]:
    (path,) = INPUTS.glob(f"{name}_*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def brought_in(folder: Path, columns: dict[str, list[object]], ids: list[str] | None = None) -> Report:
    """Import a Ragas result table with these columns; None is an empty cell, as pandas writes NaN."""
    folder.mkdir(exist_ok=True)
    rows = len(next(iter(columns.values())))
    names = ids or [f"r{number}" for number in range(rows)]
    write_suite(suite(*(case(name, input=f"q {name}") for name in sorted(names))), folder / "suite.yaml")
    with (folder / "r.csv").open("w", newline="") as content:
        writer = csv.writer(content)
        writer.writerow(["user_input", *columns])
        for number, name in enumerate(names):
            given = [column[number] for column in columns.values()]
            writer.writerow([f"q {name}", *("" if cell is None else cell for cell in given)])
    return import_results([folder / "r.csv"], folder / "suite.yaml", folder / "run", ReadOptions()).report


def test_b02_a_refusal_with_nothing_to_check_is_no_number(tmp_path):
    raw = described("b02")["check"]["raw"]["ragas"]
    assert raw is None
    (cell,) = brought_in(tmp_path, {"faithfulness": [raw]}).cells
    assert (cell.status, cell.score, cell.raw) == ("errored", None, None)


def test_b03_rows_that_failed_stay_in_sight(tmp_path):
    runs, expected = described("b03")["minimal_input"], described("b03")["check"]
    for run in "AB":
        (row,) = brought_in(tmp_path / run, {"faithfulness": runs[f"scores_run_{run}"]}).summary
        assert row.mean == expected[f"mean_{run}"]
        assert f"{row.measured}/{row.planned}" == expected[f"coverage_{run}"]


def test_b04_a_row_without_any_number_is_not_measured_and_never_zero(tmp_path):
    rows, expected = described("b04")["minimal_input"]["rows"], described("b04")["check"]
    report = brought_in(tmp_path, {name: [row[name] for row in rows] for name in rows[0]})
    for row in report.summary:
        assert (row.mean, f"{row.measured}/{row.planned}") == (expected["overall"], expected["measured"])
    assert "NaN" not in (tmp_path / "run" / "report.json").read_text()


def test_b07_rows_in_another_order_keep_their_scores(tmp_path):
    ids = described("b07")["check"]["expected_order"]
    shuffled = random.Random(1).sample(ids, len(ids))
    report = brought_in(tmp_path, {"faithfulness": [int(name[1:]) / 10 for name in shuffled]}, shuffled)
    assert [cell.case_id for cell in report.cells] == ids
    assert [cell.raw for cell in report.cells] == [int(name[1:]) / 10 for name in ids]


def exported(folder: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the configuration of a Promptfoo export of rows."""
    import yaml

    known_writers()["promptfoo"].write(load_cases(rows).suite, folder / "out")
    return yaml.safe_load((folder / "out" / "promptfooconfig.yaml").read_text(encoding="utf-8"))


def test_b19_a_list_of_contexts_stays_one_test_each_way(tmp_path):
    (row,) = described("b19")["minimal_input"]
    config = exported(tmp_path, [row])
    assert len({test["vars"]["case"] for test in config["tests"]}) == described("b19")["check"]["tests"]
    assert not any(isinstance(value, list) for test in config["tests"] for value in test["vars"].values())
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(json.dumps({"tests": [{"vars": {"query": "q", "context": row["retrieved_contexts"]}}]}))
    loaded = load_any(path)
    assert [[chunk.text for chunk in case.retrieved_contexts] for case in loaded.suite.cases] == [
        row["retrieved_contexts"]
    ]
    assert any("would make one test of each context" in note.message for note in loaded.notes)


def test_b24_thresholds_are_explicit(tmp_path):
    config = exported(tmp_path, described("b24")["minimal_input"])
    assertions = [one for test in config["tests"] for one in test["assert"]]
    assert assertions
    assert all("threshold" in one for one in assertions if one["type"] not in WITHOUT_A_THRESHOLD)


def test_b25_a_variable_named_question_is_the_question(tmp_path):
    (row,) = described("b25")["minimal_input"]
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(json.dumps({"tests": [{"vars": row}]}))
    assert [case.input for case in load_any(path).suite.cases] == ["q"]
    recorded = exported(tmp_path, [row]) and (tmp_path / "out" / "recorded.json").read_text(encoding="utf-8")
    assert json.loads(recorded)  # what stands there is asked as `query`: tests/equivalence runs it


def test_b31_dust_is_taken_off_and_what_is_off_the_scale_is_refused(tmp_path):
    given, expected = described("b31")["minimal_input"], described("b31")["check"]["normalised"]
    names = ("answer_relevancy", "context_precision", "context_recall")
    report = brought_in(tmp_path, {name: [value] for name, value in zip(names, given.values(), strict=True)})
    cells = {cell.metric: cell for cell in report.cells}
    assert [cells[name].score for name in names] == expected
    assert cells["context_recall"].kind == "out_of_range"
    assert cells["context_recall"].raw == 9.81


def test_b38_costs_that_no_one_tells_are_unknown_and_not_zero(tmp_path):
    report = brought_in(tmp_path, {"faithfulness": [0.5]})
    assert report.cells[0].judge.cost_usd is None
    assert report.cells[0].judge.input_tokens is None


def test_b39_labels_of_every_kind_are_kept_as_they_are_and_none_is_guessed():
    rows = described("b39")["minimal_input"]
    loaded = load_cases([{"id": row["id"], "input": "q", "labels": {"ok": row["human_label"]}} for row in rows])
    values = {case.id: case.labels["ok"][0].value for case in loaded.suite.cases if case.labels.get("ok")}
    # In a list in memory, as in a table, N/A is a gap (docs/files.md), and so is an empty text.
    assert values == {
        "0": 1.0, "1": 0.0, "2": True, "3": False, "4": "yes", "5": "No", "6": 0.5, "10": 1.0, "11": "pass",
    }  # fmt: skip
