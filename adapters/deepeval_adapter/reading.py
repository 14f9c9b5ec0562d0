"""What an answer of DeepEval's process means: its steps in the common form, and what is wrong with them; pure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, JsonValue

from evalparity.adapters.base import Binding, JsonObject, JudgeReply, Reading
from evalparity.adapters.deepeval_adapter.rubrics import RATINGS, Rating
from evalparity.unified_schema.outcomes import Details, Item, ItemKind, ItemVerdict

_VERDICTS: Mapping[str, ItemVerdict] = MappingProxyType({"yes": "yes", "no": "no", "borderline": "unclear"})

_REMEDY = "DeepEval's score rests on what is left and is not used; repeat the run or choose a stronger judge."
_TOLERANCE = 1e-9

_ITEMS: Mapping[str, str] = MappingProxyType(
    {"faithfulness": "claims", "answer_relevancy": "statements", "context_precision": "contexts"}
)
"""Which list of the answer was judged, by metric; the others' judges name what they judge in their verdicts, or
nowhere."""


class _Verdict(BaseModel):
    """One verdict of the judge's reply; `verdict` is None where DeepEval dropped it."""

    said: JsonValue
    verdict: Literal["yes", "no", "borderline"] | None
    reason: JsonValue
    statement: JsonValue


class _Answer(BaseModel):
    """What the worker tells of a cell; whatever the judge may have shaped as it liked is of any JSON type."""

    score: float | None
    reason: JsonValue
    truths: JsonValue
    claims: JsonValue
    statements: JsonValue
    contexts: JsonValue
    verdicts: list[_Verdict]
    replied: list[int | None]
    counted: list[str]
    rating: JsonValue

    def extracted(self, binding: Binding) -> JsonValue:
        """Return the texts that were judged; None where there is no list of them, as for a reference's sentences."""
        return getattr(self, _ITEMS[binding.metric]) if binding.metric in _ITEMS else None


def read(binding: Binding, result: JsonObject, _replies: Sequence[JudgeReply]) -> Reading:
    """Return DeepEval's score with the steps behind it, or why the score is not accepted.

    DeepEval takes a reply with too few, too many or unknown verdicts and scores what is left; such a number is
    kept as raw and the cell is errored. When the judge finds nothing to check, DeepEval answers by a convention,
    which is flagged `vacuous`.
    """
    answer = _Answer.model_validate(result)
    if binding.item is None:
        return Reading(raw=answer.score, reason=_text(answer.reason))
    if binding.scorer in RATINGS:
        return _read_rating(RATINGS[binding.scorer], answer)
    return _read_verdicts(binding, answer)


def _read_verdicts(binding: Binding, answer: _Answer) -> Reading:
    kind, why = _find_trouble(binding, answer) or (None, None)
    # DeepEval's number and its explanation are those of the scorer that was asked.
    own = binding.derived_from is None
    return Reading(
        raw=answer.score if own else _recompute(binding, answer.counted, unclear_passes=binding.unclear_passes),
        kind=kind,
        reason=why or (_text(answer.reason) if own else None),
        flags=_flags(binding, answer, kind),
        details=Details(
            items=_items(binding, answer),
            premises=_texts(answer.truths) or (),
            notes=_notes(binding, answer, kind),
        ),
    )


def _find_trouble(binding: Binding, answer: _Answer) -> tuple[str, str] | None:
    """Return the error kind and the reason of the first thing that is wrong with the judge's replies."""
    finders = (_odd_texts, _odd_replies, _odd_counts)
    found = next((trouble for find in finders if (trouble := find(binding, answer))), None)
    return None if found is None else (found[0], f"{found[1]} {_REMEDY}")


def _odd_texts(binding: Binding, answer: _Answer) -> tuple[str, str] | None:
    judged = _ITEMS.get(binding.metric, "")
    for name, value in (("truths", answer.truths), (judged, answer.extracted(binding))):
        if _texts(value) is None and value is not None:
            return "bad_schema", f"The judge's `{name}` are not a list of texts."
    return None


def _odd_replies(binding: Binding, answer: _Answer) -> tuple[str, str] | None:
    """Find replies without verdicts where the judge also chooses what to judge, so that no count is known."""
    if answer.extracted(binding) is not None:
        return None
    lacking = [number for number in answer.replied if not number]
    if None in lacking:
        return "bad_schema", "A reply of the judge holds no list of verdicts."
    if binding.metric != "context_relevancy":
        return ("bad_schema", f"The judge's reply holds no verdict on any {binding.item}.") if lacking else None
    if not lacking or len(lacking) == len(answer.replied):
        return None
    total = len(answer.replied)
    return "missing_verdicts", f"The judge gave no verdict on {len(lacking)} of {total} contexts."


def _odd_counts(binding: Binding, answer: _Answer) -> tuple[str, str] | None:
    said, counted = len(answer.verdicts), len(answer.counted)
    items, what = _count(binding, answer), f"{binding.item}s"
    checks = (
        (said > items, "surplus_verdicts", f"The judge gave {said} verdicts for {items} {what}."),
        (said < items, "missing_verdicts", f"The judge judged {said} of {items} {what}."),
        (counted < said, "missing_verdicts", f"{said - counted} of {said} verdicts are no word that DeepEval knows."),
    )
    return next(((kind, why) for holds, kind, why in checks if holds), None)


def _count(binding: Binding, answer: _Answer) -> int:
    texts = _texts(answer.extracted(binding))
    return len(answer.verdicts) if texts is None else len(texts)


def _flags(binding: Binding, answer: _Answer, kind: str | None) -> tuple[str, ...]:
    # The rule that DeepEval's own number follows; a derived scorer applies the other one.
    lenient = binding.unclear_passes if binding.derived_from is None else not binding.unclear_passes
    expected = _recompute(binding, answer.counted, unclear_passes=lenient)
    return _named(
        degraded=kind in {"missing_verdicts", "surplus_verdicts"},
        vacuous=kind is None and not answer.counted,
        inconsistent=_differ(answer.score, expected),
    )


def _named(**flags: bool) -> tuple[str, ...]:
    return tuple(flag for flag, present in flags.items() if present)


def _differ(score: float | None, expected: float) -> bool:
    return score is None or not math.isclose(score, expected, rel_tol=0.0, abs_tol=_TOLERANCE)


def _recompute(binding: Binding, counted: Sequence[str], *, unclear_passes: bool | None) -> float:
    """Return what DeepEval makes of these words; what it answers without any where there are none."""
    if not counted:
        return 0.0 if binding.empty_score is None else binding.empty_score
    passing = {"yes", "borderline"} if unclear_passes else {"yes"}
    passed = [word in passing for word in counted]
    return _FORMULAS[str(binding.formula)](passed)


def _share(passed: Sequence[bool]) -> float:
    """Passing verdicts over counted ones (deepeval.metrics.utils.qag, score_qag_verdicts)."""
    return sum(passed) / len(passed)


def _ranked(passed: Sequence[bool]) -> float:
    """Mean of precision@k over the ranks k of passing verdicts (ContextualPrecisionMetric._calculate_score)."""
    ranks = [rank for rank, passes in enumerate(passed, start=1) if passes]
    return sum(found / rank for found, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0.0


_FORMULAS: Mapping[str, Callable[[Sequence[bool]], float]] = MappingProxyType({"share": _share, "ranked": _ranked})


def _items(binding: Binding, answer: _Answer) -> tuple[Item, ...]:
    assert binding.item is not None
    said = [_text(verdict.statement) for verdict in answer.verdicts]
    texts = said if answer.extracted(binding) is None else _texts(answer.extracted(binding)) or ()
    return tuple(_item(binding.item, text, verdict) for text, verdict in zip_longest(texts, answer.verdicts))


def _item(kind: ItemKind, text: str | None, verdict: _Verdict | None) -> Item:
    if verdict is None:
        return Item(kind=kind, text=text)
    return Item(
        kind=kind,
        text=text,
        verdict=_VERDICTS[verdict.verdict] if verdict.verdict else None,
        native_verdict=_word(verdict.said),
        reason=_text(verdict.reason),
    )


def _notes(binding: Binding, answer: _Answer, kind: str | None) -> tuple[str, ...]:
    what, items = f"{binding.item}s", _count(binding, answer)
    notes = {
        f"It reads the verdicts of {binding.derived_from}; `borderline` counts as no, as it does in DeepEval with "
        "penalize_ambiguous_claims.": binding.derived_from is not None,
        f"The judge found no {what}; DeepEval's score is then {binding.empty_score or 0:g} by convention.": kind is None
        and not answer.counted,
        f"Verdicts and {what} differ in number and stand side by side by position only.": len(answer.verdicts) != items,
    }
    return tuple(note for note, holds in notes.items() if holds)


def _read_rating(rating: Rating, answer: _Answer) -> Reading:
    """Return a rating; one outside GEval's scale is told by the score, which DeepEval does not limit."""
    number, said = _number(answer.rating), _word(answer.rating)
    kind, why = _odd_rating(rating, number, said) or (None, None)
    return Reading(
        raw=answer.score,
        kind=kind,
        reason=why or _text(answer.reason),
        flags=_named(inconsistent=number is not None and _differ(answer.score, _unit(rating, number))),
        details=Details(items=(_rated(rating, answer, number),), notes=_rating_notes(kind, number, said)),
    )


def _odd_rating(rating: Rating, number: float | None, said: str | None) -> tuple[str, str] | None:
    scale = f"a scale of {rating.low} to {rating.high}"
    if number is None:
        return "bad_schema", f"The judge's rating is no number: {said}. {_REMEDY}"
    if not math.isfinite(number):
        return "out_of_range", f"The judge rated {said} on {scale}. {_REMEDY}"
    if 0 < number < 1:
        return "bad_schema", f"The judge rated {said} on {scale}, as if it were one of 0 to 1. {_REMEDY}"
    return None


def _rated(rating: Rating, answer: _Answer, number: float | None) -> Item:
    within = number is not None and rating.low <= number <= rating.high
    return Item(
        kind="rating",
        value=answer.score if within else None,
        native_verdict=_word(answer.rating),
        reason=_text(answer.reason),
    )


def _rating_notes(kind: str | None, number: float | None, said: str | None) -> tuple[str, ...]:
    if kind is not None or number is None or number.is_integer():
        return ()
    return (f"The judge rated {said} where it was asked for a whole number; DeepEval takes it as it is.",)


def _number(said: JsonValue) -> float | None:
    """Return what Python's `float` makes of a number or of a text, as GEval does, save that true is no number."""
    try:
        return None if isinstance(said, bool) or not isinstance(said, int | float | str) else float(said)
    except (ValueError, OverflowError):
        return None


def _unit(rating: Rating, number: float) -> float:
    """Put a rating on 0..1 (deepeval.metrics.GEval.a_measure)."""
    return (number - rating.low) / (rating.high - rating.low)


def _word(said: JsonValue) -> str | None:
    return said if said is None or isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def _texts(value: JsonValue) -> tuple[str, ...] | None:
    """Return a list of texts as it is, and None for anything else."""
    if not isinstance(value, list):
        return None
    texts = tuple(text for text in value if isinstance(text, str))
    return texts if len(texts) == len(value) else None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
