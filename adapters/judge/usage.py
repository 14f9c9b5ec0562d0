"""What a cell asked of the judge, added up from its calls."""

from __future__ import annotations

from collections.abc import Sequence

from evalparity.adapters.judge.traffic import Call
from evalparity.unified_schema.outcomes import JudgeUsage, add_counts


def usage_of(calls: Sequence[Call]) -> JudgeUsage:
    """Return the sums over the calls of a cell; a sum with an unknown part is None, never too low.

    Tokens and billed calls are those of chat calls. A call that failed counts as billed when the upstream told
    what it used: a reply that was cut off is paid for. Tokens of embedding calls stand in the ledger.
    """
    chat = [call for call in calls if call.kind == "chat"]
    billed = [call for call in chat if _is_billed(call)]
    return JudgeUsage(
        calls=len(chat),
        billed_calls=len(billed),
        failed_calls=sum(call.error_kind is not None for call in calls),
        attempts=sum(call.attempts for call in calls),
        embedding_calls=len(calls) - len(chat),
        input_tokens=add_counts(call.input_tokens for call in billed),
        cached_tokens=add_counts(call.cached_tokens for call in billed),
        reasoning_tokens=add_counts(call.reasoning_tokens for call in billed),
        output_tokens=add_counts(call.output_tokens for call in billed),
        cost_usd=None,
        seconds=sum(call.seconds for call in calls),
    )


def _is_billed(call: Call) -> bool:
    return call.error_kind is None or call.input_tokens is not None or call.output_tokens is not None
