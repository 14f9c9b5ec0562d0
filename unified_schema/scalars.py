"""Scalars as they stand in a file, read by the type of the field that they are for.

YAML guesses types: `no` becomes false, `007` becomes 7, `2026-06-01` a date. Here nothing is guessed. A scalar
without quotes keeps its text, and only a field that holds numbers, booleans or dates reads it as one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType

_BOOLEANS: Mapping[str, bool] = MappingProxyType(
    {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
)
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[-+]?\.(nan|inf)", re.IGNORECASE)
_INTEGER = re.compile(r"[-+]?\d{1,18}", re.ASCII)
_CERTAIN_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d+([eE][-+]\d+)?)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class Plain(str):
    """A YAML scalar without quotes: the text as written, its meaning still open."""

    __slots__ = ()


def as_text(value: object) -> object:
    """Return a text, number or boolean as text; anything else as it is."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    return value


def as_id(value: object) -> object:
    """Return an id as text: `007` as written, a whole number as its digits; anything else as it is."""
    if isinstance(value, str):
        return str(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def as_number(value: object) -> object:
    """Return an unquoted decimal number as a float, `.nan` and `.inf` included; anything else as it is."""
    if not isinstance(value, Plain):
        return value
    if _NUMBER.fullmatch(value):
        return float(value)
    return float(value.replace(".", "")) if _NOT_FINITE.fullmatch(value) else value


def as_integer(value: object) -> object:
    """Return an unquoted whole number as an int; anything else as it is."""
    return int(value) if isinstance(value, Plain) and _INTEGER.fullmatch(value) else value


def as_boolean(value: object) -> object:
    """Return an unquoted true, yes, on, false, no or off as a boolean; anything else as it is."""
    return _BOOLEANS.get(value.lower(), value) if isinstance(value, Plain) else value


def as_time(value: object) -> object:
    """Return an ISO 8601 date or time, quoted or not, as such; anything else as it is."""
    if not isinstance(value, str) or not _DATE.match(value):
        return value
    try:
        return date.fromisoformat(value) if _DATE.fullmatch(value) else datetime.fromisoformat(value)
    except ValueError:
        return value


def as_free(value: object) -> object:
    """Return a scalar of a free-form field by the reading that YAML 1.1, YAML 1.2 and JSON share, else as text.

    `3`, `0.5`, `true` and `false` are what they look like; `007`, `1e5`, `yes` and dates stay text, because the
    three languages disagree about them.
    """
    if not isinstance(value, Plain):
        return value
    if value.lower() in {"true", "false"}:
        return value.lower() == "true"
    if not _CERTAIN_NUMBER.fullmatch(value):
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        return str(value)
    return int(value) if value.lstrip("-").isdigit() else number
