"""The faults of real test sets that were collected beside this project: each file, or rows as they stand there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalparity.unified_schema import LoadedSuite, SuiteError, load_cases, load_suite
from evalparity.unified_schema.exchange import ReadOptions

INPUTS = Path(__file__).parents[4] / "shared" / "cases" / "inputs"
pytestmark = pytest.mark.skipif(not INPUTS.is_dir(), reason="the collected inputs (../shared/cases) are not here")


def described(name: str) -> dict[str, object]:
    (path,) = INPUTS.glob(f"{name}_*.json")
    found: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return found


def both(name: str, folder: Path) -> list[LoadedSuite]:
    """Load the rows of an input as a list in memory, as JSON and as lines of JSON."""
    rows = described(name)["minimal_input"]
    assert isinstance(rows, list)
    (folder / "s.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return [load_cases(rows), load_suite(folder / "s.json"), load_suite(folder / "s.jsonl")]


def test_b11_bars_in_chunks(tmp_path):
    for loaded in both("b11", tmp_path):
        assert len(loaded.suite.cases[0].retrieved_contexts) == 2


def test_b12_lists_in_cells():
    expected = described("b12")["check"]
    loaded = load_suite(INPUTS / "files" / "b12.csv")
    assert [len(case.reference_contexts) for case in loaded.suite.cases] == expected["contexts_per_row"]  # type: ignore[index]
    forms = [note.message for note in loaded.notes if "the cell is read as" in note.message]
    assert [form.removeprefix("the cell is read as ") for form in forms] == ["a Python list", "a JSON list", "one text"]


def test_b14_old_names(tmp_path):
    for loaded in both("b14", tmp_path):
        (case,) = loaded.suite.cases
        assert (case.input, case.output, case.reference) == ("q", "a", "g")
        assert [chunk.text for chunk in case.retrieved_contexts] == ["c"]
    several = load_cases([{"question": "q", "ground_truths": ["g", "h"], "team": "x"}]).suite.cases[0]
    assert (several.reference, several.metadata) == ("g", {"references": ["g", "h"], "team": "x"})


def test_b15_gaps():
    first, second, third = load_suite(INPUTS / "files" / "b15.csv").suite.cases
    assert (first.reference, second.output, third.output) == (None, "None", "NaN")


def test_b16_one_text(tmp_path):
    for loaded in both("b16", tmp_path):
        assert [chunk.text for chunk in loaded.suite.cases[0].retrieved_contexts] == [
            "Returns are accepted within 30 days."
        ]
        assert any("one" in note.message and "text" in note.message for note in loaded.notes)


def test_b17_values_that_are_no_text(tmp_path):
    for loaded in both("b17", tmp_path):
        cases = loaded.suite.cases
        assert [case.output for case in cases] == ["42", "true", "Thirty days.", "Thirty days."]
        assert [(chunk.id, chunk.text) for chunk in cases[2].retrieved_contexts] == [("c1", "a"), ("c3", "b")]
        assert cases[3].id == "4"


def test_b18_ids():
    loaded = load_suite(INPUTS / "files" / "b18.csv")
    assert [case.id for case in loaded.suite.cases] == described("b18")["check"]["ids"]  # type: ignore[index]
    assert [list(case.relevance) for case in loaded.suite.cases] == [["007"], ["1"], ["007"], ["x"], []]


def test_b36_the_same_chunk_twice(tmp_path):
    for loaded in both("b36", tmp_path):
        assert [chunk.text for chunk in loaded.suite.cases[0].retrieved_contexts] == ["A", "A", "B"]


def test_b37_nested_metadata(tmp_path):
    for loaded in both("b37", tmp_path):
        (case,) = loaded.suite.cases
        assert case.metadata["source"] == {"doc": "handbook.pdf", "pages": [1, 2]}
        assert (case.metadata["tags"], case.metadata["tenant"]) == (["x", "y"], "t-1")


@pytest.mark.parametrize("name", sorted(path.name.partition("_")[0] for path in INPUTS.glob("*.json")))
def test_every_input_that_is_rows_loads_or_says_why(name, tmp_path):
    rows = described(name)["minimal_input"]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        pytest.skip("is no list of rows")
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    try:
        load_suite(tmp_path / "s.jsonl", options=ReadOptions(skip_bad_rows=True))
    except SuiteError as refused:
        assert refused.problems  # noqa: PT017 - either is right, a traceback is not
