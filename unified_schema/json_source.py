"""Reads JSON and JSON lines, and finds the line of a value when one is asked for."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined] # there, but in no stub
from typing import Any

from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.positions import FieldPath, Locate, path_text, quoted

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(slots=True)
class _Reader:
    """Decodes objects and remembers whether any of them holds a key twice."""

    repeated: bool = False

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        built = dict(pairs)
        if len(built) < len(pairs):
            self.repeated = True
        return built


class _RepeatedError(ValueError):
    """Raised where an object holds a key twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) < len(pairs):
        raise _RepeatedError
    return built


_SCAN = json.JSONDecoder(object_pairs_hook=_once).scan_once  # type: ignore[attr-defined] # there, but in no stub
_LINE_ENDS = frozenset({"", "\n", "\r\n"})


def quick_line(raw: bytes) -> object | None:
    """Return the data of a line of JSON; None where it is null or blank, or where `read_json` has to look at it."""
    try:
        text = raw.decode()
        data: object
        data, end = _SCAN(text, 0)
    except (ValueError, RecursionError, StopIteration):
        return None
    broken = "\\u" in text and _SURROGATE.search(text)
    return data if text[end:] in _LINE_ENDS and not broken else None


def read_json(text: str, file: str, first_line: int = 1) -> tuple[object, Locate, list[Problem]]:
    """Return the data of a JSON text, where each value stands, and every problem found.

    Repeated keys and halves of Unicode characters are problems; data is None when the text is not JSON at all.
    """
    places = _Places(text=text, first_line=first_line)
    reader = _Reader()
    try:
        data = json.loads(text, object_pairs_hook=reader.pairs)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        problem = Problem(file=file, line=line, column=error.colno, message=f"not valid JSON: {_said(error)}.")
        return None, places.line, [problem]
    except RecursionError:
        return None, places.line, [Problem(file=file, line=first_line, message="nested too deeply: flatten it.")]
    except ValueError:  # Python refuses to read numbers of more than 4300 digits
        said = "a number has too many digits: put it in quotes if it is a text."
        return None, places.line, [Problem(file=file, line=first_line, message=said)]
    problems = list(_repeated_keys(places, file)) if reader.repeated else []
    if _SURROGATE.search(text):
        problems.extend(_broken_texts(data, places, file))
    return data, places.line, problems


def _said(error: json.JSONDecodeError) -> str:
    if not error.doc.strip():
        return "there is nothing here"
    return f"{error.msg[0].lower()}{error.msg[1:]}; correct this place"


@dataclass(slots=True)
class _Places:
    """Finds where a value starts by walking down to it; what is passed on the way is skipped, not kept."""

    text: str
    first_line: int
    _entries: dict[int, list[tuple[str | int, int]]] = field(default_factory=dict)
    _children: dict[int, dict[str | int, int]] = field(default_factory=dict)
    _breaks: list[int] | None = None

    def line(self, path: FieldPath) -> int:
        start = self.skip(0)
        for step in path:
            if start not in self._children:
                self._children[start] = dict(self.entries(start))
            if step not in self._children[start]:
                break
            start = self._children[start][step]
        return self.line_at(start)

    def line_at(self, offset: int) -> int:
        if self._breaks is None:
            self._breaks = [match.start() for match in re.finditer("\n", self.text)]
        return self.first_line + bisect_right(self._breaks, offset)

    def skip(self, offset: int) -> int:
        found = _SPACE.match(self.text, offset)
        assert found is not None
        return found.end()

    def entries(self, start: int) -> list[tuple[str | int, int]]:
        """Return the keys or positions inside the value at `start`, with where each of their values starts."""
        if start not in self._entries:
            walk = {"{": self._members, "[": self._items}.get(self.text[start : start + 1])
            self._entries[start] = list(walk(start)) if walk else []
        return self._entries[start]

    def _members(self, start: int) -> Iterator[tuple[str | int, int]]:
        offset = self.skip(start + 1)
        while self.text[offset] == '"':
            key, offset = scanstring(self.text, offset + 1, True)  # noqa: FBT003 - positional in C
            value = self.skip(self.skip(offset) + 1)
            yield key, value
            offset = self._after(value)

    def _items(self, start: int) -> Iterator[tuple[str | int, int]]:
        offset, rank = self.skip(start + 1), 0
        while self.text[offset] != "]":
            yield rank, offset
            offset, rank = self._after(offset), rank + 1

    def _after(self, value: int) -> int:
        """Return where the next member or item starts, or the closing bracket where there is none."""
        _, end = _DECODER.raw_decode(self.text, value)
        offset = self.skip(end)
        return self.skip(offset + 1) if self.text[offset] == "," else offset


def _repeated_keys(places: _Places, file: str) -> Iterator[Problem]:
    waiting: list[tuple[FieldPath, int]] = [((), places.skip(0))]
    while waiting:
        path, start = waiting.pop()
        first: dict[str | int, int] = {}
        for step, value in places.entries(start):
            waiting.append(((*path, step), value))
            if step in first:
                told = f"the first is on line {places.line_at(first[step])}"
                message = f"the key {quoted(step)} stands here twice ({told}): keep one of them."
                yield Problem(file=file, line=places.line_at(value), field=path_text((*path, step)), message=message)
            first.setdefault(step, value)


def _broken_texts(data: object, places: _Places, file: str) -> Iterator[Problem]:
    waiting: list[tuple[FieldPath, object]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(((*path, key), inner) for key, inner in value.items())
            waiting.extend((path, key) for key in value)
        elif isinstance(value, list):
            waiting.extend(((*path, rank), inner) for rank, inner in enumerate(value))
        elif isinstance(value, str) and not _is_whole(value):
            message = "holds half of a Unicode character (a lone surrogate): repair the text."
            yield Problem(file=file, line=places.line(path), field=path_text(path), message=message)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
