"""Which canonical metrics DeepEval 4.3.1 measures, and how: pure data, no framework import.

The texts around `{text}` are those of DeepEval's own prompts; call counts and conventions were seen in runs
of the real framework and are held by `tests/unit/deepeval_adapter`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.adapters.base import Binding, CallCount, Sent, Unsupported, by_metric

_BINDINGS = (
    Binding(
        metric="faithfulness",
        scorer="deepeval:faithfulness",
        native_name="FaithfulnessMetric",
        # No prompt of this metric holds the question, so `input` is not listed.
        sent=(
            Sent(field="output", layout="AI Output:\n{text}\n\nJSON:"),
            Sent(field="prompt_contexts", layout="Text:\n{text}\n\nJSON:", join="\n\n"),
        ),
        calls=CallCount(low=3, high=4),
        closeness="similar",
        differs=(
            "Checks each claim against facts drawn from the contexts first, and lets a claim pass that they "
            "neither support nor deny (`borderline`)."
        ),
        item="claim",
        formula="share",
        empty_score=1.0,
        unclear_passes=True,
    ),
    Binding(
        metric="context_recall",
        scorer="deepeval:contextual_recall",
        native_name="ContextualRecallMetric",
        # DeepEval demands the question for this metric but no prompt holds it.
        sent=(
            Sent(field="reference", layout="Expected Output:\n{text}\n\nRetrieval Context:"),
            Sent(
                field="retrieved_contexts",
                layout="Retrieval Context:\n{text}\n\nJSON:",
                encoding="python_repr",
            ),
        ),
        calls=CallCount(low=2, high=2),
        closeness="similar",
        differs="The judge splits the reference into sentences itself and does not say which verdict is whose.",
        item="sentence",
        formula="share",
        empty_score=0.0,
    ),
    Binding(
        metric="answer_relevancy",
        scorer="deepeval:answer_relevancy",
        native_name="AnswerRelevancyMetric",
        sent=(
            # What follows the question differs between the two prompts that hold it.
            Sent(field="input", layout="Input:\n{text}\n\n"),
            Sent(field="output", layout="Text:\n{text}\n\nJSON:"),
        ),
        calls=CallCount(low=2, high=3),
        closeness="similar",
        differs=(
            "The share of the output's statements that address the question; a statement that may only "
            "support the answer (`borderline`) passes."
        ),
        item="statement",
        formula="share",
        empty_score=1.0,
        unclear_passes=True,
    ),
)

BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric(_BINDINGS)
"""Scorers by canonical metric, the default first."""

_NOT_YET = Unsupported(kind="not_yet", reason="evalparity does not bind it yet.")

UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType(
    {
        "context_precision": _NOT_YET,
        "context_relevancy": _NOT_YET,
        "context_utilisation": _NOT_YET,
        "answer_correctness": _NOT_YET,
        "answer_similarity": _NOT_YET,
        "contains": _NOT_YET,
        "rouge_l": _NOT_YET,
        "bleu": _NOT_YET,
        "levenshtein": _NOT_YET,
        "exact_match": Unsupported(
            kind="not_yet",
            reason="DeepEval has ExactMatchMetric, which asks no judge; evalparity does not bind it yet.",
        ),
    }
)
"""Why a canonical metric has no binding here."""
