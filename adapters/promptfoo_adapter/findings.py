"""What stands behind a score of Promptfoo's, as its judge's replies show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalparity.unified_schema.outcomes import Details

_LONGEST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What stands behind a score.

    Attributes:
        details: the steps themselves.
        score: the score that they give by Promptfoo's own rule; None where they cannot tell.
        kind: an error kind that makes the score unusable.
        problem: a sentence that explains the kind.
        degraded: whether a step is incomplete.
        final: whether `kind`, or its absence, is the last word: Promptfoo's reason may be in the judge's own words and
            is then no report of a failure.
    """

    details: Details = field(default_factory=Details)
    score: float | None = None
    kind: str | None = None
    problem: str | None = None
    degraded: bool = False
    final: bool = False


def mean(values: Iterable[float | bool]) -> float | None:
    """Return the mean of numbers or truths, or None without any."""
    numbers = [float(value) for value in values]
    return sum(numbers) / len(numbers) if numbers else None


def mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def texts(value: object) -> tuple[str, ...]:
    """Return the texts in a JSON list; none for anything else."""
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def short(text: str) -> str:
    """Return a text, cut where it is too long for a message."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
