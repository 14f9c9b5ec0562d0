"""How numbers and names are written in every table of the terminal."""

from __future__ import annotations

import math

from rich.text import Text

from evalparity.comparisons.render.inert import inert

NONE = "–"
"""Stands where there is no number; never 0."""

_SMALLEST = 0.0001
"""Dollars below which an amount is told as such: it is not 0."""

WIDE = 92
"""From this width on, tables stand in their full form."""

GRADE_STYLES = {"confirmed": "green", "consistent": "yellow", "unexplained": "red"}


def name(text: str, style: str = "") -> Text:
    """Return a name of the suite or a framework as plain text on one line."""
    return Text(inert(text), style)


def head(text: str) -> Text:
    """Return the head of a column."""
    return name(text, "dim")


def number(value: float | None, digits: int = 2) -> Text:
    """Return a number, or a dash where there is none."""
    return Text(NONE, "dim") if value is None else Text(f"{value:.{digits}f}")


def count(value: int | None) -> Text:
    """Return a count with thousands separated, or `unknown`."""
    return Text("unknown", "dim") if value is None else Text(f"{value:,}")


def price(dollars: float | None) -> Text:
    """Return US dollars, or `unknown`."""
    return Text("unknown", "dim") if dollars is None else Text(_dollars(dollars))


def bill(billed: float | None, at_least: float, requested: float | None) -> Text:
    """Return what was billed, and what it had been for the asking where that is another sum.

    Of a bill with unknown parts what is known of it, if anything is: `at least 0.0012`.
    """
    if billed is None:
        return Text(f"at least {_dollars(at_least)}") if at_least else Text("unknown", "dim")
    if requested is None or math.isclose(billed, requested, rel_tol=1e-9, abs_tol=1e-12):
        return Text(_dollars(billed))
    return Text(f"{_dollars(billed)} (asked {_dollars(requested)})")


def _dollars(amount: float) -> str:
    if 0 < amount < _SMALLEST:
        return f"<{_SMALLEST}"
    return f"{amount:,.4f}" if amount else "0"


def title(text: str, remark: str = "") -> Text:
    """Return the heading of a section with a remark on how to read it."""
    return Text.assemble((text, "bold cyan"), ("  " + remark if remark else "", "dim"))


def short_scorer(scorer: str, framework: str) -> str:
    """Return a scorer's own name without its framework in front."""
    return scorer.removeprefix(f"{framework}:")
