"""What to tell a user about a value that the model refuses: what is wrong and what to write instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from evalparity.unified_schema.positions import FieldPath, quoted


def explain(error: ValidationError, data: object) -> dict[FieldPath, str]:
    """Return one sentence per refused value, by its path in the data that was checked."""
    told: dict[FieldPath, str] = {}
    for detail in error.errors(include_url=False):
        told.setdefault(_path(detail["loc"], data, missing=detail["type"] == "missing"), _sentence(detail))
    return told


def _path(loc: tuple[str | int, ...], data: Any, *, missing: bool) -> FieldPath:  # noqa: ANN401 - raw data
    """Cut the name of a union's branch, which pydantic appends, off the path."""
    path: FieldPath = ()
    for step in loc:
        inside = isinstance(data, Mapping) and step in data
        if not inside and not (isinstance(data, list | tuple) and isinstance(step, int) and step < len(data)):
            return (*path, step) if missing else path
        path, data = (*path, step), data[step]
    return path


def _sentence(detail: ErrorDetails) -> str:
    value = detail["input"]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN and Infinity are no values: write a number, or leave the field out where it is unknown."
    kind = detail["type"]
    tell = _SENTENCES.get(kind)
    if tell is not None:
        return tell(detail)
    return f"{detail['msg']}: correct the value {_seen(value)}."


def _seen(value: object) -> str:
    if value is None:
        return "nothing (null)"
    name = next((name for kind, name in _NAMES if isinstance(value, kind)), type(value).__name__)
    return name if isinstance(value, Mapping | list | tuple) else f"{name} {quoted(value)}"


def _expected(what: str) -> Callable[[ErrorDetails], str]:
    return lambda detail: f"must be {what}, not {_seen(detail['input'])}."


def _text(detail: ErrorDetails) -> str:
    value = detail["input"]
    if isinstance(value, bool | float):
        return f"ids are text, not {_seen(value)}: put it in quotes as it should read."
    return f"must be a text, not {_seen(value)}: put a text in quotes here."


def _literal(detail: ErrorDetails) -> str:
    return f"must be {detail['ctx']['expected']}, not {_seen(detail['input'])}."


def _bound(detail: ErrorDetails) -> str:
    (name, bound), *_ = detail["ctx"].items()
    shown = int(bound) if bound == int(bound) else bound
    return f"must be {_BOUNDS[name].format(shown)}, not {_seen(detail['input'])}."


_NAMES: tuple[tuple[type, str], ...] = (
    (bool, "the truth value"),
    (int, "the number"),
    (float, "the number"),
    (str, "the text"),
    (Mapping, "a mapping"),
    (list, "a list"),
    (tuple, "a list"),
)

_BOUNDS: Mapping[str, str] = MappingProxyType(
    {"ge": "{} or more", "gt": "more than {}", "le": "{} or less", "lt": "less than {}"}
)

_SENTENCES: Mapping[str, Callable[[ErrorDetails], str]] = MappingProxyType(
    {
        "missing": lambda _: "is missing: add it.",
        "string_type": _text,
        "string_too_short": lambda _: "is empty: write a text, or leave the field out where it may be missing.",
        "float_type": _expected("a number without quotes"),
        "int_type": _expected("a whole number without quotes"),
        "bool_type": _expected("true or false without quotes"),
        "date_type": _expected("a date as 2026-06-01 or a time as 2026-06-01T12:00:00+00:00"),
        "datetime_type": _expected("a date as 2026-06-01 or a time as 2026-06-01T12:00:00+00:00"),
        "tuple_type": _expected("a list"),
        "dict_type": _expected("a mapping"),
        "model_type": _expected("a mapping of fields"),
        "literal_error": _literal,
        "greater_than_equal": _bound,
        "greater_than": _bound,
        "less_than_equal": _bound,
        "less_than": _bound,
        "too_short": lambda _: "is empty: put at least one item in it.",
        "recursion_depth_exceeded": lambda _: "is nested too deeply: flatten it.",
    }
)
