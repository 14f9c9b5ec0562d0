"""A row belongs to a case by its id or its texts, and to none where these contradict each other."""

from __future__ import annotations

import pytest

from evalparity.comparisons.importing.joining import Miss, joiner
from support.cases import case, suite

FAITHFULNESS = ("input", "output", "prompt_contexts")
RECALL = ("input", "reference", "retrieved_contexts")


def row(**fields):
    """A row that says all of case `a`; fields replace its own, None takes one away."""
    own = {"id": "a", "input": "How?", "output": "So.", "reference": "Thus.", "retrieved_contexts": ["one", "two"]}
    return {name: value for name, value in (own | fields).items() if value is not None}


A = case("a", input="How?", output="So.", reference="Thus.", retrieved_contexts=["one", "two"], prompt_contexts=["c1"])
B = case("b", input="How?", output="Not so.", reference="Thus.", retrieved_contexts=["one", " "])
OTHERS = joiner(suite(A, B))


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        (row(), FAITHFULNESS),
        ({"id": "a"}, FAITHFULNESS),
        (row(id=None), FAITHFULNESS),
        (row(id="row-7"), FAITHFULNESS),
        ({"output": "So."}, FAITHFULNESS),
        (row(id=None, input=" How?\r\n", output="So.\u00a0"), FAITHFULNESS),
        (row(retrieved_contexts=["one"]), FAITHFULNESS),  # what the model saw
        (row(reference="Another."), FAITHFULNESS),  # the score does not look at it
        (row(output="Another."), RECALL),
    ],
)
def test_a_row_is_found(given, fields):
    assert OTHERS.find(given, fields) is A


@pytest.mark.parametrize(
    ("given", "fields", "why"),
    [
        (row(output="Another."), FAITHFULNESS, "other_texts"),
        (row(output=""), FAITHFULNESS, "other_texts"),
        (row(input="Another?"), RECALL, "other_texts"),
        (row(retrieved_contexts=["two", "one"]), FAITHFULNESS, "other_texts"),
        (row(id=None, retrieved_contexts=["other"]), FAITHFULNESS, "other_texts"),
        (row(reference="Another."), RECALL, "other_texts"),
        (row(id="b"), FAITHFULNESS, "other_texts"),
        (row(id=None, output="Another."), FAITHFULNESS, "no_case"),
        (row(id=None, output=None, input="How?", reference=None, retrieved_contexts=None), RECALL, "several_cases"),
        ({"id": "z"}, FAITHFULNESS, "no_case"),
        ({}, FAITHFULNESS, "no_case"),
        ({"id": 1.5, "input": None, "output": float("nan")}, FAITHFULNESS, "no_case"),
        ({"retrieved_contexts": ["one", "two"]}, FAITHFULNESS, "no_case"),
    ],
)
def test_a_row_is_not_given_to_a_case_by_guess(given, fields, why):
    found = OTHERS.find(given, fields)
    assert isinstance(found, Miss)
    assert found.why == why


def test_of_cases_with_one_question_and_answer_the_contexts_decide():
    other = case("other", input="How?", output="So.", retrieved_contexts=["three"])
    both = joiner(suite(A, other))
    assert both.find({"input": "How?", "output": "So.", "retrieved_contexts": ["three"]}, FAITHFULNESS) is other
    twins = joiner(suite(A, A.model_copy(update={"id": "twin"})))
    found = twins.find(row(id=None), FAITHFULNESS)
    assert isinstance(found, Miss)
    assert found.why == "several_cases"
    assert twins.find(row(id="twin"), FAITHFULNESS).id == "twin"


def test_accents_written_in_two_ways_are_one_text():
    cafe = case("cafe", input="caf\u00e9?", output="Oui.")
    assert joiner(suite(cafe)).find({"input": "cafe\u0301?", "output": "Oui."}, FAITHFULNESS) is cafe
