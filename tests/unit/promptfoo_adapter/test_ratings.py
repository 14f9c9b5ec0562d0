"""A rating counts only where the judge gave it: the real Promptfoo makes up a score for replies without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from evalparity.adapters.base import JudgeReply, Reading
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.ratings import WEIGHTS
from evalparity.comparisons.running.normalise import to_score
from evalparity.unified_schema.outcomes import ERROR_KINDS
from support.cases import case
from support.judge_faults import PROSE

Score = Callable[..., Reading]

SCORERS = {binding.scorer: binding for binding in ADAPTER.scorers()}
RUBRIC = "promptfoo:answer_correctness_rubric"
FACTUALITY = "promptfoo:factuality"
MADE_UP, NO_SCORE = "bad_schema", None


def rated(pass_: str, score: str) -> str:
    return f'{{"reason": "r", "pass": {pass_}, "score": {score}}}'


# reply -> what the real Promptfoo makes of it, error kind, the item's value, what the judge said
RUBRIC_REPLIES: dict[str, tuple[str, float | None, str | None, float | None, str | None]] = {
    "best": (rated("true", "5"), 5, None, 1.0, "5"),
    "worst": (rated("false", "1"), 1, None, 0.0, "1"),
    "middle": (rated("true", "3"), 3, None, 0.5, "3"),
    "fenced": (f"```json\n{rated('true', '4')}\n```", 4, None, 0.75, "4"),
    "prose around": (f"Let me see. {rated('true', '4')} That is all.", 4, None, 0.75, "4"),
    "line feed in a text": ('{"reason": "one\ntwo", "pass": true, "score": 4}', 4, None, 0.75, "4"),
    "no quotation marks": ("{reason: fine, pass: true, score: 4}", 4, None, 0.75, "4"),
    "single quotation marks": ("{'reason': 'fine', 'pass': true, 'score': 4}", 4, None, 0.75, "4"),
    "comma at the end": ('{"pass": true, "score": 4,}', 4, None, 0.75, "4"),
    "a text that is a number": (rated("true", '"4"'), 4, None, 0.75, "4"),
    "said twice": (f"{rated('true', '4')} {rated('true', '4.0')}", 4, None, 0.75, "4"),
    "between two levels": (rated("true", "3.5"), 3.5, None, 0.625, "3.5"),
    "without pass": ('{"score": 1}', 1, None, 0.0, "1"),
    "nothing": ("{}", 1, MADE_UP, None, None),
    "no score": ('{"reason": "good", "pass": true}', 1, MADE_UP, None, None),
    "no score, fails": ('{"reason": "bad", "pass": false}', 0, MADE_UP, None, None),
    "null": (rated("true", "null"), 0, MADE_UP, None, None),
    "true": (rated("true", "true"), 1, MADE_UP, None, None),
    "list": (rated("true", "[4]"), 4, MADE_UP, None, None),
    "of five": (rated("true", '"4/5"'), 1, MADE_UP, None, None),
    "per cent": (rated("true", '"80%"'), 1, MADE_UP, None, None),
    "empty": (rated("true", '""'), 0, MADE_UP, None, None),
    "not a number": (rated("true", "NaN"), 1, MADE_UP, None, None),
    "infinite": (rated("true", "1e999"), 1, MADE_UP, None, None),
    "deeper": ('{"result": {"score": 4}}', 1, MADE_UP, None, None),
    "spoken of": ('{"reason": "I would say score: 1", "pass": true}', 1, MADE_UP, None, None),
    "braces before": (f"The set {{a,b}} is meant. {rated('true', '4')}", 1, MADE_UP, None, "4"),
    "thought before": (f'<think>{{"pass": false}}</think>{rated("true", "4")}', 0, MADE_UP, None, "4"),
    "two ratings": (f"{rated('false', '2')} {rated('true', '4')}", 2, MADE_UP, None, "2, 4"),
    "two scales": (rated("true", "1.0"), 1, MADE_UP, None, "1"),
    "prose": (PROSE, NO_SCORE, "bad_json", None, None),
    "a number alone": ("4", NO_SCORE, "bad_json", None, None),
    "a list of it": (f"[{rated('true', '4')}]", 4, None, 0.75, "4"),
    "brace in a text": ('{"reason": "use } here", "pass": true, "score": 4}', NO_SCORE, MADE_UP, None, "4"),
}


@pytest.mark.parametrize("name", RUBRIC_REPLIES)
def test_a_rubric_s_rating_is_the_one_that_the_judge_gave(score: Score, name: str) -> None:
    reply, raw, kind, value, said = RUBRIC_REPLIES[name]

    reading = score(case(), RUBRIC, {"llm-rubric": reply})

    assert (reading.raw, reading.kind) == (raw, kind), reading.reason
    (item,) = reading.details.items
    assert (item.kind, item.value, item.native_verdict) == ("rating", value, said)
    assert (reading.kind is None) == (reading.reason in {"r", "fine", "one two", "Grading passed"})


@pytest.mark.parametrize("said", ["0", "0.8", "6", "10", "100", "-1", "1e3"])
def test_a_rating_outside_the_scale_is_kept_and_refused(score: Score, said: str) -> None:
    reading = score(case(), RUBRIC, {"llm-rubric": rated("false", said)})

    assert (reading.raw, reading.kind) == (float(said), None)
    assert to_score(float(said), SCORERS[RUBRIC].scale).kind == "out_of_range"
    assert [item.value for item in reading.details.items] == [None]


@pytest.mark.parametrize(
    ("name", "note"),
    [
        (
            "between two levels",
            "The judge rated 3.5 where it was asked for a whole number; Promptfoo takes it as it is.",
        ),
        ("contradicted", "The judge rated 5 and let the output fail; the number counts."),
        ("contradicted the other way", "The judge rated 2 and let the output pass; the number counts."),
    ],
)
def test_odd_ratings_are_told(score: Score, name: str, note: str) -> None:
    more = {"contradicted": rated("false", "5"), "contradicted the other way": rated("true", "2")}
    reading = score(case(), RUBRIC, {"llm-rubric": more.get(name) or RUBRIC_REPLIES[name][0]})

    assert reading.kind is None
    assert reading.details.notes == (note,)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "states no usable `score`; Promptfoo made 1 of it"),
        ("two ratings", "states 2 different `score`s, 2, 4; Promptfoo made 2 of it"),
        ("thought before", "states the `score` 4, and Promptfoo read something else; Promptfoo made 0 of it"),
        ("two scales", "the worst of 1 to 5 and the best of 0 to 1"),
    ],
)
def test_a_refused_rating_is_explained(score: Score, name: str, words: str) -> None:
    assert words in str(score(case(), RUBRIC, {"llm-rubric": RUBRIC_REPLIES[name][0]}).reason)


@pytest.mark.parametrize("scorer", [scorer for scorer in SCORERS if scorer.endswith("_rubric")])
def test_every_rubric_is_read_alike(score: Score, scorer: str) -> None:
    good, bad = score(case(), scorer), score(case(), scorer, {"llm-rubric": "{}"})

    assert (good.raw, good.kind, good.flags, good.reason) == (4.0, None, (), "It leaves little out.")
    assert (bad.raw, bad.kind) == (1.0, "bad_schema")
    assert to_score(4.0, SCORERS[scorer].scale).score == 0.75


def named(category: str, reason: str = '"r"') -> str:
    return f'{{"category": {category}, "reason": {reason}}}'


# reply -> what the real Promptfoo makes of it, error kind, the category that the judge named
FACTUALITY_REPLIES: dict[str, tuple[str, float | None, str | None, str | None]] = {
    **{letter: (named(f'"{letter}"'), weight, None, letter) for letter, weight in WEIGHTS.items()},
    "lower case": (named('" d "'), 0, None, "D"),
    "fenced": (f"```json\n{named(chr(34) + 'C' + chr(34))}\n```", 1, None, "C"),
    "no quotation marks": ("{category: D, reason: wrong}", 0, None, "D"),
    "without reason": ('{"category": "D"}', 0, None, "D"),
    "old form": ("(D) They disagree.", 0, None, "D"),
    "brackets": (named('"(C)"'), None, "bad_schema", None),
    "sixth": (named('"F"'), None, "bad_schema", None),
    "word": (named('"subset"'), None, "bad_schema", None),
    "number": (named("3", '"point (a) is wrong"'), 1, "bad_schema", None),
    "list": (named('["D"]', '"point (a)"'), 1, "bad_schema", None),
    "none": ('{"reason": "good"}', None, "bad_schema", None),
    "nothing": ("{}", None, "bad_schema", None),
    "none, but a letter": ('{"reason": "(a) holds"}', 1, "bad_schema", None),
    "reason is a number": (named('"D"', "5"), None, "bad_schema", "D"),
    "prose with a letter": ("The claim about vitamin (a) is wrong.", 1, "bad_json", None),
    "prose": (PROSE, None, "bad_json", None),
    "broken, another letter": (named('"D"', '"it says "no" (a)"'), 1, "bad_schema", "D"),
    "two categories": (f"{named(chr(34) + 'A' + chr(34))} {named(chr(34) + 'D' + chr(34))}", 1, "bad_schema", "A, D"),
    "braces before": (f"{{a,b}} {named(chr(34) + 'D' + chr(34))}", None, "bad_schema", "D"),
}


@pytest.mark.parametrize("name", FACTUALITY_REPLIES)
def test_a_category_is_the_one_that_the_judge_named(score: Score, name: str) -> None:
    reply, raw, kind, said = FACTUALITY_REPLIES[name]

    reading = score(case(), FACTUALITY, {"factuality": reply})

    assert (reading.raw, reading.kind) == (raw, kind), reading.reason
    (item,) = reading.details.items
    assert (item.kind, item.native_verdict) == ("rating", said)
    assert item.value == (raw if kind is None else None)


def test_a_category_comes_with_the_judge_s_reason(score: Score) -> None:
    (item,) = score(case(), FACTUALITY).details.items

    assert (item.value, item.native_verdict, item.reason) == (1.0, "A", "It says less.")


@pytest.mark.parametrize(
    ("scorer", "step", "form"),
    [(RUBRIC, "llm-rubric", '{{"pass": true, "score": 4, "reason": "{}"}}'), (FACTUALITY, "factuality", None)],
)
@pytest.mark.parametrize(
    "words",
    ["No embedding is spoken of.", "API error: 500 is what it says", "Rate limit exceeded", "Could not extract it"],
)
def test_the_judge_s_own_words_are_no_failure(
    score: Score, scorer: str, step: str, form: str | None, words: str
) -> None:
    reply = form.format(words) if form else named('"C"', f'"{words}"')

    reading = score(case(), scorer, {step: reply})

    assert (reading.kind, reading.reason) == (None, words)
    assert reading.raw in {4.0, 1.0}


@pytest.mark.parametrize("scorer", [RUBRIC, FACTUALITY])
def test_without_its_reply_a_rating_is_not_believed(scorer: str) -> None:
    answer: dict[str, Any] = {"score": 1, "reason": "Grading passed", "metadata": {}}

    for replies in ([], [JudgeReply(step=None, text=" ")]):
        reading = ADAPTER.read(SCORERS[scorer], answer, replies)
        assert (reading.raw, reading.kind) == (1.0, "framework_error")
        assert "not recorded" in str(reading.reason)


@pytest.mark.parametrize("scorer", [RUBRIC, FACTUALITY])
def test_a_long_hostile_reply_is_read_at_once(scorer: str) -> None:
    answer: dict[str, Any] = {"score": 1, "reason": "", "metadata": {}}
    for text in ("{" * 50_000, '{"a":' * 5_000, "score: " * 50_000, "category " * 50_000):
        assert ADAPTER.read(SCORERS[scorer], answer, [JudgeReply(step=None, text=text)]).kind in ERROR_KINDS
