"""Opens the files that a configuration of Promptfoo's names: data inside of its folder, and nothing that runs."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.encodings import decode
from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.exchange import Opened
from evalparity.unified_schema.files import unreadable
from evalparity.unified_schema.json_source import read_json
from evalparity.unified_schema.positions import Locate, quoted
from evalparity.unified_schema.yaml_source import read_yaml

_CODE = frozenset({".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".py", ".rb", ".go", ".sh", ".exe"})
_GLOB = frozenset("*?[")
_MOST_FILES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that was opened: what it holds, and where that stands in it."""

    path: Path
    data: object
    locate: Locate


@dataclass(slots=True, kw_only=True)
class References:
    """Follows what a configuration names; what cannot be followed becomes a problem.

    Attributes:
        opened: the configuration.
        problems: takes what is wrong.
        remarks: takes what was assumed about the files.
    """

    opened: Opened
    problems: list[Problem] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        """Return the folder of the configuration."""
        return self.opened.path.resolve().parent

    def note(self, message: str, line: int | None) -> None:
        """Note what is wrong with the configuration."""
        self.problems.append(Problem(file=self.opened.file, line=line, message=message))

    def paths(self, reference: str, base: Path, line: int | None) -> list[Path]:
        """Return the files that a reference stands for, a problem noted where it stands for none."""
        named = reference.removeprefix("file://")
        told = _refusal(named) or self._outside(named, base)
        if told is None:
            try:
                found = self._glob(named, base)
            except (OSError, ValueError, NotImplementedError) as error:
                found, told = [], f"cannot be looked for ({error}): check the path."
            told = told or self._fault(found)
        if told is not None:
            message = f"names {quoted(reference)}, which {told}"
            self.note(message, line)
            return []
        return found

    def tests(self, reference: str, base: Path, line: int | None) -> Iterator[Found]:
        """Yield the data files that a reference stands for."""
        for path in self.paths(reference, base, line):
            parse = _PARSERS.get(path.suffix.lower())
            if parse is None:
                known = ", ".join(_PARSERS)
                message = f"names {quoted(path.name)}, which is of no known kind: save it as one of {known}."
                self.note(message, line)
                continue
            text = self.text(path)
            if text is not None:
                data, locate, problems = parse(text, str(path))
                self.problems.extend(problems)
                yield Found(path=path, data=data, locate=locate)

    def text(self, path: Path) -> str | None:
        """Return the text of a file, or None, and a problem."""
        try:
            text, problems, remarks = decode(path.read_bytes(), str(path))
        except OSError as error:
            text, problems, remarks = "", [unreadable(error, str(path))], ()
        self.problems.extend(problems)
        self.remarks.extend(f"{path.name}: {remark}" for remark in remarks)
        return None if problems else text

    def _outside(self, named: str, base: Path) -> str | None:
        if self.opened.options.allow_files:
            return None
        way_out = Path(named).is_absolute() or ".." in Path(named).parts
        return _OUTSIDE if way_out and not self._inside(base / named) else None

    def _inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.folder)
        except (OSError, ValueError, RuntimeError):
            return False

    def _glob(self, named: str, base: Path) -> list[Path]:
        if not _GLOB & set(named):
            return [base / named]
        whole = Path(named)
        top = Path(whole.anchor) if whole.is_absolute() else base
        pattern = str(whole.relative_to(whole.anchor)) if whole.is_absolute() else named
        return sorted(islice(top.glob(pattern), _MOST_FILES + 1))

    def _fault(self, found: list[Path]) -> str | None:
        if len(found) > _MOST_FILES:
            return f"stands for more than {_MOST_FILES:,} files: name fewer."
        if not found or not all(path.is_file() for path in found):
            return "is not there, or no file: check the path, from the folder of the configuration."
        if not self.opened.options.allow_files and not all(map(self._inside, found)):
            return _OUTSIDE
        code = next((path for path in found if path.suffix.lower() in _CODE), None)
        return None if code is None else _refusal(code.name)


_OUTSIDE = "stands outside of the configuration's folder: allow that with --allow-files, or move it in."


def is_code(reference: str) -> bool:
    """Return whether a reference names code, with or without the function that is meant in it."""
    named = reference.removeprefix("file://")
    return any(Path(part).suffix.lower() in _CODE for part in (named, named.rpartition(":")[0]))


def _refusal(named: str) -> str | None:
    """Return why a reference is not followed, whatever stands there."""
    if is_code(named):
        return "is code, and evalparity runs none: run `promptfoo eval -o results.json` and read the results instead."
    if "://" in named or named.startswith("package:"):
        return "is no file: evalparity fetches nothing; save it beside the configuration and name the file."
    if "{{" in named or "{%" in named:
        return "holds a template, and evalparity renders none: write the path out."
    return None


def _json_lines(text: str, file: str) -> tuple[object, Locate, list[Problem]]:
    rows: list[object] = []
    lines: list[int] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            data, _, found = read_json(line.rstrip("\r"), file, number)
            problems += found
            rows.append(data)
            lines.append(number)
    return rows, _lines(lines), problems


def _csv(text: str, file: str) -> tuple[object, Locate, list[Problem]]:
    rows: list[object] = []
    lines: list[int] = []
    with _long_cells():
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=False)
        try:
            for row in reader:
                if None in row:
                    told = f"has {len(row) - 1 + len(row[None])} cells, more than there are columns: quote its commas."
                    return [], _lines([]), [Problem(file=file, line=reader.line_num, message=told)]
                rows.append({name.strip(): cell for name, cell in row.items() if cell is not None})
                lines.append(reader.line_num)
        except csv.Error as error:
            told = f"not valid CSV: {error}; correct this place."
            return [], _lines([]), [Problem(file=file, line=reader.line_num, message=told)]
    return rows, _lines(lines), []


def _lines(lines: list[int]) -> Locate:
    def locate(path: tuple[str | int, ...]) -> int | None:
        rank = path[0] if path else None
        return lines[rank] if isinstance(rank, int) and rank < len(lines) else None

    return locate


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)


_PARSERS: Mapping[str, Callable[[str, str], tuple[object, Locate, list[Problem]]]] = MappingProxyType(
    {".yaml": read_yaml, ".yml": read_yaml, ".json": read_json, ".jsonl": _json_lines, ".csv": _csv}
)
"""How a file of tests is read, by its ending."""


def as_rows(data: object) -> list[Any]:
    """Return the tests in a file: a list of them, or one alone."""
    return data if isinstance(data, list) else [data]
