"""Faithfulness by word overlap: the light proxy that some articles on RAG evaluation start from."""

from __future__ import annotations

import re

from evalparity.adapters.base import JsonObject, Reading
from evalparity.unified_schema.outcomes import Details, Item

THRESHOLD = 0.4
"""A sentence is covered when more than this share of its distinct words stands in the contexts."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


def sentence_overlap(inputs: JsonObject) -> Reading:
    """Score the share of the output's sentences that are covered by the contexts.

    The rule of `claims_in_answer_covered_by_context` in the article "RAG 評估：重要的檢索與生成指標": sentences end
    at `.`, `!` or `?` before white space; words are what stands between white space, in lower case, each counted once.
    """
    contexts = inputs["contexts"]
    assert isinstance(contexts, list)
    known = {word for text in contexts for word in str(text).lower().split()}
    items = tuple(_item(sentence, known) for sentence in _SENTENCE_END.split(str(inputs["output"]).strip()))
    covered = sum(item.verdict == "yes" for item in items)
    return Reading(
        raw=covered / len(items),
        reason=f"{covered} of {len(items)} sentences have more than {THRESHOLD:g} of their words in the contexts.",
        details=Details(items=items),
    )


def _item(sentence: str, known: set[str]) -> Item:
    own = set(sentence.lower().split())
    share = len(own & known) / len(own) if own else 0.0
    return Item(
        kind="sentence",
        text=sentence,
        verdict="yes" if share > THRESHOLD else "no",
        native_verdict=f"{share:.2f}",
        reason=f"{len(own & known)} of {len(own)} words stand in the contexts.",
    )
