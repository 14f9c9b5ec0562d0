"""Whether the texts of the cases reached the judge whole, counted for each framework."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalparity.unified_schema.outcomes import Frozen


class InputCheck(Frozen):
    """Whether the texts of one cell reached the judge whole."""

    case_id: str
    metric: str
    scorer: str
    framework: str
    judge_model: str | None = None
    repeat: int = 0
    missing: tuple[str, ...] = ()
    """Canonical fields that were not found in any call of the cell."""
    rewritten: tuple[str, ...] = ()
    """Canonical fields that the framework changed on their way."""


class FrameworkInputs(Frozen):
    """The input checks of one framework: verified, rewritten and missing add up to checked."""

    checked: int
    verified: int
    rewritten: int
    missing: int
    """Cells with a missing text, rewritten ones among them."""
    cells: tuple[InputCheck, ...]
    """The cells that are not verified."""


def count_inputs(checks: Sequence[InputCheck], frameworks: Iterable[str]) -> dict[str, FrameworkInputs]:
    """Return the checks of every framework, those without any included."""
    by_framework: dict[str, list[InputCheck]] = {name: [] for name in frameworks}
    for check in checks:
        by_framework.setdefault(check.framework, []).append(check)
    return {name: _framework_inputs(own) for name, own in by_framework.items()}


def _framework_inputs(checks: Sequence[InputCheck]) -> FrameworkInputs:
    missing = [check for check in checks if check.missing]
    rewritten = [check for check in checks if check.rewritten and not check.missing]
    return FrameworkInputs(
        checked=len(checks),
        verified=len(checks) - len(missing) - len(rewritten),
        rewritten=len(rewritten),
        missing=len(missing),
        cells=tuple(check for check in checks if check.missing or check.rewritten),
    )
