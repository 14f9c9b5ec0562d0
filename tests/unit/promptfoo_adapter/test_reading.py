"""Steps are rebuilt as the real Promptfoo reads them, and no failure passes for a score."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from evalparity.adapters.base import JudgeReply, Reading
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.bindings import BINDINGS
from evalparity.adapters.promptfoo_adapter.failures import error_kind, failure_kind
from evalparity.adapters.promptfoo_adapter.verdicts import explanations_of, statements_of, verdicts_of
from evalparity.unified_schema.outcomes import ERROR_KINDS, FLAGS
from support.cases import case
from support.judge_faults import PROSE, Fault

Score = Callable[..., Reading]

TAIL = "Final verdict for each statement in order:"
TWO = "The merchant pays.\nDelivery is free."


def verdict_words(reading: Reading) -> list[str | None]:
    return [item.verdict for item in reading.details.items]


# reply to the second prompt -> score, kind, verdicts; what the real Promptfoo makes of two statements
VERDICT_REPLIES: dict[str, tuple[str, float | None, str | None, list[str | None]]] = {
    "as asked": (f"1. x Verdict: Yes.\n2. y Verdict: No.\n{TAIL} Yes. No.", 0.5, None, ["yes", "no"]),
    "upper case": (f"{TAIL.upper()} YES. NO.", 0.5, None, ["yes", "no"]),
    "marks alone": ("Verdict: Yes.\nVerdict: No.", 0.5, None, ["yes", "no"]),
    "comma": (f"{TAIL} Yes, Yes", 0.5, "missing_verdicts", ["yes", None]),
    "one missing": (f"{TAIL} Yes.", 0.5, "missing_verdicts", ["yes", None]),
    "mark missing": ("Verdict: Yes.", 0.5, "missing_verdicts", ["yes", None]),
    "one too many": (f"{TAIL} Yes. No. No.", 0.0, "surplus_verdicts", ["yes", "no"]),
    "clamped": (f"{TAIL} No. No. No. No.", 0.0, "surplus_verdicts", ["no", "no"]),
    "numbered": (f"{TAIL} 1. Yes. 2. No.", None, "bad_json", [None, None]),
    "note behind": (f"{TAIL} Yes. Yes. Note: done", None, "bad_json", [None, None]),
    "nothing behind": (TAIL, None, "bad_json", [None, None]),
    "bold marks": ("**Verdict:** Yes\n**Verdict:** No", None, "bad_json", [None, None]),
    "French": (f"{TAIL} Oui. Non.", None, "bad_json", [None, None]),
    "prose": ("I cannot tell.", None, "bad_json", [None, None]),
    "two-faced": (f"{TAIL} No, it never says yes. No.", 0.5, None, ["yes", "no"]),
    "marker twice": (f"{TAIL} Yes. Yes. {TAIL} No. No.", None, None, []),
}


@pytest.mark.parametrize("name", [name for name in VERDICT_REPLIES if name != "marker twice"])
def test_faithfulness_verdicts_are_those_that_promptfoo_counts(score: Score, name: str) -> None:
    reply, expected, kind, verdicts = VERDICT_REPLIES[name]

    reading = score(case(), "faithfulness", {"context-faithfulness-longform": TWO, "context-faithfulness-nli": reply})

    assert (reading.raw, reading.kind) == (expected, kind)
    assert [item.text for item in reading.details.items] == TWO.split("\n")
    assert verdict_words(reading) == verdicts
    assert "inconsistent" not in reading.flags


@pytest.mark.parametrize("name", VERDICT_REPLIES)
@pytest.mark.parametrize("statements", ["One.", TWO, "Header:\n1. A.\n\n  \n2. B.\n\ufeff\n\x85x"])
def test_rebuilt_steps_always_give_the_real_score(score: Score, name: str, statements: str) -> None:
    replies = {
        "context-faithfulness-longform": statements,
        "context-faithfulness-nli": VERDICT_REPLIES[name][0],
    }

    reading = score(case(), "faithfulness", replies)

    assert "inconsistent" not in reading.flags
    assert (reading.raw is None) == (reading.kind == "bad_json")


def test_a_score_that_its_steps_contradict_is_flagged() -> None:
    replies = [JudgeReply(step=None, text=TWO), JudgeReply(step=None, text=f"{TAIL} Yes. No.")]
    answer = {"score": 0.75, "reason": "Faithfulness 0.75 is >= 0", "metadata": {}}

    assert ADAPTER.read(BINDINGS["faithfulness"][0], answer, replies).flags == ("inconsistent",)
    assert ADAPTER.read(BINDINGS["faithfulness"][0], {**answer, "score": 0.5}, replies).flags == ()


def test_missing_verdicts_are_degraded_and_say_how_many(score: Score) -> None:
    reading = score(case(), "faithfulness", {"context-faithfulness-nli": f"{TAIL} Yes."})

    assert reading.flags == ("degraded",)
    assert reading.reason == (
        "The judge gave 1 verdicts for 2 statements; Promptfoo counts the missing ones as unsupported."
    )


def test_explanations_stand_beside_their_statements(score: Score) -> None:
    reading = score(case(), "faithfulness")

    assert [item.reason for item in reading.details.items] == ["it is said.", "nothing says so."]
    assert [item.native_verdict for item in reading.details.items] == ["yes", "no"]
    assert {item.kind for item in reading.details.items} == {"statement"}


def test_explanations_are_left_out_when_their_number_does_not_fit() -> None:
    assert explanations_of("Explanation: a Verdict: Yes.", 2) == (None, None)


def test_a_misread_verdict_is_pointed_out(score: Score) -> None:
    reading = score(case(), "faithfulness", {"context-faithfulness-nli": f"{TAIL} No, never yes. No."})

    assert reading.details.notes == (
        'Promptfoo read the verdict "no, never yes" as yes because it holds the letters "yes".',
    )


def test_without_statements_there_is_no_score(score: Score) -> None:
    reading = score(case(), "faithfulness", {"context-faithfulness-longform": "\ufeff"})

    assert (reading.raw, reading.kind) == (None, "no_claims")
    assert "Promptfoo has no score for that" in str(reading.reason)


def test_without_replies_the_score_stands_and_a_note_says_so() -> None:
    reading = ADAPTER.read(BINDINGS["faithfulness"][0], {"score": 1, "reason": "fine", "metadata": {}}, [])

    assert (reading.raw, reading.kind, reading.flags) == (1.0, None, ())
    assert "not recorded" in reading.details.notes[0]


# reply -> score, kind, verdicts, flags
RECALL_REPLIES: dict[str, tuple[str, float | None, str | None, list[str], tuple[str, ...]]] = {
    "as asked": ("1. A. So [Attributed]\n2. B. So [Not Attributed]", 0.5, None, ["yes", "no"], ()),
    "preamble": ("Let me see.\n1. A. So [Attributed]", 1.0, None, ["yes"], ()),
    "one line": ("1. A. [Attributed] 2. B. [Attributed]", 1.0, None, ["yes"], ("degraded",)),
    "header with both marks": (
        "[Attributed] or [Not Attributed]:\n1. A. [Attributed]",
        0.5,
        None,
        ["no", "yes"],
        ("degraded",),
    ),
    "two spaces": ("1. A. [Attributed]\n2. B. [Not  Attributed]", 1.0, None, ["yes"], ("degraded",)),
    "round brackets": ("1. A. So (Attributed)", None, "bad_json", [], ()),
    "prose": ("All of it is there.", None, "bad_json", [], ()),
}


@pytest.mark.parametrize("name", RECALL_REPLIES)
def test_recall_sentences_are_those_that_promptfoo_counts(score: Score, name: str) -> None:
    reply, expected, kind, verdicts, flags = RECALL_REPLIES[name]

    reading = score(case(), "context_recall", {"context-recall": reply})

    assert (reading.raw, reading.kind, reading.flags) == (expected, kind, flags)
    assert verdict_words(reading) == verdicts


def test_recall_sentences_are_whole_where_promptfoo_cuts_them(score: Score) -> None:
    lines = (
        "1. Parcels under 3.5 kg are free. It is there. So [Attributed]",
        "2. 顾客承担运费。 Nothing says so. So [Not Attributed]",
        "- Without an end [Attributed]",
    )

    reading = score(case(), "context_recall", {"context-recall": "\n".join(lines)})

    texts = [item.text for item in reading.details.items]
    assert texts == ["Parcels under 3.5 kg are free.", "顾客承担运费。", "- Without an end [Attributed]"]
    assert [item.reason for item in reading.details.items] == list(lines)


def test_a_model_s_thoughts_are_not_taken_for_its_reply(score: Score) -> None:
    def think(reply: dict[str, Any]) -> dict[str, Any]:
        reply["choices"][0]["message"]["reasoning_content"] = "Is it [Attributed]?\nIt is [Attributed]."
        reply["choices"][0]["message"]["reasoning"] = "Is it [Attributed]?"
        return reply

    reading = score(case(), "context_recall", {"context-recall": Fault(text="1. A. [Not Attributed]", edit=think)})

    assert reading.raw == 0.0
    assert len(reading.details.items) == 1


def test_relevance_keeps_each_question_and_its_cosine(score: Score) -> None:
    reading = score(case(), "answer_relevancy")

    assert [item.text for item in reading.details.items] == ["Who pays the postage?"] * 3
    values = [item.value for item in reading.details.items]
    assert reading.raw is not None
    assert math.isclose(sum(value for value in values if value is not None) / 3, reading.raw)
    assert reading.flags == ()


@pytest.mark.parametrize("written", ["What is the return period", "Explain the refund policy.", "退货期限是多久"])
def test_questions_without_a_mark_are_scored_with_a_note(score: Score, written: str) -> None:
    reading = score(case(), "answer_relevancy", {"answer-relevance": written})

    assert (reading.kind, reading.flags) == (None, ())
    assert reading.raw is not None
    assert reading.details.notes == ("3 of 3 generated questions hold no question mark; they count as questions.",)


@pytest.mark.parametrize("written", [PROSE, "抱歉，我不知道您在说什么。"])
def test_talk_instead_of_questions_is_no_score(score: Score, written: str) -> None:
    reading = score(case(), "answer_relevancy", {"answer-relevance": written})

    assert reading.kind == "bad_json"
    assert "asked for questions and wrote none" in str(reading.reason)
    assert [item.text for item in reading.details.items] == [written] * 3


def test_talk_among_questions_degrades_the_score() -> None:
    written = ["Who pays?", PROSE, "What is the return period"]
    questions = [{"question": text, "similarity": 0.5} for text in written]
    answer = {"score": 0.5, "reason": "", "metadata": {"generatedQuestions": questions}}

    reading = ADAPTER.read(BINDINGS["answer_relevancy"][0], answer, [])

    assert (reading.raw, reading.kind, reading.flags) == (0.5, None, ("degraded",))
    assert PROSE in reading.details.notes[0]
    assert "1 of 3" in reading.details.notes[1]


def test_half_a_character_in_a_reply_is_read_like_any_other(score: Score) -> None:
    question = score(case(), "answer_relevancy", {"answer-relevance": "Who pays \ud83d?"})
    statement = score(case(), "faithfulness", {"context-faithfulness-longform": "It costs \ud83d.\nDelivery is free."})

    assert [item.text for item in question.details.items] == ["Who pays \ud83d?"] * 3
    assert statement.raw == 0.5


@pytest.mark.parametrize("value", [None, "0.5", True, math.nan, math.inf])
def test_a_score_that_is_no_number_is_out_of_range(value: Any) -> None:
    reading = ADAPTER.read(BINDINGS["answer_relevancy"][0], {"score": value, "reason": "", "metadata": {}}, [])

    assert (reading.raw, reading.kind) == (None, "out_of_range")


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("Faithfulness 0.50 is >= 0", None),
        ("Recall 0.00 is >= 0", None),
        ("API error: 401 Unauthorized\n{}", "auth"),
        ("API error: 400 Bad Request\n<html>", "http_4xx"),
        ('API error: 502 Bad Gateway\n{"error":{"code":"truncated","type":"x"}}', "truncated"),
        ('API error: 502 Bad Gateway\n{"error":{"code":"made up","type":7}}', "http_5xx"),
        ("API error: 502 Bad Gateway\n[1]", "http_5xx"),
        ("API call error: Error: Request timed out after 5 ms", "timeout"),
        ("API call error: TypeError: fetch failed", "connect"),
        ("API error: TypeError: no choices: {}", "bad_reply"),
        ("Rate limit exceeded: slow down", "rate_limited"),
        ("No output", "bad_reply"),
        ("No embedding found in OpenAI embeddings API response", "embedding"),
    ],
)
def test_reasons_tell_failures_from_scores(reason: str, kind: str | None) -> None:
    assert failure_kind(reason, grader_error=False) == kind


def test_an_unknown_failure_is_a_failure_all_the_same() -> None:
    assert failure_kind("Something new", grader_error=True) == "framework_error"


def test_unknown_exceptions_are_framework_errors() -> None:
    assert error_kind("TypeError", "x is not a function") == "framework_error"


def test_every_kind_and_flag_is_a_known_one(score: Score) -> None:
    reading = score(case(), "context_recall", {"context-recall": RECALL_REPLIES["one line"][0]})

    assert set(reading.flags) <= set(FLAGS)
    kinds = {kind for _, _, kind, _ in VERDICT_REPLIES.values()} - {None}
    assert kinds <= set(ERROR_KINDS)


def test_lines_are_blank_where_javascript_says_so() -> None:
    assert statements_of("a\n\ufeff\n\x85\n\u2007\n b ") == ("a", "\x85", " b ")
    assert [verdict.counted for verdict in verdicts_of(f"{TAIL} yes.\ufeff.\u3000no")] == ["yes", "no"]
