"""From the driver's answer and the judge's replies to a reading; pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from evalparity.adapters.base import Binding, JsonObject, JudgeReply, Reading
from evalparity.adapters.promptfoo_adapter.extraction import context_relevance
from evalparity.adapters.promptfoo_adapter.failures import failure_kind
from evalparity.adapters.promptfoo_adapter.findings import Findings, mapping, short
from evalparity.adapters.promptfoo_adapter.ratings import factuality, rubric_rating
from evalparity.adapters.promptfoo_adapter.steps import faithfulness, recall, relevance
from evalparity.unified_schema.outcomes import Details

TOLERANCE = 1e-6
"""Largest distance between Promptfoo's score and the one that its steps give."""

_FINDERS: Mapping[str, Callable[[Binding, JsonObject, Sequence[str]], Findings]] = MappingProxyType(
    {
        "context-faithfulness": faithfulness,
        "context-recall": recall,
        "context-relevance": context_relevance,
        "answer-relevance": relevance,
        "factuality": factuality,
        "llm-rubric": rubric_rating,
    }
)
"""By Promptfoo's name of the assertion; the others have no steps."""


def read(binding: Binding, answer: JsonObject, replies: Sequence[JudgeReply]) -> Reading:
    """Return what Promptfoo's answer means.

    A failed grader, which Promptfoo reports as score 0, becomes an error without a number. The steps are rebuilt
    from the replies where Promptfoo hides them, and held against its score.
    """
    reason = str(answer.get("reason") or "")
    find = _FINDERS.get(binding.native_name)
    steps = find(binding, answer, [reply.text for reply in replies]) if find is not None else Findings()
    failed = _failure(binding, answer, reason)
    kind = steps.kind if steps.final else failed
    if failed is not None and kind is not None:
        why = steps.problem if steps.final else _explain_failure(kind, reason)
        return Reading(kind=kind, reason=why, details=Details(items=steps.details.items))
    score = answer.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        return Reading(
            kind="out_of_range",
            reason=f"Promptfoo's score is {score!r}, which is not a number: look at the judge's replies.",
            details=steps.details,
        )
    # Without a grader the reason repeats the texts, however long they are.
    return _with_score(float(score), reason if binding.asks_judge else short(reason), steps)


def _failure(binding: Binding, answer: JsonObject, reason: str) -> str | None:
    """Return why the grader failed; without a grader the reason is about the texts and no report."""
    if not binding.asks_judge:
        return None
    return failure_kind(reason, grader_error=mapping(answer.get("metadata")).get("graderError") is True)


def _with_score(score: float, reason: str, steps: Findings) -> Reading:
    contradicted = steps.score is not None and abs(steps.score - score) > TOLERANCE
    planted = {"inconsistent": contradicted, "degraded": steps.degraded}
    return Reading(
        raw=score,
        kind=steps.kind,
        reason=steps.problem or reason,
        flags=tuple(flag for flag, holds in planted.items() if holds),
        details=steps.details,
    )


def _explain_failure(kind: str, reason: str) -> str:
    if kind == "no_claims":
        return f"The judge found no statement in the output, and Promptfoo has no score for that: {short(reason)}"
    return f"Promptfoo got no usable reply from the judge: {short(reason)}"
