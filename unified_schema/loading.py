"""Opens test sets: suites in YAML and JSON, JSON lines, tables, and what the shapes of other tools recognise."""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from evalparity.unified_schema.columnar import read_parquet
from evalparity.unified_schema.delimited import read_delimited
from evalparity.unified_schema.encodings import UTF8, Encoding, decode, encoding_of, lines_as_utf8, undecodable
from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions, RowShape, Shapes
from evalparity.unified_schema.files import fault_of_path, sha256_of, sha256_of_folder, unreadable
from evalparity.unified_schema.json_source import quick_line, read_json
from evalparity.unified_schema.kinds import KINDS, Kind, kind_of
from evalparity.unified_schema.positions import FieldPath, Findings, Locate
from evalparity.unified_schema.records import Record, Source, find_cases
from evalparity.unified_schema.spreadsheet import read_spreadsheet
from evalparity.unified_schema.tables import Table, table_source
from evalparity.unified_schema.validation import Checked, LoadedSuite, check, validate
from evalparity.unified_schema.yaml_source import read_yaml

T_co = TypeVar("T_co", covariant=True)


def load_suite(
    path: str | os.PathLike[str], *, shapes: Shapes | None = None, options: ReadOptions | None = None
) -> LoadedSuite:
    """Return the suite in a file, with a note on everything that was renamed, converted or assumed.

    Args:
        path: of a YAML, JSON, JSON lines, CSV, TSV, Excel or Parquet file; its content tells which where its name
            does not; or of a folder that a shape recognises.
        shapes: what files of other tools can be, besides a suite and a list of cases; None: nothing else.
        options: what is allowed; None: neither bad rows nor files outside of the folder.

    Raises:
        SuiteError: the file cannot be read or breaks the format; it carries every problem, with its line.
        UsageError: the package that reads Excel or Parquet files is not installed.
    """
    return _opened(path, shapes, options, validate)


class _Read(Protocol[T_co]):
    def __call__(self, source: Source, *, skip_bad_rows: bool) -> T_co: ...


def _opened(
    path: str | os.PathLike[str], shapes: Shapes | None, options: ReadOptions | None, read: _Read[T_co]
) -> T_co:
    file = os.fspath(path)
    opened = Opened(path=Path(file), file=file, options=options or ReadOptions())
    try:
        source = _folder(opened, shapes or Shapes()) or _file(opened, shapes or Shapes())
        return read(source, skip_bad_rows=opened.options.skip_bad_rows)
    except OSError as error:
        raise SuiteError([unreadable(error, file)]) from error


def _folder(opened: Opened, shapes: Shapes) -> Source | None:
    try:
        known = opened.path.is_dir() and shapes.folders
    except ValueError:  # a NUL in the path, which is told as for files
        return None
    shape = next((shape for shape in shapes.folders if shape.recognises(opened.path)), None) if known else None
    return shape.read(opened) if shape is not None else None


def _file(opened: Opened, shapes: Shapes) -> Source:
    _refuse(fault_of_path(opened.path, opened.file, endings=KINDS, kind="suite", any_ending=True))
    found = kind_of(opened.path)
    if found.kind is None:
        raise SuiteError([Problem(file=opened.file, message=found.fault or "")])
    source = _READERS[found.kind](opened, shapes)
    return source if found.remark is None else replace(source, remarks=(found.remark, *source.remarks))


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
    """Return the SHA-256 of a suite file's bytes, in hexadecimal; of a folder, that of its files and their names.

    Raises:
        SuiteError: the file cannot be read.
    """
    file = os.fspath(path)
    try:
        if Path(file).is_dir():
            return sha256_of_folder(Path(file))
        _refuse(fault_of_path(Path(file), file, endings=KINDS, kind="suite", any_ending=True))
        return sha256_of(Path(file))
    except OSError as error:
        raise SuiteError([unreadable(error, file)]) from error


def _refuse(problem: Problem | None) -> None:
    if problem is not None:
        raise SuiteError([problem])


Parse = Callable[[str, str], tuple[object, Locate, list[Problem]]]


def _read_document(opened: Opened, shapes: Shapes, parse: Parse) -> Source:
    path, file = opened.path, opened.file
    text, undecoded, remarks = decode(path.read_bytes(), file)
    data, locate, problems = (None, _nowhere, undecoded) if undecoded else parse(text, file)
    shape = next((shape for shape in shapes.documents if shape.recognises(data)), None)
    if shape is None:
        source = find_cases(data, locate, file=file, name=path.stem, problems=problems)
    else:
        source = shape.read(data, locate, opened)
        source.problems.extend(problems)
    return replace(source, remarks=(*remarks, *source.remarks))


def _nowhere(_path: FieldPath) -> None:
    return None


def _yaml(opened: Opened, shapes: Shapes) -> Source:
    return _read_document(opened, shapes, read_yaml)


def _json(opened: Opened, shapes: Shapes) -> Source:
    return _read_document(opened, shapes, read_json)


def _json_lines(opened: Opened, shapes: Shapes) -> Source:
    problems: list[Problem] = []
    encoding = encoding_of(opened.path, opened.file)
    lines = json_lines(
        opened.path, opened.file, problems, encoding, of_cases=True, past_bytes=opened.options.skip_bad_rows
    )
    return Source(
        file=opened.file,
        name=opened.path.stem,
        header=None,
        locate=_nowhere,
        records=shaped(lines, shapes),
        problems=problems,
        remarks=(encoding.remark,) if encoding.remark is not None else (),
    )


def _tabular(read: Callable[[Path, str], tuple[Table, list[Problem]]]) -> Callable[[Opened, Shapes], Source]:
    def source(opened: Opened, shapes: Shapes) -> Source:
        table, problems = read(opened.path, opened.file)
        return table_source(table, opened, shapes, problems)

    return source


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


_AS_UTF8 = frozenset({UTF8, "utf-8-sig"})

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of the longest line of JSON that is read."""


def json_lines(
    path: Path,
    file: str,
    problems: list[Problem],
    encoding: Encoding,
    *,
    of_cases: bool = False,
    past_bytes: bool = False,
) -> Iterator[Record]:
    """Yield one record a line; lines end at LF only, for U+2028 and its kin may stand inside a text.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.
        problems: takes what is wrong with a line that yields no record.
        encoding: of the file.
        of_cases: each line is a case, so that what is wrong with it is a problem of that case.
        past_bytes: go on past a line that is not UTF-8, instead of giving the whole file up.
    """
    if encoding.fault is not None and encoding.codec not in _AS_UTF8:
        problems.append(encoding.fault)  # nothing after it can be made out
        return
    number = 0
    lines = _lines(path) if encoding.codec in _AS_UTF8 else lines_as_utf8(path, encoding.codec, LONGEST_LINE)
    for line, raw in enumerate(lines, start=1):
        data = quick_line(raw) if number else None
        if data is None:
            text, found = _decoded_line(raw, file, line)
            if found and not past_bytes and len(raw) <= LONGEST_LINE:
                problems.extend(found)  # the other lines of a file in another encoding would only say the same
                return
            if not found and not text.strip():
                continue
            if not found:
                data, _, found = read_json(text.rstrip("\r\n"), file, line)
            problems.extend(replace(problem, case=f"#{number + 1}") if of_cases else problem for problem in found)
            if data is None and found:
                number += 1
                continue
        number += 1
        yield Record(number, data, _at(line))


def _decoded_line(raw: bytes, file: str, line: int) -> tuple[str, list[Problem]]:
    if len(raw) > LONGEST_LINE:
        told = f"the line is longer than {LONGEST_LINE:,} bytes: a line break is missing, or shorten its texts."
        return "", [Problem(file=file, line=line, message=told)]
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode(), []
    except UnicodeDecodeError:
        found = undecodable(io.BytesIO(raw), UTF8, file)
        assert found is not None
        return "", [replace(found, line=line)]


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long only its beginning, so that it never fills the memory."""
    with path.open("rb") as lines:
        if path.stat().st_size <= LONGEST_LINE:
            yield from lines
            return
        while raw := lines.readline(LONGEST_LINE + 1):
            yield raw
            while len(raw) > LONGEST_LINE and not raw.endswith(b"\n"):
                raw = lines.readline(LONGEST_LINE + 1)


def _at(line: int) -> Locate:
    return lambda _path: line


_READERS: Mapping[Kind, Callable[[Opened, Shapes], Source]] = MappingProxyType(
    {
        "yaml": _yaml,
        "json": _json,
        "json lines": _json_lines,
        "table": _tabular(read_delimited),
        "spreadsheet": _tabular(read_spreadsheet),
        "parquet": _tabular(read_parquet),
    }
)
"""How a file is read, by what it is."""
