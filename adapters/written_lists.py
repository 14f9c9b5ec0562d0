"""Lists and mappings that a framework wrote into a cell as text, as Python or JSON shows them."""

from __future__ import annotations

import ast
import json

_LONGEST = 4_000_000
"""Characters of a cell that are looked at; no list of passages is longer, and Python's parser is slow."""


def value_in(cell: object) -> list[object] | dict[object, object] | None:
    """Return the list or mapping that a cell holds in JSON or as a Python literal; None where it holds neither.

    Nothing in the cell is run: Python's parser takes literals only.
    """
    if not isinstance(cell, str) or len(cell) > _LONGEST:
        return None
    text = cell.strip()
    if text[:1] + text[-1:] not in {"[]", "{}"}:
        return None
    value = _json(text)
    if value is None:
        value = _literal(text)
    return value if isinstance(value, list | dict) else None


def list_in(cell: object) -> list[object] | None:
    """Return the list that a cell holds in JSON or as a Python literal; None where it holds none."""
    value = value_in(cell)
    return value if isinstance(value, list) else None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
