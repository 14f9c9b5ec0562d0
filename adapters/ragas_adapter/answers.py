"""What every reading of a Ragas answer needs: its steps, its number, and what may be wrong with them; pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from evalparity.adapters.base import JsonObject, Reading
from evalparity.unified_schema.outcomes import Details, ItemVerdict

_TOLERANCE = 1e-6
VERDICTS: Mapping[int, ItemVerdict] = MappingProxyType({1: "yes", 0: "no"})
AGAIN = "Repeat the cell, or use a judge that keeps to the form."


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a number of Ragas must not be used."""

    kind: str
    reason: str


def outputs(result: JsonObject, step: str) -> list[Any]:
    """Return the outputs of the calls of one step, in order."""
    steps: Any = result["steps"]
    return [call["output"] for call in steps if call["step"] == step]


def raw_of(result: JsonObject) -> float | None:
    """Return Ragas' number; None where it gave none, or NaN."""
    value: Any = result["value"]
    return None if value is None else float(value)


def odd_number(what: str, numbers: Sequence[int]) -> Problem | None:
    """Return what is wrong with numbers that must be 0 or 1; None when all are."""
    odd = sorted(set(numbers) - set(VERDICTS))
    if not odd:
        return None
    given = ", ".join(map(str, odd))
    return Problem(kind="bad_schema", reason=f"The judge gave {what} {given} where only 0 and 1 are asked for. {AGAIN}")


def differ(raw: float | None, expected: float | None) -> bool:
    """Say whether Ragas' number is another than its steps give."""
    if raw is None or expected is None:
        return raw is not expected
    return not math.isclose(raw, expected, rel_tol=0.0, abs_tol=_TOLERANCE)


def reading(
    raw: float | None, details: Details, *, problem: Problem | None, degraded: bool, inconsistent: bool
) -> Reading:
    """Return the reading of a number with its steps and what is wrong with it."""
    flags = {"degraded": degraded, "inconsistent": inconsistent}
    return Reading(
        raw=raw,
        kind=problem.kind if problem else None,
        reason=problem.reason if problem else None,
        flags=tuple(name for name, holds in flags.items() if holds),
        details=details,
    )
