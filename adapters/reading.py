"""Opens what people have: suites, and the files of every framework whose adapter can be loaded."""

from __future__ import annotations

import difflib
import os

from evalparity.adapters.exchange import FrameworkFiles, ResultReader
from evalparity.adapters.registry import FORMATS, adapter_names, load_adapter, load_format
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import ReadOptions, Shapes, Writer
from evalparity.unified_schema.loading import check_suite, load_suite
from evalparity.unified_schema.table_writing import TABLE_WRITERS
from evalparity.unified_schema.validation import Checked, LoadedSuite
from evalparity.unified_schema.writing import WRITERS


def load_any(path: str | os.PathLike[str], options: ReadOptions | None = None) -> LoadedSuite:
    """Return the suite in a file of any kind that evalparity or one of its adapters knows.

    Args:
        path: of a file or folder; its kind is found from its content where the name does not tell.
        options: what is allowed; None: neither bad rows nor files outside of the folder.

    Raises:
        SuiteError: the file cannot be read or breaks its format; it carries every problem, with its place.
    """
    return load_suite(path, shapes=known_shapes(), options=options)


def check_any(path: str | os.PathLike[str], options: ReadOptions | None = None) -> Checked:
    """Check a file as `load_any` does, without keeping its cases.

    Args:
        path: as for `load_any`.
        options: as for `load_any`.

    Raises:
        SuiteError: as from `load_any`.
    """
    return check_suite(path, shapes=known_shapes(), options=options)


def _all_files() -> tuple[FrameworkFiles, ...]:
    """Return the files of every framework and format; those of formats are the more particular."""
    formats = (load_format(name) for name in FORMATS)
    return (*formats, *(load_adapter(name).files for name in adapter_names()))


def known_shapes() -> Shapes:
    """Return what files can be, by all adapters and formats."""
    shapes = Shapes()
    for files in _all_files():
        shapes += files.shapes
    return shapes


def result_readers() -> tuple[ResultReader, ...]:
    """Return the kinds of result files, by all adapters and formats."""
    return tuple(reader for files in _all_files() for reader in files.results)


def known_writers() -> dict[str, Writer]:
    """Return what a suite can be written to, by what `convert --to` calls it: our own files, then each framework's."""
    own = [writer for files in _all_files() for writer in files.writers]
    return {writer.name: writer for writer in (*WRITERS, *TABLE_WRITERS, *own)}


def writer_named(name: str) -> Writer:
    """Return a kind of file by its name.

    Raises:
        UsageError: there is none, with the nearest ones.
    """
    writers = known_writers()
    if name in writers:
        return writers[name]
    near = difflib.get_close_matches(name, writers, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(writers)}."
    raise UsageError(f"--to {name}: no such kind of file: {hint}")
