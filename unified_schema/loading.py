"""Opens suite files: YAML, JSON and JSON lines."""

from __future__ import annotations

import codecs
import difflib
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.json_source import read_json
from evalparity.unified_schema.positions import FieldPath, Locate, quoted
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
    _refuse_what_is_no_file(Path(file), file)
    read = _READERS.get(Path(file).suffix.lower())
    if read is None:
        known = ", ".join(_READERS)
        told = f"the ending {quoted(Path(file).suffix)} is unknown: name the file after its format, one of {known}."
        raise SuiteError([Problem(file=file, message=told)])
    try:
        return validate(read(Path(file), file))
    except OSError as error:
        raise SuiteError([_unreadable(error, file)]) from error


def suite_sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a suite file's bytes, in hexadecimal.

    Raises:
        SuiteError: the file cannot be read.
    """
    file = os.fspath(path)
    _refuse_what_is_no_file(Path(file), file)
    try:
        with Path(file).open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise SuiteError([_unreadable(error, file)]) from error


def _refuse_what_is_no_file(path: Path, file: str) -> None:
    try:
        if path.is_file():
            return
        told = _no_file(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        told = f"cannot be opened ({error}): check the path."
    raise SuiteError([Problem(file=file, message=told)])


def _no_file(path: Path) -> str:
    if path.is_dir():
        suites = sorted(child.name for child in path.iterdir() if child.suffix.lower() in _READERS)
        there = f": name a file in it, such as {quoted(suites[0])}." if suites else ": name a suite file."
        return f"is a folder{there}"
    if path.exists():
        return "is not a regular file: name a suite file."
    if not path.parent.is_dir():
        return "there is no such file, nor its folder: check the path."
    near = difflib.get_close_matches(path.name, [child.name for child in path.parent.iterdir()], n=1)
    hint = f"did you mean {quoted(near[0])}?" if near else "check the path."
    return f"there is no such file: {hint}"


def _unreadable(error: OSError, file: str) -> Problem:
    reason = error.strerror or type(error).__name__
    return Problem(file=file, message=f"cannot be read ({reason}): check its permissions.")


def _read_document(path: Path, file: str, parse: Callable[[str, str], tuple[object, Locate, list[Problem]]]) -> Source:
    text, undecoded = _decode(path.read_bytes(), file, 1)
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
    records = _lines(path, file, problems)
    return Source(file=file, name=path.stem, header=None, locate=_nowhere, records=records, problems=problems)


def _lines(path: Path, file: str, problems: list[Problem]) -> Iterator[Record]:
    """Yield one record a line; lines end at LF only, for U+2028 and its kin may stand inside a text."""
    number = 0
    with path.open("rb") as lines:
        for line, raw in enumerate(lines, start=1):
            text, undecoded = _decode(raw, file, line)
            if undecoded:  # the whole file is in another encoding; its other lines would only say the same
                problems.extend(undecoded)
                return
            if not text.strip():
                continue
            number += 1
            if number == 1 and text.strip() in {"{", "["}:
                told = "a case must stand on one line: name the file .json if it is one JSON document."
                problems.append(Problem(file=file, line=line, message=told))
                return
            data, _, found = read_json(text.rstrip("\r\n"), file, line)
            problems.extend(found)
            if data is not None or not found:
                yield Record(number=number, data=data, locate=_at(line))


def _at(line: int) -> Locate:
    return lambda _path: line


def _decode(raw: bytes, file: str, first_line: int) -> tuple[str, list[Problem]]:
    """Return the text of UTF-8 bytes, a byte order mark left out, or the problem with them."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "", [Problem(file=file, line=first_line, message="is UTF-16: save it as UTF-8.")]
    try:
        return raw.removeprefix(codecs.BOM_UTF8).decode(), []
    except UnicodeDecodeError as error:
        start = error.start + (len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0)
        line = first_line + raw.count(b"\n", 0, start)
        told = f"is not UTF-8 (byte 0x{raw[start]:02X} here): save the file as UTF-8."
        column = start - raw.rfind(b"\n", 0, start)
        return "", [Problem(file=file, line=line, column=column, message=told)]


_READERS: Mapping[str, Callable[[Path, str], Source]] = MappingProxyType(
    {".yaml": _yaml, ".yml": _yaml, ".json": _json, ".jsonl": _json_lines, ".ndjson": _json_lines}
)
"""How a file is read, by its ending."""
