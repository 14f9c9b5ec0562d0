"""The steps of Promptfoo's faithfulness, recall and answer relevance, rebuilt where its result hides them; pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from evalparity.adapters.base import Binding, JsonObject
from evalparity.adapters.promptfoo_adapter import verdicts as parsed
from evalparity.adapters.promptfoo_adapter.findings import Findings, mapping, mean, short
from evalparity.adapters.promptfoo_adapter.questions import asks, is_talk
from evalparity.unified_schema.outcomes import Details, Item

_FAITHFULNESS_REPLIES = 2
_NO_QUESTION = (
    "The judge was asked for questions and wrote none; Promptfoo compares whatever text it gets. Look at the replies."
)
_NO_REPLIES = "The judge's replies were not recorded, so the steps behind the score cannot be shown."


def faithfulness(_binding: Binding, _answer: JsonObject, replies: Sequence[str]) -> Findings:
    """Return the statements of the judge's first reply, each with its verdict in the second."""
    if len(replies) != _FAITHFULNESS_REPLIES:  # the second is missing when the first held no statement
        return Findings(details=Details(notes=(_NO_REPLIES,)))
    statements, verdicts = parsed.statements_of(replies[0]), parsed.verdicts_of(replies[1])
    explanations = parsed.explanations_of(replies[1], len(statements))
    items = tuple(
        Item(
            kind="statement",
            text=statement,
            verdict=verdict.counted if verdict else None,
            native_verdict=verdict.words if verdict else None,
            reason=explanation,
        )
        for statement, verdict, explanation in zip_longest(statements, verdicts, explanations)
        if statement is not None
    )
    details = Details(items=items, notes=tuple(_two_faced(verdicts)))
    if not statements:
        return Findings(details=details)
    kind, problem = _count_fault(len(statements), len(verdicts))
    score = parsed.faithfulness_of(len(statements), verdicts)
    return Findings(details=details, score=score, kind=kind, problem=problem, degraded=kind == "missing_verdicts")


def _count_fault(statements: int, verdicts: int) -> tuple[str | None, str | None]:
    if statements == verdicts:
        return None, None
    kind = "missing_verdicts" if verdicts < statements else "surplus_verdicts"
    effect = "counts the missing ones as unsupported" if verdicts < statements else "counts them all"
    return kind, f"The judge gave {verdicts} verdicts for {statements} statements; Promptfoo {effect}."


def _two_faced(verdicts: Sequence[parsed.Verdict]) -> list[str]:
    return [
        f'Promptfoo read the verdict "{short(verdict.words)}" as yes because it holds the letters "yes".'
        for verdict in verdicts
        if verdict.counted == "yes" and verdict.words != "yes"
    ]


def recall(_binding: Binding, answer: JsonObject, replies: Sequence[str]) -> Findings:
    """Return the sentences that Promptfoo counted, with their marks."""
    metadata = mapping(answer.get("metadata"))
    counted = [mapping(entry) for entry in metadata.get("sentenceAttributions") or ()]
    lines = parsed.attribution_lines(replies[0]) if len(replies) == 1 else ()
    reasons: tuple[str | None, ...] = lines if len(lines) == len(counted) else (None,) * len(counted)
    items = tuple(
        Item(
            kind="sentence",
            text=(reason and parsed.sentence_in(reason)) or str(entry.get("sentence", "")),
            verdict="yes" if entry.get("attributed") else "no",
            native_verdict="Attributed" if entry.get("attributed") else "Not Attributed",
            reason=reason,
        )
        for entry, reason in zip(counted, reasons, strict=True)
    )
    faults = _line_faults(lines, replies)
    details = Details(items=items, notes=faults if replies else (_NO_REPLIES,))
    return Findings(details=details, score=mean(item.verdict == "yes" for item in items), degraded=bool(faults))


def _line_faults(counted: Sequence[str], replies: Sequence[str]) -> tuple[str, ...]:
    crowded = [line for line in counted if parsed.marks_in(line) > 1]
    overlooked = [line for reply in replies for line in parsed.overlooked_lines(reply)]
    return (
        *(f'Promptfoo counted a line with several marks as one: "{short(line)}"' for line in crowded),
        *(f'Promptfoo passed over a line whose mark it does not know: "{short(line)}"' for line in overlooked),
    )


def relevance(_binding: Binding, answer: JsonObject, _replies: Sequence[str]) -> Findings:
    """Return the generated questions, each with its cosine."""
    metadata = mapping(answer.get("metadata"))
    questions = [mapping(entry) for entry in metadata.get("generatedQuestions") or ()]
    items = tuple(
        Item(kind="question", text=str(entry.get("question", "")), value=entry.get("similarity")) for entry in questions
    )
    values = [item.value for item in items if item.value is not None]
    texts = [item.text or "" for item in items]
    talk = [text for text in texts if is_talk(text)]
    details = Details(items=items, notes=_question_notes(texts, talk))
    if items and len(talk) == len(items):
        return Findings(details=Details(items=items), kind="bad_json", problem=_NO_QUESTION)
    score = mean(values) if len(values) == len(items) else None
    return Findings(details=details, score=score, degraded=bool(talk))


def _question_notes(texts: Sequence[str], talk: Sequence[str]) -> tuple[str, ...]:
    unmarked = sum(not asks(text) for text in texts) - len(talk)
    counted = f"{unmarked} of {len(texts)} generated questions hold no question mark; they count as questions."
    wrote = "The judge wrote no question here, and Promptfoo compared it all the same"
    return (*(f'{wrote}: "{short(text)}"' for text in talk), *((counted,) if unmarked else ()))
