"""YAML suites: text as written, real lines, nothing run, nothing that grows without bound."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from evalparity.unified_schema import EvalCase, LoadedSuite, Problem, SuiteError, load_suite


def load(folder: Path, text: str) -> LoadedSuite:
    path = folder / "suite.yaml"
    path.write_text(text, encoding="utf-8")
    return load_suite(path)


def problems_of(folder: Path, text: str) -> tuple[Problem, ...]:
    with pytest.raises(SuiteError) as caught:
        load(folder, text)
    return caught.value.problems


def one_case(folder: Path, fields: str) -> EvalCase:
    lines = "".join(f"    {line}\n" for line in fields.splitlines())
    return load(folder, f"name: s\ncases:\n  - id: a\n    input: q\n{lines}").suite.cases[0]


@pytest.mark.parametrize(
    "written", ["007", "1e5", "TRUE", "2026-01-01", "yes", "1.0", "0x1F", "12:30:00", "3_000", "<<"]
)
@pytest.mark.parametrize("field", ["output", "reference", "category"])
def test_text_without_quotes_stays_as_it_is_written(tmp_path, field, written):
    assert getattr(one_case(tmp_path, f"{field}: {written}"), field) == written


@pytest.mark.parametrize("written", ["007", "1e5", "TRUE", "2026-01-01", "no", "1.0"])
def test_ids_without_quotes_stay_as_they_are_written(tmp_path, written):
    text = (
        f"name: s\ncases:\n  - id: {written}\n    input: q\n    relevance: {{{written}: 1}}\n"
        f"    retrieved_contexts: [{{id: {written}, text: t}}]\n    prompt_contexts: [{written}]\n"
    )
    case = load(tmp_path, text).suite.cases[0]
    assert (case.id, case.prompt_chunks()[0].id, case.prompt_contexts) == (written, written, (written,))
    assert case.relevance == {written: 1.0}
    assert type(case.id) is str


@pytest.mark.parametrize("written", ["null", "~", ""])
def test_null_is_missing(tmp_path, written):
    assert one_case(tmp_path, f"output: {written}").output is None


def test_a_quoted_null_is_a_text(tmp_path):
    assert one_case(tmp_path, 'output: "null"').output == "null"


@pytest.mark.parametrize(("written", "expected"), [("true", True), ("no", False), ("Off", False), ("YES", True)])
def test_truth_values_are_read_where_one_is_asked_for(tmp_path, written, expected):
    assert one_case(tmp_path, f"answerable: {written}").answerable is expected


def test_numbers_and_times_are_read_where_they_are_asked_for(tmp_path):
    case = one_case(
        tmp_path,
        "as_of: 2026-06-01\nusage: {seconds: 1e-1, input_tokens: 900}\n"
        "retrieved_contexts: [{id: 1, text: t, score: -0.5, valid_from: '2026-01-01T08:00:00+00:00'}]",
    )
    assert case.as_of == date(2026, 6, 1)
    assert case.usage is not None
    assert (case.usage.seconds, case.usage.input_tokens) == (0.1, 900)
    assert case.retrieved_contexts[0].score == -0.5
    assert case.retrieved_contexts[0].valid_from == datetime(2026, 1, 1, 8, tzinfo=UTC)


def test_metadata_reads_only_what_every_language_agrees_about(tmp_path):
    case = one_case(
        tmp_path,
        "metadata: {a: 3, b: 0.5, c: true, d: 007, e: 1e5, f: yes, g: 2026-01-01, h: [~, -1], i: '3', j: !!str 3}",
    )
    assert case.metadata == {
        "a": 3, "b": 0.5, "c": True, "d": "007", "e": "1e5", "f": "yes", "g": "2026-01-01", "h": [None, -1],
        "i": "3", "j": "3",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written", "expected"), [("3", 3.0), ("true", True), ("no", "no"), ("N/A", "N/A"), ("'1'", "1")]
)
def test_labels_keep_numbers_truth_values_and_words(tmp_path, written, expected):
    value = one_case(tmp_path, f"labels: {{faithfulness: {written}}}").labels["faithfulness"][0].value
    assert value == expected
    assert type(value) is type(expected)


def test_an_alias_and_a_merge_key_are_written_out(tmp_path):
    case = one_case(
        tmp_path,
        "retrieved_contexts:\n  - &first {id: d1, text: t, tenant: acme}\n  - {<<: *first, id: d2}\n"
        "reference_contexts: [&text long, *text]",
    )
    assert [(chunk.id, chunk.text, chunk.tenant) for chunk in case.retrieved_contexts] == [
        ("d1", "t", "acme"),
        ("d2", "t", "acme"),
    ]
    assert case.reference_contexts == ("long", "long")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("name: s\ncases: [1", 3, 1),
        ("name: s\ncases: a: b", 2, 9),
        ("name: s\ncases:\n\t- id: a", 3, 1),
        ("name: s\ncases: *nobody", 2, 8),
        ("name: s\ninput: \x01", 2, 8),
        ("name: s\n---\nname: t", 2, 1),
    ],
)
def test_broken_yaml_names_line_and_column(tmp_path, text, line, column):
    (problem,) = problems_of(tmp_path, text)
    assert "not valid YAML" in problem.message
    assert (problem.line, problem.column) == (line, column)


def test_a_repeated_key_names_both_lines(tmp_path):
    (problem,) = problems_of(tmp_path, "name: s\ncases:\n  - id: a\n    input: q\n    output: x\n    output: y\n")
    assert problem.line == 6
    assert "'output' stands here twice (the first is on line 5)" in problem.message


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system [echo]", "!!python/name:os.system ''", "!env HOME", "!!binary aGk="]
)
def test_tags_that_build_objects_are_refused_with_their_place(tmp_path, tag):
    problems = problems_of(tmp_path, f"name: s\ncases:\n  - id: a\n    input: q\n    output: {tag}\n")
    assert [(problem.line, "the tag" in problem.message) for problem in problems] == [(5, True)]


def test_thousands_of_cases_share_chunks_by_an_alias(tmp_path):
    chunks = "".join(f"      - {{id: d{n}, text: text {n}}}\n" for n in range(10))
    first = f"  - id: a0\n    input: q\n    retrieved_contexts: &all\n{chunks}"
    others = "".join(f"  - {{id: a{n}, input: q, retrieved_contexts: *all}}\n" for n in range(1, 4000))
    cases = load(tmp_path, f"name: s\ncases:\n{first}{others}").suite.cases
    assert len(cases) == 4000
    assert [chunk.text for chunk in cases[-1].retrieved_contexts] == [f"text {n}" for n in range(10)]


def nested_bomb() -> str:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return "name: s\nmetadata:\n  " + "\n  ".join(rows) + "\ncases: [{id: a, input: q}]\n"


def flat_bomb() -> str:
    """A long list, as often as it is long: the file grows by its length, the data by its square."""
    long = f"    metadata: {{all: &a [{', '.join('x' * 20_000)}]}}\n"
    return f"name: s\ncases:\n  - id: a\n    input: q\n{long}" + "".join(
        f"  - {{id: a{n}, input: q, metadata: {{all: *a}}}}\n" for n in range(20_000)
    )


def bomb_among_cases() -> str:
    """Billions of values where a list of cases should stand."""
    rows = [f"  - &c{n} [{', '.join([f'*c{n - 1}'] * 9) if n else 'x'}]" for n in range(40)]
    return "name: s\ncases:\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("bomb", [nested_bomb, flat_bomb, bomb_among_cases])
def test_an_alias_bomb_is_refused_once_at_its_anchor_and_never_built(tmp_path, bomb):
    (tmp_path / "suite.yaml").write_text(bomb(), encoding="utf-8")
    script = (
        "import resource, sys\nfrom evalparity.unified_schema import SuiteError, load_suite\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))\n"
        "try:\n    load_suite(sys.argv[1])\nexcept SuiteError as error:\n    print(error)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "suite.yaml")]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
    assert len(said) == 1
    assert "aliases repeat what is anchored here" in said[0]
    line = int(said[0].split("suite.yaml:")[1].split(":")[0])
    assert "&" in (tmp_path / "suite.yaml").read_text().splitlines()[line - 1]


def test_an_anchor_that_holds_itself_is_refused(tmp_path):
    problems = problems_of(tmp_path, "name: s\ncases:\n  - id: a\n    input: q\n    metadata: &m {self: *m}\n")
    assert [problem.line for problem in problems] == [5]
    assert "points back to the value itself" in problems[0].message


@pytest.mark.parametrize("depth", [150, 900, 50_000])
def test_deep_nesting_is_refused(tmp_path, depth):
    nested = "[" * depth + "]" * depth
    problems = problems_of(tmp_path, f"name: s\ncases:\n  - id: a\n    input: q\n    metadata: {{m: {nested}}}\n")
    assert any("nest" in problem.message for problem in problems)


def test_deep_nesting_is_refused_where_the_c_parser_is_not_built(tmp_path):
    (tmp_path / "suite.yaml").write_text(f"name: s\ncases: {'[' * 5000}{']' * 5000}\n", encoding="utf-8")
    script = (
        "import sys, yaml\ndel yaml.CSafeLoader\nfrom evalparity.unified_schema import SuiteError, load_suite\n"
        "try:\n    load_suite(sys.argv[1])\nexcept SuiteError as error:\n    print(error)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "suite.yaml")]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "nested deeper than 100 levels" in said


def test_a_key_that_is_a_list_is_refused(tmp_path):
    problems = problems_of(
        tmp_path, "name: s\ncases:\n  - id: a\n    input: q\n    metadata:\n      ? [x]\n      : y\n"
    )
    assert [problem.line for problem in problems] == [6]


def test_the_line_is_that_of_the_field(tmp_path):
    text = (
        "name: s\ncases:\n  - id: a\n    input: q\n    retrieved_contexts:\n      - id: d1\n        text: t\n"
        "      - id: d2\n        text: t\n        score: high\n"
    )
    (problem,) = problems_of(tmp_path, text)
    assert (problem.line, problem.case, problem.field) == (10, "a", "retrieved_contexts[1].score")
    assert "must be a number without quotes, not the text 'high'" in problem.message


def test_json_inside_yaml_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "suite.yml"
    path.write_bytes(b'\xef\xbb\xbf{"name": "s", "cases": [{"id": 7, "input": "q"}]}')
    assert load_suite(path).suite.cases[0].id == "7"
