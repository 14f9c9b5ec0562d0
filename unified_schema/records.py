"""Raw records out of a file, each with a way to find its lines; nothing is known yet of what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.positions import FieldPath, Findings, Locate, quoted
from evalparity.unified_schema.study import STUDY_KEYS

WRAPPERS = ("samples", "data")
"""Keys under which other tools keep the list of cases."""


class Record(NamedTuple):
    """One case as the file has it.

    Attributes:
        number: 1-based place among the cases.
        data: what stands there, whatever it is.
        locate: from a path inside the record to its line.
        findings: what was noticed on the way from the file to `data`, such as how the cells of a table were read.
    """

    number: int
    data: object
    locate: Locate
    findings: Findings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A suite file after reading and before validation.

    Attributes:
        file: path as the user gave it.
        name: file name without its ending, for a file that names no suite.
        header: fields of the suite other than its cases; None for a bare list of cases.
        locate: from a path inside the header to its line.
        records: the cases, read as they are asked for.
        problems: what is wrong so far; grows while the records are read.
        remarks: what was assumed about the file as a whole.
        loose: whether unknown names are kept in metadata in any case, as those of a table's columns are.
    """

    file: str
    name: str
    header: Mapping[str, Any] | None
    locate: Locate
    records: Iterable[Record]
    problems: list[Problem] = field(default_factory=list)
    remarks: tuple[str, ...] = ()
    loose: bool = False


def find_cases(data: object, locate: Locate, *, file: str, name: str, problems: list[Problem]) -> Source:
    """Return the source that a whole document holds: a suite, a bare list of cases, or a wrapped list."""
    key = _key_of_cases(data)
    cases = data.get(key) if isinstance(data, Mapping) else data
    study = isinstance(data, Mapping) and key is None and bool(STUDY_KEYS & data.keys())
    if not isinstance(cases, list):
        if data is not None or not problems:
            line = locate((key,) if key else ())
            told = _A_STUDY if study else _no_list(key, cases)
            problems.append(Problem(file=file, line=line, field=key, message=told))
        cases = []
    others = {name: value for name, value in data.items() if name != key} if isinstance(data, Mapping) else None
    wrapped = key in WRAPPERS
    under: FieldPath = (key,) if key else ()
    return Source(
        file=file,
        name=name,
        header=None if wrapped or study else others,
        locate=locate,
        records=[
            Record(number=rank + 1, data=case, locate=_inside(locate, (*under, rank)))
            for rank, case in enumerate(cases)
        ],
        problems=problems,
        remarks=_unwrapped(key, others or {}) if wrapped else (),
    )


def _key_of_cases(data: object) -> str | None:
    if not isinstance(data, Mapping):
        return None
    return next((key for key in ("cases", *WRAPPERS) if key in data), None)


def _unwrapped(key: str | None, others: Mapping[str, Any]) -> tuple[str, ...]:
    left_out = (f"{quoted(name)} beside {key} is left out" for name in others)
    return (f"the cases are taken out of {key}", *left_out)


def _inside(locate: Locate, prefix: FieldPath) -> Locate:
    return lambda path: locate(prefix + path)


_A_STUDY = "this is a study: give it with --study, beside the suite that it is to score."
_NO_CASES = "there are no cases here: write a list of cases under `cases`."


def _no_list(key: str | None, cases: object) -> str:
    if key is not None and cases is not None:
        return f"{key} must be a list of cases, each introduced by a dash in YAML."
    return _NO_CASES
