"""One thing that was looked at before a run: whether it is as it should be, and what helps where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was found.

    Attributes:
        what: what was looked at, as `judge` or `ragas`.
        state: `warning`: a run is possible and may not be what its user wants; `failed`: a run would fail.
        told: what was seen, one sentence without a full stop.
        remedy: what helps; None where nothing is needed, or where `told` says it.
    """

    what: str
    state: State
    told: str
    remedy: str | None = None
