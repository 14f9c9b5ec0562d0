"""What must hold between the fields of one case, once each of them is right by itself."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import chain

from evalparity.unified_schema.cases import EvalCase, LabelScale
from evalparity.unified_schema.positions import FieldPath, Findings, quoted


def check_case(case: EvalCase, scales: Mapping[str, LabelScale], findings: Findings) -> None:
    """Note every contradiction inside a case as a fault, and every doubtful thing as a remark."""
    for path, message in chain.from_iterable(check(case) for check in _CHECKS):
        findings.fault(path, message)
    for path, message in _outside_scale(case, scales):
        findings.fault(path, message)
    for path, message in _doubts(case):
        findings.remark(path, message)


def _unknown_ids(case: EvalCase) -> Iterator[tuple[FieldPath, str]]:
    known = [chunk.id for chunk in case.retrieved_contexts]
    retrieved = frozenset(known)
    for path, chunk_id in _named_ids(case):
        if chunk_id not in retrieved:
            near = difflib.get_close_matches(chunk_id, known, n=1)
            hint = f"did you mean {quoted(near[0])}?" if near else _known_ids(known)
            yield path, f"the id {quoted(chunk_id)} is not in retrieved_contexts: {hint}"


def _known_ids(known: list[str]) -> str:
    if not known:
        return "add the chunk with its text there, or leave the id out."
    return f"there are {', '.join(map(quoted, known[:5]))}{' and more' if len(known) > 5 else ''}."  # noqa: PLR2004 - fits a line


def _named_ids(case: EvalCase) -> Iterator[tuple[FieldPath, str]]:
    for rank, chunk_id in enumerate(case.prompt_contexts or ()):
        yield ("prompt_contexts", rank), chunk_id
    for number, stage in enumerate(case.stages):
        for rank, chunk_id in enumerate(stage.ids):
            yield ("stages", number, "ids", rank), chunk_id


def _different_texts(case: EvalCase) -> Iterator[tuple[FieldPath, str]]:
    first: dict[str, tuple[int, str]] = {}
    for rank, chunk in enumerate(case.retrieved_contexts):
        if chunk.id in first and first[chunk.id][1] != chunk.text:
            place = f"retrieved_contexts[{first[chunk.id][0]}]"
            told = f"the id {quoted(chunk.id)} has another text in {place}: give each text its own id."
            yield ("retrieved_contexts", rank, "id"), told
        first.setdefault(chunk.id, (rank, chunk.text))


def _negative_grades(case: EvalCase) -> Iterator[tuple[FieldPath, str]]:
    for chunk_id, grade in case.relevance.items():
        if grade < 0:
            yield ("relevance", chunk_id), "a grade is 0 (judged irrelevant) or more: write 0."
    for number, unit in enumerate(case.evidence):
        if unit.grade <= 0:
            yield ("evidence", number, "grade"), "must be more than 0: leave out what need not be found."


def _validity(case: EvalCase) -> Iterator[tuple[FieldPath, str]]:
    for rank, chunk in enumerate(case.retrieved_contexts):
        start, end = chunk.valid_from, chunk.valid_to
        if start is not None and end is not None and _day(end) < _day(start):
            yield ("retrieved_contexts", rank, "valid_to"), "lies before valid_from: correct one of the two."


def _day(when: date | datetime) -> date:
    return when.date() if isinstance(when, datetime) else when


def _blank_ids(case: EvalCase) -> Iterator[tuple[FieldPath, str]]:
    ids: Iterable[tuple[FieldPath, str]] = [(("id",), case.id)]
    chunks = ((("retrieved_contexts", rank, "id"), chunk.id) for rank, chunk in enumerate(case.retrieved_contexts))
    for path, text in chain(ids, chunks):
        if not text.strip():
            yield path, "is blank: write an id that can be seen."


_CHECKS: tuple[Callable[[EvalCase], Iterator[tuple[FieldPath, str]]], ...] = (
    _blank_ids,
    _unknown_ids,
    _different_texts,
    _negative_grades,
    _validity,
)


def _outside_scale(case: EvalCase, scales: Mapping[str, LabelScale]) -> Iterator[tuple[FieldPath, str]]:
    for name, ratings in case.labels.items():
        scale = scales.get(name)
        for number, rating in enumerate(ratings if scale is not None else ()):
            value = rating.value
            if isinstance(value, float) and scale is not None and not scale.low <= value <= scale.high:
                limits = f"{scale.low:g} to {scale.high:g}"
                path = ("labels", name, number, "value")
                yield path, f"{value:g} is outside the scale {limits} that label_scales declares: correct one of them."


def _doubts(case: EvalCase) -> Iterator[tuple[FieldPath, str]]:
    chunks = case.retrieved_contexts
    retrieved = {chunk.id for chunk in chunks}
    for number, citation in enumerate(case.citations):
        if citation.id not in retrieved:  # a model may invent a source: that is what was recorded
            yield ("citations", number, "id"), "cites a chunk that is not in retrieved_contexts; the citation is kept"
    if len(retrieved) < len(chunks):
        yield ("retrieved_contexts",), "a chunk was retrieved twice; both places are kept"
    if len({chunk.text for chunk in chunks}) < len(retrieved):
        yield ("retrieved_contexts",), "chunks with different ids hold the same text; all are kept"
