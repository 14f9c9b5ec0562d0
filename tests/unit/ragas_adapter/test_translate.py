"""A case becomes exactly what a Ragas metric takes, with its texts unchanged."""

from __future__ import annotations

import pytest

from evalparity.adapters.ragas_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.adapters.ragas_adapter.translate import translate
from evalparity.unified_schema.cases import Chunk, EvalCase
from evalparity.unified_schema.metrics import METRICS

CASE = EvalCase(
    id="c",
    input="  Who pays? {{ 7*7 }}\n",
    output='"Nobody" \u2028 付款',
    reference="The merchant.\r\n",
    retrieved_contexts=(
        Chunk(id="a", text="first\nline"),
        Chunk(id="b", text=" \n"),
        Chunk(id="c", text="third"),
        Chunk(id="d", text="first\nline"),
    ),
    prompt_contexts=("c", "a", "b"),
)


def test_every_canonical_metric_is_bound_or_explained() -> None:
    assert set(BINDINGS) | set(UNSUPPORTED) == set(METRICS)
    assert not set(BINDINGS) & set(UNSUPPORTED)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (
            "faithfulness",
            {
                "user_input": CASE.input,
                "response": CASE.output,
                "retrieved_contexts": ["third", "first\nline"],
            },
        ),
        (
            "context_recall",
            {
                "user_input": CASE.input,
                "reference": CASE.reference,
                "retrieved_contexts": ["first\nline", "third", "first\nline"],
            },
        ),
        ("answer_relevancy", {"user_input": CASE.input, "response": CASE.output}),
    ],
)
def test_texts_stay_as_they_are(metric: str, expected: dict[str, object]) -> None:
    assert translate(CASE, BINDINGS[metric][0]) == expected
