"""What an answer of Ragas' process means: its steps in the common form, and what is wrong with them; pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from evalparity.adapters.base import Binding, JsonObject, JudgeReply, Reading
from evalparity.adapters.ragas_adapter.pairing import pair_verdicts
from evalparity.unified_schema.outcomes import Details, Item, ItemVerdict

_TOLERANCE = 1e-6
_VERDICTS: Mapping[int, ItemVerdict] = MappingProxyType({1: "yes", 0: "no"})
_AGAIN = "Repeat the cell, or use a judge that keeps to the form."


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
            verdict=_VERDICTS.get(self.number),
            native_verdict=str(self.number),
            reason=self.reason,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Problem:
    """Why a number of Ragas must not be used."""

    kind: str
    reason: str


def read(binding: Binding, result: JsonObject, _replies: Sequence[JudgeReply]) -> Reading:
    """Return what Ragas answered for one cell, checked against its own steps."""
    return _READERS[binding.scorer](result)


def _outputs(result: JsonObject, step: str) -> list[Any]:
    """Return the outputs of the calls of one step, in order."""
    steps: Any = result["steps"]
    return [call["output"] for call in steps if call["step"] == step]


def _raw(result: JsonObject) -> float | None:
    value: Any = result["value"]
    return None if value is None else float(value)


def _faithfulness(result: JsonObject) -> Reading:
    statements: list[str] = _outputs(result, "StatementGeneratorOutput")[0]["statements"]
    if not statements:
        return Reading(
            kind="no_claims",
            reason="The judge found no claim in the output, and Ragas gives no score without claims.",
        )
    judged = [
        _Judged(statement=entry["statement"], reason=entry["reason"], number=entry["verdict"])
        for entry in _outputs(result, "NLIStatementOutput")[0]["statements"]
    ]
    pairs, surplus = pair_verdicts(statements, [entry.statement for entry in judged])
    items = [
        Item(kind="claim", text=text) if at is None else judged[at].item("claim", text)
        for text, at in zip(statements, pairs, strict=True)
    ]
    items += [judged[at].item("claim", judged[at].statement) for at in surplus]
    problem = _count_problem(statements=len(statements), missing=pairs.count(None), surplus=len(surplus))
    return _share(_raw(result), items, judged, problem=problem)


def _count_problem(*, statements: int, missing: int, surplus: int) -> _Problem | None:
    if not missing and not surplus:
        return None
    return _Problem(
        kind="missing_verdicts" if missing else "surplus_verdicts",
        reason=f"Of {statements} claims {missing} got no verdict, and {surplus} verdicts belong to none of them; "
        f"Ragas divides by the verdicts it got. {_AGAIN}",
    )


def _context_recall(result: JsonObject) -> Reading:
    judged = [
        _Judged(statement=entry["statement"], reason=entry["reason"], number=entry["attributed"])
        for entry in _outputs(result, "ContextRecallOutput")[0]["classifications"]
    ]
    if not judged:
        return Reading(kind="bad_schema", reason=f"The judge classified no statement of the reference. {_AGAIN}")
    items = [entry.item("statement", entry.statement) for entry in judged]
    return _share(_raw(result), items, judged)


def _share(
    raw: float | None,
    items: Sequence[Item],
    judged: Sequence[_Judged],
    *,
    problem: _Problem | None = None,
) -> Reading:
    """Return the reading of a share of verdicts, held against Ragas' own formula: their mean."""
    numbers = [entry.number for entry in judged]
    odd = _odd_number("the verdict", numbers)
    expected = sum(numbers) / len(numbers) if numbers else None
    return _reading(
        raw,
        Details(items=tuple(items)),
        problem=problem or odd,
        degraded=problem is not None,
        inconsistent=odd is None and _differ(raw, expected),
    )


def _odd_number(what: str, numbers: Sequence[int]) -> _Problem | None:
    odd = sorted(set(numbers) - set(_VERDICTS))
    if not odd:
        return None
    given = ", ".join(map(str, odd))
    return _Problem(
        kind="bad_schema", reason=f"The judge gave {what} {given} where only 0 and 1 are asked for. {_AGAIN}"
    )


def _differ(raw: float | None, expected: float | None) -> bool:
    if raw is None or expected is None:
        return raw is not expected
    return not math.isclose(raw, expected, rel_tol=0.0, abs_tol=_TOLERANCE)


def _reading(
    raw: float | None, details: Details, *, problem: _Problem | None, degraded: bool, inconsistent: bool
) -> Reading:
    flags = {"degraded": degraded, "inconsistent": inconsistent}
    return Reading(
        raw=raw,
        kind=problem.kind if problem else None,
        reason=problem.reason if problem else None,
        flags=tuple(name for name, holds in flags.items() if holds),
        details=details,
    )


def _answer_relevancy(result: JsonObject) -> Reading:
    calls = _outputs(result, "AnswerRelevanceOutput")
    asked = [call for call in calls if call["question"]]
    if not asked:
        return Reading(raw=_raw(result), flags=("vacuous",), reason="The judge made no question from the output.")
    cosines: Any = result["cosines"]
    noncommittal = [call["noncommittal"] for call in asked]
    problem = _odd_number("noncommittal", noncommittal) or _zero_vector(cosines)
    return _reading(
        _raw(result),
        Details(items=_questions(asked, cosines), notes=_question_notes(noncommittal, len(calls))),
        problem=problem,
        degraded=len(asked) < len(calls),
        inconsistent=problem is None and _differ(_raw(result), _relevancy(noncommittal, cosines)),
    )


def _questions(asked: Sequence[Any], cosines: Sequence[float | None]) -> tuple[Item, ...]:
    return tuple(
        Item(kind="question", text=call["question"], native_verdict=str(call["noncommittal"]), value=cosine)
        for call, cosine in zip(asked, cosines, strict=True)
    )


def _zero_vector(cosines: Sequence[float | None]) -> _Problem | None:
    if None not in cosines:
        return None
    return _Problem(
        kind="embedding",
        reason="The embedding model gave a vector without direction, which has no cosine. Use another one.",
    )


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
        "ragas:context_recall": _context_recall,
        "ragas:answer_relevancy": _answer_relevancy,
    }
)
