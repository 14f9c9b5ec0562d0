"""Reads what a suite file says about the suite as a whole: name, version, defaults, scales."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from pydantic import ValidationError

from evalparity.unified_schema.cases import SCHEMA_VERSION, EvalCase, EvalSuite
from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.field_types import read_fields
from evalparity.unified_schema.foreign_names import rename_fields
from evalparity.unified_schema.messages import explain
from evalparity.unified_schema.notes import NoteBook
from evalparity.unified_schema.positions import FieldPath, Findings, path_text, quoted
from evalparity.unified_schema.records import Source
from evalparity.unified_schema.short_forms import CASE_KEYS

_NO_CASES_YET = (EvalCase(id="placeholder", input="placeholder"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The suite without its cases.

    Attributes:
        suite: holds one placeholder instead of the cases.
        defaults: raw values under our names, for every case that does not set them itself.
        moved: from the path of a default to its path in the file, where the two differ.
    """

    suite: EvalSuite
    defaults: Mapping[str, Any] = field(default_factory=dict)
    moved: Mapping[FieldPath, FieldPath] = field(default_factory=dict)


def read_header(source: Source, notes: NoteBook) -> Header:
    """Return the header of a source; what is wrong with it is added to the problems of the source."""
    given = {key: value for key, value in (source.header or {}).items() if value is not None}
    if source.header is not None and "name" not in given:
        notes.add(f"the suite has no name and is called {quoted(source.name)} after its file", line=None)
    findings, renaming = Findings(), Findings()
    defaults = _defaults(given.get("defaults"), findings, renaming)
    for path, message in renaming.remarks:
        notes.add(message, line=source.locate(("defaults", *renaming.in_file(path))), path=("defaults", *path))
    suite = _suite({"name": source.name, **given}, findings)
    for path, message in findings.faults:
        problem = Problem(file=source.file, line=source.locate(path), field=path_text(path), message=message)
        source.problems.append(problem)
    return Header(suite=suite, defaults=defaults, moved=renaming.moved)


def _defaults(given: object, findings: Findings, renaming: Findings) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        return {}
    for key in given.keys() & {"id", "case_id"}:
        findings.fault(("defaults", key), "every case has an id of its own: take it out of defaults.")
    defaults = rename_fields(given, CASE_KEYS, renaming)
    findings.faults.extend((("defaults", *path), message) for path, message in renaming.faults)
    return defaults


def _suite(raw: Mapping[str, Any], findings: Findings) -> EvalSuite:
    read = read_fields(EvalSuite, raw, (), findings)
    assert isinstance(read, dict)
    fields = {**read, "cases": _NO_CASES_YET}
    try:
        suite = EvalSuite.model_validate(fields)
    except ValidationError as error:
        refused = explain(error, fields)
        if ("evalparity",) in refused:
            refused[("evalparity",)] = _version(read["evalparity"])
        findings.faults.extend(refused.items())
        return EvalSuite(name="unreadable", cases=_NO_CASES_YET)
    findings.faults.extend(_contradictions(suite))
    return suite


def _version(given: object) -> str:
    return (
        f"this is version {quoted(given)} of the suite format and only {SCHEMA_VERSION} is known here: "
        f"write {SCHEMA_VERSION}, or upgrade evalparity."
    )


def _contradictions(suite: EvalSuite) -> Iterator[tuple[FieldPath, str]]:
    for name, scale in suite.label_scales.items():
        if scale.low >= scale.high:
            yield ("label_scales", name), "low must be less than high: correct one of them."
    if suite.corpus is not None and (_leaves_folder(suite.corpus) or not suite.corpus.strip()):
        yield ("corpus",), "must be a path inside the suite's own folder: put the file there."


def _leaves_folder(path: str) -> bool:
    """Tell whether a path would leave its folder on any operating system."""
    readings = (PurePosixPath(path), PureWindowsPath(path))
    return any(reading.anchor or ".." in reading.parts for reading in readings)
