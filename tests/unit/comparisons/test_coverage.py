"""Every sentence of a reference needs a verdict; what a judge may merge, reword or leave out is told apart."""

from __future__ import annotations

import pytest

from evalparity.comparisons.coverage import unjudged_sentences
from evalparity.unified_schema.outcomes import Item

REFERENCE = "Dr. Ito pays the shipping. Yes. Returns take ten days! 退货运费由商家承担。买家不付运费。"


def items(*texts: str | None) -> list[Item]:
    return [Item(kind="sentence", text=text, verdict="yes") for text in texts]


@pytest.mark.parametrize(
    ("texts", "left_out"),
    [
        pytest.param(
            ["Dr. Ito pays the shipping.", "Returns take ten days!", "退货运费由商家承担。", "买家不付运费。"],
            0,
            id="all but a word",
        ),
        pytest.param([REFERENCE], 0, id="merged into one"),
        pytest.param(
            ["Dr. Ito pays the shipping.", "Returns take ten days!", "退货运费由商家承担"], 1, id="last left out"
        ),
        pytest.param(["Dr. Ito pays the shipping."], 3, id="three left out"),
        pytest.param(
            ["Ito pays", "the shipping", "Ten days it takes", "退货运费由商家承担", "买家不付运费"], 0, id="reworded"
        ),
        pytest.param([None] * 4, 0, id="hidden texts, enough of them"),
        pytest.param([None] * 3, 1, id="hidden texts, one too few"),
        pytest.param([], 4, id="none"),
    ],
)
def test_sentences_without_a_verdict(texts: list[str | None], left_out: int) -> None:
    assert unjudged_sentences(REFERENCE, items(*texts)) == left_out


def test_an_abbreviation_costs_nothing() -> None:
    assert unjudged_sentences("The Reverend Mr. Black was recorded in the U.S. by a trio.", items(None)) == 0
    assert unjudged_sentences("The Reverend Mr. Black was recorded by a trio.", items("The Reverend Mr.")) == 0
