"""Sentences, claims, refusals, questions, relevance and token counts."""

from __future__ import annotations

import pytest

from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE

REFUSALS = [
    "I don't know.",
    "I do not know the answer to that.",
    "The documents do not say.",
    "The provided context does not contain information about this.",
    "I'm sorry, but I cannot answer that question.",
    "There is not enough information to answer.",
    "I do not have enough information to answer. Could you provide more details?",
    "我不知道。",
    "抱歉，我无法回答这个问题。",
    "文档中没有提及退货运费。",
    "我不確定。",
    "Je ne sais pas.",
    "Ich weiß es nicht.",
    "No lo sé.",
]
STATEMENTS = [
    "Returns are impossible after seven days.",
    "The policy does not cover water damage.",
    "Unfortunately, returns are not accepted after 30 days.",
    "I don't know who wrote it, but the book was published in 1990 and sold well.",
    "不能退货。",
    "该政策不包含海外订单。",
]


@pytest.mark.parametrize("answer", REFUSALS)
def test_refusal_claims_nothing(answer: str) -> None:
    assert LEXICAL_JUDGE.is_noncommittal(answer)
    assert LEXICAL_JUDGE.split_claims(answer) == []


@pytest.mark.parametrize("answer", STATEMENTS)
def test_statement_is_no_refusal(answer: str) -> None:
    assert not LEXICAL_JUDGE.is_noncommittal(answer)
    assert LEXICAL_JUDGE.split_claims(answer)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Mr. Smith paid $3.5 million. He left.", ["Mr. Smith paid $3.5 million.", "He left."]),
        ("See No. 5 of the list, e.g. the last one.", ["See No. 5 of the list, e.g. the last one."]),
        ("She moved to the U.S. in 1990.", ["She moved to the U.S. in 1990."]),
        ("第一句。第二句！第三句？第四句；完", ["第一句。", "第二句！", "第三句？", "第四句；", "完"]),
        ("- one thing\n- two things\n1. three", ["one thing", "two things", "three"]),
        ("He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]),
        ("a\u2028b", ["a", "b"]),
        ("No. The merchant pays.", ["No.", "The merchant pays."]),
        ("", []),
        ("...!?", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert LEXICAL_JUDGE.split_sentences(text) == sentences


def test_long_sentence_is_cut_where_two_whole_clauses_meet() -> None:
    text = "The store opens at nine on weekdays and it closes at five in the afternoon on all other days."
    assert LEXICAL_JUDGE.split_claims(text) == [
        "The store opens at nine on weekdays",
        "it closes at five in the afternoon on all other days.",
    ]
    assert LEXICAL_JUDGE.split_sentences(text) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "The store sells fruit and vegetables.",
        "The store sells fresh fruit and vegetables, tea and coffee, and books of every kind to its members.",
        "如果商品有质量问题，商家承担退货的运费和其他费用。",
    ],
)
def test_what_does_not_stand_alone_is_not_cut(text: str) -> None:
    assert LEXICAL_JUDGE.split_claims(text) == [text]


def test_questions_and_announcements_claim_nothing() -> None:
    text = "Who pays? No. The rules are:\n- The merchant pays.\nPlease ask the shop."
    assert LEXICAL_JUDGE.split_claims(text) == ["The merchant pays."]


def test_question_lies_nearer_to_its_topic_than_to_another() -> None:
    made = LEXICAL_JUDGE.embed(
        LEXICAL_JUDGE.question_for("The merchant pays return shipping once a defect is verified.")
    )
    near = LEXICAL_JUDGE.embed("Who pays return shipping when there is a defect?")
    far = LEXICAL_JUDGE.embed("What is the capital of France?")
    assert cosine(made, near) > 0.5
    assert cosine(made, far) < 0.2


def test_question_is_in_the_language_of_the_answer() -> None:
    assert LEXICAL_JUDGE.question_for("退货运费由商家承担。").endswith("？")
    assert LEXICAL_JUDGE.question_for("The merchant pays.").startswith("What")
    assert LEXICAL_JUDGE.question_for("") == LEXICAL_JUDGE.question_for("   ")


@pytest.mark.parametrize(
    ("statement", "question", "label"),
    [
        ("The merchant pays return shipping.", "Who pays return shipping?", "yes"),
        ("Within 14 days.", "How long does a refund take?", "yes"),
        ("In 1990.", "When was the library opened?", "yes"),
        ("运费由商家承担。", "谁承担运费？", "yes"),
        ("The sea is blue.", "Who pays return shipping?", "no"),
        ("Hello there!", "Who pays return shipping?", "no"),
        (
            "Our city library offers free concerts, talks and films for children during shipping week.",
            "Who pays return shipping when a defective parcel arrives late?",
            "unclear",
        ),
    ],
)
def test_relevance(statement: str, question: str, label: str) -> None:
    assert LEXICAL_JUDGE.judge_relevance(statement, question).label == label


def test_tokens_are_pieces_marks_and_chinese_characters() -> None:
    assert LEXICAL_JUDGE.count_tokens("The internationalisation, 退货!") == 1 + 4 + 1 + 2 + 1
    assert LEXICAL_JUDGE.count_tokens("") == 0


def cosine(first: list[float], second: list[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
