"""How Promptfoo 0.123.1 counts the sentences that its judge copies out of the contexts, held against the contexts.

Source: matchers/rag.ts (matchesContextRelevance): every distinct line of the reply counts, whether or not it stands in
a context, and their number, at most that of the contexts, is divided by the number of contexts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalparity.adapters.base import Binding, JsonObject
from evalparity.adapters.promptfoo_adapter.findings import Findings, mapping, short, texts
from evalparity.unified_schema.outcomes import Details, Item

NOTHING_FOUND = "Insufficient Information"
"""The words that make Promptfoo score 0, wherever they stand in the reply."""

_NO_CONTEXT = "Promptfoo counted no context: each of them is blank to it."
_LIST_MARK = re.compile(r"^\s*(?:\d+[.)]|[-*])\s*")
_QUOTES = "\"'“”‘’«»「」『』"


def context_relevance(_binding: Binding, answer: JsonObject, replies: Sequence[str]) -> Findings:
    """Return the lines that Promptfoo counted, which contexts they stand in, and what that makes of the score."""
    metadata = mapping(answer.get("metadata"))
    units = texts(metadata.get("contextUnits"))
    if not units:  # the grader failed, or JavaScript takes every context for blank
        said = [line for reply in replies for line in reply.split("\n") if line.strip()]
        details = Details(items=tuple(Item(kind="sentence", text=line) for line in said))
        return Findings(details=details, kind="framework_error", problem=_NO_CONTEXT)
    if metadata.get("insufficientInformation"):
        return _nothing_found(replies, units)
    lines = texts(metadata.get("extractedSentences"))
    places = [places_of(line, units) for line in lines]
    items = tuple(
        Item(kind="sentence", text=line, verdict="yes", reason=_where(found))
        for line, found in zip(lines, places, strict=True)
    )
    counted = min(len(lines), len(units))
    strangers = [line for line, found in zip(lines, places, strict=True) if not found]
    notes = (*map(_stranger, strangers), *_recount(counted, {place for found in places for place in found}, units))
    details = Details(items=items, notes=notes)
    return Findings(details=details, score=counted / len(units), degraded=bool(strangers))


def places_of(line: str, contexts: Sequence[str]) -> tuple[int, ...]:
    """Return the contexts, counted from 1, that hold a line; list mark, quotation marks, case and spaces aside."""
    wanted = _plain(_LIST_MARK.sub("", line).strip().strip(_QUOTES))
    return tuple(number for number, context in enumerate(contexts, 1) if wanted and wanted in _plain(context))


def _nothing_found(replies: Sequence[str], units: Sequence[str]) -> Findings:
    item = Item(kind="sentence", text=NOTHING_FOUND, verdict="no", native_verdict=NOTHING_FOUND)
    lines = [line for reply in replies for line in reply.split("\n") if places_of(line, units)]
    note = (
        f'Promptfoo scored 0 because the reply holds the words "{NOTHING_FOUND}", although {len(lines)} of its lines '
        "stand in the contexts."
    )
    details = Details(items=(item,), notes=(note,) if lines else ())
    return Findings(details=details, score=0.0, degraded=bool(lines))


def _recount(counted: int, held: set[int], units: Sequence[str]) -> tuple[str, ...]:
    if counted == len(held):
        return ()
    total, place = len(units), f"{len(held)} of {len(units)} contexts"
    return (
        f"Promptfoo counted {counted} of {total}; the lines stand in {place}, which would be {len(held) / total:.2f}.",
    )


def _stranger(line: str) -> str:
    return f'Promptfoo counted a line that stands in no context: "{short(line)}"'


def _where(places: Sequence[int]) -> str:
    return f"stands in context {', '.join(map(str, places))}" if places else "stands in no context"


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
