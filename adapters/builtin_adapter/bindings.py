"""What evalparity scores by itself, without a judge."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.adapters.base import Binding, Unsupported

_NEEDS_A_JUDGE = Unsupported(kind="never", reason="the metric needs a judge; the built-in scorers have none")

BINDINGS: Mapping[str, Binding] = MappingProxyType(
    {
        "exact_match": Binding(
            metric="exact_match",
            scorer="builtin:exact_match",
            native_name="exact_match",
            closeness="same",
            differs="It is the canonical definition itself.",
        ),
    }
)

UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType(
    {
        "faithfulness": _NEEDS_A_JUDGE,
        "context_recall": _NEEDS_A_JUDGE,
        "answer_relevancy": _NEEDS_A_JUDGE,
    }
)
