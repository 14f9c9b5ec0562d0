"""Finds out what a file is: by its content where that tells, else by its name."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from evalparity.unified_schema.columns import known_name
from evalparity.unified_schema.encodings import UTF8, encoding_of_start
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES
from evalparity.unified_schema.short_forms import CASE_KEYS

Kind = Literal["yaml", "json", "json lines", "table", "spreadsheet", "parquet"]

KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        ".yaml": "yaml",
        ".yml": "yaml",
        ".json": "json",
        ".jsonl": "json lines",
        ".ndjson": "json lines",
        ".csv": "table",
        ".tsv": "table",
        ".xlsx": "spreadsheet",
        ".xlsm": "spreadsheet",
        ".parquet": "parquet",
    }
)
"""What a file is by its ending."""

NAMES: Mapping[Kind, str] = MappingProxyType(
    {
        "yaml": "YAML",
        "json": "one JSON document",
        "json lines": "JSON lines",
        "table": "a table (CSV)",
        "spreadsheet": "an Excel workbook",
        "parquet": "Parquet",
    }
)
"""How messages call a kind."""

_START = 64 * 1024
_FEW = 32
_MAGIC: Mapping[bytes, str] = MappingProxyType(
    {
        b"\xd0\xcf\x11\xe0": "is an old or a locked Office file: save it as .xlsx without a password, or as CSV.",
        b"\x1f\x8b": "is packed with gzip: unpack it first.",
        b"BZh": "is packed with bzip2: unpack it first.",
        b"\xfd7zXZ": "is packed with xz: unpack it first.",
        b"\x28\xb5\x2f\xfd": "is packed with zstd: unpack it first.",
        b"%PDF-": "is a PDF: a test set is a table, JSON or YAML.",
        b"SQLite format 3": "is a database: export the table as CSV.",
        b"ARROW1": "is an Arrow file: name the folder of the data set, or save it as Parquet.",
    }
)
"""By its first bytes, why a file is not read."""

_TEXT_CONTROLS = frozenset("\t\n\r\f\v\x1b\x85")
_SEPARATORS = re.compile(r"[,;	|]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a file is, or why it is not read.

    Attributes:
        kind: None: it is not read.
        fault: why not.
        remark: where the name says something else.
    """

    kind: Kind | None
    fault: str | None = None
    remark: str | None = None


def kind_of(path: Path) -> Found:
    """Return what a file is.

    Args:
        path: of a file that is there.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as content:
        start = content.read(_START)
        whole = not content.read(1)
    named = KINDS.get(path.suffix.lower())
    found = _binary(path, start) or _text(start, named, whole=whole)
    if found.kind is None or found.kind == named:
        return found
    ending = f"its name ends in {path.suffix}" if path.suffix else "its name has no ending"
    return Found(kind=found.kind, remark=f"{ending}, and it is read as {NAMES[found.kind]}, which it holds")


def _binary(path: Path, start: bytes) -> Found | None:
    if start.startswith(b"PAR1"):
        return Found(kind="parquet")
    if start.startswith(b"PK\x03\x04"):
        return _archive(path)
    told = next((told for magic, told in _MAGIC.items() if start.startswith(magic)), None)
    if told is not None:
        return Found(kind=None, fault=told)
    if encoding_of_start(start) != UTF8:
        return None
    shown = start.partition(b"\n")[0] if path.suffix.lower() in KINDS else start  # later texts may hold anything
    controls = sum(chr(byte) < " " and chr(byte) not in _TEXT_CONTROLS for byte in shown)
    many = len(start) > _FEW and controls * 10 > len(shown)
    if many or (b"\0" in start and path.suffix.lower() not in KINDS):
        return Found(kind=None, fault="holds bytes that are no text: a test set is a table, JSON or YAML.")
    return None


def _archive(path: Path) -> Found:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return Found(kind="spreadsheet") if path.suffix.lower() in {".xlsx", ".xlsm"} else Found(kind=None, fault=_ZIP)
    return Found(kind="spreadsheet") if any(name.startswith("xl/") for name in names) else Found(kind=None, fault=_ZIP)


_ZIP = "is a zip archive and no Excel workbook: unpack it first."


def _text(start: bytes, named: Kind | None, *, whole: bool) -> Found:
    text = start.decode(encoding_of_start(start), errors="replace")
    bare = text.lstrip("\ufeff \t\r\n")
    if named == "yaml" or not bare:
        return Found(kind=named or "yaml")
    if bare.startswith(("{", "[")):
        return Found(kind=_json_kind(bare, named, whole=whole))
    if named == "table" or _is_header(bare.partition("\n")[0]):
        return Found(kind="table")
    return Found(kind=named if named in {"json", "json lines"} else "yaml")


def _is_header(line: str) -> bool:
    """Tell whether a line names columns of which at least two, or all but one, are known."""
    names = [known_name(name.strip(" \"'\r")) for name in _SEPARATORS.split(line)]
    known = sum(name in CASE_KEYS or name in FOREIGN_NAMES for name in names)
    return len(names) > 1 and (known > 1 or known == len(names) - 1)


def _json_kind(text: str, named: Kind | None, *, whole: bool) -> Kind:
    """Return whether a text is one document or a document a line; the name decides where both may be."""
    first, _, rest = text.partition("\n")
    if not rest.strip() and whole:
        return "json lines" if named == "json lines" and first.startswith("{") else "json"
    if first.strip() in {"{", "["}:
        return "json"
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return "json lines" if named == "json lines" else "json"
    return "json lines" if first.startswith("{") or named == "json lines" else "json"
