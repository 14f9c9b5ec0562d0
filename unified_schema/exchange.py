"""How files of other tools become suites, and suites become files: the contracts that readers and writers keep.

A file is first opened as what it is (a document, a table of rows, a folder), and then read as what it means: the first
shape that recognises it says so, else it is a suite or a list of cases under the names that are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalparity.unified_schema.cases import EvalSuite
from evalparity.unified_schema.positions import Findings, Locate
from evalparity.unified_schema.records import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What a user allows when a file is read.

    Attributes:
        skip_bad_rows: leave out rows with a problem, each with a note, instead of refusing the file.
        allow_files: let a file name others outside of its own folder.
        list_separator: what stands between the texts of one cell; empty: a cell is one text; None: find out.
    """

    skip_bad_rows: bool = False
    allow_files: bool = False
    list_separator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A file or folder that is being read.

    Attributes:
        path: where it stands.
        file: the path as the user gave it, for messages.
        options: what the user allows.
    """

    path: Path
    file: str
    options: ReadOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentShape:
    """What a whole YAML or JSON document can be.

    Attributes:
        name: as in `promptfoo config`, for notes and messages.
        recognises: from the parsed document to whether it is this; must not raise, whatever the document holds.
        read: from the document, where its values stand, and the file to its cases; problems go into the source.
    """

    name: str
    recognises: Callable[[object], bool]
    read: Callable[[object, Locate, Opened], Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowShape:
    """What the rows of a table or of JSON lines can be.

    Attributes:
        name: for notes and messages.
        recognises: from the names of the columns to whether it is this.
        read: from a row to a case, under our names or ones that are known; what was moved, assumed or is wrong goes
            into the findings.
    """

    name: str
    recognises: Callable[[frozenset[str]], bool]
    read: Callable[[Mapping[str, Any], Findings], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderShape:
    """What a folder can be.

    Attributes:
        name: for notes and messages.
        recognises: from the folder to whether it is this.
        read: to its cases.
    """

    name: str
    recognises: Callable[[Path], bool]
    read: Callable[[Opened], Source]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """What files of other tools can be, the most particular first."""

    documents: tuple[DocumentShape, ...] = ()
    rows: tuple[RowShape, ...] = ()
    folders: tuple[FolderShape, ...] = ()

    def __add__(self, other: Shapes) -> Shapes:
        return Shapes(
            documents=self.documents + other.documents,
            rows=self.rows + other.rows,
            folders=self.folders + other.folders,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something that a suite holds and a target cannot.

    Attributes:
        case: id of the case; None: the suite as a whole.
        field: the field of the case or suite, as `stages`.
        message: what becomes of it, and what to do where something can be done.
    """

    case: str | None
    field: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """A kind of file that a suite can be written to.

    Attributes:
        name: what `convert --to` calls it.
        endings: of the files, the first is the default; empty: a folder.
        write: writes the suite to a path that is not there yet or may be replaced; returns what was lost. Raises
            UsageError where nothing sensible can be written.
        about: one line for `convert --help` and the documentation.
    """

    name: str
    endings: tuple[str, ...]
    write: Callable[[EvalSuite, Path], tuple[Loss, ...]]
    about: str
