"""Every sentence of a reference needs a verdict; what a judge may merge, reword or leave out is told apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalparity.adapters.judge.lexical.segmentation import split_sentences
from evalparity.comparisons.running.coverage import sentences, unjudged_sentences
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
        pytest.param(["Dr. Ito pays the shipping.", "Yes."], 3, id="a word stands for nothing"),
        pytest.param(["Dr. Ito pays the shipping.", "2."], 2, id="of one text a number is left"),
        pytest.param(
            ["Ito pays", "the shipping", "Ten days it takes", "退货运费由商家承担", "买家不付运费"], 0, id="reworded"
        ),
        pytest.param(
            ["Shipping is paid by Dr. Ito and a return takes ten days", "买家不付运费，商家承担退货的运费"],
            0,
            id="reworded and merged",
        ),
        pytest.param(["Dr. Ito pays the shipping, and a return takes ten days", "退货运费由商家承担"], 1, id="both"),
        pytest.param(["Dr. Ito pays the shipping.", None, None, None], 0, id="some hidden"),
        pytest.param([None] * 4, 0, id="hidden texts, enough of them"),
        pytest.param([None] * 3, 1, id="hidden texts, one too few"),
        pytest.param([], 4, id="none"),
    ],
)
def test_sentences_without_a_verdict(texts: list[str | None], left_out: int) -> None:
    assert unjudged_sentences(REFERENCE, items(*texts)) == left_out


def test_sentences_that_are_alike_do_not_stand_for_each_other() -> None:
    alike = [f"The fee for parcels to {country} is ten euros." for country in ("France", "Germany", "Poland")]
    assert unjudged_sentences(" ".join(alike), items(*alike)) == 0
    assert unjudged_sentences(" ".join(alike), items(*alike[:2])) == 1


ONE_SENTENCE = [
    "The merchant pays the return shipping\nof every product that was found defective\nwithin fourteen days.",
    "The box weighs approx. twelve kilograms and fits a small car.",
    "The box weighs approx. 12 kilograms and fits a small car.",
    "The institute employs Prof. Smith and Dr. Jones of Acme Ltd. London as advisers.",
    "The Reverend Mr. Black was recorded in the U.S. by a trio of the St. Louis Symphony.",
    "Both sides, e.g. Germany and France, agreed i.e. They signed what J. R. R. Tolkien wrote.",
    "See Fig. 3 and No. 7 of Vol. 2 for what the committee found.",
    "It was reported by Acme Inc. Boston vs. Widget Co. Chicago in the third case.",
    "Wait for it ... The parcel comes on the tenth day at about nine a.m. Berlin time.",
    "First come 1. Apples and then 2. Pears which are sold by weight.",
    'She asked "Who pays?" Nobody at the counter was able to answer.',
    "他说：“退货运费由商家承担。”然后就走了。",
]


@pytest.mark.parametrize("text", ONE_SENTENCE)
def test_what_may_be_one_sentence_is_one(text: str) -> None:
    assert len(sentences(text)) == 1
    assert unjudged_sentences(text, items(None)) == 0


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("It ended in 2019. The next began.", ["It ended in 2019.", "The next began."]),
        ("It ended. 2019 was the next year.", ["It ended.", "2019 was the next year."]),
        ("It ended.\nThe next began", ["It ended.", "The next began"]),
        ("Who pays? Nobody! Élan is all.", ["Who pays?", "Nobody!", "Élan is all."]),
        ("a heading\n \nthe first line\nof a paragraph", ["a heading", "the first line\nof a paragraph"]),
        ("It ended . The next began .", ["It ended .", "The next began ."]),
        ("It ended ... The next began .", ["It ended ... The next began ."]),
        ("It ended etc.\n\nand so on", ["It ended etc.", "and so on"]),
        ("商家付款。买家不付！ 为什么？因为有缺陷", ["商家付款。", "买家不付！", "为什么？", "因为有缺陷"]),
        ("It ended. 商家付款。", ["It ended.", "商家付款。"]),
        ("  ", []),
    ],
)
def test_certain_ends(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


WORDS = st.sampled_from(["Returns", "cost", "Prof.", "approx.", "12", "3.5", "e.g.", "U.S.", "euros", "J.", "days"])
SENTENCES = st.builds(
    lambda words, joints, end: "The" + "".join(map("".join, zip(joints, words, strict=False))) + end,
    st.lists(WORDS, min_size=3, max_size=12),
    st.lists(st.sampled_from([" ", "\n", ", "]), min_size=12, max_size=12),
    st.sampled_from([" to us.", " to us!", " to us?", " to us"]),
)
HAN_SENTENCES = st.text(st.sampled_from("退货运费由商家承担买不付"), min_size=2, max_size=12).map(
    lambda text: text + "。"
)
REFERENCES = st.lists(SENTENCES | HAN_SENTENCES, min_size=1, max_size=6)


@given(REFERENCES, st.sampled_from([" ", "\n", "\n\n"]), st.randoms(use_true_random=False))
def test_sentences_that_all_got_a_verdict_are_never_flagged(parts: list[str], joint: str, draw: object) -> None:
    text = joint.join(parts)
    assert unjudged_sentences(text, items(*parts)) == 0
    assert unjudged_sentences(text, items(*draw.sample(parts, len(parts)))) == 0
    assert unjudged_sentences(text, items(*[None] * len(parts))) == 0


@given(st.text() | REFERENCES.map(" ".join))
def test_a_text_that_was_judged_as_one_is_never_flagged(text: str) -> None:
    assert unjudged_sentences(text, items(text)) == 0
    assert unjudged_sentences(text, items(" ".join(text.upper().split()))) == 0
    assert unjudged_sentences(text, items(*sentences(text))) == 0


@given(st.lists(SENTENCES.map(lambda one: one + "."), min_size=2, max_size=6))
def test_of_a_reply_that_ends_early_something_is_missing(parts: list[str]) -> None:
    numbered = [f"Paragraph {at + 100} says: {part}" for at, part in enumerate(parts)]
    text = "\n\n".join(numbered)
    assert unjudged_sentences(text, items(*numbered[:-1])) >= 1
    assert unjudged_sentences(text, items()) >= len(parts)


REAL = Path(__file__).parents[4] / "shared" / "data" / "clapnq_answerable_60.jsonl"


@pytest.mark.skipif(not REAL.exists(), reason="needs the data that stand beside the project")
def test_on_real_passages_whole_replies_pass_and_half_ones_do_not() -> None:
    passages = [line for line in _strings(REAL.read_text(encoding="utf-8").splitlines()) if len(line) > 60]
    halves = []
    for passage in passages:
        cut = split_sentences(passage)
        assert unjudged_sentences(passage, items(*cut)) == unjudged_sentences(passage, items(*[None] * len(cut))) == 0
        if len(cut) > 2:
            halves.append(unjudged_sentences(passage, items(*cut[: len(cut) // 2])) > 0)
    assert len(halves) > 40
    assert sum(halves) / len(halves) >= 0.9


def _strings(lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        json.loads(line, object_hook=lambda one: found.extend(v for v in one.values() if isinstance(v, str)))
    return found
