"""Reads CSV and TSV files, in the encodings and with the separators that spreadsheets write."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from evalparity.unified_schema.columns import known_name
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
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_UTF8_PAIR = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
"""What hardly any Western text holds in Windows-1252: so a file that has it is UTF-8 with a fault."""
_CUT = "the file ends inside of a character: it was cut, fetch it again."
_HEADER = "there is no header here: write the names of the columns in the first line, such as id,input,output."


def read_delimited(path: Path, file: str) -> tuple[Table, list[Problem]]:
    """Return the table in a CSV or TSV file, read as its rows are asked for, or what is wrong with the file.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.
    """
    encoding, fault = _encoding(path, file)
    if fault is not None:
        return Table(columns=(), rows=()), [fault]
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    separator = _separator(path, encoding)
    remarks = [f"the cells are separated by {SEPARATORS[separator]}"] if separator != "," else []
    remarks += [f"the file is {_ENCODINGS[encoding]}"] if encoding in _ENCODINGS else []
    rows = _rows(path, encoding, separator)
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


_ENCODINGS = {"cp1252": "in no UTF encoding and read as Windows-1252", "utf-16": "in UTF-16"}


def _columns(header: Sequence[str]) -> tuple[str, ...]:
    return tuple(name if name.strip() else f"column {rank}" for rank, name in enumerate(header, start=1))


def _encoding(path: Path, file: str) -> tuple[str, Problem | None]:
    """Return the encoding of a file: by its mark, else UTF-8, else Windows-1252 where every byte is one of its."""
    with path.open("rb") as content:
        start = content.read(4)
        named = next((name for bom, name in _BOMS if start.startswith(bom)), None)
        content.seek(0)
        if named is not None:
            return named, _undecodable(content, named, file)
        fault = _undecodable(content, "utf-8", file)
        if fault is None:
            return "utf-8", None
        content.seek(0)
        if not fault.message.endswith(_CUT) and _is_windows(content):
            return "cp1252", None
        return "utf-8", fault


def _undecodable(content: IO[bytes], encoding: str, file: str) -> Problem | None:
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    while True:
        block = content.read(1 << 20)
        try:
            line += decoder.decode(block, final=not block).count("\n")
        except UnicodeDecodeError as error:
            line += error.object[: error.start].count(b"\n")
            told = f"is not {encoding.removesuffix('-sig').upper()} (byte 0x{error.object[error.start]:02X} here): "
            advice = _CUT if not block else "save the file as UTF-8."
            return Problem(file=file, line=line, message=told + advice)
        if not block:
            return None


def _is_windows(content: IO[bytes]) -> bool:
    """Tell whether bytes can be Windows-1252: none that it does not have, and no control characters."""
    while block := content.read(1 << 20):
        try:
            text = block.decode("cp1252")
        except UnicodeDecodeError:
            return False
        if any(character < " " and character not in "\t\r\n\f\v" for character in set(text)):
            return False
        if _UTF8_PAIR.search(block):
            return False
    return True


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
