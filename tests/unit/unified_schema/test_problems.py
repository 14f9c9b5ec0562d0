"""What is wrong with a suite is said once, all of it, with its place and what to do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from evalparity.unified_schema import Problem, SuiteError, load_suite, suite_sha256
from evalparity.unified_schema.cases import is_blank


def problems_of(folder: Path, data: object) -> tuple[Problem, ...]:
    path = folder / "suite.json"
    path.write_text(json.dumps(data, indent=0), encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    return caught.value.problems


def case_problems(folder: Path, **fields: object) -> list[tuple[str | None, str]]:
    case = {"id": "a", "input": "q", **fields}
    found = problems_of(folder, {"name": "s", "cases": [case]})
    assert all(problem.case == "a" and problem.line is not None for problem in found)
    return [(problem.field, problem.message) for problem in found]


def test_every_problem_is_reported_at_once_in_file_order(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text(
        "name: s\n"
        "colour: red\n"
        "defaults: {catgory: x}\n"
        "cases:\n"
        "  - id: one\n"
        "    ouput: x\n"
        "  - id: one\n"
        "    input: q\n"
        "    answerable: perhaps\n"
        "    prompt_contexts: [d9]\n"
        "  - just a text\n",
        encoding="utf-8",
    )
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    seen = [(problem.line, problem.case, problem.field) for problem in caught.value.problems]
    assert seen == [
        (2, None, "colour"),
        (3, None, "defaults.catgory"),
        (5, "one", "input"),
        (6, "one", "ouput"),
        (7, "one", "id"),
        (9, "one", "answerable"),
        (10, "one", "prompt_contexts[0]"),
        (11, "#3", None),
    ]
    lines = str(caught.value).splitlines()
    assert lines[3] == f"{path}:6: case one ouput: unknown key 'ouput': did you mean output?"
    assert "the id 'one' is taken; the first is on line 5" in lines[4]


@pytest.mark.parametrize(
    ("fields", "place", "told"),
    [
        ({"quesion": "x"}, "quesion", "did you mean question?"),
        ({"zzz": 1}, "zzz", "known are access, answerable"),
        ({"retrieved_contexts": [{"txt": "t"}]}, "retrieved_contexts[0].txt", "did you mean text?"),
        ({"usage": {"secnds": 1}}, "usage.secnds", "did you mean seconds?"),
        ({"output": ["x"]}, "output", "must be a text, not a list"),
        ({"output": {"x": 1}}, "output", "must be a text, not a mapping"),
        ({"retrieved_contexts": [["t"]]}, "retrieved_contexts[0].text", "must be a text, not a list"),
        ({"retrieved_contexts": {"d1": "t"}}, "retrieved_contexts[0].d1", "unknown key 'd1'"),
        ({"answerable": "false"}, "answerable", "true or false without quotes, not the text 'false'"),
        ({"as_of": "soon"}, "as_of", "a date as 2026-06-01"),
        ({"as_of": "2026-02-30"}, "as_of", "a date as 2026-06-01"),
        ({"relevance": {"d1": "high"}}, "relevance.d1", "must be a number without quotes"),
        ({"relevance": ["d1"]}, "relevance", "must be a mapping, not a list"),
        ({"relevance": {"d1": -1}}, "relevance.d1", "write 0"),
        ({"relevant": [True]}, "relevant", "list of chunk ids"),
        ({"evidence": [[]]}, "evidence[0].any_of", "is empty"),
        ({"evidence": [{"any_of": ["d1"], "grade": 0}]}, "evidence[0].grade", "more than 0"),
        ({"conversation": [{"role": "bot", "content": "hi"}]}, "conversation[0].role", "must be 'user'"),
        ({"usage": {"seconds": -1}}, "usage.seconds", "0 or more"),
        ({"labels": {"f": [{"rater": "r1"}]}}, "labels.f[0].value", "is missing"),
        ({"labels": {"f": [[1]]}}, "labels.f[0].value", ""),
        ({"stages": [{"name": "s", "ids": ["d9"]}]}, "stages[0].ids[0]", "not in retrieved_contexts"),
        ({"retrieved_contexts": [{"id": " ", "text": "t"}]}, "retrieved_contexts[0].id", "is blank"),
        ({"retrieved_contexts": [{"id": "", "text": "t"}]}, "retrieved_contexts[0].id", "is empty"),
        (
            {"retrieved_contexts": [{"id": ["d"], "text": "t"}]},
            "retrieved_contexts[0].id",
            "must be a text, not a list",
        ),
    ],
)
def test_a_wrong_field_is_named_with_what_to_do(tmp_path, fields, place, told):
    found = dict(case_problems(tmp_path, **fields))
    assert place in found
    assert told in found[place]


def test_an_unknown_chunk_id_proposes_the_nearest(tmp_path):
    chunks = [{"id": "policy-1", "text": "t"}]
    ((field, message),) = case_problems(tmp_path, retrieved_contexts=chunks, prompt_contexts=["policy-2"])
    assert (field, "did you mean 'policy-1'?" in message) == ("prompt_contexts[0]", True)


def test_a_citation_of_what_was_never_retrieved_is_kept_with_a_note(tmp_path):
    chunks = [{"id": "d1", "text": "t"}]
    cited = [{"claim": "c", "id": name} for name in ("d1", "d8", "d9")]
    cases = [{"id": name, "input": "q", "retrieved_contexts": chunks, "citations": cited} for name in "ab"]
    path = tmp_path / "suite.json"
    path.write_text(json.dumps(cases, indent=0), encoding="utf-8")
    loaded = load_suite(path)
    assert [citation.id for citation in loaded.suite.cases[0].citations] == ["d1", "d8", "d9"]
    (note,) = loaded.notes
    assert (note.case, note.field, note.cases) == ("a", "citations[1].id", 2)
    assert note.message == "cites a chunk that is not in retrieved_contexts; the citation is kept"
    assert note.line is not None


def test_one_id_with_two_texts_is_a_problem_and_twice_the_same_is_not(tmp_path):
    chunks = [{"id": "d1", "text": "t"}, {"id": "d1", "text": "u"}]
    ((field, message),) = case_problems(tmp_path, retrieved_contexts=chunks)
    assert (field, "another text in retrieved_contexts[0]" in message) == ("retrieved_contexts[1].id", True)
    path = tmp_path / "twice.json"
    path.write_text(json.dumps([{"id": "a", "input": "q", "retrieved_contexts": [chunks[0], chunks[0]]}]))
    loaded = load_suite(path)
    assert len(loaded.suite.cases[0].retrieved_contexts) == 2
    assert [note.message for note in loaded.notes] == ["a chunk was retrieved twice; both places are kept"]


def test_validity_that_ends_before_it_begins(tmp_path):
    chunk = {"id": "d", "text": "t", "valid_from": "2026-02-01", "valid_to": "2026-01-31T10:00:00+00:00"}
    ((field, _),) = case_problems(tmp_path, retrieved_contexts=[chunk])
    assert field == "retrieved_contexts[0].valid_to"


def test_labels_outside_their_scale(tmp_path):
    data = {
        "name": "s",
        "label_scales": {"f": {"low": 1, "high": 4}},
        "cases": [{"id": "a", "input": "q", "labels": {"f": [1, 4, 5]}}],
    }
    (problem,) = problems_of(tmp_path, data)
    assert (problem.field, "5 is outside the scale 1 to 4" in problem.message) == ("labels.f[2].value", True)


@pytest.mark.parametrize(
    ("header", "place", "told"),
    [
        ({"evalparity": 2}, "evalparity", "only 1 is known"),
        ({"evalparity": "1"}, "evalparity", "only 1 is known"),
        ({"lable_scales": {}}, "lable_scales", "did you mean label_scales?"),
        ({"label_scales": {"f": {"low": 4, "high": 1}}}, "label_scales.f", "low must be less than high"),
        ({"label_scales": {"f": {"low": 1}}}, "label_scales.f.high", "is missing"),
        ({"corpus": "../other/corpus.jsonl"}, "corpus", "inside the suite's own folder"),
        ({"corpus": "/etc/passwd"}, "corpus", "inside the suite's own folder"),
        ({"corpus": "C:\\corpus.jsonl"}, "corpus", "inside the suite's own folder"),
        ({"defaults": {"id": "x"}}, "defaults.id", "take it out of defaults"),
        ({"defaults": {"question": "x", "query": "y"}}, "defaults.query", "both claim input"),
        ({"defaults": {"answerable": "x"}}, "defaults.answerable", "true or false"),
        ({"defaults": ["x"]}, "defaults", "must be a mapping"),
        ({"name": ""}, "name", "is empty"),
        ({"name": ["x"]}, "name", "must be a text"),
    ],
)
def test_a_wrong_header_is_named_once(tmp_path, header, place, told):
    cases = [{"id": "a", "input": "q"}, {"id": "b", "input": "q"}]
    (problem,) = problems_of(tmp_path, {"name": "s", **header, "cases": cases})
    assert (problem.case, problem.field) == (None, place)
    assert told in problem.message
    assert problem.line is not None


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"name": "s", "cases": []}, "add at least one"),
        ([], "add at least one"),
        ({"name": "s"}, "write a list of cases"),
        ({"name": "s", "cases": None}, "write a list of cases"),
        ({"name": "s", "cases": {"a": {"input": "q"}}}, "must be a list of cases"),
        ("text", "write a list of cases"),
        (None, "write a list of cases"),
    ],
)
def test_a_suite_without_cases(tmp_path, data, told):
    (problem,) = problems_of(tmp_path, data)
    assert told in problem.message


def test_a_misspelt_key_of_the_cases(tmp_path):
    problems = problems_of(tmp_path, {"name": "s", "case": [{"id": "a"}]})
    assert any("unknown key 'case': did you mean cases?" in problem.message for problem in problems)


def test_an_empty_yaml_and_an_empty_jsonl(tmp_path):
    for name in ("s.yaml", "s.jsonl"):
        (tmp_path / name).write_text("\n", encoding="utf-8")
        with pytest.raises(SuiteError, match="there are no cases here"):
            load_suite(tmp_path / name)


def test_files_that_cannot_be_opened(tmp_path):
    (tmp_path / "suite.yaml").write_text("cases: []", encoding="utf-8")
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    told: dict[str, str] = {
        "suit.yaml": "did you mean 'suite.yaml'?",
        "zzz/suite.yaml": "nor its folder",
        ".": "is a folder: name a file in it",
        "suite\0.yaml": "",
        "loop.yaml": "",
        "pipe.yaml": "is not a regular file",
    }
    for name, message in told.items():
        for use in (
            (load_suite,) if name == "." else (load_suite, suite_sha256)
        ):  # the digest of a folder is that of all
            with pytest.raises(SuiteError) as caught:
                use(tmp_path / name)
            assert message in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_read_permission(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_text("cases: []", encoding="utf-8")
    path.chmod(0)
    with pytest.raises(SuiteError, match="check its permissions"):
        load_suite(path)


def test_an_unknown_ending_is_no_obstacle(tmp_path):
    path = tmp_path / "suite.txt"
    path.write_text("name: s\ncases: [{id: a, input: q}]", encoding="utf-8")
    loaded = load_suite(path)
    assert [case.id for case in loaded.suite.cases] == ["a"]
    assert "its name ends in .txt, and it is read as YAML" in loaded.notes[0].message


def test_a_hostile_key_stands_on_one_short_line_of_the_message(tmp_path):
    key = "\x1b[31mred\n" + "x" * 10_000
    (problem,) = problems_of(tmp_path, {"name": "s", "cases": [{"id": "a", "input": "q", key: 1}]})
    assert "\n" not in problem.message
    assert "\x1b" not in problem.message
    assert len(problem.message) < 500


def test_the_digest_is_that_of_the_bytes(tmp_path):
    path = tmp_path / "suite.yaml"
    path.write_bytes(b"abc")
    assert suite_sha256(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_line_that_breaks_off_is_named_where_it_breaks(tmp_path):
    file = tmp_path / "s.jsonl"
    file.write_text('{"id": "a", "input": "x"}\n{"id": "b", "input": "y"\n{"id": "c", "input": "z"}\n')
    with pytest.raises(SuiteError) as refused:
        load_suite(file)
    (problem,) = refused.value.problems
    assert (problem.line, problem.column) == (2, 25)


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\u2028 \x00"])
def test_what_shows_nothing_is_blank(text):
    assert is_blank(text)
    assert not is_blank(text + "x")
