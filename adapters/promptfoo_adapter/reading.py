"""From the driver's answer and the judge's replies to a reading; pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

from evalparity.adapters.base import Binding, JsonObject, JudgeReply, Reading
from evalparity.adapters.promptfoo_adapter import verdicts as parsed
from evalparity.adapters.promptfoo_adapter.failures import failure_kind
from evalparity.adapters.promptfoo_adapter.questions import asks, is_talk
from evalparity.unified_schema.outcomes import Details, Item

TOLERANCE = 1e-6
"""Largest distance between Promptfoo's score and the one that its steps give."""
_LONGEST_REASON = 500
_FAITHFULNESS_REPLIES = 2
_NO_QUESTION = (
    "The judge was asked for questions and wrote none; Promptfoo compares whatever text it gets. Look at the replies."
)
_NO_REPLIES = "The judge's replies were not recorded, so the steps behind the score cannot be shown."


def read(binding: Binding, answer: JsonObject, replies: Sequence[JudgeReply]) -> Reading:
    """Return what Promptfoo's answer means.

    A failed grader, which Promptfoo reports as score 0, becomes an error without a number. The steps are rebuilt
    from the replies where Promptfoo hides them, and held against its score.
    """
    metadata = _mapping(answer.get("metadata"))
    reason = str(answer.get("reason") or "")
    steps = _STEPS[binding.metric](metadata, [reply.text for reply in replies])
    kind = failure_kind(reason, grader_error=metadata.get("graderError") is True)
    if kind is not None:
        found = Details(items=steps.details.items)
        return Reading(kind=kind, reason=_explain_failure(kind, reason), details=found)
    score = answer.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        return Reading(
            kind="out_of_range",
            reason=f"Promptfoo's score is {score!r}, which is not a number: look at the judge's replies.",
            details=steps.details,
        )
    return _with_score(float(score), reason, steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Steps:
    """What stands behind a score.

    Attributes:
        details: the steps themselves.
        score: the score that they give by Promptfoo's own rule; None where they cannot tell.
        kind: an error kind that makes the score unusable.
        problem: a sentence that explains the kind.
        degraded: whether a step is incomplete.
    """

    details: Details
    score: float | None = None
    kind: str | None = None
    problem: str | None = None
    degraded: bool = False


def _with_score(score: float, reason: str, steps: _Steps) -> Reading:
    contradicted = steps.score is not None and abs(steps.score - score) > TOLERANCE
    planted = {"inconsistent": contradicted, "degraded": steps.degraded}
    return Reading(
        raw=score,
        kind=steps.kind,
        reason=steps.problem or reason,
        flags=tuple(flag for flag, holds in planted.items() if holds),
        details=steps.details,
    )


def _explain_failure(kind: str, reason: str) -> str:
    if kind == "no_claims":
        return f"The judge found no statement in the output, and Promptfoo has no score for that: {_short(reason)}"
    return f"Promptfoo got no usable reply from the judge: {_short(reason)}"


def _faithfulness(_metadata: Mapping[str, Any], replies: list[str]) -> _Steps:
    if len(replies) != _FAITHFULNESS_REPLIES:  # the second is missing when the first held no statement
        return _Steps(details=Details(notes=(_NO_REPLIES,)))
    statements, verdicts = parsed.statements_of(replies[0]), parsed.verdicts_of(replies[1])
    explanations = parsed.explanations_of(replies[1], len(statements))
    items = tuple(
        Item(
            kind="statement",
            text=statement,
            verdict=verdict.counted if verdict else None,
            native_verdict=verdict.words if verdict else None,
            reason=explanation,
        )
        for statement, verdict, explanation in zip_longest(statements, verdicts, explanations)
        if statement is not None
    )
    details = Details(items=items, notes=tuple(_two_faced(verdicts)))
    if not statements:
        return _Steps(details=details)
    kind, problem = _count_fault(len(statements), len(verdicts))
    score = parsed.faithfulness_of(len(statements), verdicts)
    return _Steps(details=details, score=score, kind=kind, problem=problem, degraded=kind == "missing_verdicts")


def _count_fault(statements: int, verdicts: int) -> tuple[str | None, str | None]:
    if statements == verdicts:
        return None, None
    kind = "missing_verdicts" if verdicts < statements else "surplus_verdicts"
    effect = "counts the missing ones as unsupported" if verdicts < statements else "counts them all"
    return kind, f"The judge gave {verdicts} verdicts for {statements} statements; Promptfoo {effect}."


def _two_faced(verdicts: Sequence[parsed.Verdict]) -> list[str]:
    return [
        f'Promptfoo read the verdict "{_short(verdict.words)}" as yes because it holds the letters "yes".'
        for verdict in verdicts
        if verdict.counted == "yes" and verdict.words != "yes"
    ]


def _recall(metadata: Mapping[str, Any], replies: list[str]) -> _Steps:
    counted = [_mapping(entry) for entry in metadata.get("sentenceAttributions") or ()]
    lines = parsed.attribution_lines(replies[0]) if len(replies) == 1 else ()
    reasons: tuple[str | None, ...] = lines if len(lines) == len(counted) else (None,) * len(counted)
    items = tuple(
        Item(
            kind="sentence",
            text=(reason and parsed.sentence_in(reason)) or str(entry.get("sentence", "")),
            verdict="yes" if entry.get("attributed") else "no",
            native_verdict="Attributed" if entry.get("attributed") else "Not Attributed",
            reason=reason,
        )
        for entry, reason in zip(counted, reasons, strict=True)
    )
    faults = _line_faults(lines, replies)
    details = Details(items=items, notes=faults if replies else (_NO_REPLIES,))
    return _Steps(details=details, score=_mean(item.verdict == "yes" for item in items), degraded=bool(faults))


def _line_faults(counted: Sequence[str], replies: list[str]) -> tuple[str, ...]:
    crowded = [line for line in counted if parsed.marks_in(line) > 1]
    overlooked = [line for reply in replies for line in parsed.overlooked_lines(reply)]
    return (
        *(f'Promptfoo counted a line with several marks as one: "{_short(line)}"' for line in crowded),
        *(f'Promptfoo passed over a line whose mark it does not know: "{_short(line)}"' for line in overlooked),
    )


def _relevance(metadata: Mapping[str, Any], _replies: list[str]) -> _Steps:
    questions = [_mapping(entry) for entry in metadata.get("generatedQuestions") or ()]
    items = tuple(
        Item(kind="question", text=str(entry.get("question", "")), value=entry.get("similarity")) for entry in questions
    )
    values = [item.value for item in items if item.value is not None]
    texts = [item.text or "" for item in items]
    talk = [text for text in texts if is_talk(text)]
    details = Details(items=items, notes=_question_notes(texts, talk))
    if items and len(talk) == len(items):
        return _Steps(details=Details(items=items), kind="bad_json", problem=_NO_QUESTION)
    score = _mean(values) if len(values) == len(items) else None
    return _Steps(details=details, score=score, degraded=bool(talk))


def _question_notes(texts: Sequence[str], talk: Sequence[str]) -> tuple[str, ...]:
    unmarked = sum(not asks(text) for text in texts) - len(talk)
    counted = f"{unmarked} of {len(texts)} generated questions hold no question mark; they count as questions."
    wrote = "The judge wrote no question here, and Promptfoo compared it all the same"
    return (*(f'{wrote}: "{_short(text)}"' for text in talk), *((counted,) if unmarked else ()))


_STEPS: Mapping[str, Callable[[Mapping[str, Any], list[str]], _Steps]] = MappingProxyType(
    {"faithfulness": _faithfulness, "context_recall": _recall, "answer_relevancy": _relevance}
)


def _mean(values: Any) -> float | None:  # noqa: ANN401 - any iterable of numbers or truths
    numbers = [float(value) for value in values]
    return sum(numbers) / len(numbers) if numbers else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 1]}…"
