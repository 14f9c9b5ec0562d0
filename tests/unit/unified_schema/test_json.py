"""JSON and JSON lines: real lines, nothing lost in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalparity.unified_schema import LoadedSuite, Problem, SuiteError, load_suite


def load(folder: Path, text: str | bytes, name: str = "suite.json") -> LoadedSuite:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return load_suite(path)


def problems_of(folder: Path, text: str | bytes, name: str = "suite.json") -> tuple[Problem, ...]:
    with pytest.raises(SuiteError) as caught:
        load(folder, text, name)
    return caught.value.problems


CASE = {"id": "a", "input": "q"}


def test_a_suite_a_list_and_wrapped_lists_load(tmp_path):
    shapes = [{"name": "n", "cases": [CASE]}, [CASE], {"samples": [CASE]}, {"data": [CASE], "version": 2}]
    loaded = [load(tmp_path, json.dumps(shape)) for shape in shapes]
    assert [one.suite.name for one in loaded] == ["n", "suite", "suite", "suite"]
    assert all(one.suite.cases[0].id == "a" for one in loaded)
    assert [note.message for note in loaded[3].notes] == [
        "the cases are taken out of data",
        "'version' beside data is left out",
    ]


def test_lines_split_at_line_feeds_only(tmp_path):
    text = "first\u2028second\u2029third\x85fourth\x0bfifth"
    rows = [json.dumps({"id": i, "input": text}, ensure_ascii=False) for i in (1, 2)]
    suite = load(tmp_path, "\r\n".join(rows) + "\n\n", "some.jsonl").suite
    assert (suite.name, [case.id for case in suite.cases]) == ("some", ["1", "2"])
    assert all(case.input == text for case in suite.cases)


@pytest.mark.parametrize(("value", "text"), [(42, "42"), (True, "true"), (0.5, "0.5")])
def test_numbers_and_truth_values_become_text_and_are_noted(tmp_path, value, text):
    loaded = load(tmp_path, json.dumps({"cases": [{**CASE, "output": value}], "name": "n"}))
    assert loaded.suite.cases[0].output == text
    assert [(note.field, "is read as text" in note.message) for note in loaded.notes] == [("output", True)]


@pytest.mark.parametrize("value", [1.5, True, 1e5])
def test_ids_that_are_no_text_are_refused(tmp_path, value):
    (problem,) = problems_of(tmp_path, json.dumps([{"id": value, "input": "q"}]))
    assert (problem.case, problem.field) == ("#1", "id")
    assert "put it in quotes" in problem.message


def test_a_whole_number_is_an_id_and_zeros_matter(tmp_path):
    cases = [{"id": 7, "input": "q"}, {"id": "007", "input": "q"}]
    assert [case.id for case in load(tmp_path, json.dumps(cases)).suite.cases] == ["7", "007"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("field", ["output", "metadata", "relevance", "labels"])
def test_nan_and_infinity_are_refused_everywhere(tmp_path, number, field):
    value = number if field == "output" else f'{{"k": {number}}}'
    problems = problems_of(tmp_path, f'[{{"id": "a", "input": "q",\n "{field}": {value}}}]')
    assert [(problem.line, "NaN and Infinity" in problem.message) for problem in problems] == [(2, True)]


@pytest.mark.parametrize(
    ("text", "line", "column"), [('{"cases": [\n  {"id": "a",}\n]}', 2, 14), ("", 1, 1), ('[{"id": "a"}', 1, 13)]
)
def test_broken_json_names_line_and_column(tmp_path, text, line, column):
    (problem,) = problems_of(tmp_path, text)
    assert "not valid JSON" in problem.message
    assert (problem.line, problem.column) == (line, column)


def test_a_broken_line_does_not_hide_the_others(tmp_path):
    rows = ['{"id": "a", "input": "q"}', '{"id": "b", input}', "", '{"id": "c"}', "[1]", "null"]
    problems = problems_of(tmp_path, "\n".join(rows), "s.jsonl")
    assert [(problem.line, problem.field) for problem in problems] == [(2, None), (4, "input"), (5, None), (6, None)]


def test_a_document_in_a_file_of_lines_and_lines_in_one_of_a_document_are_read_as_what_they_are(tmp_path):
    for text in (json.dumps([CASE], indent=1), json.dumps([CASE])):
        loaded = load(tmp_path, text, "s.jsonl")
        assert loaded.suite.cases[0].id == "a"
        assert "read as one JSON document" in loaded.notes[0].message
    loaded = load(tmp_path, '{"id": "a", "input": "q"}\n{"id": "b", "input": "q"}\n', "s.json")
    assert [case.id for case in loaded.suite.cases] == ["a", "b"]
    assert "read as JSON lines" in loaded.notes[0].message


def test_repeated_keys_are_problems(tmp_path):
    text = '{"name": "n",\n "cases": [\n  {"id": "a",\n   "input": "q",\n   "input": "r"}\n ]}'
    (problem,) = problems_of(tmp_path, text)
    assert (problem.line, problem.field) == (5, "cases[0].input")
    assert "the first is on line 4" in problem.message
    (problem,) = problems_of(tmp_path, '{"id": "a", "input": "q"}\n{"id": "b", "id": "c", "input": "q"}', "s.jsonl")
    assert problem.line == 2


def test_half_a_character_is_refused_and_a_whole_one_kept(tmp_path):
    (problem,) = problems_of(tmp_path, '[\n{"id": "a", "input": "q",\n"output": "\\ud83d"}]')
    assert (problem.line, "half of a Unicode character" in problem.message) == (3, True)
    assert load(tmp_path, '[{"id": "a", "input": "\\ud83d\\ude00"}]').suite.cases[0].input == "😀"


def test_bytes_that_are_no_utf8_are_refused_with_their_place(tmp_path):
    (problem,) = problems_of(tmp_path, b'[\n{"id": "a", "input": "caf\xe9", "output": "caf\xc3\xa9"}]')
    assert (problem.line, problem.column) == (2, 26)
    assert "not UTF-8 (byte 0xE9 here)" in problem.message
    (problem,) = problems_of(
        tmp_path, b'{"id": "a", "input": "\xc3\xa9"}\n{"input": "caf\xe9"}\n{"input": "caf\xe9"}', "s.jsonl"
    )
    assert problem.line == 2


@pytest.mark.parametrize("depth", [300, 5_000, 200_000])
@pytest.mark.parametrize("name", ["s.json", "s.jsonl"])
def test_deep_nesting_is_refused(tmp_path, depth, name):
    nested = "[" * depth + "]" * depth
    case = f'{{"id": "a", "input": "q", "metadata": {{"m": {nested}}}}}'
    problems = problems_of(tmp_path, case if name == "s.jsonl" else f"[{case}]", name)
    assert [("nested too deeply" in problem.message) for problem in problems] == [True]


def test_endless_digits_are_refused(tmp_path):
    (problem,) = problems_of(tmp_path, f'[{{"id": "a", "input": {"1" * 5000}}}]')
    assert "too many digits" in problem.message


def test_the_line_is_that_of_the_field_however_deep(tmp_path):
    cases = [{"id": f"k{i}", "input": "q", "retrieved_contexts": [{"id": "d1", "text": "t"}]} for i in range(3)]
    cases[2]["retrieved_contexts"].append({"id": "d2", "text": ["x"]})
    text = json.dumps({"name": "n", "cases": cases}, indent=1)
    (problem,) = problems_of(tmp_path, text)
    assert problem.field == "retrieved_contexts[1].text"
    assert text.splitlines()[problem.line - 1].strip().startswith('"text": [')
