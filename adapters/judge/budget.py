"""The budget of a run: no request is sent once a limit is reached."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evalparity.adapters.judge.ledger import SentCalls
from evalparity.adapters.judge.replies import Tokens
from evalparity.adapters.judge.stop import Stop
from evalparity.unified_schema.errors import JudgeError


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """What a run may spend, all its judges, its embeddings and its earlier sessions together; None: any amount.

    Attributes:
        calls: requests to judge and embedding servers, retries included.
        tokens: in and out.
        cost: US dollars.
    """

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


class Budget:
    """What is left of a budget, and the end of all asking once nothing is.

    Calls that are on their way then come to their end, so tokens and cost may exceed the limit by what these use;
    the number of requests never does.

    Args:
        limits: what may be spent.
        spent: by earlier sessions of the run.

    Attributes:
        stop: is set when the budget is spent.
    """

    def __init__(self, limits: BudgetLimits, spent: SentCalls | None = None) -> None:
        self.stop = Stop()
        self._limits = limits
        self._spent = spent or SentCalls()
        self._check()

    @property
    def weighs_calls(self) -> bool:
        """Return whether it matters what a call uses, and not only how many there are."""
        return self._limits.tokens is not None or self._limits.cost is not None

    def before_request(self) -> None:
        """Count a request that is about to be sent.

        Raises:
            JudgeError: kind `budget`; the budget is spent and the request must not be sent.
        """
        self.stop.check()
        if self._limits.calls is not None and self._spent.requests >= self._limits.calls:
            self._reached(f"--max-calls {self._limits.calls:,}", f"{self._spent.requests:,} requests were sent")
            self.stop.check()
        self._spent = replace(self._spent, requests=self._spent.requests + 1)

    def after_call(self, tokens: int, cost_usd: float) -> None:
        """Count what a call used, failed attempts included, and stop when that is all there was to spend."""
        spent = self._spent
        self._spent = replace(spent, tokens=spent.tokens + tokens, cost_usd=spent.cost_usd + cost_usd)
        self._check()

    def _check(self) -> None:
        limits, spent = self._limits, self._spent
        if limits.tokens is not None and spent.tokens >= limits.tokens:
            self._reached(f"--max-tokens {limits.tokens:,}", f"{spent.tokens:,} tokens were used")
        if limits.cost is not None and spent.cost_usd >= limits.cost:
            self._reached(f"--max-cost {limits.cost:g}", f"${spent.cost_usd:.4f} were spent")

    def _reached(self, option: str, spent: str) -> None:
        remedy = "raise the limit and go on with `evalparity run --resume RUN`, or take what is done"
        self.stop.set(JudgeError("budget", f"{option} was reached: {spent}; {remedy}"))


def most_used(body: Mapping[str, Any], *, told: Tokens, output_limit: int) -> Tokens:
    """Return what a call used, at most, where the server did not tell.

    A token is a byte of UTF-8 at least, so a text of n bytes is n tokens at most; a reply is cut at the output limit.

    Args:
        body: the request.
        told: what the server told.
        output_limit: tokens of a reply at most; 0 for embeddings.
    """
    size = len(json.dumps(body.get("messages", body.get("input")), ensure_ascii=False).encode("utf-8", "replace"))
    return Tokens(
        input_tokens=size if told.input_tokens is None else told.input_tokens,
        output_tokens=output_limit if told.output_tokens is None else told.output_tokens,
    )
