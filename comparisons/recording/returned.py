"""What an application returned, as plain data that a JSON line can carry; runs in the application's process.

Standard library only: the application's own modules stand first on the import path there.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Set
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

DEEPEST = 40
"""Levels of nesting; the deepest field of a case needs five."""

_MOST_DIGITS = 10**18
"""YAML suites hold whole numbers below this."""

_FREE = "metadata"
"""Below this key, what is no plain data is written as text instead of being refused."""

_SHOWN = 200
_PAIR = 2


class UnrecordableError(Exception):
    """Raised when a returned value holds something that is no data.

    Attributes:
        kind: one of `evalparity.comparisons.recording.attempts.KINDS`.
    """

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


def plain_result(value: object, names: Set[str]) -> Any:  # noqa: ANN401 - any JSON value
    """Return what the application returned as text, numbers, lists and mappings.

    Args:
        value: as returned; dataclasses, pydantic models, documents of retrieval libraries, arrays and sets are read.
        names: the names that mean something in a result; of other objects only attributes of these names are read.

    Raises:
        UnrecordableError: it is nothing, a generator, or holds what is no data.
    """
    if value is None:
        raise UnrecordableError("nothing", "returned None: return the answer as text, or a mapping with `output`.")
    return _Reader(names).read(value, "", 0)


class _Reader:
    """Turns objects into plain data, keeping the path for messages."""

    def __init__(self, names: Set[str]) -> None:
        self._names = names

    def read(self, value: object, path: str, depth: int, *, free: bool = False) -> Any:  # noqa: ANN401 - any JSON value
        if depth > DEEPEST:
            place = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"
            raise UnrecordableError("wrong_type", f"returned something nested deeper than {DEEPEST} levels at {place}.")
        if value is None or isinstance(value, bool):
            return value
        for kind, convert in _SCALARS:
            if isinstance(value, kind):
                return convert(value)
        inner = self._mapping_of(value)
        if inner is not None:
            return self._mapping(inner, path, depth, free=free)
        items = _items_of(value)
        if items is not None:
            return [self.read(item, f"{path}[{rank}]", depth + 1, free=free) for rank, item in enumerate(items)]
        if free:
            return str(value)[:_SHOWN]
        raise _no_data(value, path)

    def _mapping(self, inner: Mapping[Any, Any], path: str, depth: int, *, free: bool) -> dict[str, Any]:
        read = {}
        for key, value in inner.items():
            name = str(key)
            below = f"{path}.{name}" if path else name
            loose = free or name == _FREE or (depth == 0 and name not in self._names)
            read[name] = self.read(value, below, depth + 1, free=loose)
        return read

    def _mapping_of(self, value: object) -> Mapping[Any, Any] | None:
        if isinstance(value, Mapping):
            return value
        if isinstance(value, type):
            return None
        for read in (_document, _dataclass, _named_tuple, _model):
            found = read(value)
            if found is not None:
                return found
        return self._attributes(value)

    def _attributes(self, value: object) -> Mapping[str, Any] | None:
        if isinstance(value, Collection | Iterator | AsyncIterator) or callable(value) or hasattr(value, "tolist"):
            return None
        own = getattr(value, "__dict__", {})
        slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        found = {name: getattr(value, name, None) for name in (*own, *slots) if name in self._names}
        return found or None


def _document(value: object) -> dict[str, Any] | None:
    """Return a passage as retrieval libraries hold it: LangChain's `page_content`, LlamaIndex' `node_id` and `text`."""
    text = getattr(value, "page_content", None)
    name = getattr(value, "id", None)
    if not isinstance(text, str):
        name = getattr(value, "node_id", None)
        text = getattr(value, "text", None)
        if not isinstance(name, str) or not isinstance(text, str):
            return None
    metadata = getattr(value, "metadata", None)
    found = {"id": name, "text": text, "score": getattr(value, "score", None)}
    return {**found, "metadata": metadata if isinstance(metadata, Mapping) else {}}


def _dataclass(value: object) -> dict[str, Any] | None:
    if not dataclasses.is_dataclass(value):
        return None
    return {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}


def _named_tuple(value: object) -> dict[str, Any] | None:
    """Return a tuple's fields by name; two of them are a pair of contexts and answer, whatever their names."""
    as_dict = getattr(value, "_asdict", None)
    named = isinstance(value, tuple) and callable(as_dict) and len(value) != _PAIR
    return dict(as_dict()) if named and as_dict is not None else None


def _model(value: object) -> Mapping[str, Any] | None:
    dump = getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else None


def _items_of(value: object) -> list[Any] | None:
    if isinstance(value, bytes | bytearray | memoryview):
        return None
    if isinstance(value, Set):
        return sorted(value, key=str)
    if isinstance(value, Collection):
        return list(value)
    array = getattr(value, "tolist", None)
    if callable(array) and not isinstance(value, type):
        made = array()
        return made if isinstance(made, list) else None
    return None


def _no_data(value: object, path: str) -> UnrecordableError:
    where = f" at {path}" if path else ""
    if inspect.isgenerator(value) or inspect.isasyncgen(value) or isinstance(value, Iterator | AsyncIterator):
        return UnrecordableError("generator", f"returned a generator{where}: collect it, and return the whole text.")
    if isinstance(value, bytes | bytearray | memoryview):
        return UnrecordableError("wrong_type", f"returned {type(value).__name__}{where}: decode them to text.")
    if inspect.isawaitable(value):
        return UnrecordableError("wrong_type", f"returned a coroutine{where}: await it, and return what it gives.")
    told = f"returned an object of type {type(value).__name__}{where}: return text, lists and mappings."
    return UnrecordableError("wrong_type", told)


def _text(value: Any) -> str:  # noqa: ANN401 - a subclass of str
    return str.__str__(value)  # a class that is a text and more may print itself in another way


def _whole(value: Any) -> int:  # noqa: ANN401 - a subclass of int
    number = int(value)
    if abs(number) >= _MOST_DIGITS:
        raise UnrecordableError("wrong_type", "returned a number of more than 18 digits: return it as text.")
    return number


def _number(value: Any) -> float | None:  # noqa: ANN401 - float or Decimal
    number = float(value)
    return number if math.isfinite(number) else None  # NaN and infinity stand for a number that is not known


_SCALARS: tuple[tuple[Any, Any], ...] = (
    (str, _text),
    (int, _whole),
    (float | Decimal, _number),
    (date, lambda when: when.isoformat()),
    (UUID | PurePath, str),
    (Enum, lambda member: member.value if isinstance(member.value, str | int | float) else member.name),
)
"""How values are read that hold no others; the first that fits counts."""
