"""What evalparity scores by itself, without a judge."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.adapters.base import Binding, Unsupported, by_metric

_NEEDS_A_JUDGE = Unsupported(kind="never", reason="the metric needs a judge; the built-in scorers have none")

BINDINGS: Mapping[str, tuple[Binding, ...]] = by_metric(
    (
        Binding(
            metric="faithfulness",
            scorer="builtin:sentence_overlap",
            native_name="sentence_overlap",
            closeness="proxy",
            differs=(
                "Asks no judge: a sentence of the output passes when more than 0.4 of its words, as they stand between "
                "white space, occur anywhere in the contexts. It is blind to negation, numbers and roles, and cannot "
                "read Chinese, where a whole text is one sentence of one word."
            ),
            item="sentence",
            formula="share",
        ),
        Binding(
            metric="exact_match",
            scorer="builtin:exact_match",
            native_name="exact_match",
            closeness="same",
            differs="It is the canonical definition itself.",
        ),
        Binding(
            metric="contains",
            scorer="builtin:contains",
            native_name="contains",
            closeness="same",
            differs="It is the canonical definition itself: case, punctuation and white space inside count.",
        ),
        Binding(
            metric="rouge_l",
            scorer="builtin:rouge_l",
            native_name="rouge_l",
            closeness="same",
            differs=(
                "It is the canonical definition itself: words in lower case without punctuation and without stemming; "
                "each Chinese or Japanese character is a word."
            ),
        ),
        Binding(
            metric="bleu",
            scorer="builtin:bleu",
            native_name="bleu",
            closeness="same",
            differs=(
                "The canonical definition as sacrebleu has it for one sentence: orders that the output is too short "
                "for are left out; if any order has a match, one without counts as half a match, the next such as a "
                "quarter (smoothing exp). Case and punctuation count; each Chinese character is a word."
            ),
        ),
        Binding(
            metric="levenshtein",
            scorer="builtin:levenshtein",
            native_name="levenshtein",
            closeness="same",
            differs="It is the canonical definition itself, counted in characters; case and white space count.",
        ),
    )
)
"""Scorers by canonical metric, the default first."""

UNSUPPORTED: Mapping[str, Unsupported] = MappingProxyType(
    {
        "answer_relevancy": _NEEDS_A_JUDGE,
        "context_precision": _NEEDS_A_JUDGE,
        "context_recall": _NEEDS_A_JUDGE,
        "context_relevancy": _NEEDS_A_JUDGE,
        "context_utilisation": _NEEDS_A_JUDGE,
        "answer_correctness": _NEEDS_A_JUDGE,
        "answer_similarity": Unsupported(
            kind="never", reason="the metric needs an embedding model; the built-in scorers have none"
        ),
    }
)
