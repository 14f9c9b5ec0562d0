"""From what the framework and the gateway saw of a cell to its one outcome; pure.

The gateway is believed before the framework: a score that rests on a failed judge call is no score, whatever
number the framework made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evalparity.adapters.base import Reading
from evalparity.adapters.boundary import whole_texts
from evalparity.adapters.judge.traffic import Call, CellTraffic
from evalparity.adapters.judge.usage import usage_of
from evalparity.comparisons.running.coverage import unjudged_sentences
from evalparity.comparisons.running.inputs import InputCheck
from evalparity.comparisons.running.normalise import to_score
from evalparity.comparisons.running.plan import PlannedCell, Refusal
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import SKIP_KINDS, Frozen, JudgeUsage, Outcome, Status, Verdict


class Settled(Frozen):
    """A cell that has ended: its outcome, and whether its texts reached the judge whole."""

    outcome: Outcome
    inputs: InputCheck | None = None
    """None where nothing was to be checked: the cell did not run, broke off, or asks no judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a framework gave no score: an error kind and what to tell the user."""

    kind: str
    reason: str


def refuse(cell: PlannedCell, refusal: Refusal, judge_model: str) -> Settled:
    """Return the end of a cell that is not run."""
    outcome = _outcome(cell, judge_model, status=refusal.status, kind=refusal.kind, reason=refusal.reason)
    return Settled(outcome=outcome)


def settle(
    cell: PlannedCell,
    answer: Reading | Failure,
    traffic: CellTraffic | None,
    judge_model: str,
    *,
    pays: bool = True,
) -> Settled:
    """Return the end of a cell that was run.

    Args:
        cell: the cell.
        answer: what the framework said, or why it said nothing.
        traffic: the calls behind the answer as the gateway saw them; None when no judge is asked or it never started.
        judge_model: name of the judge.
        pays: whether the calls are this cell's own; False where it reads the answer of another scorer.
    """
    calls = traffic.calls if traffic is not None else ()
    usage = usage_of(calls if pays else ())
    if isinstance(answer, Failure):
        # Closing a cell cuts off its open calls; what broke it off is the failure itself.
        failed = [call for call in _failed(calls) if call.error_kind != "interrupted"]
        reading = _believe_the_gateway(Reading(kind=answer.kind, reason=answer.reason), failed)
        return Settled(outcome=to_outcome(cell, _with_reply_flags(reading, calls), judge_model, usage))
    reading = _believe_the_gateway(_miss_no_sentence(cell, _refuse_hearsay(cell, answer, calls)), _failed(calls))
    reading = _with_reply_flags(reading, calls)
    inputs = None
    # A cell that found nothing to check has not sent everything: only a complete one can lack a text.
    nothing_checked = reading.kind in SKIP_KINDS or "vacuous" in reading.flags
    if traffic is not None and not _failed(calls) and not nothing_checked:
        inputs = _check(cell, traffic, judge_model)
        reading = _with_input_flags(reading, inputs)
    return Settled(outcome=to_outcome(cell, reading, judge_model, usage), inputs=inputs)


def _refuse_hearsay(cell: PlannedCell, reading: Reading, calls: Sequence[Call]) -> Reading:
    """Refuse a number for which the judge was never asked: whatever it measures, it is not this judge's verdict."""
    if reading.kind is not None or cell.calls.low == 0 or any(call.kind == "chat" for call in calls):
        return reading
    return replace(
        reading, kind="framework_error", reason=f"{cell.binding.scorer} gave a score without asking the judge"
    )


def _believe_the_gateway(reading: Reading, failed: Sequence[Call]) -> Reading:
    if not failed:
        return reading
    return replace(reading, kind=failed[0].error_kind, reason=whole_texts(failed[0].error))


def _miss_no_sentence(cell: PlannedCell, reading: Reading) -> Reading:
    whole = METRICS[cell.binding.metric].judged_whole
    text = getattr(cell.case, whole) if whole is not None else None
    if text is None or reading.kind is not None:
        return reading
    unjudged = unjudged_sentences(text, reading.details.items)
    if not unjudged:
        return reading
    return replace(
        reading,
        kind="missing_verdicts",
        reason=f"{unjudged} sentences of the {whole} got no verdict; {cell.binding.scorer} divides by what came back",
        flags=(*reading.flags, "degraded"),
    )


def _failed(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.error_kind is not None]


def _check(cell: PlannedCell, traffic: CellTraffic, judge_model: str) -> InputCheck:
    return InputCheck(
        case_id=cell.case.id,
        metric=cell.binding.metric,
        scorer=cell.binding.scorer,
        framework=cell.framework,
        judge_model=judge_model,
        repeat=cell.repeat,
        missing=traffic.proof.missing,
        rewritten=traffic.proof.rewritten,
    )


def _with_reply_flags(reading: Reading, calls: Sequence[Call]) -> Reading:
    return replace(reading, flags=(*reading.flags, *(flag for call in calls for flag in call.flags)))


def _with_input_flags(reading: Reading, inputs: InputCheck) -> Reading:
    flags = {"input_rewritten": bool(inputs.rewritten), "input_missing": bool(inputs.missing)}
    return replace(reading, flags=(*reading.flags, *(name for name, holds in flags.items() if holds)))


def to_outcome(cell: PlannedCell, reading: Reading, judge_model: str, usage: JudgeUsage) -> Outcome:
    """Return the outcome of a reading, on the common scale.

    Args:
        cell: the cell.
        reading: what the framework said.
        judge_model: name of the judge.
        usage: what was asked of the judge.
    """
    kind, reason, flags, score = reading.kind, reading.reason, reading.flags, None
    if kind is None and reading.raw is None:
        kind, reason = "framework_error", f"{cell.binding.scorer} gave neither a score nor an error"
    elif kind is None and reading.raw is not None:
        unit = to_score(reading.raw, cell.binding.scale)
        score, kind, flags = unit.score, unit.kind, (*flags, *unit.flags)
        reason = unit.reason or reason
    return _outcome(
        cell,
        judge_model,
        status=_status(kind),
        kind=kind,
        reason=reason,
        raw=reading.raw,
        score=score,
        verdict=_verdict(score, cell.threshold),
        flags=tuple(dict.fromkeys(flags)),
        details=reading.details,
        judge=usage,
    )


def _verdict(score: float | None, threshold: float | None) -> Verdict | None:
    if score is None or threshold is None:
        return None
    return "pass" if score >= threshold else "fail"


def _status(kind: str | None) -> Status:
    if kind is None:
        return "scored"
    return "skipped" if kind in SKIP_KINDS else "errored"


def _outcome(cell: PlannedCell, judge_model: str, **fields: object) -> Outcome:
    return Outcome.model_validate(
        {
            "case_id": cell.case.id,
            "metric": cell.binding.metric,
            "scorer": cell.binding.scorer,
            "framework": cell.framework,
            "judge_model": judge_model if cell.binding.asks_judge else None,
            "repeat": cell.repeat,
            "threshold": cell.threshold,
            "closeness": cell.binding.closeness,
            **fields,
        }
    )
