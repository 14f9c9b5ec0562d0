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

# `ascore` refuses every argument that it does not name, so each metric gets exactly its own.
_ARGUMENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "faithfulness": ("user_input", "response", "retrieved_contexts"),
        "context_recall": ("user_input", "reference", "retrieved_contexts"),
        "answer_relevancy": ("user_input", "response"),
    }
)


def translate(case: EvalCase, binding: Binding) -> JsonObject:
    """Return the arguments that the bound Ragas metric takes, texts unchanged, blank contexts left out."""
    return {name: _SOURCES[name](case, binding.metric) for name in _ARGUMENTS[binding.metric]}
