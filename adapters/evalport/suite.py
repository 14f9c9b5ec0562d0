"""An EvalPort suite, or its test cases as JSON lines, as a suite of ours.

Fields and their meaning: SPEC.md and spec/schemas/{suite,testcase}.json of github.com/adhabnr-ux/evalport, version
1.0.0-rc.5. A test case holds no answer; answers stand in result sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.exchange import DocumentShape, Opened, RowShape
from evalparity.unified_schema.positions import Findings, Locate, quoted
from evalparity.unified_schema.records import Record, Source

VERSION = "1.0.0"
GRADER = "evalparity"
"""The grader of suites that we write: the format wants one, and says that a runner skips what it does not know."""

RENAMED: Mapping[str, str] = MappingProxyType({"id": "id", "expected_output": "reference"})
_READ = frozenset({"id", "input", "expected_output", "context", "retrieval_context", "graders", "metadata", "$schema"})
_OF_SUITE = ("graders", "config", "metadata", "tags", "description")


def is_suite(data: object) -> bool:
    """Say whether a document is an EvalPort suite."""
    if not isinstance(data, Mapping) or not isinstance(data.get("version"), str) or "id" not in data:
        return False
    return isinstance(data.get("test_cases"), list) or isinstance(data.get("test_cases_file"), str)


def read_suite(data: object, locate: Locate, opened: Opened) -> Source:
    """Return the test cases of a suite."""
    assert isinstance(data, Mapping)
    name = data.get("name") or data["id"]
    left_out = [key for key in _OF_SUITE if data.get(key)]
    told = (f"{', '.join(left_out)} of the suite: what scores a suite is no part of it here, left out",)
    return Source(
        file=opened.file,
        name=opened.path.stem,
        header={"name": name if isinstance(name, str) and name else opened.path.stem},
        locate=locate,
        records=_records(data.get("test_cases"), locate),
        problems=_problems(data, locate, opened),
        remarks=("this is an EvalPort suite; its test cases hold no answers", *(told if left_out else ())),
    )


def _problems(data: Mapping[str, Any], locate: Locate, opened: Opened) -> list[Problem]:
    told = {}
    if data["version"].partition(".")[0] != VERSION.partition(".")[0]:
        told["version"] = f"version {quoted(data['version'])} of EvalPort is not known here: save it as {VERSION}."
    if not isinstance(data.get("test_cases"), list):
        told["test_cases_file"] = "its test cases stand in another file: give that file instead."
    return [
        Problem(file=opened.file, line=locate((field,)), field=field, message=message)
        for field, message in told.items()
    ]


def _records(given: object, locate: Locate) -> Iterator[Record]:
    for rank, case in enumerate(given if isinstance(given, list) else ()):
        findings = Findings()
        data = read_row(case, findings) if isinstance(case, Mapping) else case
        yield Record(number=rank + 1, data=data, locate=_at(locate, rank), findings=findings)


def _at(locate: Locate, rank: int) -> Locate:
    return lambda path: locate(("test_cases", rank, *path))


def read_row(row: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return a test case under our names."""
    case: dict[str, Any] = {ours: row[theirs] for theirs, ours in RENAMED.items() if theirs in row}
    findings.moved[("reference",)] = ("expected_output",)
    case |= _asked(row.get("input"))
    metadata = row.get("metadata")
    kept = {key: value for key, value in row.items() if key not in _READ}
    kept |= metadata if isinstance(metadata, Mapping) else {}
    if row.get("retrieval_context") is not None:
        case["retrieved_contexts"] = row["retrieval_context"]
        findings.moved[("retrieved_contexts",)] = ("retrieval_context",)
        kept |= {"context": row["context"]} if row.get("context") is not None else {}
    elif row.get("context") is not None:
        case["retrieved_contexts"] = row["context"]
        findings.moved[("retrieved_contexts",)] = ("context",)
        findings.remark(("retrieved_contexts",), "context is what the model was given (EvalPort's meaning)")
    if isinstance(kept.get("category"), str):
        case["category"] = kept.pop("category")
    return {**case, "metadata": kept}


def _asked(given: object) -> dict[str, Any]:
    if not isinstance(given, list) or not given:
        return {"input": given} if given is not None else {}
    turns = [{"role": "user", "content": text} for text in given[:-1]]
    return {"input": given[-1], **({"conversation": turns} if turns else {})}


def _is_row(columns: frozenset[str]) -> bool:
    return {"id", "input", "graders"} <= columns


SHAPE = DocumentShape(name="EvalPort suite", recognises=is_suite, read=read_suite)
ROWS = RowShape(name="EvalPort test cases", recognises=_is_row, read=read_row)
