"""What evalparity scores by itself, without a judge."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.adapters.base import Binding, Unsupported, by_metric

_NOT_YET = Unsupported(kind="not_yet", reason="evalparity does not bind it yet.")
_NEEDS_A_JUDGE = Unsupported(kind="never", reason="the metric needs a judge; the built-in scorers have none")

BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric(
    (
        Binding(
            metric="exact_match",
            scorer="builtin:exact_match",
            native_name="exact_match",
            closeness="same",
            differs="It is the canonical definition itself.",
        ),
    )
)
"""Scorers by canonical metric, the default first."""

UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType(
    {
        "faithfulness": _NEEDS_A_JUDGE,
        "context_recall": _NEEDS_A_JUDGE,
        "answer_relevancy": _NEEDS_A_JUDGE,
        "context_precision": _NEEDS_A_JUDGE,
        "context_relevancy": _NEEDS_A_JUDGE,
        "context_utilisation": _NEEDS_A_JUDGE,
        "answer_correctness": _NEEDS_A_JUDGE,
        "answer_similarity": _NEEDS_A_JUDGE,
        "contains": _NOT_YET,
        "rouge_l": _NOT_YET,
        "bleu": _NOT_YET,
        "levenshtein": _NOT_YET,
    }
)
