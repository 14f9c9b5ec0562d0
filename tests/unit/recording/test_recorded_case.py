"""An answer replaces what a case said of an earlier one, and nothing else."""

from __future__ import annotations

import pytest

from evalparity.comparisons.recording.answers import Answer, read_answer
from evalparity.comparisons.recording.contexts import Known, UnusableError
from evalparity.comparisons.recording.recorded_case import with_answer
from evalparity.unified_schema.cases import EvalCase, LabelScale

CASE = EvalCase.model_validate(
    {
        "id": "a",
        "input": "q",
        "output": "old",
        "reference": "r",
        "retrieved_contexts": [{"id": "d1", "text": "one"}],
        "prompt_contexts": ["d1"],
        "citations": [{"claim": "old", "id": "d1"}],
        "usage": {"input_tokens": 9, "over_budget": True},
        "labels": {"faithfulness": [{"value": 4, "rater": "r1"}]},
        "relevance": {"d1": 2},
        "as_of": "2026-06-01",
        "metadata": {"page": 3, "recorded": {"model": "old"}},
    }
)
SCALES = {"faithfulness": LabelScale(low=1, high=4)}


def answered(value: object, case: EvalCase = CASE) -> EvalCase:
    return with_answer(case, read_answer(value, "dict", Known()), 1.25, SCALES)


def test_a_text_alone_keeps_what_was_given_and_drops_what_was_said_of_the_old_answer() -> None:
    case = answered("new")
    kept = {"id", "input", "reference", "retrieved_contexts", "relevance", "as_of"}
    assert {name: getattr(case, name) for name in kept} == {name: getattr(CASE, name) for name in kept}
    assert case.output == "new"
    assert case.usage is not None
    assert case.usage.model_dump(exclude_none=True) == {"seconds": 1.25}
    assert (case.prompt_contexts, case.citations, case.labels, case.metadata) == (None, (), {}, {"page": 3})


def test_labels_of_the_same_text_stay() -> None:
    assert answered("old").labels == CASE.labels


def test_what_the_application_says_counts_before_what_was_measured() -> None:
    case = answered({"answer": "new", "contexts": [{"id": "d2", "text": "two"}], "usage": {"seconds": 9}, "model": "m"})
    assert case.usage is not None
    assert case.usage.seconds == 9
    assert [chunk.id for chunk in case.retrieved_contexts] == ["d2"]
    assert case.metadata == {"page": 3, "recorded": {"model": "m"}}


REFUSED = [
    (
        {"answer": "a", "contexts": [{"id": "d2", "text": "two"}], "stages": {"s": ["d9"]}},
        "d9.*not in retrieved_contexts",
    ),
    ({"answer": "a", "contexts": [{"id": "d", "text": "x"}, {"id": "d", "text": "y"}]}, "another text"),
    ({"answer": "a", "usage": {"input_tokens": -1}}, "usage.input_tokens"),
    ({"answer": "a", "citations": [{"claim": "c"}]}, "citations"),
]


@pytest.mark.parametrize(("value", "told"), REFUSED)
def test_an_answer_that_no_case_can_hold_is_refused(value: object, told: str) -> None:
    with pytest.raises(UnusableError, match=told):
        answered(value)


def test_an_answer_of_its_own_is_checked_like_a_file() -> None:
    with pytest.raises(UnusableError, match="returned what no case can hold: output"):
        with_answer(CASE, Answer(fields={"output": 3.5j}), 0.1, SCALES)
