"""JSON documents that hold the rows of a framework: a list, a list under a key, or a table by its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from evalparity.unified_schema.exchange import DocumentShape, Opened, RowShape
from evalparity.unified_schema.positions import FieldPath, Findings, Locate
from evalparity.unified_schema.records import WRAPPERS, Record, Source, find_cases


def as_document(shape: RowShape) -> DocumentShape:
    """Return the shape of a document whose rows have this shape."""

    def recognises(data: object) -> bool:
        first = next(iter(rows_in(data)), None)
        return isinstance(first, Mapping) and shape.recognises(frozenset(map(str, first)))

    def read(data: object, locate: Locate, opened: Opened) -> Source:
        source = _source(data, locate, opened)
        return replace(source, records=[_as_case(record, shape) for record in source.records])

    return DocumentShape(name=shape.name, recognises=recognises, read=read)


def rows_in(data: object) -> Iterable[object]:
    """Return the rows of a document: those of a list, of a list under `samples` or `data`, or of a table.

    A table is what pandas writes by default: columns by name, each a mapping from row to value, or a list.
    """
    if isinstance(data, list):
        return data
    if not isinstance(data, Mapping):
        return ()
    wrapped: list[object] | None = next((data[key] for key in WRAPPERS if isinstance(data.get(key), list)), None)
    if wrapped is not None and "cases" not in data:
        return wrapped
    return ({name: column[key] for name, column in data.items()} for key in _keys(data))


def _keys(data: Mapping[object, object]) -> Sequence[object]:
    """Return the names of the rows of a table; none where its columns do not all have the same."""
    columns: list[Sequence[object]] = [
        tuple(column) if isinstance(column, Mapping) else range(len(column))
        for column in data.values()
        if isinstance(column, Mapping | list)
    ]
    alike = columns and len(columns) == len(data) and all(column == columns[0] for column in columns)
    return columns[0] if alike else ()


def _source(data: object, locate: Locate, opened: Opened) -> Source:
    keys = _keys(data) if isinstance(data, Mapping) and not any(key in data for key in WRAPPERS) else ()
    if not keys:
        return find_cases(data, locate, file=opened.file, name=opened.path.stem, problems=[])
    records = [
        Record(number=rank + 1, data=row, locate=_in_column(locate, key))
        for rank, (row, key) in enumerate(zip(rows_in(data), keys, strict=True))
    ]
    return Source(
        file=opened.file,
        name=opened.path.stem,
        header=None,
        locate=locate,
        records=records,
        remarks=("the rows are put together from columns",),
    )


def _in_column(locate: Locate, row: object) -> Locate:
    assert isinstance(row, str | int)

    def line(path: FieldPath) -> int | None:
        return locate((path[0], row, *path[1:])) if path else locate(())

    return line


def _as_case(record: Record, shape: RowShape) -> Record:
    if not isinstance(record.data, Mapping):
        return record
    findings = record.findings or Findings()
    data = shape.read(record.data, findings)
    return Record(number=record.number, data=data, locate=record.locate, findings=findings)
