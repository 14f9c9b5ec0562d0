"""Opens suite files: YAML, JSON and JSON lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.files import decode, fault_of_path, sha256_of, unreadable
from evalparity.unified_schema.json_source import read_json
from evalparity.unified_schema.positions import FieldPath, Locate
from evalparity.unified_schema.records import Record, Source, find_cases
from evalparity.unified_schema.validation import LoadedSuite, validate
from evalparity.unified_schema.yaml_source import read_yaml


def load_suite(path: str | os.PathLike[str]) -> LoadedSuite:
    """Return the suite in a file, with a note on everything that was renamed, converted or assumed.

    Args:
        path: a .yaml, .yml, .json, .jsonl or .ndjson file in UTF-8.

    Raises:
        SuiteError: the file cannot be read or breaks the format; it carries every problem, with its line.
    """
    file = os.fspath(path)
    _refuse(fault_of_path(Path(file), file, endings=_READERS, kind="suite"))
    try:
        return validate(_READERS[Path(file).suffix.lower()](Path(file), file))
    except OSError as error:
        raise SuiteError([unreadable(error, file)]) from error


def suite_sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a suite file's bytes, in hexadecimal.

    Raises:
        SuiteError: the file cannot be read.
    """
    file = os.fspath(path)
    _refuse(fault_of_path(Path(file), file, endings=_READERS, kind="suite"))
    try:
        return sha256_of(Path(file))
    except OSError as error:
        raise SuiteError([unreadable(error, file)]) from error


def _refuse(problem: Problem | None) -> None:
    if problem is not None:
        raise SuiteError([problem])


def _read_document(path: Path, file: str, parse: Callable[[str, str], tuple[object, Locate, list[Problem]]]) -> Source:
    text, undecoded = decode(path.read_bytes(), file)
    data, locate, problems = (None, _nowhere, undecoded) if undecoded else parse(text, file)
    return find_cases(data, locate, file=file, name=path.stem, problems=problems)


def _nowhere(_path: FieldPath) -> None:
    return None


def _yaml(path: Path, file: str) -> Source:
    return _read_document(path, file, read_yaml)


def _json(path: Path, file: str) -> Source:
    return _read_document(path, file, read_json)


def _json_lines(path: Path, file: str) -> Source:
    problems: list[Problem] = []
    records = json_lines(path, file, problems)
    return Source(file=file, name=path.stem, header=None, locate=_nowhere, records=records, problems=problems)


def json_lines(path: Path, file: str, problems: list[Problem]) -> Iterator[Record]:
    """Yield one record a line; lines end at LF only, for U+2028 and its kin may stand inside a text.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.
        problems: takes what is wrong with a line that yields no record.
    """
    number = 0
    with path.open("rb") as lines:
        for line, raw in enumerate(lines, start=1):
            text, undecoded = decode(raw, file, line)
            if undecoded:  # the whole file is in another encoding; its other lines would only say the same
                problems.extend(undecoded)
                return
            if not text.strip():
                continue
            number += 1
            if number == 1 and text.strip() in {"{", "["}:
                told = "each entry must stand on one line: name the file .json if it is one JSON document."
                problems.append(Problem(file=file, line=line, message=told))
                return
            data, _, found = read_json(text.rstrip("\r\n"), file, line)
            problems.extend(found)
            if data is not None or not found:
                yield Record(number=number, data=data, locate=_at(line))


def _at(line: int) -> Locate:
    return lambda _path: line


_READERS: Mapping[str, Callable[[Path, str], Source]] = MappingProxyType(
    {".yaml": _yaml, ".yml": _yaml, ".json": _json, ".jsonl": _json_lines, ".ndjson": _json_lines}
)
"""How a file is read, by its ending."""
