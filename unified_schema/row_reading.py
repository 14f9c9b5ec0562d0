"""Reads the cells of a row by the fields that they are for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.cells import (
    MISSING,
    CellError,
    CellList,
    looks_like_list,
    read_data,
    read_ids,
    read_texts,
)
from evalparity.unified_schema.columns import canonical, gathered
from evalparity.unified_schema.conversations import are_turns
from evalparity.unified_schema.positions import FieldPath, Findings, quoted
from evalparity.unified_schema.scalars import Plain
from evalparity.unified_schema.traced import take_apart

_GROUPED = re.compile(r"[-+]?\d{1,3},\d{3}", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d+),\d+([eE][-+]?\d+)?", re.ASCII)


def present_value(cell: Any) -> Any:  # noqa: ANN401 - any cell
    """Return None for what numbers, pandas and numpy write for nothing; numpy's arrays and scalars as Python's."""
    if cell is None or isinstance(cell, str):
        return cell
    if type(cell).__name__ in {"NAType", "NaTType"} or (isinstance(cell, float) and math.isnan(cell)):
        return None
    listed = getattr(cell, "tolist", None)
    return present_value(listed()) if callable(listed) else cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How the cells of one table are read.

    Attributes:
        separator: between texts of one cell, where the user says so.
        decimal_comma: as in `Table`.
        lists: columns that hold a list somewhere.
    """

    separator: str | None
    decimal_comma: bool | None
    lists: frozenset[str]


def read_row(raw: Mapping[str, Any], findings: Findings, reading: Reading) -> dict[str, Any]:
    """Return a row whose cells are read by the fields that they are for; an empty cell is missing.

    Args:
        raw: by column.
        findings: takes how each cell was read, and what is wrong.
        reading: what is known of the table.
    """
    row = take_apart({key: _part(key, cell) for key, cell in gathered(raw, findings).items()}, findings)
    case: dict[str, Any] = {}
    for column, cell in row.items():
        if cell is None or cell == "":
            continue
        try:
            value = _cell(canonical(column), column, cell, findings, reading)
        except CellError as error:
            findings.fault((column,), f"the cell {error}")
            continue
        if value is not None:
            case[column] = value
    return case


def _part(key: str, cell: Any) -> Any:  # noqa: ANN401 - any cell
    """Return the mapping that a cell of `inputs` or `outputs` holds, else the cell."""
    if key not in _WRITTEN_PARTS or not isinstance(cell, str) or not cell.strip().startswith("{"):
        return cell
    try:
        return read_data(cell)
    except CellError:
        return cell


def _cell(name: str, column: str, cell: Any, findings: Findings, reading: Reading) -> Any:  # noqa: ANN401 - any cell
    if not isinstance(cell, str):
        return _typed(name, column, cell, findings, reading)
    if column == "user_input" and looks_like_list(cell):  # Ragas' rows of several turns
        found = read_data(cell)
        return found if are_turns(found) else cell
    if name in _TEXT_FIELDS:
        if cell.strip() in MISSING:
            findings.remark((column,), f"{quoted(cell.strip())} is read as text: leave a cell empty where nothing is")
        return cell
    kind = _KINDS.get(name)
    if kind is None:
        return cell  # an unknown column, which goes to metadata as it stands
    return None if not cell.strip() or cell.strip() in MISSING else kind(cell, (column,), findings, reading)


def _typed(name: str, column: str, cell: Any, findings: Findings, reading: Reading) -> Any:  # noqa: ANN401 - any cell
    """Return a cell of a file that knows types: a number in a text field is its text, an id is never a decimal."""
    if isinstance(cell, Mapping):
        inner = {str(key): _inner(key, value, column, findings, reading) for key, value in cell.items()}
        return {key: value for key, value in inner.items() if value is not None} or None
    if isinstance(cell, list | tuple):
        return [_item(item) for item in cell]
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, bytes):
        raise CellError("holds bytes: save it as text")
    if name == "id" and isinstance(cell, bool | float):
        text = str(cell).upper() if isinstance(cell, bool) else f"{cell:.0f}" if cell.is_integer() else repr(cell)
        findings.remark((column,), "a number or truth value is read as the text of an id")
        return text
    if isinstance(cell, float) and cell.is_integer() and name in _TEXT_FIELDS | _ID_FIELDS:
        return int(cell)
    return cell if isinstance(cell, bool | int | float) else str(cell)


def _inner(key: object, value: Any, column: str, findings: Findings, reading: Reading) -> Any:  # noqa: ANN401 - any cell
    """Return a value of a mapping that dotted columns made, or that a column holds."""
    if canonical(column) in {"usage", "labels"} and isinstance(value, str):
        data = read_data(value)
        return data if data is not value else _number(value, (column, str(key)), findings, reading)
    return _item(value)


def _item(value: Any) -> Any:  # noqa: ANN401 - any cell
    present = present_value(value)
    if isinstance(present, Mapping):
        return {
            str(key): _item(Plain(inner) if key == "score" and isinstance(inner, str) else inner)
            for key, inner in present.items()
        }
    if isinstance(present, list | tuple):
        return [_item(inner) for inner in present]
    return present.isoformat() if isinstance(present, date | datetime | time) else present


def _texts(cell: str, path: FieldPath, findings: Findings, reading: Reading) -> Any:  # noqa: ANN401 - short forms
    lists = str(path[0]) in reading.lists
    return _told(read_texts(cell, separator=reading.separator, lists=lists), path, findings)


def _ids(cell: str, path: FieldPath, findings: Findings, reading: Reading) -> Any:  # noqa: ANN401 - short forms
    return _told(read_ids(cell, separator=reading.separator), path, findings)


def _told(found: CellList, path: FieldPath, findings: Findings) -> list[Any]:
    findings.remark(path, f"the cell is read as {found.form}")
    return found.items


def _data(cell: str, path: FieldPath, findings: Findings, _reading: Reading) -> object:
    found = read_data(cell)
    if found is cell:
        raise CellError(f"must hold JSON ({quoted(cell)} is none): write it as in a JSON suite")
    findings.remark(path, "the cell is read as JSON")
    return found


def _metadata(cell: str, path: FieldPath, findings: Findings, _reading: Reading) -> object:
    found = read_data(cell) if cell.strip().startswith("{") else cell
    if isinstance(found, Mapping):
        return found
    findings.remark(path, "what is no mapping is kept in metadata.metadata")
    return {"metadata": found}


def _tenant(cell: str, _path: FieldPath, _findings: Findings, _reading: Reading) -> object:
    return read_data(cell) if cell.strip().startswith("{") else cell


def _graded(cell: str, path: FieldPath, findings: Findings, reading: Reading) -> object:
    if cell.strip().startswith("{"):
        return _data(cell, path, findings, reading)
    raise CellError(f'must map chunk ids to grades ({quoted(cell)} does not): write JSON as {{"d1": 2}}')


def _references(cell: str, path: FieldPath, findings: Findings, _reading: Reading) -> object:
    """Return what a reference column holds: a text, and a list only where it is written as one."""
    return _told(read_texts(cell, separator="", lists=True), path, findings) if looks_like_list(cell) else cell


def _number(cell: str, path: FieldPath, findings: Findings, reading: Reading) -> object:
    text = cell.strip()
    if text in MISSING:
        return None
    if not _DECIMAL_COMMA.fullmatch(text) or reading.decimal_comma is False:
        return Plain(text)
    with_point = text.replace(".", "").replace(",", ".")
    if _GROUPED.fullmatch(text) and reading.decimal_comma is None:
        told = f"can be {text.replace(',', '')} or {with_point} ({quoted(text)}): write it without a comma"
        raise CellError(told)
    findings.remark(path, "the comma in a number is read as a decimal comma")
    return Plain(with_point)


def _plain(cell: str, _path: FieldPath, _findings: Findings, _reading: Reading) -> object:
    return Plain(cell.strip())


_TEXT_FIELDS = frozenset({"id", "input", "output", "reference", "category"})
_WRITTEN_PARTS = frozenset({"inputs", "outputs", "reference_outputs"})
_ID_FIELDS = frozenset({"relevant", "prompt_contexts"})
_Kind = Callable[[str, FieldPath, Findings, Reading], Any]

_KINDS: Mapping[str, _Kind] = MappingProxyType(
    {
        "references": _references,
        "retrieved_contexts": _texts,
        "reference_contexts": _texts,
        "relevant": _ids,
        "prompt_contexts": _ids,
        "conversation": _data,
        "conversations": _data,
        "messages": _data,
        "turns": _data,
        "stages": _data,
        "relevance": _graded,
        "evidence": _data,
        "citations": _data,
        "hops": _data,
        "labels": _data,
        "usage": _data,
        "metadata": _metadata,
        "access": _tenant,
        "answerable": _plain,
        "as_of": _plain,
    }
)
"""How a text is read that stands in a column of a field that holds no free text."""
