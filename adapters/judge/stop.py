"""The end of all asking: set once, by whatever finds that the judge must not or cannot be asked any more."""

from __future__ import annotations

from evalparity.unified_schema.errors import JudgeError


class Stop:
    """Why a run asks nothing more of its judge; not set while it may ask.

    Calls that are on their way when it is set come to their end; no request is sent upstream afterwards.
    """

    def __init__(self) -> None:
        self._cause: JudgeError | None = None

    @property
    def cause(self) -> JudgeError | None:
        """Return the error of every call that is not sent any more; None while calls are sent."""
        return self._cause

    def set(self, cause: JudgeError) -> None:
        """Stop for this cause; the first one stays."""
        self._cause = self._cause or cause

    def check(self) -> None:
        """Do nothing while calls may be sent.

        Raises:
            JudgeError: the cause of the stop.
        """
        if self._cause is not None:
            raise JudgeError(self._cause.kind, str(self._cause))
