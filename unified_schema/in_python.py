"""Takes cases that stand in memory: lists of mappings, tables of pandas and others, objects of the frameworks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from evalparity.unified_schema.errors import Problem, UsageError
from evalparity.unified_schema.exchange import Opened, ReadOptions, Shapes
from evalparity.unified_schema.tables import Row, Table, table_source
from evalparity.unified_schema.validation import LoadedSuite, validate

_BATCH = 1000


def load_cases(
    rows: Any,  # noqa: ANN401 - whatever holds rows
    *,
    name: str = "cases",
    shapes: Shapes | None = None,
    options: ReadOptions | None = None,
) -> LoadedSuite:
    """Return the suite that rows in memory make, with a note on everything that was renamed, converted or assumed.

    Args:
        rows: a list (or other iterable) of mappings or of objects with attributes, as Ragas' `SingleTurnSample` and
            DeepEval's `LLMTestCase`; or a table of pandas, polars, pyarrow or `datasets`; nothing in it is changed.
        name: of the suite; messages name it in place of a file.
        shapes: what rows of other tools can be; None: nothing but the names that are known.
        options: what is allowed; None: no bad rows.

    Raises:
        SuiteError: rows are wrong; it carries every problem, with the number of the row in place of a line.
        UsageError: this is no table and no list of rows.
    """
    problems: list[Problem] = []
    given = list(_mappings(rows))
    columns = tuple(dict.fromkeys(key for row in given if isinstance(row, Mapping) for key in row))
    table = Table(columns=columns, rows=_rows(given, columns), header_line=None)
    opened = Opened(path=Path(name), file=name, options=options or ReadOptions())
    source = replace(table_source(table, opened, shapes or Shapes(), problems), name=name)
    return validate(source, skip_bad_rows=opened.options.skip_bad_rows)


def _rows(given: Sequence[object], columns: tuple[str, ...]) -> Iterator[Row]:
    for line, row in enumerate(given, start=1):
        if isinstance(row, Mapping):
            yield Row(line=line, cells=tuple(row.get(column) for column in columns))
        else:
            told = f"a {type(row).__name__} is no case: give a mapping, or an object with attributes."
            yield Row(line=line, cells=(), fault=told)


def _mappings(rows: Any) -> Iterator[object]:  # noqa: ANN401 - as above
    """Yield each row as a mapping where it is one or has attributes."""
    if isinstance(rows, str | bytes | Mapping) or not (isinstance(rows, Iterable) or hasattr(rows, "columns")):
        raise UsageError(
            f"a {type(rows).__name__} is no list of cases: give a list of mappings, a table, or load a file."
        )
    yield from map(_mapping, _listed(rows))


def _listed(rows: Any) -> Iterable[Any]:  # noqa: ANN401 - as above
    for method in ("to_dicts", "to_pylist"):  # polars; pyarrow
        if callable(getattr(rows, method, None)):
            listed: Iterable[Any] = getattr(rows, method)()
            return listed
    if hasattr(rows, "columns") and hasattr(rows, "itertuples"):  # pandas, whose to_dict would make numbers of ids
        names = [str(column) for column in rows.columns]
        return (dict(zip(names, cells, strict=True)) for cells in rows.itertuples(index=False, name=None))
    plain: Iterable[Any] = rows
    return plain


def _mapping(row: Any) -> object:  # noqa: ANN401 - as above
    if isinstance(row, Mapping):
        return {str(key): value for key, value in row.items()}
    dump = getattr(row, "model_dump", None)
    if callable(dump):
        return _as_given(row, dump())
    if is_dataclass(row) and not isinstance(row, type):
        return {one.name: getattr(row, one.name) for one in fields(row)}
    if hasattr(row, "_asdict"):
        return row._asdict()
    return vars(row) if hasattr(row, "__dict__") and not isinstance(row, type) else row


def _as_given(row: Any, dumped: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Return the fields of a pydantic object that differ from their defaults."""
    known = type(row).model_fields
    return {name: value for name, value in dumped.items() if name not in known or value != known[name].default}
