"""Ends the asking of a server that is down: a run of thousands of calls need not find that out with each of them."""

from __future__ import annotations

from evalparity.adapters.judge.stop import Stop
from evalparity.unified_schema.errors import JudgeError

MOST_IN_A_ROW = 10
"""Calls that may fail one after the other, each after all its attempts: by then a server has been away for some
seconds, and it was no single fault."""

_DOWN = frozenset({"connect", "http_5xx", "timeout", "auth"})
"""Kinds of failures by which a server shows that it answers nobody. One that limits its callers (429) is up, and one
that refuses a request or answers badly does so for this request."""


class Breaker:
    """Counts the calls to one server that failed one after the other.

    Args:
        where: the server, for the message.
        most: so many in a row end the asking.

    Attributes:
        stop: is set then.
    """

    def __init__(self, where: str, most: int = MOST_IN_A_ROW) -> None:
        self.stop = Stop()
        self._where, self._most = where, most
        self._in_a_row = 0

    def answered(self) -> None:
        """Note that the server answered."""
        self._in_a_row = 0

    def failed(self, error: JudgeError) -> None:
        """Note that a call failed after all its attempts."""
        if error.kind not in _DOWN:
            self._in_a_row = 0
            return
        self._in_a_row += 1
        if self._in_a_row >= self._most:
            told = (
                f"the judge {self._where} failed {self._in_a_row} calls in a row and was not asked again; the last: "
                f"{error}; mend that and go on with `evalparity run --resume RUN --retry-errors`"
            )
            self.stop.set(JudgeError("judge_down", told))
