"""What Ragas' process answers is checked against its own steps before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from evalparity.adapters.base import Reading
from evalparity.adapters.ragas_adapter.bindings import BINDINGS
from evalparity.adapters.ragas_adapter.reading import read
from evalparity.unified_schema.outcomes import Item


def faithfulness(value: float | None, statements: Sequence[str], verdicts: Sequence[tuple[str, int]]) -> Reading:
    steps: list[Any] = [{"step": "StatementGeneratorOutput", "output": {"statements": list(statements)}}]
    judged = [{"statement": text, "reason": f"why {text}", "verdict": number} for text, number in verdicts]
    if statements:
        steps.append({"step": "NLIStatementOutput", "output": {"statements": judged}})
    result: Any = {"value": value, "steps": steps, "cosines": []}
    return read(BINDINGS["faithfulness"][0], result, ())


def recall(value: float | None, reference: str, judged: Sequence[tuple[str, int]]) -> Reading:
    entries = [{"statement": text, "reason": "why", "attributed": number} for text, number in judged]
    steps = [{"step": "ContextRecallOutput", "output": {"classifications": entries}}]
    result: Any = {"value": value, "steps": steps, "cosines": []}
    return read(BINDINGS["context_recall"][0], result, ())


def relevancy(value: float | None, replies: Sequence[tuple[str, int]], cosines: Sequence[float | None]) -> Reading:
    steps = [
        {"step": "AnswerRelevanceOutput", "output": {"question": text, "noncommittal": flag}} for text, flag in replies
    ]
    result: Any = {"value": value, "steps": steps, "cosines": list(cosines)}
    return read(BINDINGS["answer_relevancy"][0], result, ())


def verdicts(reading: Reading) -> list[tuple[str | None, str | None]]:
    return [(item.text, item.verdict) for item in reading.details.items]


def test_faithfulness_keeps_claims_verdicts_and_reasons() -> None:
    reading = faithfulness(0.5, ["a", "b"], [("a", 1), ("b", 0)])
    assert (reading.raw, reading.kind, reading.flags) == (0.5, None, ())
    assert reading.details.items == (
        Item(kind="claim", text="a", verdict="yes", native_verdict="1", reason="why a"),
        Item(kind="claim", text="b", verdict="no", native_verdict="0", reason="why b"),
    )


def test_verdicts_follow_their_statements_not_their_order() -> None:
    reading = faithfulness(0.5, ["a", "b"], [("b", 0), ("a", 1)])
    assert reading.kind is None
    assert verdicts(reading) == [("a", "yes"), ("b", "no")]


def test_no_claims_is_no_score() -> None:
    reading = faithfulness(None, [], [])
    assert (reading.raw, reading.kind, reading.details.items) == (None, "no_claims", ())


@pytest.mark.parametrize(
    ("value", "given", "kind", "items"),
    [
        pytest.param(1.0, [("a", 1)], "missing_verdicts", [("a", "yes"), ("b", None), ("c", None)], id="too few"),
        pytest.param(None, [], "missing_verdicts", [("a", None), ("b", None), ("c", None)], id="none"),
        pytest.param(
            1.0,
            [("a", 1), ("a", 1), ("b", 1)],
            "missing_verdicts",
            [("a", "yes"), ("b", "yes"), ("c", None), ("a", "yes")],
            id="one twice, one never",
        ),
        pytest.param(
            0.75,
            [("a", 1), ("b", 1), ("c", 1), ("d", 0)],
            "surplus_verdicts",
            [("a", "yes"), ("b", "yes"), ("c", "yes"), ("d", "no")],
            id="too many",
        ),
    ],
)
def test_verdicts_must_correspond_to_claims(
    value: float | None, given: list[tuple[str, int]], kind: str, items: list[tuple[str, str | None]]
) -> None:
    reading = faithfulness(value, ["a", "b", "c"], given)
    assert (reading.raw, reading.kind, reading.flags) == (value, kind, ("degraded",))
    assert verdicts(reading) == items


@pytest.mark.parametrize("odd", [2, -1])
def test_a_verdict_outside_0_and_1_is_refused_and_kept(odd: int) -> None:
    reading = faithfulness(1.0, ["a", "b"], [("a", 1), ("b", odd)])
    assert (reading.raw, reading.kind, reading.flags) == (1.0, "bad_schema", ())
    assert reading.details.items[1].verdict is None
    assert reading.details.items[1].native_verdict == str(odd)
    assert str(odd) in (reading.reason or "")


@pytest.mark.parametrize(
    ("value", "flags"), [(0.5 + 1e-7, ()), (0.5 + 2e-6, ("inconsistent",)), (None, ("inconsistent",))]
)
def test_the_score_is_held_against_its_steps(value: float | None, flags: tuple[str, ...]) -> None:
    assert faithfulness(value, ["a", "b"], [("a", 1), ("b", 0)]).flags == flags


def test_recall_reads_statements() -> None:
    reading = recall(0.5, "One. Two.", [("One.", 1), ("Two.", 0)])
    assert (reading.raw, reading.kind, reading.flags) == (0.5, None, ())
    assert verdicts(reading) == [("One.", "yes"), ("Two.", "no")]
    assert {item.kind for item in reading.details.items} == {"statement"}


@pytest.mark.parametrize(("value", "judged"), [(None, []), (2.0, [("One.", 2)]), (-1.0, [("One.", -1)])])
def test_recall_in_the_wrong_form_is_refused(value: float | None, judged: list[tuple[str, int]]) -> None:
    reading = recall(value, "One.", judged)
    assert (reading.raw, reading.kind) == (value, "bad_schema")


def test_relevancy_keeps_questions_and_cosines() -> None:
    reading = relevancy(0.5, [("p?", 0), ("q?", 0), ("r?", 1)], [0.3, 0.5, 0.7])
    assert (reading.raw, reading.kind, reading.flags) == (0.5, None, ())
    assert reading.details.items[2] == Item(kind="question", text="r?", native_verdict="1", value=0.7)
    assert "1 of 3 replies" in reading.details.notes[0]


def test_a_noncommittal_output_scores_0_with_a_note() -> None:
    reading = relevancy(0.0, [("p?", 1), ("q?", 1), ("r?", 1)], [0.3, 0.5, 0.7])
    assert (reading.raw, reading.kind, reading.flags) == (0.0, None, ())
    assert "3 of 3 replies" in reading.details.notes[0]


def test_relevancy_without_questions_is_vacuous() -> None:
    reading = relevancy(0.0, [("", 0)] * 3, [])
    assert (reading.raw, reading.kind, reading.flags) == (0.0, None, ("vacuous",))
    assert reading.raw == BINDINGS["answer_relevancy"][0].empty_score


def test_relevancy_over_fewer_questions_is_degraded() -> None:
    reading = relevancy(0.4, [("p?", 0), ("", 0), ("r?", 0)], [0.3, 0.5])
    assert (reading.kind, reading.flags) == (None, ("degraded",))


@pytest.mark.parametrize(
    ("value", "flag", "cosines", "kind", "flags"),
    [
        pytest.param(None, 0, [0.1, None, 0.1], "embedding", (), id="vector of zeros"),
        pytest.param(0.1, 2, [0.1, 0.1, 0.1], "bad_schema", (), id="noncommittal 2"),
        pytest.param(0.2, 0, [0.1, 0.1, 0.1], None, ("inconsistent",), id="not the mean"),
    ],
)
def test_relevancy_is_checked(
    value: float | None, flag: int, cosines: list[float | None], kind: str | None, flags: tuple[str, ...]
) -> None:
    reading = relevancy(value, [("q?", flag)] * 3, cosines)
    assert (reading.raw, reading.kind, reading.flags) == (value, kind, flags)
