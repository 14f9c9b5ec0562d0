"""Rows of several turns, and rows as tracing tools export them."""

from __future__ import annotations

import json

import pytest

from evalparity.unified_schema import SuiteError, load_cases, load_suite
from evalparity.unified_schema.exchange import ReadOptions

CHAT = [("user", "hi"), ("assistant", "hello"), ("user", "and then?"), ("assistant", "that")]
FORMS = {
    "openai": ("messages", lambda role, text: {"role": role, "content": text}),
    "parts": ("messages", lambda role, text: {"role": role, "content": [{"type": "text", "text": text}]}),
    "deepeval": ("turns", lambda role, text: {"role": role, "content": text, "retrieval_context": None}),
    "ragas": ("user_input", lambda role, text: {"type": {"user": "human", "assistant": "ai"}[role], "content": text}),
    "sharegpt": (
        "conversations",
        lambda role, text: {"from": {"user": "human", "assistant": "gpt"}[role], "value": text},
    ),
    "langchain": (
        "messages",
        lambda role, text: {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", {"user": "HumanMessage", "assistant": "AIMessage"}[role]],
            "kwargs": {"content": text},
        },
    ),
    "langchain data": (
        "messages",
        lambda role, text: {"type": {"user": "human", "assistant": "ai"}[role], "data": {"content": text}},
    ),
    "speakers": ("input", lambda role, text: {"speaker": {"user": "user", "assistant": "agent"}[role], "text": text}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("turns", [3, 4])
def test_the_last_question_is_the_input_and_what_came_before_is_kept(tmp_path, form, turns):
    key, turn = FORMS[form]
    row = {"id": "a", key: [turn(*one) for one in CHAT[:turns]]}
    (tmp_path / "s.jsonl").write_text(json.dumps(row) + "\n")
    for loaded in (load_suite(tmp_path / "s.jsonl"), load_cases([row])):
        (case,) = loaded.suite.cases
        assert (case.input, case.output) == ("and then?", "that" if turns == 4 else None)
        assert [(one.role, one.content) for one in case.conversation] == CHAT[:2]
        assert any("the user's last is the input" in note.message for note in loaded.notes)


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ([{"role": "assistant", "content": "hi"}], "no turn is the user's"),
        ([{"role": "nobody", "content": "hi"}], "the role 'nobody' is unknown"),
        ([{"role": "user"}], "the turn has no text"),
        ([{"role": "user", "content": ["a", {"type": "image"}]}], "the turn has no text"),
    ],
)
def test_a_row_that_cannot_be_one_is_told_by_number_and_can_be_left_out(turns, told):
    rows = [{"messages": [{"role": "user", "content": "q"}]}, {"messages": turns}]
    with pytest.raises(SuiteError, match=r":2: case row-2 messages") as caught:
        load_cases(rows)
    assert told in str(caught.value)
    assert len(load_cases(rows, options=ReadOptions(skip_bad_rows=True)).suite.cases) == 1


def test_an_answer_beside_the_turns_and_one_in_them():
    turns = [{"role": role, "content": text} for role, text in CHAT]
    assert load_cases([{"messages": turns, "response": "that"}]).suite.cases[0].output == "that"
    assert load_cases([{"messages": turns[:3], "response": "other"}]).suite.cases[0].output == "other"
    with pytest.raises(SuiteError, match="two answers"):
        load_cases([{"messages": turns, "response": "other"}])


def test_turns_between_question_and_answer_and_contexts_of_the_answer_are_kept():
    turns = [
        {"role": "user", "content": "q"},
        {"role": "tool", "content": "found"},
        {"role": "assistant", "content": "a", "retrieval_context": ["c"]},
    ]
    (case,) = load_cases([{"turns": turns}]).suite.cases
    assert (case.input, case.output, case.retrieved_contexts[0].text) == ("q", "a", "c")
    assert case.metadata == {"turns_after_input": [{"role": "tool", "content": "found"}]}


def test_turns_in_a_cell_of_a_table(tmp_path):
    cell = json.dumps([{"role": role, "content": text} for role, text in CHAT]).replace('"', '""')
    (tmp_path / "s.csv").write_text(f'id,messages\na,"{cell}"\n')
    (tmp_path / "r.csv").write_text(f'id,user_input\na,"{cell}"\n')
    for name in ("s.csv", "r.csv"):
        (case,) = load_suite(tmp_path / name).suite.cases
        assert (case.input, case.output, len(case.conversation)) == ("and then?", "that", 2)


LANGSMITH = {
    "inputs": {"question": "q"},
    "outputs": {"answer": "a", "contexts": ["c"]},
    "reference_outputs": {"answer": "r"},
}
LANGFUSE = {"input": {"query": "q"}, "output": {"result": "a", "documents": ["c"]}, "expectedOutput": {"text": "r"}}


@pytest.mark.parametrize("row", [LANGSMITH, LANGFUSE], ids=["langsmith", "langfuse"])
def test_parts_are_taken_apart_and_never_crossed(row, tmp_path):
    (tmp_path / "s.json").write_text(json.dumps([row]))
    for loaded in (load_cases([row]), load_suite(tmp_path / "s.json")):
        (case,) = loaded.suite.cases
        assert (case.input, case.output, case.reference) == ("q", "a", "r")
        assert [chunk.text for chunk in case.retrieved_contexts] == ["c"]


def test_the_columns_of_a_langsmith_table(tmp_path):
    (tmp_path / "s.csv").write_text(
        "id,inputs.question,outputs.answer,outputs.contexts,reference_outputs.answer,outputs.steps,execution_time\n"
        "a,q,a,\"['c', 'd']\",r,3,1.5\n"
    )
    (case,) = load_suite(tmp_path / "s.csv").suite.cases
    assert (case.input, case.output, case.reference, len(case.retrieved_contexts)) == ("q", "a", "r", 2)
    assert case.metadata == {"outputs": {"steps": "3"}, "execution_time": "1.5"}


def test_the_columns_of_trulens():
    row = {"record_id": "7", "main_input": "q", "main_output": "a", "expected_response": "r", "app_id": "x"}
    (case,) = load_cases([row]).suite.cases
    assert (case.id, case.input, case.output, case.reference) == ("7", "q", "a", "r")


def test_two_values_that_claim_one_field():
    with pytest.raises(SuiteError, match=r"inputs\.query all claim input"):
        load_cases([{"inputs": {"question": "q", "query": "r"}}])
    with pytest.raises(SuiteError, match="both claim"):
        load_cases([{"inputs": {"question": "q"}, "input": "r"}])
    with pytest.raises(SuiteError, match="both claim output"):
        load_cases([{"question": "q", "answer": "a", "response": "b"}])


@pytest.mark.parametrize("name", ["s.json", "s.jsonl"])
@pytest.mark.parametrize(
    "row",
    [
        {"inputs": {"question": "q"}, "outputs": {"answer": "a"}, "created_at": "2024-01-01", "dataset_id": "d"},
        {"input": {"question": "q"}, "output": "a", "expectedOutput": "e", "createdAt": "2024-01-01"},
        {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "modelName": "m"},
        {"input": "q", "output": "a", "ticket": 7},
    ],
)
def test_what_else_a_row_has_goes_to_its_metadata_whatever_tool_it_comes_from(tmp_path, row, name):
    path = tmp_path / name
    path.write_text(json.dumps([row]) if name == "s.json" else json.dumps(row) + "\n")
    loaded = load_suite(path)
    (case,) = loaded.suite.cases
    assert (case.input, case.output) == ("q", "a")
    others = [key for key in row if key not in {"inputs", "outputs", "input", "output", "expectedOutput", "messages"}]
    assert {key: case.metadata[key] for key in others} == {key: row[key] for key in others}
    assert all(any(key in note.message for note in loaded.notes) for key in others)


def test_a_slip_of_the_pen_in_our_own_names_is_refused(tmp_path):
    (tmp_path / "s.json").write_text('[{"input": "q", "ouput": "a"}]')
    with pytest.raises(SuiteError, match="did you mean output"):
        load_suite(tmp_path / "s.json")
