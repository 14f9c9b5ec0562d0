"""From a case to the variables of a Promptfoo assertion; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pydantic import JsonValue

from evalparity.adapters.base import Binding, JsonObject
from evalparity.adapters.promptfoo_adapter.rubrics import SCORERS, criteria
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS

_VARIABLES: Mapping[str, tuple[str, Callable[[EvalCase], JsonValue]]] = MappingProxyType(
    {
        "input": ("query", lambda case: case.input),
        "output": ("output", lambda case: case.output),
        "reference": ("reference", lambda case: case.reference),
        "prompt_contexts": ("context", lambda case: list(case.context_texts("prompt_contexts"))),
        "retrieved_contexts": ("context", lambda case: list(case.context_texts("retrieved_contexts"))),
    }
)


def translate(case: EvalCase, binding: Binding) -> JsonObject:
    """Return the variables that the driver hands to Promptfoo: what the metric needs, and a rubric's instructions.

    Contexts stay a list: Promptfoo joins it by blank lines, and its other metrics count the entries.
    """
    variables = {name: value(case) for name, value in map(_VARIABLES.__getitem__, METRICS[binding.metric].requires)}
    rubric = SCORERS.get(binding.scorer)
    return variables if rubric is None else {**variables, "criteria": criteria(rubric)}
