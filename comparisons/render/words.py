"""How numbers and names are written in every table of the terminal."""

from __future__ import annotations

from rich.text import Text

from evalparity.comparisons.render.inert import inert

NONE = "–"
"""Stands where there is no number; never 0."""

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
    if dollars is None:
        return Text("unknown", "dim")
    return Text(f"{dollars:,.4f}" if dollars else "0")


def title(text: str, remark: str = "") -> Text:
    """Return the heading of a section with a remark on how to read it."""
    return Text.assemble((text, "bold cyan"), ("  " + remark if remark else "", "dim"))


def short_scorer(scorer: str, framework: str) -> str:
    """Return a scorer's own name without its framework in front."""
    return scorer.removeprefix(f"{framework}:")
