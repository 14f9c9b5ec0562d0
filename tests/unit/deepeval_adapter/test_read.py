"""What a result of DeepEval's process means."""

from __future__ import annotations

from typing import Any

import pytest

from evalparity.adapters.base import Reading
from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.unified_schema.outcomes import ERROR_KINDS, FLAGS, Item

YES, NO, BORDERLINE = "yes", "no", "borderline"


def said(word: Any, verdict: str | None, reason: Any = None, statement: Any = None) -> dict[str, Any]:
    return {"said": word, "verdict": verdict, "reason": reason, "statement": statement}


def verdicts(*words: str | None) -> list[dict[str, Any]]:
    return [said(word or "perhaps", word) for word in words]


def result(score: float, judged: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    counted = [one["verdict"] for one in judged if one["verdict"]]
    empty = dict.fromkeys(("truths", "claims", "statements", "contexts", "rating"))
    told = {"reason": "because", "score": score, "verdicts": judged, "counted": counted, "replied": [len(judged)]}
    return {**empty, **told, **fields}


def read(metric: str, answer: dict[str, Any]) -> Reading:
    return ADAPTER.read(ADAPTER.binding(metric), answer, ())


def test_faithfulness_keeps_claims_with_verdicts_reasons_and_truths() -> None:
    judged = [said("Yes.", YES), said("no", NO, "says otherwise"), said("idk", BORDERLINE, "not told")]

    reading = read("faithfulness", result(2 / 3, judged, truths=["T"], claims=["A", "B", "C"]))

    assert (reading.raw, reading.kind, reading.flags, reading.reason) == (2 / 3, None, (), "because")
    assert reading.details.items == (
        Item(kind="claim", text="A", verdict="yes", native_verdict="Yes."),
        Item(kind="claim", text="B", verdict="no", native_verdict="no", reason="says otherwise"),
        Item(kind="claim", text="C", verdict="unclear", native_verdict="idk", reason="not told"),
    )
    assert reading.details.premises == ("T",)
    assert reading.details.notes == ()


def test_recall_keeps_verdicts_without_the_sentences_that_deepeval_hides() -> None:
    reading = read("context_recall", result(0.5, [said("yes", YES, "1st node"), said("no", NO, "nowhere")]))

    assert (reading.raw, reading.kind, reading.flags) == (0.5, None, ())
    assert reading.details.items == (
        Item(kind="sentence", verdict="yes", native_verdict="yes", reason="1st node"),
        Item(kind="sentence", verdict="no", native_verdict="no", reason="nowhere"),
    )


def test_nothing_to_check_keeps_the_convention_and_flags_it() -> None:
    for metric, name in (("faithfulness", "claims"), ("answer_relevancy", "statements")):
        reading = read(metric, result(1, [], **{name: []}))

        assert (reading.raw, reading.kind, reading.flags) == (1.0, None, ("vacuous",))
        assert name in reading.details.notes[0]


CLAIMS = {"claims": ["A", "B", "C"], "truths": []}
STATEMENTS = {"statements": ["A", "B"]}
CONTEXTS = {"contexts": ["A", "B"]}

REFUSED = {
    "fewer verdicts than claims": ("faithfulness", result(1.0, verdicts(YES), **CLAIMS), "missing_verdicts"),
    "no verdicts for claims": ("faithfulness", result(1.0, [], **CLAIMS), "missing_verdicts"),
    "more verdicts than claims": (
        "faithfulness",
        result(0.75, verdicts(YES, YES, YES, NO), **CLAIMS),
        "surplus_verdicts",
    ),
    "an unknown word": ("faithfulness", result(1.0, verdicts(YES, None, YES), **CLAIMS), "missing_verdicts"),
    "a surplus hidden by an unknown word": (
        "faithfulness",
        result(1.0, verdicts(YES, None, YES, YES), **CLAIMS),
        "surplus_verdicts",
    ),
    "fewer verdicts than statements": (
        "answer_relevancy",
        result(0.0, verdicts(NO), **STATEMENTS),
        "missing_verdicts",
    ),
    "an unknown word in recall": ("context_recall", result(1.0, verdicts(YES, None)), "missing_verdicts"),
    "only unknown words in recall": ("context_recall", result(0.0, verdicts(None)), "missing_verdicts"),
    "fewer verdicts than contexts": ("context_precision", result(1.0, verdicts(YES), **CONTEXTS), "missing_verdicts"),
    "more verdicts than contexts": (
        "context_precision",
        result(1.0, verdicts(YES, NO, NO), **CONTEXTS),
        "surplus_verdicts",
    ),
    "an unknown word that moves the ranks up": (
        "context_precision",
        result(1.0, verdicts(None, YES), **CONTEXTS),
        "missing_verdicts",
    ),
    "no verdict on one of the contexts": (
        "context_relevancy",
        result(1.0, verdicts(YES, YES), replied=[2, 0]),
        "missing_verdicts",
    ),
    "an unknown word on a statement": (
        "context_relevancy",
        result(1.0, verdicts(YES, None), replied=[2]),
        "missing_verdicts",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_score_on_an_incomplete_list_of_verdicts_is_kept_but_not_accepted(name: str) -> None:
    metric, answer, kind = REFUSED[name]

    reading = read(metric, answer)

    assert (reading.kind, reading.flags, reading.raw) == (kind, ("degraded",), answer["score"])
    assert reading.reason is not None
    assert "because" not in reading.reason


MISSHAPEN = {
    "no verdict at all in recall": ("context_recall", result(0, [])),
    "no list of verdicts in recall": ("context_recall", result(0, [], replied=[None])),
    "no list of verdicts for one context": ("context_relevancy", result(1.0, verdicts(YES), replied=[1, None])),
    "no list of verdicts for any context": ("context_relevancy", result(0, [], replied=[None, None])),
    "claims that are a text": ("faithfulness", result(1.0, verdicts(YES), claims="abc", truths=[])),
    "claims that are numbers": ("faithfulness", result(1.0, verdicts(YES), claims=[1], truths=[])),
    "truths that are a text": ("faithfulness", result(1.0, verdicts(YES), claims=["A"], truths="abc")),
    "statements that are objects": ("answer_relevancy", result(1.0, verdicts(YES), statements=[{"a": 1}])),
}


@pytest.mark.parametrize("name", MISSHAPEN)
def test_a_reply_of_the_wrong_shape_that_deepeval_accepts_is_refused(name: str) -> None:
    metric, answer = MISSHAPEN[name]

    assert (read(metric, answer).kind, read(metric, answer).raw) == ("bad_schema", answer["score"])


def test_items_without_a_usable_verdict_have_none() -> None:
    reading = read("faithfulness", result(1.0, [said("maybe", None), said(None, None)], **CLAIMS))

    assert [item.verdict for item in reading.details.items] == [None, None, None]
    assert [item.native_verdict for item in reading.details.items] == ["maybe", None, None]
    assert [item.text for item in reading.details.items] == ["A", "B", "C"]
    assert "position" in reading.details.notes[0]


def test_a_score_that_its_own_verdicts_do_not_give_is_flagged() -> None:
    assert read("faithfulness", result(0.9, verdicts(YES, NO, YES), **CLAIMS)).flags == ("inconsistent",)
    assert read("answer_relevancy", result(0.5, verdicts(YES, BORDERLINE), **STATEMENTS)).flags == ("inconsistent",)
    assert read("context_recall", result(1.0, verdicts(YES, NO))).flags == ("inconsistent",)
    assert read("context_precision", result(1.0, verdicts(NO, YES), **CONTEXTS)).flags == ("inconsistent",)


def test_words_and_reasons_of_other_types_are_kept_as_text_or_left_out() -> None:
    judged = [said(["yes"], None, {"a": 1}), said(True, None, 3)]

    reading = read("answer_relevancy", result(1.0, judged, **STATEMENTS, reason=["x"]))

    assert [item.native_verdict for item in reading.details.items] == ['["yes"]', "true"]
    assert [item.reason for item in reading.details.items] == [None, None]


def test_every_kind_and_flag_is_a_known_one() -> None:
    readings = [read(metric, answer) for metric, answer, _ in REFUSED.values()]
    readings += [read(metric, answer) for metric, answer in MISSHAPEN.values()]

    assert {reading.kind for reading in readings} <= set(ERROR_KINDS)
    assert {flag for reading in readings for flag in reading.flags} <= set(FLAGS)
