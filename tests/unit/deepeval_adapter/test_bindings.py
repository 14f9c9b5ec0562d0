"""What stands in the table of DeepEval's metrics, held against the case fields and the canonical metrics."""

from __future__ import annotations

import pytest

from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS

EXPECTED = {
    "faithfulness": {
        "input": "Who pays?",
        "actual_output": " The merchant. ",
        "retrieval_context": ["two", "one"],
    },
    "context_recall": {
        "input": "Who pays?",
        "expected_output": "The merchant.\n",
        "retrieval_context": ["one", "two", "two"],
    },
    "answer_relevancy": {"input": "Who pays?", "actual_output": " The merchant. "},
}


def make_case() -> EvalCase:
    return EvalCase.model_validate(
        {
            "id": "c1",
            "input": "Who pays?",
            "output": " The merchant. ",
            "reference": "The merchant.\n",
            "retrieved_contexts": [
                {"id": "a", "text": "one"},
                {"id": "b", "text": "two"},
                {"id": "blank", "text": " \n"},
                {"id": "c", "text": "two"},
            ],
            "prompt_contexts": ["b", "blank", "a"],
        }
    )


@pytest.mark.parametrize("metric", EXPECTED)
def test_translate_sends_the_required_fields_unchanged_and_contexts_in_order(metric: str) -> None:
    assert ADAPTER.translate(make_case(), ADAPTER.binding(metric)) == EXPECTED[metric]


def test_every_canonical_metric_is_bound_or_explained() -> None:
    assert set(ADAPTER.bindings) | set(ADAPTER.unsupported) == set(METRICS)
    assert not set(ADAPTER.bindings) & set(ADAPTER.unsupported)


@pytest.mark.parametrize("metric", EXPECTED)
def test_texts_declared_as_sent_are_texts_that_the_metric_requires(metric: str) -> None:
    binding = ADAPTER.binding(metric)

    assert {sent.field for sent in binding.sent} <= set(METRICS[metric].requires)
    assert all("{text}" in sent.layout and sent.layout != "{text}" for sent in binding.sent)


def test_a_version_is_found_without_importing_the_framework() -> None:
    assert ADAPTER.installed_version() == "4.3.1"
    assert ADAPTER.requirement == "deepeval==4.3.1"
