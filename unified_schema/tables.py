"""Reads the rows of a table as cases, whatever kind of file it stands in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from evalparity.unified_schema.cells import (
    looks_like_list,
)
from evalparity.unified_schema.columns import column_fault
from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.exchange import Opened, RowShape, Shapes
from evalparity.unified_schema.positions import Findings, Locate
from evalparity.unified_schema.records import Record, Source
from evalparity.unified_schema.row_reading import Reading, present_value, read_row

_PEEK = 100
"""Rows that are looked at first, to see which columns are written as lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a table.

    Attributes:
        line: 1-based line of the file, or row of the sheet.
        cells: what stands in each column; texts in a text file.
        fault: what is wrong with the row as such.
        faults: what is wrong with single cells, by column.
        grave: whether a fault concerns all that follows, so that the row cannot be left out by itself.
    """

    line: int
    cells: tuple[Any, ...]
    fault: str | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    grave: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table that is being read.

    Attributes:
        columns: their names, as they stand there.
        rows: read as they are asked for.
        decimal_comma: whether numbers are known to be written with one; None: not known.
        remarks: what was found out about the file.
        header_line: where the names stand.
    """

    columns: tuple[str, ...]
    rows: Iterable[Row]
    decimal_comma: bool | None = None
    remarks: tuple[str, ...] = ()
    header_line: int | None = 1


def table_source(table: Table, opened: Opened, shapes: Shapes, problems: list[Problem]) -> Source:
    """Return the cases of a table.

    Args:
        table: what was read.
        opened: the file, for messages, and what is allowed.
        shapes: what rows can be.
        problems: takes what is wrong with the table.
    """
    names = frozenset(table.columns)
    shape = next((shape for shape in shapes.rows if shape.recognises(names)), None)
    told = column_fault(table.columns, shaped=shape is not None) if table.columns else None
    if told is not None:
        problems.append(Problem(file=opened.file, line=table.header_line, message=told))
    remarks = table.remarks if shape is None else (*table.remarks, f"the rows are read as {shape.name}")
    return Source(
        file=opened.file,
        name=opened.path.stem,
        header=None,
        locate=lambda _path: table.header_line,
        records=[] if told is not None else _records(table, opened, shape, problems),
        problems=problems,
        remarks=remarks,
        loose=True,
    )


def _records(table: Table, opened: Opened, shape: RowShape | None, problems: list[Problem]) -> Iterator[Record]:
    records = _named(table, opened, shape, problems)
    first = list(islice(records, _PEEK))
    reading = Reading(
        separator=opened.options.list_separator,
        decimal_comma=table.decimal_comma,
        lists=frozenset(_written_as_lists(first)),
    )
    for record in chain(first, records):
        assert isinstance(record.data, Mapping)
        assert record.findings is not None
        yield record._replace(data=read_row(record.data, record.findings, reading))


def _written_as_lists(records: Iterable[Record]) -> Iterator[str]:
    for record in records:
        data = record.data if isinstance(record.data, Mapping) else {}
        yield from (column for column, cell in data.items() if isinstance(cell, list | tuple) or looks_like_list(cell))


def _named(table: Table, opened: Opened, shape: RowShape | None, problems: list[Problem]) -> Iterator[Record]:
    for number, row in enumerate(table.rows, start=1):
        if row.fault is not None:
            problem = Problem(
                file=opened.file, line=row.line, case=None if row.grave else f"#{number}", message=row.fault
            )
            problems.append(problem)
            continue
        findings = Findings(faults=[((column,), told) for column, told in row.faults.items()])
        raw = {name: present_value(cell) for name, cell in zip(table.columns, row.cells, strict=True)}
        data = raw if shape is None else shape.read(raw, findings)
        yield Record(number, data, _at(row.line), findings)


def _at(line: int) -> Locate:
    return lambda _path: line
