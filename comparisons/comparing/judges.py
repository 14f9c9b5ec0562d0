"""Keeps the judges of a run apart: a score by one judge is never set against a score by another."""

from __future__ import annotations

from collections.abc import Sequence

from evalparity.comparisons.running.run_info import RunInfo
from evalparity.unified_schema.outcomes import Outcome

Judge = str | None
"""Name of a judge; None: the run has one judge, or none was asked."""


def several_judges(run: RunInfo) -> tuple[str, ...]:
    """Return the names of the judges where there are several; of a run with one judge, nothing."""
    return tuple(judge.label for judge in run.judges) if run.other_judges else ()


def judge_of(cell: Outcome, judges: Sequence[str]) -> Judge:
    """Return the judge by whom a cell is told from others of its scorer; None in a run with one judge."""
    return cell.judge_model if judges else None


def by_judge(cells: Sequence[Outcome], judges: Sequence[str]) -> tuple[tuple[Judge, tuple[Outcome, ...]], ...]:
    """Return the cells of one metric as each judge's run shows them, judges without cells left out.

    A scorer that asks no judge ran once and stands beside the scorers of every judge. Where no scorer asks one, or
    the run has one judge, all cells are returned once, under None.
    """
    if not any(judge_of(cell, judges) for cell in cells):
        return ((None, tuple(cells)),) if cells else ()
    views = ((judge, tuple(cell for cell in cells if cell.judge_model in {judge, None})) for judge in judges)
    return tuple((judge, own) for judge, own in views if any(cell.judge_model is not None for cell in own))
