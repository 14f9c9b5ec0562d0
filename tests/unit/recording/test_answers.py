"""What an answer says of a case, in every form in which applications say it."""

from __future__ import annotations

from typing import Any

import pytest

from evalparity.comparisons.recording.answers import read_answer
from evalparity.comparisons.recording.contexts import Known, UnusableError
from evalparity.unified_schema.cases import CorpusChunk

CORPUS = {"d1": CorpusChunk(id="d1", text="one", tenant="acme"), "d2": CorpusChunk(id="d2", text="two")}
KNOWN = Known(corpus=CORPUS, ids=frozenset({"d1"}))
ONE = {"id": "d1", "text": "one", "tenant": "acme"}
TWO = {"id": "d2", "text": "two"}

READ: list[tuple[Any, dict[str, Any]]] = [
    ("a", {"output": "a"}),
    ("", {"output": ""}),
    ([["d1", "d2"], "a"], {"output": "a", "retrieved_contexts": [ONE, TWO]}),
    (["a", ["d2"]], {"output": "a", "retrieved_contexts": [TWO]}),
    ([[], "a"], {"output": "a", "retrieved_contexts": []}),
    ([None, "a"], {"output": "a", "retrieved_contexts": []}),
    ([["A passage.", "Another one."], "a"],
     {"output": "a", "retrieved_contexts": [{"text": "A passage."}, {"text": "Another one."}]}),
    ({"answer": "a"}, {"output": "a"}),
    ({"result": "a"}, {"output": "a"}),
    ({"output": "a", "text": "no output"}, {"output": "a"}),
    ({"answer": {"role": "assistant", "content": "a"}}, {"output": "a"}),
    ({"answer": "a", "contexts": "only one"}, {"output": "a", "retrieved_contexts": [{"text": "only one"}]}),
    ({"answer": "a", "context": ["one"], "ids": ["x"]},
     {"output": "a", "retrieved_contexts": [{"text": "one", "id": "x"}]}),
    ({"answer": "a", "retrieved_ids": ["d2"]}, {"output": "a", "retrieved_contexts": [TWO]}),
    ({"answer": "a", "retrieved_ids": [7]}, {"output": "a", "retrieved_contexts": [{"id": "7", "text": ""}]}),
    ({"answer": "a", "contexts": [[{"id": "x", "page_content": "one"}, 0.5]]},
     {"output": "a", "retrieved_contexts": [{"id": "x", "text": "one", "score": 0.5}]}),
    ({"answer": "a", "source_nodes": [{"node": {"id_": "x", "text": "one"}, "score": 0.5}]},
     {"output": "a", "retrieved_contexts": [{"id": "x", "text": "one", "score": 0.5}]}),
    ({"answer": "a", "contexts": [{"text": "one", "metadata": {"doc_id": "x"}, "page": 3, "tenant": "t"}]},
     {"output": "a", "retrieved_contexts": [
         {"text": "one", "id": "x", "tenant": "t", "metadata": {"doc_id": "x", "page": 3}}]}),
    ({"answer": "a", "retrieved_ids": ["d1", "d2"], "stages": {"budget": ["d2"]}, "prompt_contexts": [{"id": "d2"}]},
     {"output": "a", "retrieved_contexts": [ONE, TWO], "prompt_contexts": ["d2"],
      "stages": [{"name": "budget", "ids": ["d2"]}]}),
    ({"answer": "a", "contexts": ["one", "two"], "prompt_contexts": ["two"]},
     {"output": "a", "retrieved_contexts": [{"text": "one"}, {"text": "two"}], "prompt_contexts": ["c2"]}),
    ({"answer": "a", "citations": [{"claim": "a", "id": "d1"}], "hops": [{"query": "q", "retrieved": ["d1"]}]},
     {"output": "a", "citations": [{"claim": "a", "id": "d1"}], "hops": [{"query": "q", "retrieved": ["d1"]}]}),
    ({"answer": "a", "usage": {"prompt_tokens": 9.0, "completion_tokens": 2, "cost": 0.1, "latency": 1.5}},
     {"output": "a", "usage": {"input_tokens": 9, "output_tokens": 2, "cost_usd": 0.1, "seconds": 1.5}}),
]  # fmt: skip


@pytest.mark.parametrize(("value", "fields"), READ)
def test_forms_of_answers(value: object, fields: dict[str, Any]) -> None:
    assert dict(read_answer(value, "dict", KNOWN).fields) == fields


REFUSED: list[tuple[Any, str]] = [
    (3, "returned a value of type int"),
    (None, "returned a value of type NoneType"),
    ([], "that is no pair"),
    (["a", "b"], "that is no pair"),
    ([["a"], ["b"]], "that is no pair"),
    ([["a"], "b", "c"], "of 3 that is no pair"),
    ({}, "without `output`"),
    ({"contexts": ["one"]}, "without `output`"),
    ({"answer": 3}, "returned answer that is no text"),
    ({"answer": "a", "response": "b"}, "both answer and response"),
    ({"answer": "a", "contexts": 3}, "contexts that are no list"),
    ({"answer": "a", "contexts": [3.5]}, "as context 1"),
    ({"answer": "a", "contexts": [{}]}, "without id and text"),
    ({"answer": "a", "contexts": ["one"], "ids": ["x", "y"]}, "2 ids for 1 context: return"),
    ({"answer": "a", "contexts": [{"id": "z", "text": "one"}], "ids": ["x"]}, "as id of the context"),
    ({"answer": "a", "ids": [{"id": 1}]}, "no list of ids"),
    ({"answer": "a", "stages": ["d1"]}, "stages that are no mapping"),
    ({"answer": "a", "contexts": ["one"], "prompt_contexts": [{"text": "other"}]}, "no retrieved context"),
    ({"answer": "a", "usage": 3}, "usage that is no mapping"),
]


@pytest.mark.parametrize(("value", "told"), REFUSED)
def test_what_says_no_case_is_refused(value: object, told: str) -> None:
    with pytest.raises(UnusableError, match=told):
        read_answer(value, type(value).__name__, KNOWN)


def test_what_has_no_place_of_its_own_is_kept_and_what_the_suite_decides_is_named() -> None:
    value = {
        "answer": "a",
        "reference": "mine",
        "question": "q",
        "relevant": ["d1"],
        "model": "m",
        "metadata": {"k": 1},
        "usage": {"gpu": 2},
    }
    answer = read_answer(value, "dict", KNOWN)
    assert dict(answer.extra) == {"model": "m", "k": 1, "usage": {"gpu": 2}}
    assert set(answer.left_out) == {"reference", "question", "relevant"}


def test_bare_words_are_ids_only_where_they_can_be() -> None:
    nothing = Known()
    ids = read_answer([["chunk_42", "chunk_7"], "a"], "tuple", nothing)
    texts = read_answer([["chunk 42 says so", "chunk_7"], "a"], "tuple", nothing)
    assert ids.without_text == ("chunk_42", "chunk_7")
    assert texts.fields["retrieved_contexts"] == [{"text": "chunk 42 says so"}, {"text": "chunk_7"}]
    named = Known(ids=frozenset({"the first passage"}))
    assert read_answer([["the first passage"], "a"], "tuple", named).without_text == ("the first passage",)
