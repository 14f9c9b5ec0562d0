"""From a case to the fields of DeepEval's `LLMTestCase`; pure, and the only place that knows their names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pydantic import JsonValue

from evalparity.adapters.base import Binding, JsonObject
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS

_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "input": "input",
        "output": "actual_output",
        "reference": "expected_output",
        "prompt_contexts": "retrieval_context",
        "retrieved_contexts": "retrieval_context",
    }
)


def translate(case: EvalCase, binding: Binding) -> JsonObject:
    """Return the test case fields that the metric requires, texts unchanged and contexts in order."""
    return {_FIELDS[field]: _value(case, field) for field in METRICS[binding.metric].requires}


def _value(case: EvalCase, field: str) -> JsonValue:
    if field.endswith("_contexts"):
        return list(case.context_texts(field))
    text: str | None = getattr(case, field)
    return text
