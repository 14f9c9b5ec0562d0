"""What all frameworks of one run share: the gateway, the judge, the limits, and who is told of each cell's end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from evalparity.adapters.base import Reading, Wiring
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import CellTraffic
from evalparity.comparisons.running.plan import Batch, PlannedCell
from evalparity.comparisons.running.settle import Failure, Settled, settle

_MESSAGE_LENGTH = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Time limits of a run, in seconds."""

    cell: float = 1800.0
    framework: float = 21600.0
    run: float | None = None
    """Of all its judges together; None: none."""
    ends_at: float | None = None
    """On the monotonic clock, when the run must be over; None while it has not begun, or without a limit."""

    def begun(self) -> Limits:
        """Return the limits of a run that begins now."""
        return self if self.run is None else replace(self, ends_at=time.monotonic() + self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Who is told what happens: a line for the user, each cell as it ends."""

    line: Callable[[str], None]
    ended: Callable[[Settled], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSetting:
    """What all frameworks of one run share."""

    gateway: Gateway
    judge: JudgeSettings
    limits: Limits
    logs: Path
    listener: Listener
    wiring: Wiring

    @property
    def stopped(self) -> Failure | None:
        """Return why no further cell is begun, as the budget is spent or the judge is down; None while any is."""
        cause = self.gateway.stopped
        return None if cause is None else Failure(kind=cause.kind, reason=str(cause))

    async def close(self, name: str) -> CellTraffic | None:
        """Close a cell and return its traffic; None when closing it was under way already."""
        try:
            return await self.gateway.close_cell(name)
        except KeyError:
            return None

    def fail(self, batch: Batch, failure: Failure, traffic: CellTraffic | None = None) -> None:
        """Report the end of cells that got no answer."""
        for cell in batch.cells:
            self.settle(cell, failure, traffic, pays=cell is batch.cell)

    def settle(
        self, cell: PlannedCell, answer: Reading | Failure, traffic: CellTraffic | None = None, *, pays: bool = True
    ) -> None:
        """Report the end of a cell; an answer that cannot be an outcome is an error of the framework."""
        try:
            settled = settle(cell, answer, traffic, self.judge.name, pays=pays)
        except ValueError as error:
            reason = f"{cell.binding.scorer} answered what cannot be recorded: {short(error)}"
            failure = Failure(kind="framework_error", reason=reason)
            settled = settle(cell, failure, traffic, self.judge.name, pays=pays)
        self.listener.ended(settled)


def short(error: BaseException) -> str:
    """Return the message of an error on one line, cut where it is long."""
    text = " ".join(str(error).split())
    return text if len(text) <= _MESSAGE_LENGTH else text[: _MESSAGE_LENGTH - 1] + "…"
