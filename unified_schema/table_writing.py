"""Writes suites as tables and as JSON lines, for programs that read nothing else, and says what these cannot hold."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, Writer
from evalparity.unified_schema.spreadsheet import EXTRA
from evalparity.unified_schema.writing import case_data, replace_file

TEXT_COLUMNS = ("id", "input", "output", "reference", "category")
_LISTS_OF_TEXTS = ("reference_contexts", "prompt_contexts", "retrieved_contexts")
_FORMULA = re.compile(r"[=@]|[-+](?![\d.,\s])|[\t\r]")
_ESCAPES = re.compile(r"[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_MOST_CHARACTERS = 32_767
"""Of a cell in Excel."""
_MOST_ROWS = 1_048_575
_PARTS: Mapping[str, str] = MappingProxyType(
    {
        "defaults": "they are written into every case instead",
        "corpus": "there is no place for it: keep it with the suite",
        "label_scales": "there is no place for them: keep them with the suite",
    }
)


def _of_suite(suite: EvalSuite, path: Path) -> Iterator[Loss]:
    """Yield what a bare list of cases has no place for."""
    if suite.name != path.stem:
        yield Loss(
            case=None, field="name", message="there is no place for it: a list of cases is called after its file"
        )
    for name, message in _PARTS.items():
        if getattr(suite, name):
            yield Loss(case=None, field=name, message=message)


def _rows(suite: EvalSuite) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
    """Return the columns that are needed, in the order of the schema, and each case by column."""
    rows = [_row(case) for case in suite.cases]
    used = {column for row in rows for column in row}
    return tuple(column for column in EvalCase.model_fields if column in used), rows


def _row(case: EvalCase) -> dict[str, Any]:
    row = case_data(case)
    chunks = row.get("retrieved_contexts")
    if chunks and all(chunk == {"id": f"c{rank}", "text": chunk["text"]} for rank, chunk in enumerate(chunks, start=1)):
        row["retrieved_contexts"] = [chunk["text"] for chunk in chunks]
    return row


def _empty_texts(row: Mapping[str, Any]) -> Iterator[Loss]:
    for column in TEXT_COLUMNS:
        if row.get(column) == "":
            advice = ", and a case needs one" if column == "input" else ""
            message = f"an empty text cannot be told from none{advice}"
            yield Loss(case=row["id"], field=column, message=message)


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_json_lines(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a case a line, in the full form."""
    lines = (json.dumps(case_data(case), ensure_ascii=False, allow_nan=False) for case in suite.cases)
    _written(path, "".join(f"{line}\n" for line in lines).encode())
    return tuple(_of_suite(suite, path))


def write_csv(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a case a row; lists and mappings stand in their cells as JSON."""
    columns, rows = _rows(suite)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    losses = list(_of_suite(suite, path))
    for row in rows:
        cells = {column: _as_text(row[column]) for column in columns if row.get(column) is not None}
        losses.extend(_empty_texts(row))
        losses.extend(_formulas(row["id"], cells))
        writer.writerow([cells.get(column, "") for column in columns])
    _written(path, text.getvalue().encode())
    return tuple(losses)


def _formulas(case_id: str, cells: Mapping[str, str]) -> Iterator[Loss]:
    for column, cell in cells.items():
        if _FORMULA.match(cell):
            message = "stands as it is, but a spreadsheet program may take it for a formula: let it import texts only"
            yield Loss(case=case_id, field=column, message=message)


def write_spreadsheet(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a case a row of an Excel workbook; no text becomes a formula, a number or a date.

    Raises:
        UsageError: openpyxl is missing, or there are more cases than a sheet has rows.
    """
    try:
        from openpyxl import Workbook  # noqa: PLC0415 - heavy, and an extra
        from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - as above
    except ImportError as error:
        raise UsageError(f"{path}: openpyxl is needed to write Excel files: {EXTRA}") from error
    columns, rows = _rows(suite)
    if len(rows) > _MOST_ROWS:
        raise UsageError(f"{path}: a sheet holds {_MOST_ROWS:,} cases at most: write a .csv or .parquet file.")
    book = Workbook(write_only=True)
    sheet = book.create_sheet("cases")
    sheet.freeze_panes = "B2"
    sheet.append(list(columns))
    losses = list(_of_suite(suite, path))

    def cell(value: object) -> Any:  # noqa: ANN401 - openpyxl has no types
        made = WriteOnlyCell(sheet, value=value)
        if isinstance(value, str):
            made.data_type = "s"  # whatever it begins with
        return made

    for row in rows:
        values, lost = _sheet_row(row, columns)
        losses.extend((*_empty_texts(row), *lost))
        sheet.append([cell(value) for value in values])
    content = io.BytesIO()
    book.save(content)
    _written(path, content.getvalue())
    return tuple(losses)


def _sheet_row(row: Mapping[str, Any], columns: Sequence[str]) -> tuple[list[object], list[Loss]]:
    values: list[object] = []
    losses = []
    for column in columns:
        value = row.get(column)
        if value is not None and not isinstance(value, bool):
            value = _ESCAPES.sub(lambda found: f"_x{ord(found[0]):04X}_", _as_text(value))
        if isinstance(value, str) and len(value) > _MOST_CHARACTERS:
            message = f"is longer than the {_MOST_CHARACTERS:,} characters of an Excel cell and left out"
            losses.append(Loss(case=row["id"], field=column, message=message))
            value = None
        values.append(value)
    return values, losses


def write_parquet(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a case a row; lists of texts are lists, everything nested is JSON.

    Raises:
        UsageError: pyarrow is missing.
    """
    try:
        import pyarrow  # noqa: PLC0415 - heavy, and an extra
        from pyarrow import parquet  # noqa: PLC0415 - as above
    except ImportError as error:
        raise UsageError(f"{path}: pyarrow is needed to write Parquet files: {EXTRA}") from error
    columns, rows = _rows(suite)
    arrays = {}
    for column in columns:
        values = [row.get(column) for row in rows]
        listed = column in _LISTS_OF_TEXTS and all(isinstance(item, str) for value in values for item in value or ())
        kind = pyarrow.bool_() if column == "answerable" else pyarrow.string()
        kept = values if listed or column == "answerable" else [None if v is None else _as_text(v) for v in values]
        arrays[column] = pyarrow.array(kept, type=pyarrow.list_(pyarrow.string()) if listed else kind)
    content = io.BytesIO()
    parquet.write_table(pyarrow.table(arrays), content)
    _written(path, content.getvalue())
    return (*_of_suite(suite, path), *(loss for row in rows for loss in _empty_texts(row)))


def _written(path: Path, content: bytes) -> None:
    try:
        replace_file(path, content)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).") from error


TABLE_WRITERS = (
    Writer(name="jsonl", endings=(".jsonl", ".ndjson"), write=write_json_lines, about="a case a line, as JSON"),
    Writer(name="csv", endings=(".csv",), write=write_csv, about="a case a row; lists stand in cells as JSON"),
    Writer(name="xlsx", endings=(".xlsx",), write=write_spreadsheet, about="the same as an Excel workbook"),
    Writer(name="parquet", endings=(".parquet",), write=write_parquet, about="the same for programs, with types"),
)
"""Tables and lines that a suite can be written to."""
