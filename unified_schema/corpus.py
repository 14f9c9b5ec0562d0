"""Reads the corpus that a suite names: all chunks, whether retrieved or not, by id."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from evalparity.unified_schema.cases import CorpusChunk
from evalparity.unified_schema.encodings import encoding_of
from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.field_types import read_fields
from evalparity.unified_schema.files import fault_of_path, unreadable
from evalparity.unified_schema.loading import json_lines
from evalparity.unified_schema.messages import explain
from evalparity.unified_schema.positions import Findings, path_text, quoted
from evalparity.unified_schema.records import Record

_ENDINGS = (".jsonl", ".ndjson")


def load_corpus(suite: Path, corpus: str) -> Mapping[str, CorpusChunk]:
    """Return the chunks of a suite's corpus by id.

    Args:
        suite: path of the suite file.
        corpus: path of the corpus below the suite's folder, as the suite says it: a JSON line per chunk, in UTF-8.

    Raises:
        SuiteError: the file leaves the suite's folder, cannot be read, or holds what is no chunk; it carries every
            problem, with its line.
    """
    path = suite.parent / corpus
    file = str(path)
    problem = fault_of_path(path, file, endings=_ENDINGS, kind="corpus") or _outside(suite, path)
    if problem is not None:
        raise SuiteError([problem])
    problems: list[Problem] = []
    chunks: dict[str, CorpusChunk] = {}
    try:
        for record in json_lines(path, file, problems, encoding_of(path, file)):
            _take(record, file, chunks, problems)
    except OSError as error:
        raise SuiteError([unreadable(error, file)]) from error
    if problems:
        raise SuiteError(sorted(problems, key=lambda one: one.line or 0))
    return MappingProxyType(chunks)


def _outside(suite: Path, path: Path) -> Problem | None:
    """A link must not lead where the suite may not point."""
    if path.resolve().is_relative_to(suite.parent.resolve()):
        return None
    return Problem(file=str(path), message="leads out of the suite's own folder: put the file itself there.")


def _take(record: Record, file: str, chunks: dict[str, CorpusChunk], problems: list[Problem]) -> None:
    line = record.locate(())
    chunk, faults = _chunk(record.data)
    if chunk is not None and chunk.id in chunks:
        faults = {"id": f"the id {quoted(chunk.id)} is taken by an earlier line: give each chunk its own."}
    problems.extend(Problem(file=file, line=line, field=field, message=told) for field, told in faults.items())
    if chunk is not None:
        chunks.setdefault(chunk.id, chunk)


def _chunk(data: object) -> tuple[CorpusChunk | None, dict[str | None, str]]:
    if not isinstance(data, Mapping):
        return None, {None: "a chunk must be a mapping with id and text."}
    findings = Findings()
    read = read_fields(CorpusChunk, data, (), findings)
    faults = {path_text(path): message for path, message in findings.faults}
    try:
        return CorpusChunk.model_validate(read), faults
    except ValidationError as error:
        return None, faults | {path_text(path): message for path, message in explain(error, read).items()}
