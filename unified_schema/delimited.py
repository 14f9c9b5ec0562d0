"""Reads CSV and TSV files, in the encodings and with the separators that spreadsheets write."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from evalparity.unified_schema.columns import known_name
from evalparity.unified_schema.encodings import encoding_of
from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES
from evalparity.unified_schema.positions import quoted
from evalparity.unified_schema.short_forms import CASE_KEYS
from evalparity.unified_schema.tables import Row, Table

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
"""What may stand between cells, and how messages call it."""

LONGEST_CELL = 64 * 1024 * 1024
"""Characters of the longest cell that is read."""

_SAMPLE = 256 * 1024
_SAMPLE_ROWS = 50
_HEADER = "there is no header here: write the names of the columns in the first line, such as id,input,output."


def read_delimited(path: Path, file: str) -> tuple[Table, list[Problem]]:
    """Return the table in a CSV or TSV file, read as its rows are asked for, or what is wrong with the file.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.
    """
    encoding = encoding_of(path, file)
    if encoding.fault is not None:
        return Table(columns=(), rows=()), [encoding.fault]
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    separator = _separator(path, encoding.codec)
    remarks = [f"the cells are separated by {SEPARATORS[separator]}"] if separator != "," else []
    remarks += [encoding.remark] if encoding.remark is not None else []
    rows = _rows(path, encoding.codec, separator)
    try:
        line, header = next(rows, (1, []))
    except csv.Error as error:
        return Table(columns=(), rows=()), [Problem(file=file, line=1, message=_said(error))]
    if not any(name.strip() for name in header):
        return Table(columns=(), rows=()), [Problem(file=file, line=1, message=_HEADER)]
    columns = _columns(header)
    comma = True if separator == ";" else None
    table = Table(
        columns=columns,
        rows=_checked(rows, header),
        decimal_comma=comma,
        remarks=tuple(remarks),
        header_line=line,
    )
    return table, []


def _columns(header: Sequence[str]) -> tuple[str, ...]:
    return tuple(name if name.strip() else f"column {rank}" for rank, name in enumerate(header, start=1))


def _separator(path: Path, encoding: str) -> str:
    """Return the separator under which the most column names are known, then the most rows fit the header."""
    with path.open(encoding=encoding, newline="") as content:
        sample = content.read(_SAMPLE)
    if path.suffix.lower() == ".tsv" and "\t" in sample.partition("\n")[0]:
        return "\t"
    return max(SEPARATORS, key=lambda separator: _fit(sample, separator))


def _fit(sample: str, separator: str) -> tuple[int, int, int]:
    rows = []
    try:
        for row in csv.reader(io.StringIO(sample, newline=""), delimiter=separator, strict=False):
            if row:
                rows.append(row)
            if len(rows) == _SAMPLE_ROWS:
                break
    except csv.Error:
        return (0, 0, 0)
    header = rows[0] if rows else []
    known = sum(known_name(name.strip()) in CASE_KEYS or known_name(name.strip()) in FOREIGN_NAMES for name in header)
    widths = Counter(map(len, rows))
    return known, widths[len(header)] if len(header) > 1 else 0, len(header)


def _rows(path: Path, encoding: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank with the line it begins on; line breaks in quotes stay as they are."""
    with path.open(encoding=encoding, newline="") as content:
        reader = csv.reader(content, delimiter=separator, strict=True)
        line = 1
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1


def _checked(rows: Iterator[tuple[int, list[str]]], header: Sequence[str]) -> Iterator[Row]:
    line = 1
    try:
        for line, row in rows:
            if len(row) == len(header):
                yield Row(line=line, cells=tuple(row))
            elif any(row):
                yield Row(line=line, cells=(), fault=_width(row, header))
    except csv.Error as error:
        yield Row(
            line=line + 1, cells=(), fault=f"from here on the rows cannot be told apart: {_said(error)}", grave=True
        )


def _width(row: Sequence[str], header: Sequence[str]) -> str:
    advice = "put texts that hold a separator in quotes" if len(row) > len(header) else "the row was cut, or write all"
    last = row[-1] if row else ""
    return f"the row has {len(row)} cells and the header has {len(header)} (the last is {quoted(last)}): {advice}."


def _said(error: csv.Error) -> str:
    text = str(error)
    if "field limit" in text:
        return f"a cell is longer than {LONGEST_CELL} characters: a quote is missing, or shorten it."
    if "unexpected end" in text:
        return "a quote is opened and never closed: close it, and write quotes inside of a text twice."
    return f"a quote stands where none may ({text}): write quotes inside of a text twice."
