"""From a sample of cells to all of them: what they would use, and how sure that is; pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from statistics import fmean

_FEWEST = 3
"""So many points show whether they lie on a line."""

_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
"""So many standard errors on either side hold the total 95 times in 100, for 1 to 10 degrees of freedom (Student's t);
the last is used for more, which is a little wide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimated total.

    Attributes:
        total: what all cells use.
        margin: by how much the total may be off, for the cells that were not looked at; None: unknown.
    """

    total: float
    margin: float | None


def evenly(count: int, most: int) -> tuple[int, ...]:
    """Return at most so many places out of `count`, evenly spread, the first and the last among them."""
    if count <= most:
        return tuple(range(count))
    if most == 1:
        return (count // 2,)
    return tuple(round(at * (count - 1) / (most - 1)) for at in range(most))


def estimate_total(sample: Sequence[tuple[float, float]], sizes: Sequence[float]) -> Estimate:
    """Return the total over all cells, given the size of each and what the cells of a sample used.

    The regression estimator for a mean, with its standard error (Cochran 1977, Sampling Techniques, 3rd edition,
    sections 7.1 to 7.3): N * (mean(y) + b * (mean(X) - mean(x))). Use grows with size at the slope b of the least
    squares line, never less than 0; every prompt has a part that does not grow. Where fewer than three cells, or
    cells of one size only, were looked at, there is no slope: b = 0.

    Args:
        sample: (size, use) of each cell looked at, one at least.
        sizes: size of every cell, those of the sample included.

    Raises:
        ValueError: the sample is empty.
    """
    if not sample:
        raise ValueError("an estimate needs at least one cell that was looked at")
    if len(sample) >= len(sizes):
        return Estimate(total=math.fsum(used for _, used in sample), margin=0.0)
    slope = _slope(sample)
    size, use = fmean(size for size, _ in sample), fmean(used for _, used in sample)
    total = len(sizes) * (use + slope * (fmean(sizes) - size))
    return Estimate(total=max(0.0, total), margin=_margin(sample, slope, len(sizes)))


def _slope(sample: Sequence[tuple[float, float]]) -> float:
    if len(sample) < _FEWEST:
        return 0.0
    size, use = fmean(size for size, _ in sample), fmean(used for _, used in sample)
    spread = math.fsum((x - size) ** 2 for x, _ in sample)
    together = math.fsum((x - size) * (y - use) for x, y in sample)
    return max(0.0, together / spread) if spread else 0.0


def _margin(sample: Sequence[tuple[float, float]], slope: float, count: int) -> float | None:
    if len(sample) < _FEWEST:
        return None
    size, use = fmean(size for size, _ in sample), fmean(used for _, used in sample)

    def rest(x: float, y: float) -> float:
        return y - use - slope * (x - size)

    variance = math.fsum(one**2 for one in starmap(rest, sample)) / (len(sample) - 2)
    certainty = _STUDENT[min(len(sample) - 2, len(_STUDENT)) - 1]
    return certainty * count * math.sqrt((1 - len(sample) / count) * variance / len(sample))
