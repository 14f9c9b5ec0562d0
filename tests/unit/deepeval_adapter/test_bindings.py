"""What stands in the table of DeepEval's metrics, held against the case fields and the canonical metrics."""

from __future__ import annotations

import pytest

from evalparity.adapters.base import Binding
from evalparity.adapters.conformance import check_adapter
from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS
from support.deepeval_worker import binding_of

INPUT, OUTPUT = {"input": "Who pays?"}, {"actual_output": " The merchant. "}
REFERENCE = {"expected_output": "The merchant.\n"}
PROMPTED, RETRIEVED = {"retrieval_context": ["two", "one"]}, {"retrieval_context": ["one", "two", "two"]}

EXPECTED: dict[str, dict[str, object]] = {
    "faithfulness": INPUT | OUTPUT | PROMPTED,
    "faithfulness_strict": INPUT | OUTPUT | PROMPTED,
    "answer_relevancy": INPUT | OUTPUT,
    "answer_relevancy_rubric": INPUT | OUTPUT,
    "contextual_precision": INPUT | REFERENCE | RETRIEVED,
    "contextual_recall": INPUT | REFERENCE | RETRIEVED,
    "contextual_relevancy": INPUT | RETRIEVED,
    "context_utilisation_rubric": INPUT | OUTPUT | RETRIEVED,
    "g_eval_answer_correctness": INPUT | OUTPUT | REFERENCE,
    "answer_correctness_rubric": INPUT | OUTPUT | REFERENCE,
    "exact_match": OUTPUT | REFERENCE,
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


@pytest.mark.parametrize("scorer", EXPECTED)
def test_translate_sends_the_required_fields_unchanged_and_contexts_in_order(scorer: str) -> None:
    assert ADAPTER.translate(make_case(), binding_of(scorer)) == EXPECTED[scorer]


def test_every_scorer_is_expected_here() -> None:
    assert {f"deepeval:{name}" for name in EXPECTED} == {binding.scorer for binding in ADAPTER.scorers()}


def test_every_canonical_metric_is_bound_or_explained() -> None:
    assert set(ADAPTER.bindings) | set(ADAPTER.unsupported) == set(METRICS)
    assert not set(ADAPTER.bindings) & set(ADAPTER.unsupported)


@pytest.mark.parametrize("binding", ADAPTER.scorers(), ids=lambda binding: binding.scorer)
def test_texts_declared_as_sent_are_texts_that_the_metric_requires(binding: Binding) -> None:
    assert {sent.field for sent in binding.sent} <= set(METRICS[binding.metric].requires)
    assert all("{text}" in sent.layout and sent.layout != "{text}" for sent in binding.sent)


def test_the_defaults_are_the_scorers_that_users_of_deepeval_know() -> None:
    assert {metric: ADAPTER.binding(metric).scorer for metric in ADAPTER.bindings} == {
        "faithfulness": "deepeval:faithfulness",
        "answer_relevancy": "deepeval:answer_relevancy",
        "context_precision": "deepeval:contextual_precision",
        "context_recall": "deepeval:contextual_recall",
        "context_relevancy": "deepeval:contextual_relevancy",
        "context_utilisation": "deepeval:context_utilisation_rubric",
        "answer_correctness": "deepeval:g_eval_answer_correctness",
        "exact_match": "deepeval:exact_match",
    }


def test_the_adapter_keeps_the_rules_that_need_no_run() -> None:
    assert check_adapter(ADAPTER) == ()


def test_a_version_is_found_without_importing_the_framework() -> None:
    assert ADAPTER.installed_version() == "4.3.1"
    assert ADAPTER.requirement == "deepeval==4.3.1"
