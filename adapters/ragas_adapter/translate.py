"""From a case to the keyword arguments of a Ragas metric's `ascore`; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pydantic import JsonValue

from evalparity.adapters.base import Binding, JsonObject
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS


def _contexts(case: EvalCase, metric: str) -> JsonValue:
    field = METRICS[metric].contexts
    assert field is not None
    return list(case.context_texts(field))


_SOURCES: Mapping[str, Callable[[EvalCase, str], JsonValue]] = MappingProxyType(
    {
        "user_input": lambda case, _metric: case.input,
        "response": lambda case, _metric: case.output,
        "reference": lambda case, _metric: case.reference,
        "retrieved_contexts": _contexts,
    }
)

_TEXTS = ("reference", "response")
_WITH_CONTEXTS = ("user_input", "response", "retrieved_contexts")
_AGAINST_REFERENCE = ("user_input", "reference", "retrieved_contexts")
_CORRECTNESS = ("user_input", "response", "reference")

# `ascore` refuses every argument that it does not name, so each scorer gets exactly its own.
_ARGUMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ragas:faithfulness": _WITH_CONTEXTS,
        "ragas:answer_relevancy": ("user_input", "response"),
        "ragas:answer_relevancy_rubric": ("user_input", "response"),
        "ragas:context_precision": _AGAINST_REFERENCE,
        "ragas:context_recall": _AGAINST_REFERENCE,
        "ragas:context_relevance": ("user_input", "retrieved_contexts"),
        "ragas:context_utilization": _WITH_CONTEXTS,
        "ragas:context_utilisation_rubric": _WITH_CONTEXTS,
        "ragas:answer_correctness": _CORRECTNESS,
        "ragas:factual_correctness": _TEXTS,
        "ragas:answer_correctness_rubric": _CORRECTNESS,
        "ragas:semantic_similarity": _TEXTS,
        "ragas:exact_match": _TEXTS,
        "ragas:string_presence": _TEXTS,
        "ragas:rouge_score": _TEXTS,
        "ragas:bleu_score": _TEXTS,
        "ragas:non_llm_string_similarity": _TEXTS,
    }
)


def translate(case: EvalCase, binding: Binding) -> JsonObject:
    """Return the arguments that the bound Ragas metric takes, texts unchanged, blank contexts left out."""
    return {name: _SOURCES[name](case, binding.metric) for name in _ARGUMENTS[binding.scorer]}
