"""Readings of what Ragas says of contexts: whether each was useful, and how relevant they are together; pure."""

from __future__ import annotations

from collections.abc import Sequence
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
from evalparity.adapters.ragas_adapter.failures import error_kind
from evalparity.unified_schema.outcomes import Details, Item

_JUDGES = 2
_HIGHEST = 2


def context_precision(result: JsonObject) -> Reading:
    """Return the average precision of the contexts that the judge called useful, in their order.

    Ragas divides by the number of useful ones (`_calculate_average_precision`); a verdict other than 0 or 1 would
    count as so many.
    """
    judged = outputs(result, "ContextPrecisionOutput")
    numbers = [entry["verdict"] for entry in judged]
    problem = odd_number("the verdict", numbers)
    contexts: Any = result["contexts"]
    items = tuple(
        Item(
            kind="context",
            text=text,
            verdict=VERDICTS.get(entry["verdict"]),
            native_verdict=str(entry["verdict"]),
            reason=entry["reason"],
        )
        for text, entry in zip(contexts, judged, strict=True)
    )
    return reading(
        raw_of(result),
        Details(items=items),
        problem=problem,
        degraded=False,
        inconsistent=problem is None and differ(raw_of(result), _average_precision(numbers)),
    )


def _average_precision(verdicts: Sequence[int]) -> float:
    hits = [sum(verdicts[: rank + 1]) / (rank + 1) for rank, useful in enumerate(verdicts) if useful]
    return sum(hits) / len(hits) if hits else 0.0


def context_relevance(result: JsonObject) -> Reading:
    """Return the mean of two ratings of 0, 1 or 2; where one is none, Ragas would take the other alone."""
    given = [entry["rating"] for entry in outputs(result, "ContextRelevanceOutput")]
    failures: Any = result["failures"]
    if not given and not failures:
        return Reading(
            raw=raw_of(result),
            flags=("vacuous",),
            reason="The contexts stand word for word in the input; Ragas answers 0 then and asks no judge.",
        )
    items = tuple(Item(kind="rating", value=rating / _HIGHEST, native_verdict=str(rating)) for rating in given)
    problem = _lost_rating(failures) or _odd_rating(given)
    mean = sum(given) / (_HIGHEST * len(given)) if given else None
    return reading(
        raw_of(result),
        Details(items=items),
        problem=problem,
        degraded=problem is not None,
        inconsistent=problem is None and differ(raw_of(result), mean),
    )


def _lost_rating(failures: Sequence[Any]) -> Problem | None:
    if not failures:
        return None
    return Problem(
        kind=error_kind(failures[0]["type"], failures[0]["message"]),
        reason=f"{len(failures)} of {_JUDGES} ratings came to nothing, and Ragas goes on without. {AGAIN}",
    )


def _odd_rating(given: Sequence[int]) -> Problem | None:
    odd = [rating for rating in given if rating not in range(_HIGHEST + 1)]
    if not odd:
        return None
    numbers = ", ".join(map(str, odd))
    return Problem(
        kind="bad_schema",
        reason=f"The judge gave the rating {numbers} where 0, 1 or 2 is asked for, and Ragas goes on without. {AGAIN}",
    )
