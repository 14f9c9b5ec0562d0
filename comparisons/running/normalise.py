"""A framework's own number on the common scale: 0..1, higher is better."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalparity.adapters.base import Scale

DUST = 1e-6
"""Share of the scale within which a number counts as its end: sums of floats miss 0 and 1 by less."""

LOWEST_COSINE = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitScore:
    """A normalised score, or why there is none.

    Attributes:
        score: 0..1, higher is better; None when the number is refused.
        flags: `below_range`, or nothing.
        kind: `out_of_range` when refused, else None; never set beside a score.
        reason: what was refused and what to do; None beside a score.
    """

    score: float | None = None
    flags: tuple[str, ...] = ()
    kind: str | None = None
    reason: str | None = None


def to_score(raw: float, scale: Scale) -> UnitScore:
    """Put a framework's number on the common scale.

    The score is `(raw - low) / (high - low)`, or one minus that where lower is better. Within 1e-6 of an end it
    is that end. A cosine between -1 and the scale's low end counts as the low end, with the flag `below_range`.
    Anything else outside the scale, NaN and the infinities are refused with the kind `out_of_range`: nothing is
    clipped in silence.
    """
    share = (raw - scale.low) / (scale.high - scale.low)
    if not -DUST <= share <= 1 + DUST:
        if scale.cosine and LOWEST_COSINE - DUST <= raw < scale.low:
            return UnitScore(score=_directed(0.0, scale), flags=("below_range",))
        return _refused(raw, scale)
    return UnitScore(score=_directed(_without_dust(share), scale))


def _without_dust(share: float) -> float:
    return float(round(share)) if abs(share - round(share)) <= DUST else share


def _directed(share: float, scale: Scale) -> float:
    return share if scale.higher_is_better else 1.0 - share


def _refused(raw: float, scale: Scale) -> UnitScore:
    number = f"{raw:g}" if math.isfinite(raw) else "no finite number"
    reason = (
        f"the framework answered {number} on a scale of {scale.low:g} to {scale.high:g}; "
        "the number is kept as raw and not used. Check that the tested version of the framework is installed."
    )
    return UnitScore(kind="out_of_range", reason=reason)
