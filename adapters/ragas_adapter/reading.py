"""What an answer of Ragas' process means: its steps in the common form, and what is wrong with them; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from evalparity.adapters.base import Binding, JsonObject, JudgeReply, Reading
from evalparity.adapters.ragas_adapter.answers import (
    AGAIN,
    VERDICTS,
    Problem,
    differ,
    odd_number,
    outputs,
    raw_of,
    reading,
)
from evalparity.adapters.ragas_adapter.contexts import context_precision, context_relevance
from evalparity.adapters.ragas_adapter.correctness import answer_correctness, factual_correctness, rubric_rating
from evalparity.adapters.ragas_adapter.pairing import pair_verdicts
from evalparity.unified_schema.outcomes import Details, Item

_NO_DIRECTION = "The embedding model gave a vector without direction, which has no cosine. Use another one."


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """One verdict as the judge wrote it: the statement it repeats, its reason, and its number."""

    statement: str
    reason: str
    number: int

    def item(self, kind: Literal["claim", "statement"], text: str) -> Item:
        """Return the verdict in the common form, for the text that was to be judged."""
        return Item(
            kind=kind,
            text=text,
            verdict=VERDICTS.get(self.number),
            native_verdict=str(self.number),
            reason=self.reason,
        )


def read(binding: Binding, result: JsonObject, _replies: Sequence[JudgeReply]) -> Reading:
    """Return what Ragas answered for one cell, checked against its own steps."""
    return _READERS[binding.scorer](result)


def _number_alone(result: JsonObject) -> Reading:
    """Return a number that has no steps."""
    return Reading(raw=raw_of(result))


def _similarity(result: JsonObject) -> Reading:
    if raw_of(result) is None:
        return Reading(kind="embedding", reason=_NO_DIRECTION)
    return _number_alone(result)


def _faithfulness(result: JsonObject) -> Reading:
    statements: list[str] = outputs(result, "StatementGeneratorOutput")[0]["statements"]
    if not statements:
        return Reading(
            kind="no_claims",
            reason="The judge found no claim in the output, and Ragas gives no score without claims.",
        )
    judged = [
        _Judged(statement=entry["statement"], reason=entry["reason"], number=entry["verdict"])
        for entry in outputs(result, "NLIStatementOutput")[0]["statements"]
    ]
    pairs, surplus = pair_verdicts(statements, [entry.statement for entry in judged])
    items = [
        Item(kind="claim", text=text) if at is None else judged[at].item("claim", text)
        for text, at in zip(statements, pairs, strict=True)
    ]
    items += [judged[at].item("claim", judged[at].statement) for at in surplus]
    problem = _count_problem(statements=len(statements), missing=pairs.count(None), surplus=len(surplus))
    return _share(raw_of(result), items, judged, problem=problem)


def _count_problem(*, statements: int, missing: int, surplus: int) -> Problem | None:
    if not missing and not surplus:
        return None
    return Problem(
        kind="missing_verdicts" if missing else "surplus_verdicts",
        reason=f"Of {statements} claims {missing} got no verdict, and {surplus} verdicts belong to none of them; "
        f"Ragas divides by the verdicts it got. {AGAIN}",
    )


def _context_recall(result: JsonObject) -> Reading:
    judged = [
        _Judged(statement=entry["statement"], reason=entry["reason"], number=entry["attributed"])
        for entry in outputs(result, "ContextRecallOutput")[0]["classifications"]
    ]
    if not judged:
        return Reading(kind="bad_schema", reason=f"The judge classified no statement of the reference. {AGAIN}")
    items = [entry.item("statement", entry.statement) for entry in judged]
    return _share(raw_of(result), items, judged)


def _share(
    raw: float | None,
    items: Sequence[Item],
    judged: Sequence[_Judged],
    *,
    problem: Problem | None = None,
) -> Reading:
    """Return the reading of a share of verdicts, held against Ragas' own formula: their mean."""
    numbers = [entry.number for entry in judged]
    odd = odd_number("the verdict", numbers)
    expected = sum(numbers) / len(numbers) if numbers else None
    return reading(
        raw,
        Details(items=tuple(items)),
        problem=problem or odd,
        degraded=problem is not None,
        inconsistent=odd is None and differ(raw, expected),
    )


def _answer_relevancy(result: JsonObject) -> Reading:
    calls = outputs(result, "AnswerRelevanceOutput")
    asked = [call for call in calls if call["question"]]
    if not asked:
        return Reading(raw=raw_of(result), flags=("vacuous",), reason="The judge made no question from the output.")
    cosines: Any = result["cosines"]
    noncommittal = [call["noncommittal"] for call in asked]
    problem = odd_number("noncommittal", noncommittal) or _zero_vector(cosines)
    return reading(
        raw_of(result),
        Details(items=_questions(asked, cosines), notes=_question_notes(noncommittal, len(calls))),
        problem=problem,
        degraded=len(asked) < len(calls),
        inconsistent=problem is None and differ(raw_of(result), _relevancy(noncommittal, cosines)),
    )


def _questions(asked: Sequence[Any], cosines: Sequence[float | None]) -> tuple[Item, ...]:
    return tuple(
        Item(kind="question", text=call["question"], native_verdict=str(call["noncommittal"]), value=cosine)
        for call, cosine in zip(asked, cosines, strict=True)
    )


def _zero_vector(cosines: Sequence[float | None]) -> Problem | None:
    if None not in cosines:
        return None
    return Problem(kind="embedding", reason=_NO_DIRECTION)


def _question_notes(noncommittal: Sequence[int], calls: int) -> tuple[str, ...]:
    notes = []
    if any(noncommittal):
        effect = "and Ragas scores that 0" if all(noncommittal) else "which counts only when all are"
        share = f"{sum(map(bool, noncommittal))} of {len(noncommittal)}"
        notes.append(f"The judge called the output noncommittal in {share} replies, {effect}.")
    if len(noncommittal) < calls:
        notes.append(f"The judge left the question empty in {calls - len(noncommittal)} of {calls} replies.")
    return tuple(notes)


def _relevancy(noncommittal: Sequence[int], cosines: Sequence[float]) -> float:
    """Return the mean cosine, or 0 when every reply is noncommittal (Ragas' AnswerRelevancy.ascore)."""
    return 0.0 if all(noncommittal) else sum(cosines) / len(cosines)


_READERS: Mapping[str, Callable[[JsonObject], Reading]] = MappingProxyType(
    {
        "ragas:faithfulness": _faithfulness,
        "ragas:answer_relevancy": _answer_relevancy,
        "ragas:answer_relevancy_rubric": rubric_rating,
        "ragas:context_precision": context_precision,
        "ragas:context_recall": _context_recall,
        "ragas:context_relevance": context_relevance,
        "ragas:context_utilization": context_precision,
        "ragas:context_utilisation_rubric": rubric_rating,
        "ragas:answer_correctness": answer_correctness,
        "ragas:factual_correctness": factual_correctness,
        "ragas:answer_correctness_rubric": rubric_rating,
        "ragas:semantic_similarity": _similarity,
        "ragas:exact_match": _number_alone,
        "ragas:string_presence": _number_alone,
        "ragas:rouge_score": _number_alone,
        "ragas:bleu_score": _number_alone,
        "ragas:non_llm_string_similarity": _number_alone,
    }
)
