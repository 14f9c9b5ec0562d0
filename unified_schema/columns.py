"""The names of a table's columns: as people write them, and with a path in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from evalparity.unified_schema.conversations import TURN_LISTS
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES
from evalparity.unified_schema.positions import Findings, quoted
from evalparity.unified_schema.short_forms import CASE_KEYS
from evalparity.unified_schema.traced import PARTS

_STEP = re.compile(r"\[(\d{1,4})\]|\.(\d{1,4})(?=[.\[]|$)|\.([^.\[\]]+)", re.ASCII)
_PATH = re.compile(r"(?P<name>\w+)(?P<steps>(?:\[\d{1,4}\]|\.[^.\[\]]+)+)", re.ASCII)
_LISTS_OF_TEXTS = ("ground_truths", "references")
_NESTED = frozenset({"metadata", "labels", "usage", "access", "relevance"}) | PARTS
_LISTED = frozenset({"retrieved_contexts", "reference_contexts", "conversation", "relevant", "prompt_contexts"})
_INVISIBLE = "\ufeff\u200b\u00a0 \t\r\n"
_MOST_SHOWN = 20


@cache
def known_name(column: str) -> str:
    """Return the name that a column is known by: `User Input` is `user_input`; an unknown name stays as it is."""
    if _is_known(column):
        return column
    bare = column.strip(_INVISIBLE)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare)
    written = [bare, re.sub(r"[\s\-]+", "_", snake).lower(), re.sub(r"[\s\-_]+", "_", bare).lower()]
    return next((name for name in written if _is_known(name)), column)


def _is_known(name: str) -> bool:
    return name in CASE_KEYS or name in FOREIGN_NAMES or name in TURN_LISTS or name in PARTS


@cache
def canonical(column: str) -> str:
    """Return the field that a column is for, `references` for one that may hold several; else the column."""
    return "references" if column in _LISTS_OF_TEXTS else FOREIGN_NAMES.get(column, column)


@cache
def _path(column: str) -> tuple[str, tuple[str | int, ...]]:
    """Return the name and the path of a column such as `metadata.page` or `retrieved_contexts[0].text`."""
    found = _PATH.fullmatch(column.strip(_INVISIBLE))
    if found is None or column in CASE_KEYS or column in FOREIGN_NAMES:
        return known_name(column), ()
    name = known_name(found["name"])
    steps = [int(rank or number) if rank or number else key for rank, number, key in _STEP.findall(found["steps"])]
    field = FOREIGN_NAMES.get(name, name)
    fits = isinstance(steps[0], int) if field in _LISTED else field in _NESTED
    return (name, tuple(steps)) if fits else (column, ())


def gathered(raw: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return a row with columns such as `metadata.page` gathered in one value, and names as they are known.

    Args:
        raw: by column; an empty cell gives nothing.
        findings: takes what was renamed, and which columns claim one place.
    """
    row: dict[str, Any] = {}
    listed: dict[str, dict[int, Any]] = {}
    for column, cell in raw.items():
        name, steps = _path(column)
        if cell is None or cell == "":
            continue
        if steps:
            _put(name, steps, cell, row, listed, column, findings)
        elif name in row:
            findings.fault((column,), f"{quoted(column)} and another column both claim {name}: keep one of them")
        else:
            row[name] = cell
            if name != column:
                findings.remark((name,), f"the column {quoted(column)} is read as {name}")
    for name, items in listed.items():
        if name in row:
            findings.fault((name,), f"{name} and {name}[…] both claim one field: keep one of them")
        else:
            row[name] = [items[rank] for rank in sorted(items)]
    return row


def _put(
    name: str,
    steps: tuple[str | int, ...],
    cell: Any,  # noqa: ANN401 - any cell
    row: dict[str, Any],
    listed: dict[str, dict[int, Any]],
    column: str,
    findings: Findings,
) -> None:
    first, *rest = steps
    if isinstance(first, int) and FOREIGN_NAMES.get(name, name) in _LISTED:
        items = listed.setdefault(name, {})
        taken = _set(items, [first, *rest], cell)
    else:
        place = row.setdefault(name, {})
        taken = not isinstance(place, dict) or _set(place, list(steps), cell)
    if taken:
        findings.fault((column,), f"{quoted(column)} and another column both claim one place: keep one of them")


def _set(place: dict[Any, Any], steps: Sequence[str | int], cell: Any) -> bool:  # noqa: ANN401 - any cell
    """Set a value in nested mappings; return whether something stands there already."""
    *way, last = steps
    for step in way:
        inner = place.setdefault(step, {})
        if not isinstance(inner, dict):
            return True
        place = inner
    if last in place:
        return True
    place[last] = cell
    return False


def column_fault(columns: Sequence[str], *, shaped: bool) -> str | None:
    """Return why a table with these columns holds no cases; None where it may.

    Args:
        columns: as the file has them.
        shaped: whether the rows are known to be those of some tool.
    """
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        return f"there are two columns {quoted(twice[0])}: rename or delete one of them."
    if shaped:
        return None
    names = [known_name(_path(column)[0]) for column in columns]
    asked = [name for name in names if FOREIGN_NAMES.get(name, name) == "input" or name in TURN_LISTS or name in PARTS]
    if asked:
        return None
    shown = ", ".join(map(quoted, columns[:_MOST_SHOWN]))
    return (
        f"no column holds what was asked: name one of them input, question, query or user_input in the first line "
        f"(the columns are {shown})."
    )
