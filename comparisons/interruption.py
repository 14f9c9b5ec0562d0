"""How a command that runs frameworks ends early: by a signal, or by errors that come together."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from evalparity.unified_schema.errors import EvalparityError


def explained(group: ExceptionGroup[Exception]) -> BaseException:
    """Return what a user can mend out of errors that came together, else all of them."""
    found: BaseException = group.subgroup(EvalparityError) or group
    while isinstance(found, BaseExceptionGroup) and found is not group:
        found = found.exceptions[0]
    return found


@contextmanager
def termination_interrupts() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that a cancelled CI job leaves nothing running and a run that can be read."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
