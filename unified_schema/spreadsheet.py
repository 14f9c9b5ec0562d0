"""Reads Excel workbooks (.xlsx): the saved values of one sheet, row by row; formulas are never computed."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from evalparity.unified_schema.errors import Problem, UsageError
from evalparity.unified_schema.positions import quoted
from evalparity.unified_schema.tables import Row, Table

LARGEST = 512 * 1024 * 1024
"""Bytes that a workbook may hold once unpacked; what is larger is a CSV file, or a bomb."""

MOST_RATIO = 400
"""How many times larger than the file a workbook of more than 32 MB may be; real ones stay below 50."""

EXTRA = "install it with `pip install 'evalparity[tables]'`, or save the table as CSV."

_SMALL = 32 * 1024 * 1024
_MOST_COLUMNS = 2000
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PADDED = re.compile(r"0{2,20}", re.ASCII)


def read_spreadsheet(path: Path, file: str) -> tuple[Table, list[Problem]]:
    """Return the table in the first sheet of a workbook that has any cells, or what is wrong with the file.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.

    Raises:
        UsageError: the package that reads workbooks is not installed.
    """
    fault = _fault_of_archive(path)
    if fault is not None:
        return Table(columns=(), rows=()), [Problem(file=file, message=fault)]
    try:
        from openpyxl import load_workbook  # noqa: PLC0415 - heavy, and an extra
    except ImportError as error:
        raise UsageError(f"{file}: openpyxl is needed to read Excel files: {EXTRA}") from error
    try:
        with path.open("rb") as content, closing(load_workbook(content, read_only=True, data_only=True)) as book:
            names = [sheet.title for sheet in book.worksheets if next(sheet.iter_rows(values_only=True), None)]
        rows = _rows(path, names[0]) if names else iter(())
        header_row = next(rows, None)
    except Exception as error:  # noqa: BLE001 - openpyxl raises whatever a damaged file makes it meet
        return Table(columns=(), rows=()), [Problem(file=file, message=_damaged(error))]
    if header_row is None:
        return Table(columns=(), rows=()), [Problem(file=file, message="there are no cells in any sheet.")]
    columns = _columns(header_row.cells)
    remarks = [f"the sheet {quoted(names[0])} is read, of {len(names)} with cells"] if len(names) > 1 else []
    checked = _checked(rows, columns)
    return Table(columns=columns, rows=checked, remarks=tuple(remarks), header_line=header_row.line), []


def _fault_of_archive(path: Path) -> str | None:
    """Return why a workbook is not opened: damaged, locked or a bomb; nothing is unpacked to find out.

    An entry can hold no more than it declares: zipfile stops reading there.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        return f"is no whole Excel workbook ({error}): save it again as .xlsx."
    if any(entry.flag_bits & 1 for entry in entries):
        return "is locked with a password: save it without."
    size = sum(entry.file_size for entry in entries)
    packed = max(path.stat().st_size, 1)
    if size > LARGEST or (size > _SMALL and size > packed * MOST_RATIO):
        return f"unpacks to {size:,} bytes from {packed:,}, which no test set does: save it as CSV if it is one."
    return None


def _rows(path: Path, sheet: str) -> Iterator[Row]:
    """Yield the rows of a sheet; a formula whose value was not saved is told from an empty cell by a second look."""
    from openpyxl import load_workbook  # noqa: PLC0415 - as above

    with (
        path.open("rb") as one,  # by its content: of a path openpyxl wants the right ending
        path.open("rb") as other,
        closing(load_workbook(one, read_only=True, data_only=True)) as values,
        closing(load_workbook(other, read_only=True, data_only=False)) as formulas,
    ):
        both = zip(values[sheet].iter_rows(), formulas[sheet].iter_rows(), strict=True)
        for line, (cells, written) in enumerate(both, start=1):
            found = tuple(map(_value, cells[:_MOST_COLUMNS]))
            bare = tuple(_fault(cell, source) for cell, source in zip(cells, written, strict=False))
            if any(value is not None for value in found) or any(bare):
                faults = {str(rank): fault for rank, fault in enumerate(bare) if fault}
                yield Row(line=line, cells=found, faults=faults)


def _value(cell: Any) -> Any:  # noqa: ANN401 - openpyxl has no types
    value = cell.value
    if isinstance(value, str):
        if cell.data_type == "e":
            return None
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value) if "_x" in value else value
    if isinstance(value, int) and not isinstance(value, bool) and _PADDED.fullmatch(cell.number_format or ""):
        return f"{value:0{len(cell.number_format)}d}"
    if isinstance(value, bool | int | float | datetime | date | time) or value is None:
        return value
    return str(value)


def _fault(cell: Any, source: Any) -> str | None:  # noqa: ANN401 - as above
    if cell.value is None and source.data_type == "f":
        return "the cell holds a formula whose value is not saved: open the file in Excel and save it"
    if cell.data_type == "e" and cell.value != "#N/A":
        return f"the cell holds the error {cell.value}: correct its formula, or empty it"
    return None


def _columns(header: Sequence[Any]) -> tuple[str, ...]:
    names = [str(name) if name is not None else "" for name in header]
    while names and not names[-1].strip():
        names.pop()
    return tuple(name if name.strip() else f"column {rank}" for rank, name in enumerate(names, start=1))


def _checked(rows: Iterator[Row], columns: Sequence[str]) -> Iterator[Row]:
    """Yield rows as wide as the header; what stands beyond it is a fault."""
    last = 1
    try:
        for row in rows:
            last = row.line
            width = len(columns)
            beyond = [value for value in row.cells[width:] if value is not None]
            cells = (*row.cells[:width], *[None] * (width - len(row.cells)))
            faults = {columns[int(rank)]: told for rank, told in row.faults.items() if int(rank) < width}
            yield Row(line=row.line, cells=cells, fault=_beyond(beyond[0]) if beyond else None, faults=faults)
    except Exception as error:  # noqa: BLE001 - as above
        yield Row(line=last, cells=(), fault=_damaged(error), grave=True)


def _beyond(value: object) -> str:
    return f"{quoted(value)} stands beyond the last named column: name its column, or delete it."


def _damaged(error: Exception) -> str:
    return f"cannot be read as an Excel workbook ({type(error).__name__}: {quoted(error)}): save it again as .xlsx."
