"""The texts of a case, and what became of its passages on the way to the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime

from rich.text import Text

from evalparity.comparisons.render.columns import lay_out, wrap
from evalparity.comparisons.render.words import head, name, title
from evalparity.unified_schema.cases import Chunk, EvalCase, LabelScale, Rating

MOST_LINES = 4
"""Lines of one text."""


def text_lines(case: EvalCase, width: int) -> list[Text]:
    """Return what a case says, in the order in which it came about."""
    lines = [line for label, text in _texts(case) for line in _labelled(label, text, width)]
    lines += [Text(), *_passages(case, width)]
    for label, text in _facts(case):
        lines += _labelled(label, text, width)
    return lines


def label_lines(labels: Mapping[str, tuple[Rating, ...]], scales: Mapping[str, LabelScale], width: int) -> list[Text]:
    """Return what people say of a case; nothing where nobody did."""
    lines = [line for about, given in labels.items() for line in _ratings(about, given, scales, width)]
    return [Text(), title("PEOPLE", "human ratings of this answer"), *lines] if lines else []


def _texts(case: EvalCase) -> Iterator[tuple[str, str]]:
    for turn in case.conversation:
        yield turn.role, turn.content
    yield "question", case.input
    yield "answer", "(none recorded)" if case.output is None else case.output
    if case.reference is not None:
        yield "reference", case.reference
    if case.answerable is False:
        yield "expected", "to refuse or to ask back: there is no answer for this reader"


def _labelled(label: str, text: str, width: int) -> list[Text]:
    return wrap(Text.assemble(name(f"{label}:", "dim"), " ", name(text)), width=width, indent=0, lines=MOST_LINES)


def _passages(case: EvalCase, width: int) -> list[Text]:
    chunks = case.retrieved_contexts
    if not chunks:
        return [title("PASSAGES", "nothing was retrieved")]
    seen = len(case.prompt_chunks())
    heading = title("PASSAGES", f"{len(chunks)} retrieved, {seen} of them seen by the model")
    graded = bool(case.relevance)
    rows = [[head(""), head("id"), *([head("grade")] if graded else []), head("fate"), head("text")]]
    for rank, chunk in enumerate(chunks, 1):
        grade = case.relevance.get(chunk.id)
        graded_cell = [Text("–" if grade is None else f"{grade:g}")] if graded else []
        rows.append([Text(str(rank)), name(chunk.id, "bold"), *graded_cell, _fate(chunk, case), name(_told(chunk))])
    return [heading, *lay_out(rows, names=len(rows[0]), width=width)]


def _fate(chunk: Chunk, case: EvalCase) -> Text:
    if any(seen.id == chunk.id for seen in case.prompt_chunks()):
        return Text("seen", "green")
    lost_at = next((stage.name for stage in case.stages if chunk.id not in stage.ids), None)
    return name(f"cut at {lost_at}" if lost_at is not None else "not in prompt", "yellow")


def _told(chunk: Chunk) -> str:
    """Return a passage's text, behind what is said of it that a judge of texts cannot see."""
    marks = [
        f"tenant {chunk.tenant}" if chunk.tenant else "",
        f"version {chunk.version}" if chunk.version else "",
        f"valid {_day(chunk.valid_from)} to {_day(chunk.valid_to)}" if chunk.valid_from or chunk.valid_to else "",
    ]
    told = ", ".join(filter(None, marks))
    return f"[{told}] {chunk.text}" if told else chunk.text


def _day(when: date | datetime | None) -> str:
    return "…" if when is None else when.isoformat()[:10]


def _facts(case: EvalCase) -> Iterator[tuple[str, str]]:
    retrieved = {chunk.id for chunk in case.retrieved_contexts}
    missing = [" or ".join(unit.any_of) for unit in case.evidence if not retrieved.intersection(unit.any_of)]
    if missing:
        yield "needed and not retrieved", ", ".join(missing)
    if case.access is not None and case.access.tenant is not None:
        yield "asked by", f"tenant {case.access.tenant}"
    if case.as_of is not None:
        yield "asked on", case.as_of.isoformat()
    for citation in case.citations:
        yield f"cites {citation.id}", citation.claim
    if case.hops:
        yield "queries", "; ".join(f"{hop.query} -> {', '.join(hop.retrieved) or 'nothing'}" for hop in case.hops)
    if case.usage is not None:
        spent = case.usage.model_dump(exclude_none=True)
        yield "spent", ", ".join(f"{field} {_number(value)}" for field, value in spent.items())


def _number(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}"


def _ratings(about: str, given: tuple[Rating, ...], scales: Mapping[str, LabelScale], width: int) -> list[Text]:
    scale = scales.get(about)
    told = ", ".join(f"{_value(one)}{f' ({one.rater})' if one.rater else ''}" for one in given)
    limits = f"on a scale of {scale.low:g} to {scale.high:g}" if scale is not None else ""
    line = Text.assemble(name(about, "bold"), "  ", name(told), "  ", name(limits, "dim"))
    return wrap(line, width=width, indent=0, lines=2)


def _value(rating: Rating) -> str:
    value = rating.value
    return f"{value:g}" if isinstance(value, float) and not isinstance(value, bool) else str(value)
