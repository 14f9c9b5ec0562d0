"""Turns raw records into a suite, or into every problem at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from evalparity.unified_schema.cases import WRITTEN_OUT, EvalCase, EvalSuite
from evalparity.unified_schema.consistency import check_case
from evalparity.unified_schema.conversations import unfold
from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.foreign_names import rename_fields
from evalparity.unified_schema.headers import Header, read_header
from evalparity.unified_schema.messages import explain
from evalparity.unified_schema.notes import Note, NoteBook
from evalparity.unified_schema.plain_cases import plain_id
from evalparity.unified_schema.positions import FieldPath, Findings, Locate, path_text, quoted
from evalparity.unified_schema.records import Record, Source
from evalparity.unified_schema.short_forms import CASE_KEYS, write_out
from evalparity.unified_schema.traced import take_apart

_RIVALS: Mapping[str, str] = MappingProxyType({"relevant": "relevance", "relevance": "relevant"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedSuite:
    """A suite that loaded, and what the user should know about how.

    Attributes:
        suite: the cases, all of them valid.
        notes: what was renamed, converted or assumed, and what looks doubtful, each with its line.
        skipped: what is wrong with rows that were left out, where the user allowed that.
    """

    suite: EvalSuite
    notes: tuple[Note, ...]
    skipped: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What was found in a suite whose cases were not kept: how many there are, notes, and rows left out."""

    cases: int
    notes: tuple[Note, ...]
    skipped: tuple[Problem, ...] = ()


def validate(source: Source, *, skip_bad_rows: bool = False) -> LoadedSuite:
    """Return the suite that a source holds.

    Args:
        source: what was read.
        skip_bad_rows: leave out rows with a problem, as long as any are left, instead of refusing the file.

    Raises:
        SuiteError: anything is wrong; it carries every problem of the file.
    """
    desk = _desk(source)
    cases = [case for record in source.records if (case := desk.take(record)) is not None]
    skipped = _refuse_or_skip(source, len(cases), skip_bad_rows=skip_bad_rows)
    suite = desk.header.suite.model_copy(update={"cases": tuple(cases)})
    return LoadedSuite(suite=suite, notes=desk.notes.notes(), skipped=skipped)


def check(source: Source, *, skip_bad_rows: bool = False) -> Checked:
    """Return what `validate` finds in a source, without keeping its cases.

    Args:
        source: what was read.
        skip_bad_rows: as for `validate`.

    Raises:
        SuiteError: as from `validate`.
    """
    desk = _desk(source)
    plain = not desk.header.defaults
    count = sum(1 for record in source.records if (plain and desk.passes(record)) or desk.take(record) is not None)
    skipped = _refuse_or_skip(source, count, skip_bad_rows=skip_bad_rows)
    return Checked(cases=count, notes=desk.notes.notes(), skipped=skipped)


def _desk(source: Source) -> _Desk:
    notes = NoteBook(file=source.file)
    for remark in source.remarks:
        notes.add(remark, line=None)
    return _Desk(source=source, notes=notes, header=read_header(source, notes))


def _refuse_or_skip(source: Source, count: int, *, skip_bad_rows: bool) -> tuple[Problem, ...]:
    """Raise the problems of a source, or return those of single rows where these may be left out."""
    problems = source.problems
    of_rows = [problem for problem in problems if problem.case is not None] if skip_bad_rows and count else []
    grave = [problem for problem in problems if problem.case is None] if of_rows else problems
    if not count and not problems:
        line = source.locate(("cases",))
        grave = [Problem(file=source.file, line=line, message="there are no cases here: add at least one.")]
    if grave:
        raise SuiteError(sorted(grave, key=lambda problem: problem.line or 0))
    return tuple(of_rows)


@dataclass(slots=True)
class _Desk:
    """Takes the records of one source one after the other and keeps what is needed to judge the next."""

    source: Source
    notes: NoteBook
    header: Header
    places: dict[str, tuple[Locate, FieldPath]] = field(default_factory=dict)
    normal_forms: dict[str, str] = field(default_factory=dict)
    faults_of_defaults: set[tuple[FieldPath, str]] = field(default_factory=set)

    def passes(self, record: Record) -> bool:
        """Tell whether a record is valid as it stands and its id is new; the others are for `take`."""
        case_id = plain_id(record.data) if record.findings is None else None
        if case_id is None or case_id in self.places:
            return False
        self.places[case_id] = (record.locate, ("id",))
        return True

    def take(self, record: Record) -> EvalCase | None:
        """Return the case that a record holds, or None when anything is wrong with it."""
        if not isinstance(record.data, Mapping):
            told = "a case must be a mapping of fields such as id, input and output."
        else:
            try:
                return self._mapping(record, record.data)
            except RecursionError:
                told = "nested too deeply: flatten it."
        self._report((), told, record.locate(()), f"#{record.number}")
        return None

    def _mapping(self, record: Record, data: Mapping[str, Any]) -> EvalCase | None:
        findings = record.findings or Findings()
        listed = self.source.header is None
        loose = self.source.loose
        if listed:
            apart = unfold(take_apart(data, findings), findings)
            loose = loose or apart.keys() != data.keys()  # its form is another tool's, and so are its other keys
            data = apart
        named = rename_fields(data, CASE_KEYS, findings, keep_unknown=listed, loose=loose)
        if listed and named.get("id") is None:
            named["id"] = f"row-{record.number}"
            findings.remark(("id",), "has no id and is called after its place: row-1, row-2 and so on")
        filled, taken = _fill(named, self.header.defaults)
        read = write_out(filled, findings)
        case = self._check(read, findings)
        self._register(read.get("id"), record, findings)
        name = _name(read.get("id"), record.number)
        self._tell(record, findings, taken, name)
        return None if findings.faults else case

    def _check(self, read: dict[str, Any], findings: Findings) -> EvalCase:
        try:
            case = EvalCase.model_validate(read, context=WRITTEN_OUT)
        except ValidationError as error:
            refused = explain(error, read)
            findings.faults.extend(refused.items())
            case = _what_is_left(read, refused)
        check_case(case, self.header.suite.label_scales, findings)
        return case

    def _register(self, case_id: object, record: Record, findings: Findings) -> None:
        if not isinstance(case_id, str):
            return
        if case_id in self.places:
            locate, path = self.places[case_id]
            first = locate(path)
            where = "" if first is None else f"; the first is on line {first}"
            findings.fault(("id",), f"the id {quoted(case_id)} is taken{where}: give each case its own.")
        self.places.setdefault(case_id, (record.locate, findings.in_file(("id",))))
        if case_id.isascii():
            return
        other = self.normal_forms.setdefault(unicodedata.normalize("NFC", case_id), case_id)
        if other != case_id:
            findings.remark(("id",), "looks like the id of another case but is written with other code points")

    def _tell(self, record: Record, findings: Findings, taken: frozenset[str], name: str) -> None:
        for path, message in findings.faults:
            if path and path[0] in taken:
                self._report_default(path, message)
            else:
                place = findings.in_file(path)
                self._report(place, message, record.locate(place), name)
        for path, message in findings.remarks:
            if not (path and path[0] in taken):
                place = findings.in_file(path)
                line = record.locate(place) if self.notes.is_new(place, message) else None
                self.notes.add(message, line=line, case=name, path=place)

    def _report_default(self, path: FieldPath, message: str) -> None:
        """Report what is wrong with a default once, at its own place, not with every case that takes it."""
        if (path, message) in self.faults_of_defaults:
            return
        self.faults_of_defaults.add((path, message))
        moved = Findings(moved=dict(self.header.moved))
        place = ("defaults", *moved.in_file(path))
        self._report(place, message, self.source.locate(place), None)

    def _report(self, path: FieldPath, message: str, line: int | None, case: str | None) -> None:
        problem = Problem(file=self.source.file, line=line, case=case, field=path_text(path), message=message)
        self.source.problems.append(problem)


def _fill(named: dict[str, Any], defaults: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the case with defaults filled in, and the fields that were taken whole from them."""
    taken = {key for key in defaults.keys() - named.keys() if _RIVALS.get(key) not in named}
    filled = {**{key: defaults[key] for key in taken}, **named}
    for key in defaults.keys() & named.keys():
        if isinstance(defaults[key], Mapping) and isinstance(named[key], Mapping):
            filled[key] = {**defaults[key], **named[key]}
    return filled, frozenset(taken)


def _what_is_left(read: dict[str, Any], refused: Iterable[FieldPath]) -> EvalCase:
    """Return the case without the refused fields, so that the others are still held against each other."""
    bad: set[object] = {path[0] for path in refused if path} or set(read)
    if "retrieved_contexts" in bad:
        bad |= {"prompt_contexts", "stages"}
    rest = {key: value for key, value in read.items() if key not in bad}
    return EvalCase.model_validate({"id": "unnamed", "input": "", **rest}, context=WRITTEN_OUT)


def _name(case_id: object, number: int) -> str:
    return case_id if isinstance(case_id, str) and case_id.strip() else f"#{number}"
