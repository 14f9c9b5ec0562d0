"""Short forms become full forms, other tools' names ours, and each change is noted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from evalparity.unified_schema import EvalCase, LoadedSuite, SuiteError, load_suite
from evalparity.unified_schema.short_forms import expand_case

SHARED = Path(__file__).parents[3].parent / "shared" / "cases" / "inputs"


def load(folder: Path, cases: object, name: str = "suite.json") -> LoadedSuite:
    path = folder / name
    path.write_text(json.dumps(cases), encoding="utf-8")
    return load_suite(path)


def ours(folder: Path, *cases: object, **header: object) -> LoadedSuite:
    return load(folder, {"name": "s", **header, "cases": cases})


def case(**fields: object) -> EvalCase:
    return EvalCase.model_validate({"id": "a", "input": "q", **fields})


def test_chunks_are_named_by_rank_around_given_ids():
    found = case(
        retrieved_contexts=["one", {"text": "two"}, {"id": "c1", "text": "three"}, {"id": "c2", "text": "four"}]
    )
    assert [(chunk.id, chunk.text) for chunk in found.retrieved_contexts] == [
        ("c1-2", "one"),
        ("c2-2", "two"),
        ("c1", "three"),
        ("c2", "four"),
    ]


def test_equal_texts_get_ids_of_their_own_and_keep_their_places():
    assert [chunk.id for chunk in case(retrieved_contexts=["A", "A", "B"]).retrieved_contexts] == ["c1", "c2", "c3"]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ({"relevant": ["d1", 3]}, {"relevance": {"d1": 1, "3": 1}}),
        ({"relevant": "d1"}, {"relevance": {"d1": 1}}),
        ({"evidence": [["a", "b"], ["c"]]}, {"evidence": [{"any_of": ["a", "b"]}, {"any_of": ["c"]}]}),
        ({"evidence": ["a", {"any_of": "c"}]}, {"evidence": [{"any_of": ["a"]}, {"any_of": ["c"]}]}),
        ({"evidence": "a"}, {"evidence": [{"any_of": ["a"]}]}),
        ({"labels": {"f": 0}}, {"labels": {"f": [{"value": 0}]}}),
        ({"labels": {"f": [1, True, "x"]}}, {"labels": {"f": [{"value": 1}, {"value": True}, {"value": "x"}]}}),
        ({"labels": {"f": {"r1": 2}}}, {"labels": {"f": [{"rater": "r1", "value": 2}]}}),
        ({"labels": {"f": {"rater": "r1", "value": 2}}}, {"labels": {"f": [{"rater": "r1", "value": 2}]}}),
        ({"access": "acme"}, {"access": {"tenant": "acme"}}),
        ({"prompt_contexts": "c1"}, {"prompt_contexts": ["c1"]}),
        ({"stages": {"rerank": ["c1"]}}, {"stages": [{"name": "rerank", "ids": ["c1"]}]}),
        ({"reference_contexts": "one"}, {"reference_contexts": ["one"]}),
        ({"conversation": None, "metadata": None}, {}),
    ],
)
def test_a_short_form_means_its_full_form(short, full):
    assert case(**short) == case(**full)


def test_expanding_twice_changes_nothing():
    once = expand_case(
        {"id": 7, "input": 1, "retrieved_contexts": ["a", None, "b"], "relevant": ["c1"], "labels": {"f": 0}}
    )
    assert expand_case(once) == once


def test_python_users_meet_the_same_forms_and_the_same_refusals():
    assert EvalCase(id="a", input="q", as_of="2026-06-01").as_of == case(as_of="2026-06-01").as_of  # type: ignore[arg-type]
    for fields in ({"ouput": "x"}, {"question": "x"}):
        with pytest.raises(ValidationError, match=r"did you mean output|both claim input"):
            case(**fields)
    assert (
        EvalCase.model_validate_json('{"id": 7, "input": "q", "retrieved_contexts": ["a"]}').retrieved_contexts[0].id
        == "c1"
    )


def test_what_was_done_is_noted_with_its_line(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(
        "cases:\n"
        "  - id: a\n"
        "    question: q\n"
        "    retrieved_contexts: only one\n"
        "  - id: b\n"
        "    input: q\n"
        "    contexts:\n"
        "      - x\n"
        "      -\n"
        "      - {text: [y]}\n",
        encoding="utf-8",
    )
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == (10, "contexts[2].text")
    path.write_text(path.read_text(encoding="utf-8").replace("[y]", "y"), encoding="utf-8")
    loaded = load_suite(path)
    assert [str(note).removeprefix(str(path)) for note in loaded.notes] == [
        ": the suite has no name and is called 's' after its file",
        ":3: case a question: question is read as input",
        ":4: case a retrieved_contexts: the single text is read as a list of one",
        ":7: case b contexts: contexts is read as retrieved_contexts",
        ":7: case b contexts: an empty item (null) is left out",
    ]
    assert [chunk.id for chunk in loaded.suite.cases[1].retrieved_contexts] == ["c1", "c3"]


def test_one_note_stands_for_many_cases(tmp_path):
    loaded = load(tmp_path, [{"id": str(n), "question": "q", "contexts": ["a"]} for n in range(50)])
    assert [(note.case, note.field, note.cases) for note in loaded.notes] == [
        ("0", "question", 50),
        ("0", "contexts", 50),
    ]
    assert str(loaded.notes[0]).endswith("(and in 49 more cases)")


def test_defaults_are_filled_in_and_the_case_wins(tmp_path):
    defaults = {"category": "x", "metadata": {"a": 1, "b": 1}, "question": "standard", "relevant": ["d1"]}
    suite = ours(
        tmp_path,
        {"id": "a", "metadata": {"b": 2}},
        {"id": "b", "input": "own", "category": None, "relevance": {"d2": 2}},
        defaults=defaults,
    ).suite
    first, second = suite.cases
    assert (first.input, first.category, first.metadata) == ("standard", "x", {"a": 1, "b": 2})
    assert first.relevance == {"d1": 1}
    assert (second.input, second.category, second.relevance) == ("own", None, {"d2": 2})


def test_deepevals_two_kinds_of_context_are_never_crossed(tmp_path):
    row = {
        "input": "q",
        "actual_output": "a",
        "expected_output": "r",
        "context": ["ideal"],
        "retrieval_context": ["found"],
    }
    found = load(tmp_path, [row]).suite.cases[0]
    assert found.reference_contexts == ("ideal",)
    assert [chunk.text for chunk in found.retrieved_contexts] == ["found"]
    assert (found.id, found.output, found.reference) == ("row-1", "a", "r")


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "x", "user_input": "y"},
        {"input": "x", "query": "y"},
        {"input": "q", "relevant": ["a"], "relevance": {"b": 1}},
    ],
)
def test_two_names_for_one_field_are_refused(tmp_path, fields):
    with pytest.raises(SuiteError, match=r"both claim .* keep one of them"):
        load(tmp_path, [{"id": "a", **fields}])


def test_an_empty_rival_is_no_rival(tmp_path):
    assert load(tmp_path, [{"id": "a", "input": "q", "question": None}]).suite.cases[0].input == "q"


@pytest.mark.parametrize(
    ("given", "reference", "kept"),
    [(["g"], "g", None), (["g", "h"], "g", ["g", "h"]), ([], None, None), ([None], None, None)],
)
def test_several_ground_truths(tmp_path, given, reference, kept):
    loaded = load(tmp_path, [{"question": "q", "ground_truths": given}])
    assert loaded.suite.cases[0].reference == reference
    assert loaded.suite.cases[0].metadata.get("references") == kept
    assert any("the first of several" in note.message for note in loaded.notes) is (kept is not None)


def test_unknown_columns_of_other_tools_are_kept_and_noted(tmp_path):
    row = {"user_input": "q", "tenant": "t-1", "grond_truth": "g", "metadata": {"a": [1]}}
    loaded = load(tmp_path, [row])
    assert loaded.suite.cases[0].metadata == {"tenant": "t-1", "grond_truth": "g", "a": [1]}
    told = [note.message for note in loaded.notes]
    assert "the unknown key 'tenant' is kept in metadata" in told
    assert "the unknown key 'grond_truth' is kept in metadata (did you mean ground_truth?)" in told


def test_our_own_files_refuse_unknown_keys_whatever_else_they_name(tmp_path):
    for shape in (lambda row: {"cases": [row]}, lambda row: [row]):
        own = {"id": "a", "input": "q", "ouput": "x"}
        with pytest.raises(SuiteError, match="did you mean output"):
            load(tmp_path, shape(own))
    with pytest.raises(SuiteError, match="did you mean output"):
        ours(tmp_path, {"id": "a", "question": "q", "ouput": "x"})


def test_ids_that_look_the_same_are_noted(tmp_path):
    loaded = load(tmp_path, [{"id": "caf\u00e9", "input": "q"}, {"id": "cafe\u0301", "input": "q"}])
    assert [case.id for case in loaded.suite.cases] == ["caf\u00e9", "cafe\u0301"]
    assert [(note.case, "other code points" in note.message) for note in loaded.notes] == [("cafe\u0301", True)]


def shared_rows(name: str) -> list[dict[str, object]]:
    path = SHARED / f"{name}.json"
    if not path.is_file():
        pytest.skip("the shared inputs are not beside the project")
    rows: list[dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))["minimal_input"]
    return rows


def test_shared_old_ragas_names_do_not_vanish(tmp_path):
    found = load(tmp_path, shared_rows("b14_ragas_old_names_vanish")).suite.cases[0]
    texts = [chunk.text for chunk in found.retrieved_contexts]
    assert (found.input, found.output, texts, found.reference) == ("q", "a", ["c"], "g")


def test_shared_single_string_context_is_one_context(tmp_path):
    loaded = load(tmp_path, shared_rows("b16_single_string_context"))
    assert len(loaded.suite.cases[0].retrieved_contexts) == 1
    assert any("list of one" in note.message for note in loaded.notes)


def test_shared_values_that_are_no_texts(tmp_path):
    loaded = load(tmp_path, shared_rows("b17_non_string_values"))
    one, two, three, four = loaded.suite.cases
    assert (one.output, two.output, four.id) == ("42", "true", "4")
    assert [(chunk.id, chunk.text) for chunk in three.retrieved_contexts] == [("c1", "a"), ("c3", "b")]
    told = " ".join(note.message for note in loaded.notes)
    assert "number is read as text" in told
    assert "truth value is read as text" in told
    assert "left out" in told


def test_shared_pipe_duplicates_and_metadata_survive(tmp_path):
    (row,) = shared_rows("b11_pipe_in_chunk")
    assert [chunk.text for chunk in load(tmp_path, [row]).suite.cases[0].retrieved_contexts] == row[
        "retrieved_contexts"
    ]
    (row,) = shared_rows("b36_duplicate_contexts")
    loaded = load(tmp_path, [row])
    assert [chunk.text for chunk in loaded.suite.cases[0].retrieved_contexts] == ["A", "A", "B"]
    assert any("hold the same text" in note.message for note in loaded.notes)
    (row,) = shared_rows("b37_nested_metadata_lost")
    found = load(tmp_path, [row]).suite.cases[0]
    assert found.metadata == {**row["metadata"], "tenant": "t-1"}  # type: ignore[dict-item]
    assert found.id == "r1"
