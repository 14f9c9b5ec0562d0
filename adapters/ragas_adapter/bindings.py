"""How Ragas 0.4.3 measures the canonical metrics: data only, verified against the real framework."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.adapters.base import Binding, CallCount, Scale, Sent, Unsupported, by_metric

# A Ragas prompt ends in `input: ` and the fields as JSON, indented by four
# (ragas/prompt/metrics/base_prompt.py).
# Each layout takes in the neighbouring key, so that a short text cannot stand for another field.
_JOIN = "\n"

_FAITHFULNESS = Binding(
    metric="faithfulness",
    scorer="ragas:faithfulness",
    native_name="Faithfulness",
    sent=(
        Sent(field="input", layout='\n    "question": {text},\n    "answer": ', encoding="json"),
        Sent(field="output", layout=',\n    "answer": {text}\n', encoding="json"),
        Sent(
            field="prompt_contexts",
            layout='\n    "context": {text},\n    "statements": ',
            encoding="json",
            join=_JOIN,
        ),
    ),
    calls=CallCount(low=1, high=2),
    closeness="same",
    differs=(
        "It divides by the number of verdicts that came back, has no verdict for an ambiguous claim, and gives "
        "no score when the judge finds no claim."
    ),
    item="claim",
    formula="share",
)

_CONTEXT_RECALL = Binding(
    metric="context_recall",
    scorer="ragas:context_recall",
    native_name="ContextRecall",
    sent=(
        Sent(field="input", layout='\n    "question": {text},\n    "context": ', encoding="json"),
        Sent(
            field="retrieved_contexts",
            layout='\n    "context": {text},\n    "answer": ',
            encoding="json",
            join=_JOIN,
        ),
        Sent(field="reference", layout=',\n    "answer": {text}\n', encoding="json"),
    ),
    calls=CallCount(low=1, high=1),
    closeness="same",
    differs=(
        "One call both splits the reference and judges its statements, so the judge decides what is counted; "
        "there is no verdict for an ambiguous statement."
    ),
    item="statement",
    formula="share",
)

_ANSWER_RELEVANCY = Binding(
    metric="answer_relevancy",
    scorer="ragas:answer_relevancy",
    native_name="AnswerRelevancy",
    scale=Scale(cosine=True),
    sent=(
        Sent(field="input", embedded=True),
        Sent(field="output", layout='\n    "response": {text}\n', encoding="json"),
    ),
    calls=CallCount(low=3, high=3),
    embedding_calls=CallCount(low=0, high=2),
    closeness="same",
    differs=(
        "It is the mean cosine between the input and three questions that the judge makes from the output, 0 "
        "when the judge calls the output noncommittal all three times; the judge never sees the input."
    ),
    item="question",
    formula="mean",
    empty_score=0.0,
)

BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric((_FAITHFULNESS, _ANSWER_RELEVANCY, _CONTEXT_RECALL))
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
        "exact_match": Unsupported(kind="not_yet", reason="Ragas has ExactMatch, which evalparity does not run yet."),
    }
)
"""Why there is no binding, by canonical metric."""
