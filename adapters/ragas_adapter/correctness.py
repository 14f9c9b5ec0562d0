"""Readings of Ragas' ways to hold an output against a reference, and of its rubrics; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalparity.adapters.base import JsonObject, Reading
from evalparity.adapters.ragas_adapter.answers import (
    AGAIN,
    VERDICTS,
    Problem,
    differ,
    odd_number,
    outputs,
    raw_of,
    reading,
)
from evalparity.adapters.ragas_adapter.pairing import pair_verdicts
from evalparity.unified_schema.outcomes import Details, Item, ItemVerdict

_FACTS, _COSINE = 0.75, 0.25
"""Ragas' default weights of facts and similarity (AnswerCorrectness.__init__)."""

_ROUNDED = 0.005 + 1e-6
"""FactualCorrectness rounds to two decimals."""

_LOWEST, _STEPS = 1, 4
"""A rubric of 1 to 5."""


def answer_correctness(result: JsonObject) -> Reading:
    """Return three quarters of the F1 of classified statements and a quarter of the texts' cosine."""
    of_output, of_reference = (call["statements"] for call in outputs(result, "StatementGeneratorOutput"))
    if not of_output or not of_reference:
        return Reading(
            raw=raw_of(result),
            flags=("vacuous",),
            reason="The judge found no statement in the output or in the reference; Ragas takes the facts for right.",
        )
    classes = outputs(result, "ClassificationWithReason")[0]
    items = (*_classified(classes["TP"], "yes"), *_classified(classes["FP"], "no"), *_classified(classes["FN"], "no"))
    problem = _miscount(classes, len(of_output), len(of_reference)) or _no_cosine(result)
    cosines: Any = result["cosines"]
    expected = None if None in cosines else _FACTS * _f1(classes) + _COSINE * cosines[0]
    note = (
        f"statements of the output: {len(classes['TP'])} right, {len(classes['FP'])} wrong; "
        f"of the reference left out: {len(classes['FN'])}."
    )
    return reading(
        raw_of(result),
        Details(items=items, notes=(note,)),
        problem=problem,
        degraded=problem is not None and problem.kind != "embedding",
        inconsistent=problem is None and differ(raw_of(result), expected),
    )


def _classified(entries: Sequence[Any], verdict: ItemVerdict) -> list[Item]:
    return [
        Item(kind="statement", text=entry["statement"], verdict=verdict, reason=entry["reason"]) for entry in entries
    ]


def _miscount(classes: Any, of_output: int, of_reference: int) -> Problem | None:  # noqa: ANN401 - the judge's JSON
    """Every statement of the output is right or wrong; of the reference no more can be left out than there are."""
    judged, left_out = len(classes["TP"]) + len(classes["FP"]), len(classes["FN"])
    if judged == of_output and left_out <= of_reference:
        return None
    return Problem(
        kind="missing_verdicts" if judged < of_output else "surplus_verdicts",
        reason=f"The judge classified {judged} statements of {of_output} of the output and calls {left_out} of "
        f"{of_reference} of the reference left out; Ragas counts what it got. {AGAIN}",
    )


def _no_cosine(result: JsonObject) -> Problem | None:
    cosines: Any = result["cosines"]
    if None not in cosines:
        return None
    return Problem(
        kind="embedding",
        reason="The embedding model gave a vector without direction, for which Ragas takes a cosine of 0.",
    )


def _f1(classes: Any) -> float:  # noqa: ANN401 - the judge's JSON
    """Return F1 from counts: 2 TP / (2 TP + FP + FN) (AnswerCorrectness._compute_f1_score)."""
    hits, wrong, left_out = (len(classes[name]) for name in ("TP", "FP", "FN"))
    return 2 * hits / (2 * hits + wrong + left_out) if hits else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verified:
    """The claims of one text and what the other text says of them."""

    whose: str
    claims: Sequence[str]
    entries: Sequence[Any]

    @property
    def numbers(self) -> list[int]:
        return [entry["verdict"] for entry in self.entries]

    @property
    def hits(self) -> int:
        """How many verdicts Ragas counts as yes: any number but 0."""
        return sum(map(bool, self.numbers))

    def items(self) -> list[Item]:
        """Return every claim with its verdict, then verdicts that belong to none."""
        pairs, surplus = self._pairs()
        judged = [(text, None if at is None else self.entries[at]) for text, at in zip(self.claims, pairs, strict=True)]
        judged += [(self.entries[at]["statement"], self.entries[at]) for at in surplus]
        return [_claim(text, entry) for text, entry in judged]

    def problem(self) -> Problem | None:
        pairs, surplus = self._pairs()
        missing = pairs.count(None)
        if not missing and not surplus:
            return None
        return Problem(
            kind="missing_verdicts" if missing else "surplus_verdicts",
            reason=f"Of {len(self.claims)} claims of the {self.whose} {missing} got no verdict, and {len(surplus)} "
            f"verdicts belong to none of them; Ragas counts what it got. {AGAIN}",
        )

    def _pairs(self) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
        return pair_verdicts(self.claims, [entry["statement"] for entry in self.entries])


def _claim(text: str, entry: Any) -> Item:  # noqa: ANN401 - the judge's JSON
    if entry is None:
        return Item(kind="claim", text=text)
    return Item(
        kind="claim",
        text=text,
        verdict=VERDICTS.get(entry["verdict"]),
        native_verdict=str(entry["verdict"]),
        reason=entry["reason"],
    )


def factual_correctness(result: JsonObject) -> Reading:
    """Return Ragas' F1 of claims, and what it would be with the recall that its name promises.

    Ragas takes its hits from the claims of the output and its misses from those of the reference (ascore), so that
    its recall is no share of anything.
    """
    output, reference = _verified(result)
    if not output.claims:
        return Reading(raw=raw_of(result), flags=("vacuous",), reason="The judge found no claim in the output.")
    problem = (
        output.problem() or reference.problem() or odd_number("the verdict", [*output.numbers, *reference.numbers])
    )
    unheld = None if reference.claims else "The judge found no claim in the reference, so that nothing can be left out."
    expected = _ragas_f1(output, reference)
    raw = raw_of(result)
    return reading(
        raw,
        Details(
            items=(*output.items(), *reference.items()),
            notes=tuple(note for note in (unheld, _right_value(output, reference)) if note),
        ),
        problem=problem,
        degraded=bool(unheld) or (problem is not None and problem.kind != "bad_schema"),
        inconsistent=problem is None and (raw is None or abs(raw - expected) > _ROUNDED),
    )


def _verified(result: JsonObject) -> tuple[_Verified, _Verified]:
    """Take the calls apart: claims of the output, their verdicts, claims of the reference, their verdicts."""
    steps: Any = result["steps"]
    found: list[tuple[Sequence[str], Sequence[Any]]] = []
    for call in steps:
        if call["step"] == "ClaimDecompositionOutput":
            found.append((call["output"]["claims"], ()))
        else:
            found[-1] = (found[-1][0], call["output"]["statements"])
    (claims, entries), (own, held) = found
    return (
        _Verified(whose="output", claims=claims, entries=entries),
        _Verified(whose="reference", claims=own, entries=held),
    )


def _ragas_f1(output: _Verified, reference: _Verified) -> float:
    misses = len(reference.entries) - reference.hits
    return _harmonic(_share(output.hits, len(output.entries)), _share(output.hits, output.hits + misses))


def _right_value(output: _Verified, reference: _Verified) -> str | None:
    right = _harmonic(_share(output.hits, len(output.entries)), _share(reference.hits, len(reference.entries)))
    if not reference.entries or abs(right - _ragas_f1(output, reference)) <= _ROUNDED:
        return None
    return f"Ragas takes its recall from the claims of the output; by those of the reference the F1 is {right:.2f}."


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def rubric_rating(result: JsonObject) -> Reading:
    """Return the rating of a rubric of 1 to 5; a number off that scale is refused when it is brought to 0..1."""
    said = outputs(result, "RubricScoreOutput")[0]
    item = Item(
        kind="rating",
        value=(said["score"] - _LOWEST) / _STEPS,
        native_verdict=str(said["score"]),
        reason=said["feedback"],
    )
    return Reading(raw=raw_of(result), reason=said["feedback"], details=Details(items=(item,)))
