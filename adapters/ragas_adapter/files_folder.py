"""Reads the folders of `datasets.Dataset.save_to_disk`, in which Ragas' data sets travel, without that package."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalparity.adapters.ragas_adapter.files_samples import OLD_TEST_SET, SAMPLES
from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.exchange import FolderShape, Opened, Shapes
from evalparity.unified_schema.loading import shaped
from evalparity.unified_schema.positions import quoted
from evalparity.unified_schema.records import Record, Source

_STATE = "state.json"
_SPLITS = "dataset_dict.json"
_NO_PYARROW = "holds Arrow files, which need pyarrow: pip install pyarrow, or save the data set with to_json."


def is_saved_dataset(folder: Path) -> bool:
    """Say whether a folder is what `save_to_disk` writes: a data set, or several as splits."""
    try:
        return (folder / _SPLITS).is_file() or (
            (folder / _STATE).is_file() and (folder / "dataset_info.json").is_file()
        )
    except (OSError, ValueError):
        return False


def read_saved_dataset(opened: Opened) -> Source:
    """Return the rows of a saved data set, split after split; what is damaged becomes a problem of the source."""
    source = Source(
        file=opened.file, name=opened.path.name, header=None, locate=lambda _path: None, records=(), problems=[]
    )
    rows = _records(_files(opened, source.problems), opened.file, source.problems)
    splits = "" if not (opened.path / _SPLITS).is_file() else "; splits are read one after the other"
    return replace(
        source,
        records=shaped(rows, Shapes(rows=(SAMPLES, OLD_TEST_SET))),
        remarks=(f"the folder is read as a saved data set of Hugging Face's datasets{splits}",),
    )


def _files(opened: Opened, problems: list[Problem]) -> Iterator[tuple[Path, str | None]]:
    """Yield the Arrow files with the split that they belong to."""
    if not (opened.path / _SPLITS).is_file():
        yield from ((path, None) for path in _parts(opened, opened.path, problems))
        return
    splits = _json(opened.path / _SPLITS, opened.file, problems).get("splits")
    for split in splits if isinstance(splits, list) else ():
        inside = _inside(opened, opened.path, split, problems)
        if inside is not None:
            yield from ((path, str(split)) for path in _parts(opened, inside, problems))


def _parts(opened: Opened, folder: Path, problems: list[Problem]) -> Iterator[Path]:
    listed = _json(folder / _STATE, opened.file, problems).get("_data_files")
    for part in listed if isinstance(listed, list) else ():
        name = part.get("filename") if isinstance(part, Mapping) else None
        path = _inside(opened, folder, name, problems)
        if path is not None:
            yield path


def _inside(opened: Opened, folder: Path, name: object, problems: list[Problem]) -> Path | None:
    """Return a path that the folder names, where it leads into that folder; files of others are none of its own."""
    try:
        if isinstance(name, str) and Path(name).name == name and name not in {"", ".", ".."}:
            path = folder / name
            if path.resolve().is_relative_to(opened.path.resolve()):
                return path
    except (OSError, ValueError, RuntimeError):  # a NUL in the name, a loop of links
        pass
    told = f"names the file {quoted(name)}, which is not in the folder itself: save the data set again."
    problems.append(Problem(file=opened.file, message=told))
    return None


def _json(path: Path, file: str, problems: list[Problem]) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        told = f"{path.name} cannot be read ({type(error).__name__}): save the data set again."
        problems.append(Problem(file=file, message=told))
        return {}
    return data if isinstance(data, dict) else {}


def _records(files: Iterator[tuple[Path, str | None]], file: str, problems: list[Problem]) -> Iterator[Record]:
    number = 0
    for path, split in files:
        try:
            for row in _rows(path):
                number += 1
                data = row if split is None else {**row, "split": split}
                yield Record(number=number, data=data, locate=lambda _path: None)
        except ImportError:
            problems.append(Problem(file=file, message=_NO_PYARROW))
            return
        except (OSError, ValueError) as error:  # pyarrow's own errors are of these
            told = f"{path.name} is no Arrow file ({type(error).__name__}): save the data set again."
            problems.append(Problem(file=file, message=told))
            return


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    from pyarrow import ipc  # noqa: PLC0415 - an extra, and slow to import

    with path.open("rb") as content, ipc.open_stream(content) as batches:
        for batch in batches:
            yield from batch.to_pylist()


SAVED_DATASET = FolderShape(
    name="saved data set (datasets.save_to_disk)", recognises=is_saved_dataset, read=read_saved_dataset
)
