"""Cases become exactly the variables that a metric needs."""

from __future__ import annotations

import pytest

from evalparity.adapters.base import Sent
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.rubrics import RUBRICS
from support.cases import case

SCORERS = {binding.scorer: binding for binding in ADAPTER.scorers()}

CASE = case(
    retrieved_contexts=[{"id": "a", "text": "A."}, {"id": "b", "text": " "}, {"id": "c", "text": "C."}],
    prompt_contexts=["c", "c"],
)


FROM_RETRIEVAL = ["A.", "C."]


@pytest.mark.parametrize(
    ("scorer", "expected"),
    [
        ("context_faithfulness", {"query": CASE.input, "output": CASE.output, "context": ["C.", "C."]}),
        ("context_recall", {"query": CASE.input, "reference": CASE.reference, "context": FROM_RETRIEVAL}),
        ("context_relevance", {"query": CASE.input, "context": FROM_RETRIEVAL}),
        ("answer_relevance", {"query": CASE.input, "output": CASE.output}),
        ("factuality", {"query": CASE.input, "output": CASE.output, "reference": CASE.reference}),
        ("similar", {"output": CASE.output, "reference": CASE.reference}),
        ("equals", {"output": CASE.output, "reference": CASE.reference}),
        ("contains", {"output": CASE.output, "reference": CASE.reference}),
        ("bleu", {"output": CASE.output, "reference": CASE.reference}),
    ],
)
def test_variables(scorer: str, expected: dict[str, object]) -> None:
    assert ADAPTER.translate(CASE, SCORERS[f"promptfoo:{scorer}"]) == expected


@pytest.mark.parametrize("metric", ["answer_correctness", "answer_relevancy", "context_utilisation"])
def test_a_rubric_s_instructions_are_the_same_for_every_case_and_hold_every_level(metric: str) -> None:
    binding = SCORERS[f"promptfoo:{metric}_rubric"]
    inputs, other = dict(ADAPTER.translate(CASE, binding)), ADAPTER.translate(case(), binding)
    told = str(inputs.pop("criteria"))

    assert told == other["criteria"]
    assert told.startswith(RUBRICS[metric].question)
    assert all(f"\n{number}: {text}\n" in told for number, text in RUBRICS[metric].levels.items())
    assert not [value for value in inputs.values() if isinstance(value, str) and value in told]
    assert set(inputs) == set(ADAPTER.translate(CASE, ADAPTER.bindings[metric][0])) - {"criteria"}


def test_every_metric_is_bound_or_has_a_reason() -> None:
    assert set(BINDINGS) | set(UNSUPPORTED) == set(METRICS)
    assert not set(BINDINGS) & set(UNSUPPORTED)


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_text_that_is_sent_is_one_that_the_metric_requires(scorer: str) -> None:
    sent: tuple[Sent, ...] = SCORERS[scorer].sent
    assert {item.field for item in sent} <= set(METRICS[SCORERS[scorer].metric].requires)
    assert all("{text}" in item.layout for item in sent)
