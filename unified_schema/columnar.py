"""Reads Parquet files, a few hundred rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalparity.unified_schema.errors import Problem, UsageError
from evalparity.unified_schema.positions import quoted
from evalparity.unified_schema.spreadsheet import EXTRA
from evalparity.unified_schema.tables import Row, Table

LARGEST = 16 * 1024 * 1024 * 1024
"""Bytes that a Parquet file may hold once unpacked."""

LARGEST_GROUP = 1024 * 1024 * 1024
"""Bytes that one of its row groups may hold: what has to be unpacked at once."""

_BATCH = 200


def read_parquet(path: Path, file: str) -> tuple[Table, list[Problem]]:
    """Return the table in a Parquet file, or what is wrong with the file.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.

    Raises:
        UsageError: the package that reads Parquet is not installed.
    """
    try:
        from pyarrow import ArrowException, parquet  # noqa: PLC0415 - heavy, and an extra
    except ImportError as error:
        raise UsageError(f"{file}: pyarrow is needed to read Parquet files: {EXTRA}") from error
    try:
        opened = parquet.ParquetFile(path)
    except (ArrowException, OSError, ValueError) as error:
        return Table(columns=(), rows=()), [Problem(file=file, message=_damaged(error))]
    held = opened.metadata
    groups = [held.row_group(rank).total_byte_size for rank in range(held.num_row_groups)]
    if sum(groups) > LARGEST or max(groups, default=0) > LARGEST_GROUP:
        opened.close()
        told = f"unpacks to {sum(groups):,} bytes, {max(groups):,} of them at once: write smaller row groups."
        return Table(columns=(), rows=()), [Problem(file=file, message=told)]
    columns = tuple(str(name) for name in opened.schema_arrow.names)
    return Table(columns=columns, rows=_rows(opened), header_line=None), []


def _rows(opened: Any) -> Iterator[Row]:  # noqa: ANN401 - pyarrow has no types
    line = 0
    try:
        with opened:
            for batch in opened.iter_batches(batch_size=_BATCH):
                lists = [column.to_pylist() for column in batch.columns]
                for cells in zip(*lists, strict=True):
                    line += 1
                    yield Row(line=line, cells=cells)
    except Exception as error:  # noqa: BLE001 - whatever a damaged file makes pyarrow meet
        yield Row(line=line + 1, cells=(), fault=_damaged(error), grave=True)


def _damaged(error: Exception) -> str:
    return f"cannot be read as Parquet ({quoted(error)}): write the file again."
