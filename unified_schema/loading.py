"""Opens suite files: YAML, JSON and JSON lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions, RowShape, Shapes
from evalparity.unified_schema.files import decode, fault_of_path, sha256_of, unreadable
from evalparity.unified_schema.json_source import quick_line, read_json
from evalparity.unified_schema.positions import FieldPath, Findings, Locate
from evalparity.unified_schema.records import Record, Source, find_cases
from evalparity.unified_schema.validation import Checked, LoadedSuite, check, validate
from evalparity.unified_schema.yaml_source import read_yaml

T_co = TypeVar("T_co", covariant=True)


def load_suite(
    path: str | os.PathLike[str], *, shapes: Shapes | None = None, options: ReadOptions | None = None
) -> LoadedSuite:
    """Return the suite in a file, with a note on everything that was renamed, converted or assumed.

    Args:
        path: a .yaml, .yml, .json, .jsonl or .ndjson file in UTF-8.
        shapes: what files of other tools can be, besides a suite and a list of cases; None: nothing else.
        options: what is allowed; None: neither bad rows nor files outside of the folder.

    Raises:
        SuiteError: the file cannot be read or breaks the format; it carries every problem, with its line.
    """
    return _opened(path, shapes, options, validate)


class _Read(Protocol[T_co]):
    def __call__(self, source: Source, *, skip_bad_rows: bool) -> T_co: ...


def _opened(
    path: str | os.PathLike[str], shapes: Shapes | None, options: ReadOptions | None, read: _Read[T_co]
) -> T_co:
    file = os.fspath(path)
    opened = Opened(path=Path(file), file=file, options=options or ReadOptions())
    _refuse(fault_of_path(opened.path, file, endings=_READERS, kind="suite"))
    try:
        source = _READERS[opened.path.suffix.lower()](opened, shapes or Shapes())
        return read(source, skip_bad_rows=opened.options.skip_bad_rows)
    except OSError as error:
        raise SuiteError([unreadable(error, file)]) from error


def check_suite(
    path: str | os.PathLike[str], *, shapes: Shapes | None = None, options: ReadOptions | None = None
) -> Checked:
    """Check a suite as `load_suite` does, without keeping its cases: for files that are too large to hold.

    Args:
        path: as for `load_suite`.
        shapes: as for `load_suite`.
        options: as for `load_suite`.

    Raises:
        SuiteError: as from `load_suite`.
    """
    return _opened(path, shapes, options, check)


def suite_sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a suite file's bytes, in hexadecimal.

    Raises:
        SuiteError: the file cannot be read.
    """
    file = os.fspath(path)
    _refuse(fault_of_path(Path(file), file, endings=_READERS, kind="suite"))
    try:
        return sha256_of(Path(file))
    except OSError as error:
        raise SuiteError([unreadable(error, file)]) from error


def _refuse(problem: Problem | None) -> None:
    if problem is not None:
        raise SuiteError([problem])


Parse = Callable[[str, str], tuple[object, Locate, list[Problem]]]


def _read_document(opened: Opened, shapes: Shapes, parse: Parse) -> Source:
    path, file = opened.path, opened.file
    text, undecoded = decode(path.read_bytes(), file)
    data, locate, problems = (None, _nowhere, undecoded) if undecoded else parse(text, file)
    shape = next((shape for shape in shapes.documents if shape.recognises(data)), None)
    if shape is None:
        return find_cases(data, locate, file=file, name=path.stem, problems=problems)
    source = shape.read(data, locate, opened)
    source.problems.extend(problems)
    return source


def _nowhere(_path: FieldPath) -> None:
    return None


def _yaml(opened: Opened, shapes: Shapes) -> Source:
    return _read_document(opened, shapes, read_yaml)


def _json(opened: Opened, shapes: Shapes) -> Source:
    return _read_document(opened, shapes, read_json)


def _json_lines(opened: Opened, shapes: Shapes) -> Source:
    problems: list[Problem] = []
    records = shaped(json_lines(opened.path, opened.file, problems), shapes)
    return Source(
        file=opened.file, name=opened.path.stem, header=None, locate=_nowhere, records=records, problems=problems
    )


def shaped(records: Iterator[Record], shapes: Shapes) -> Iterator[Record]:
    """Yield records as cases, read by the first shape that recognises the keys of the first row."""
    first = next(records, None)
    if first is None:
        return
    keys = frozenset(first.data) if isinstance(first.data, Mapping) else frozenset()
    shape = next((shape for shape in shapes.rows if shape.recognises(keys)), None)
    if shape is None:
        yield first
        yield from records
    else:
        yield from (_as_case(record, shape) for record in chain([first], records))


def _as_case(record: Record, shape: RowShape) -> Record:
    if not isinstance(record.data, Mapping):
        return record
    findings = record.findings or Findings()
    return record._replace(data=shape.read(record.data, findings), findings=findings)


def json_lines(path: Path, file: str, problems: list[Problem]) -> Iterator[Record]:
    """Yield one record a line; lines end at LF only, for U+2028 and its kin may stand inside a text.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.
        problems: takes what is wrong with a line that yields no record.
    """
    number = 0
    with path.open("rb") as lines:
        for line, raw in enumerate(lines, start=1):
            data = quick_line(raw) if number else None
            if data is None:
                text, undecoded = decode(raw, file, line)
                if undecoded:  # the whole file is in another encoding; its other lines would only say the same
                    problems.extend(undecoded)
                    return
                if not text.strip():
                    continue
                if number == 0 and text.strip() in {"{", "["}:
                    told = "each entry must stand on one line: name the file .json if it is one JSON document."
                    problems.append(Problem(file=file, line=line, message=told))
                    return
                data, _, found = read_json(text.rstrip("\r\n"), file, line)
                problems.extend(found)
                if data is None and found:
                    number += 1
                    continue
            number += 1
            yield Record(number, data, _at(line))


def _at(line: int) -> Locate:
    return lambda _path: line


_READERS: Mapping[str, Callable[[Opened, Shapes], Source]] = MappingProxyType(
    {".yaml": _yaml, ".yml": _yaml, ".json": _json, ".jsonl": _json_lines, ".ndjson": _json_lines}
)
"""How a file is read, by its ending."""
