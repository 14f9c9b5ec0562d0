"""Cases become exactly the variables that a metric needs."""

from __future__ import annotations

import pytest

from evalparity.adapters.base import Sent
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.unified_schema.metrics import METRICS
from support.cases import case

CASE = case(
    retrieved_contexts=[{"id": "a", "text": "A."}, {"id": "b", "text": " "}, {"id": "c", "text": "C."}],
    prompt_contexts=["c", "c"],
)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("faithfulness", {"query": CASE.input, "output": CASE.output, "context": ["C.", "C."]}),
        ("context_recall", {"query": CASE.input, "reference": CASE.reference, "context": ["A.", "C."]}),
        ("answer_relevancy", {"query": CASE.input, "output": CASE.output}),
    ],
)
def test_variables(metric: str, expected: dict[str, object]) -> None:
    assert ADAPTER.translate(CASE, BINDINGS[metric][0]) == expected


def test_every_metric_is_bound_or_has_a_reason() -> None:
    assert set(BINDINGS) | set(UNSUPPORTED) == set(METRICS)
    assert not set(BINDINGS) & set(UNSUPPORTED)


@pytest.mark.parametrize("metric", BINDINGS)
def test_every_text_that_is_sent_is_one_that_the_metric_requires(metric: str) -> None:
    sent: tuple[Sent, ...] = BINDINGS[metric][0].sent
    assert {item.field for item in sent} <= set(METRICS[metric].requires)
    assert all("{text}" in item.layout for item in sent)
