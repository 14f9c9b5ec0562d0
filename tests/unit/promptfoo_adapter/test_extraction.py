"""What the real Promptfoo counts for context-relevance, and how that compares with the contexts themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from evalparity.adapters.base import Reading
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.extraction import places_of
from support.cases import case
from support.judge_faults import PROSE

Score = Callable[..., Reading]

TWO = ["Goods can be returned within 7 days. The day of delivery counts.", "The customer pays the shipping."]
FIRST, SECOND = "Goods can be returned within 7 days.", "The day of delivery counts."
PHRASE = "Insufficient Information"


def ask(score: Score, reply: str, contexts: Sequence[str] = TWO) -> Reading:
    return score(case(retrieved_contexts=list(contexts)), "context_relevancy", {"context-relevance": reply})


# reply -> Promptfoo's score, verdicts, flags, the share of contexts that a note names where it differs
REPLIES: dict[str, tuple[str, float, list[str], tuple[str, ...], str | None]] = {
    "one sentence": (FIRST, 0.5, ["yes"], (), None),
    "one of each": (f"{FIRST}\nThe customer pays the shipping.", 1.0, ["yes", "yes"], (), None),
    "two of one context": (f"{FIRST}\n{SECOND}", 1.0, ["yes", "yes"], (), "0.50"),
    "two of one context on one line": (f"{FIRST} {SECOND}", 0.5, ["yes"], (), None),
    "numbered": (f"1. {FIRST}\n2) The customer pays the shipping.", 1.0, ["yes", "yes"], (), None),
    "quoted": (f'- "{FIRST}"\n{SECOND}', 1.0, ["yes", "yes"], (), "0.50"),
    "other case and spaces": ("goods CAN  be returned within 7 days.", 0.5, ["yes"], (), None),
    "said twice": (f"{FIRST}\n{FIRST}", 0.5, ["yes"], (), None),
    "header": (f"Candidate sentences:\n{FIRST}", 1.0, ["yes", "yes"], ("degraded",), "0.50"),
    "paraphrase": (f"{FIRST}\nShipping is on the buyer.", 1.0, ["yes", "yes"], ("degraded",), "0.50"),
    "nothing found": (PHRASE, 0.0, ["no"], (), None),
    "nothing found, with more": (f"{PHRASE}. The query is about something else.", 0.0, ["no"], (), None),
    "found and nothing else": (f"{FIRST}\nOther parts: {PHRASE}", 0.0, ["no"], ("degraded",), None),
}


@pytest.mark.parametrize("name", REPLIES)
def test_lines_are_those_that_promptfoo_counts(score: Score, name: str) -> None:
    reply, raw, verdicts, flags, recount = REPLIES[name]

    reading = ask(score, reply)

    assert (reading.raw, reading.kind, reading.flags) == (raw, None, flags)
    assert [item.verdict for item in reading.details.items] == verdicts
    assert {item.kind for item in reading.details.items} == {"sentence"}
    notes = " ".join(reading.details.notes)
    assert ("which would be" in notes) == (recount is not None)
    assert recount is None or f"which would be {recount}." in notes


@pytest.mark.parametrize("reply", ["insufficient information.", "No information.", PROSE])
def test_a_reply_that_quotes_nothing_is_no_score(score: Score, reply: str) -> None:
    reading = ask(score, reply)

    assert (reading.raw, reading.kind) == (None, "bad_json")
    assert "does not quote the provided context" in str(reading.reason)


def test_each_line_says_where_it_stands(score: Score) -> None:
    reading = ask(score, f"Here they are:\n{FIRST}\nThe customer pays the shipping.")

    assert [item.reason for item in reading.details.items] == [
        "stands in no context",
        "stands in context 1",
        "stands in context 2",
    ]
    assert reading.details.notes == ('Promptfoo counted a line that stands in no context: "Here they are:"',)


def test_nothing_found_beside_sentences_is_pointed_out(score: Score) -> None:
    (note,) = ask(score, REPLIES["found and nothing else"][0]).details.notes

    cause = f'Promptfoo scored 0 because the reply holds the words "{PHRASE}"'
    assert note == f"{cause}, although 1 of its lines stand in the contexts."


# contexts, reply, Promptfoo's score, share of contexts that hold a line where it differs
COUNTS: dict[str, tuple[list[str], str, float, str | None]] = {
    "one context": (["A cat sat."], "A cat sat.", 1.0, None),
    "one context, two lines": (["A cat sat. It slept."], "A cat sat.\nIt slept.", 1.0, None),
    "five contexts": (["A.", "B.", "C.", "D.", "E."], "B.\nE.", 0.4, None),
    "duplicates": (["A cat sat.", "A cat sat.", "It rained."], "A cat sat.", 1 / 3, "0.67"),
    "duplicates, twice": (["A cat sat.", "A cat sat."], "A cat sat.\nA cat sat.", 0.5, "1.00"),
    "lines in a context": (["A cat sat.\nIt slept.", "It rained."], "A cat sat.\nIt slept.", 1.0, "0.50"),
    "Chinese": (["七天内可以退货。运费由买家承担。", "今天下雨。"], "七天内可以退货。", 0.5, None),
    "the phrase itself": ([f"The error {PHRASE} means no data."], f"The error {PHRASE} means no data.", 0.0, None),
}


@pytest.mark.parametrize("name", COUNTS)
def test_contexts_are_counted_one_by_one(score: Score, name: str) -> None:
    contexts, reply, raw, recount = COUNTS[name]

    reading = ask(score, reply, contexts)

    assert reading.raw == pytest.approx(raw)
    assert "inconsistent" not in reading.flags
    notes = " ".join(reading.details.notes)
    assert ("which would be" in notes) == (recount is not None)
    assert recount is None or f"in {round(float(recount) * len(contexts))} of {len(contexts)} contexts" in notes


def test_without_a_count_of_contexts_there_is_no_score() -> None:
    answer = {"score": 0, "reason": "Context relevance 0.00 is >= 0", "metadata": {}}

    reading = ADAPTER.read(ADAPTER.binding("context_relevancy"), answer, [])

    assert reading.kind == "framework_error"
    assert "counted no context" in str(reading.reason)


def test_a_score_that_the_lines_contradict_is_flagged() -> None:
    told = {"extractedSentences": [FIRST], "contextUnits": TWO, "insufficientInformation": False}
    answer = {"score": 1.0, "reason": "Context relevance 1.00 is >= 0", "metadata": told}

    reading = ADAPTER.read(ADAPTER.binding("context_relevancy"), answer, [])

    assert reading.flags == ("inconsistent",)


def test_a_line_of_marks_alone_stands_nowhere() -> None:
    assert places_of("- ", ["anything"]) == ()
    assert places_of("1. “A cat sat.”", ["x", "A  cat\nsat."]) == (2,)
