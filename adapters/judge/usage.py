"""What a cell asked of the judge, added up from its calls."""

from __future__ import annotations

import math
from collections.abc import Sequence

from evalparity.adapters.judge.traffic import Call
from evalparity.unified_schema.outcomes import JudgeUsage, add_counts


def usage_of(calls: Sequence[Call]) -> JudgeUsage:
    """Return the sums over the calls of a cell; a sum with an unknown part is None, never too low.

    A call counts as billed when the upstream answered it, usable or not, or was still at it when it was given up or
    interrupted: no one told what such a call used, so that the cell's tokens and its cost are unknown. A call that was
    never sent, or that the upstream refused (401, 429, 5xx) or hung up on before its answer began, is not billed; nor
    is one that was answered from the cache, a cassette or an equal call on its way. A call that an earlier session of
    the run paid for is billed as it was then.
    """
    chat = [call for call in calls if call.kind == "chat"]
    billed = [call for call in chat if call.billable]
    embedded = [call for call in calls if call.kind == "embedding" and call.billable]
    unpriced = sum(call.billable != 1 or call.cost_usd is None for call in (*billed, *embedded))
    known = math.fsum(call.cost_usd or 0.0 for call in (*billed, *embedded))
    return JudgeUsage(
        calls=len(chat),
        billed_calls=len(billed),
        failed_calls=sum(call.error_kind is not None for call in calls),
        attempts=sum(call.attempts for call in calls),
        embedding_calls=len(calls) - len(chat),
        input_tokens=_total(billed, "input_tokens"),
        cached_tokens=_total(billed, "cached_tokens"),
        reasoning_tokens=_total(billed, "reasoning_tokens"),
        output_tokens=_total(billed, "output_tokens"),
        embedding_tokens=_total(embedded, "input_tokens"),
        cost_usd=None if unpriced else known,
        at_least_usd=known,
        unpriced_calls=unpriced,
        requested_usd=_requested(calls),
        reused_calls=sum(call.served in _REUSED for call in calls),
        shared_calls=sum(call.served == "shared" for call in calls),
        seconds=sum(call.seconds for call in calls),
    )


_REUSED = frozenset({"cache", "cassette"})


def _requested(calls: Sequence[Call]) -> float | None:
    """Each call once, as it was answered; what was given up without an answer was asked for and not got."""
    answered = [call for call in calls if call.error_kind is None or call.input_tokens is not None]
    if any(call.cost_usd is None for call in answered):
        return None
    return math.fsum(call.cost_usd or 0.0 for call in answered)


def _total(billed: Sequence[Call], name: str) -> int | None:
    """Usage is told for a call's last answer only: what earlier attempts used is unknown."""
    return add_counts(getattr(call, name) if call.billable == 1 else None for call in billed)
