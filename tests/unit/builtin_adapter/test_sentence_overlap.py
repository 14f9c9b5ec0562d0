"""The overlap proxy is the article's function, and its known blindness is on record."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalparity.adapters.base import Reading
from evalparity.adapters.builtin_adapter.adapter import ADAPTER
from support.cases import HOSTILE_TEXTS, case

BINDING = ADAPTER.binding("faithfulness")


def score(output: str, *contexts: str) -> Reading:
    return ADAPTER.read(BINDING, ADAPTER.translate(case(output=output, retrieved_contexts=contexts), BINDING), ())


def test_it_is_a_share_of_sentences() -> None:
    # "returns take seven days." has returns, take, seven of 4 words in the context (0.75): covered.
    # "shipping is never free!" has is of 4 words (0.25): not. "ask us?" has none: not. 1 of 3.
    reading = score(
        "Returns take seven days. Shipping is never free!  Ask us?", "Returns take seven weeks", "Price is 3"
    )
    assert reading.raw == pytest.approx(1 / 3)
    assert [item.verdict for item in reading.details.items] == ["yes", "no", "no"]
    assert [item.native_verdict for item in reading.details.items] == ["0.75", "0.25", "0.00"]
    assert [item.text for item in reading.details.items] == [
        "Returns take seven days.", "Shipping is never free!", "Ask us?",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "covered"),
    [
        ("a b x y z", False),  # 2 of 5 words is 0.4, and only more than 0.4 is covered
        ("a b x y", True),
        ("a a a b x y z", False),  # each word counts once
        ("A B c", True),
    ],
)
def test_a_sentence_needs_more_than_two_fifths_of_its_words(sentence: str, covered: bool) -> None:
    assert score(sentence, "a b").raw == float(covered)


def test_it_cannot_see_a_contradiction() -> None:
    assert score("The merchant never pays the shipping.", "The merchant pays the shipping.").raw == 1.0


def test_it_reads_a_chinese_text_as_one_word() -> None:
    assert score("签收后七天内可以退货。运费由买家承担。", "签收后七天内可以退货，运费由买家承担。").raw == 0.0
    assert score("签收后七天内可以退货。", "签收后七天内可以退货。").raw == 1.0


def as_the_article_writes_it(answer: str, context: str) -> float:
    """The article's rule in its own order of steps."""
    parts = re.split(r"(?<=[.!?])\s+", answer.strip())
    vocabulary = set(context.lower().split())
    hits = 0
    for part in parts:
        own = set(part.lower().split())
        if own and len(own & vocabulary) / len(own) > 0.4:
            hits += 1
    return hits / len(parts)


PIECES = st.lists(
    st.sampled_from(["a", "B", "c.", "D!", "e?", "f", ". ", "\n", "\u3000", "。", "g.h", "..."]), min_size=1
).map(" ".join)


@given(output=PIECES | st.text(min_size=1), contexts=st.lists(PIECES, min_size=1, max_size=3))
def test_it_is_the_articles_function(output: str, contexts: list[str]) -> None:
    if output.strip() and any(text.strip() for text in contexts):
        reading = score(output, *contexts)
        assert reading.raw == as_the_article_writes_it(output, "\n".join(contexts))
        assert reading.raw == sum(item.verdict == "yes" for item in reading.details.items) / len(reading.details.items)


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_a_hostile_text_covers_itself(text: str) -> None:
    assert score(text, text).raw == 1.0
