"""Reads the scores that Ragas wrote: the table of `result.to_pandas()` as CSV, Excel, Parquet, JSON or JSON lines."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalparity.adapters.exchange import NativeResults, NativeScore, ResultReader
from evalparity.adapters.ragas_adapter.bindings import BINDINGS
from evalparity.adapters.ragas_adapter.files_columns import METRIC_COLUMNS, OLD_SAMPLE, SAMPLE, SCORERS
from evalparity.adapters.ragas_adapter.files_samples import number_in, read_sample
from evalparity.adapters.row_documents import rows_in
from evalparity.adapters.written_lists import list_in
from evalparity.unified_schema.columnar import read_parquet
from evalparity.unified_schema.delimited import read_delimited
from evalparity.unified_schema.errors import Problem, SuiteError, UsageError
from evalparity.unified_schema.exchange import Opened
from evalparity.unified_schema.positions import Findings, quoted
from evalparity.unified_schema.spreadsheet import read_spreadsheet
from evalparity.unified_schema.tables import Table

_ASKED = ("user_input", "question")
_NO_SCORE = (
    "Ragas wrote no number here: it does so when a call of the judge failed, and when there was nothing to judge, and "
    "does not say which."
)
_METRICS: Mapping[str, str] = MappingProxyType(
    {binding.scorer: metric for metric, own in BINDINGS.items() for binding in own}
)
_BESIDE = frozenset({"id", "case_id", "index", "Unnamed: 0", ""})
"""Columns beside the sample that hold no score."""
_OUR_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("id", "case_id"),
        "input": ("input", *_ASKED),
        "output": ("output", "response", "answer"),
        "reference": ("reference", "ground_truth", "ground_truths"),
        "retrieved_contexts": ("retrieved_contexts", "contexts"),
    }
)
_UNNAMED = re.compile(r"column \d+")
"""How the reader of tables calls a column without a name: the index that pandas writes."""
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


def recognises_results(opened: Opened) -> bool:
    """Say whether a file is a table of Ragas samples with at least one of Ragas' metrics as a column."""
    try:
        with closing(_rows(opened)) as rows:
            first = next(rows, None)
    except (OSError, ValueError, RecursionError, UsageError):
        return False
    columns = set(first) if isinstance(first, Mapping) else set()
    return bool(columns & METRIC_COLUMNS) and bool(columns & set(_ASKED))


def read_results(opened: Opened) -> tuple[NativeResults, ...]:
    """Return every score of a Ragas result file.

    Raises:
        SuiteError: the file is damaged.
    """
    try:
        rows = list(_rows(opened))
    except (OSError, ValueError, RecursionError, UsageError) as error:
        told = f"cannot be read as a table of Ragas results ({error}): write it again."
        raise SuiteError([Problem(file=opened.file, message=told)]) from error
    odd = [number for number, row in enumerate(rows, start=1) if not isinstance(row, Mapping)]
    if odd:
        told = "a row of results must be a mapping of columns to values."
        raise SuiteError([Problem(file=opened.file, case=f"#{number}", message=told) for number in odd])
    columns = _score_columns(rows)
    scores = tuple(
        _score(number, known, column, row.get(column))
        for number, row in enumerate(rows, start=1)
        for known in (_case(row),)
        for column in columns
    )
    return (NativeResults(framework="ragas", scores=scores, remarks=tuple(_remarks(rows, columns))),)


def _rows(opened: Opened) -> Generator[Any, None, None]:
    """Yield the rows of a file as they stand there; a CSV file has texts alone."""
    yield from _READERS.get(opened.path.suffix.lower(), _nothing)(opened.path)


def _nothing(_path: Path) -> Iterable[object]:
    return ()


def _tabular(read: Callable[[Path, str], tuple[Table, list[Problem]]]) -> Callable[[Path], Iterator[object]]:
    def rows(path: Path) -> Iterator[object]:
        table, problems = read(path, path.name)
        if problems:
            raise ValueError("; ".join(map(str, problems)))
        for row in table.rows:
            if row.fault is not None:
                raise ValueError(f"line {row.line}: {row.fault}")
            cells = map(_with_point, row.cells) if table.decimal_comma else row.cells
            yield dict(zip(table.columns, cells, strict=True))

    return rows


def _with_point(cell: object) -> object:
    """Return a number that is written with a decimal comma as it is written here."""
    return cell.replace(",", ".") if isinstance(cell, str) and _DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def _json(path: Path) -> Iterable[object]:
    return rows_in(json.loads(path.read_bytes()))


def _json_lines(path: Path) -> Iterator[object]:
    with path.open("rb") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


_READERS: Mapping[str, Callable[[Path], Iterable[object]]] = MappingProxyType(
    {
        ".csv": _tabular(read_delimited),
        ".tsv": _tabular(read_delimited),
        ".xlsx": _tabular(read_spreadsheet),
        ".xlsm": _tabular(read_spreadsheet),
        ".parquet": _tabular(read_parquet),
        ".json": _json,
        ".jsonl": _json_lines,
        ".ndjson": _json_lines,
    }
)


def _score_columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns that hold scores: those of known metrics, and others of nothing but numbers."""
    columns = list(dict.fromkeys(column for row in rows for column in row))
    others = SAMPLE | OLD_SAMPLE | _BESIDE
    return [
        column
        for column in columns
        if column in METRIC_COLUMNS
        or (
            column not in others
            and not _UNNAMED.fullmatch(column)
            and _all_numbers(number_in(row.get(column)) for row in rows)
        )
    ]


def _all_numbers(cells: Iterable[object]) -> bool:
    given = [cell for cell in cells if not _is_gap(cell)]
    return bool(given) and all(isinstance(cell, int | float) for cell in given)


def _is_gap(cell: object) -> bool:
    if isinstance(cell, str):
        return cell.strip().lower() in {"", "nan", "none", "null", "<na>"}
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def _score(number: int, known: Mapping[str, Any], column: str, cell: object) -> NativeScore:
    scorer = SCORERS.get(column, f"ragas:{column}")
    value = number_in(cell)
    raw = float(value) if isinstance(value, int | float) and math.isfinite(value) else None
    reason = None if raw is not None else _NO_SCORE if _is_gap(cell) else f"{quoted(cell)} is no score."
    return NativeScore(
        place=f"row {number}, {column}",
        case=known,
        metric=_METRICS.get(scorer),
        scorer=scorer,
        raw=raw,
        kind=None if raw is not None else "framework_error",
        reason=reason,
    )


def _case(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a row says of its case, under our names; passages only where they can be read."""
    read = read_sample(row, Findings())
    found = {
        name: next((read[other] for other in others if read.get(other) not in (None, "")), None)
        for name, others in _OUR_NAMES.items()
    }
    found["retrieved_contexts"] = _texts(found["retrieved_contexts"])
    if isinstance(found["reference"], list) or list_in(found["reference"]) is not None:
        found["reference"] = None  # several truths of 0.1
    found["id"] = str(found["id"]) if isinstance(found["id"], str | int) else None
    return MappingProxyType({name: value for name, value in found.items() if value is not None})


def _texts(value: object) -> tuple[str, ...] | None:
    listed = value if isinstance(value, list) else list_in(value)
    if listed is None:
        return None
    texts = [item.get("text") if isinstance(item, Mapping) else item for item in listed]
    return tuple(text for text in texts if isinstance(text, str)) if all(isinstance(t, str) for t in texts) else None


def _remarks(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    yield "the file names neither the version of Ragas nor the judge"
    others = [column for column in columns if column not in METRIC_COLUMNS]
    if others:
        yield f"taken for scores because they hold numbers alone: {', '.join(islice(map(quoted, others), 20))}"
    known = SAMPLE | OLD_SAMPLE | _BESIDE | set(columns)
    left = list(dict.fromkeys(column for row in rows for column in row if column not in known))
    if left:
        yield f"left out: {', '.join(islice(map(quoted, left), 20))}"


RESULTS = ResultReader(name="Ragas results", recognises=recognises_results, read=read_results)
