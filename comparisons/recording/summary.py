"""What a recording came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True, kw_only=True)
class Summary:
    """What a recording came to.

    Attributes:
        file: the suite that was written; None: interrupted before.
        journal: what holds the answers meanwhile.
        answered: how many cases have an answer now, those taken over included.
        resumed: how many of these were taken over from the journal.
        kept: how many cases kept the output that they had.
        unasked: how many cases have no output because they were not to be asked.
        failures: why others have none, by case id.
        remarks: what a user should know about answers that were recorded, by case id.
        log: what the application printed; None: nothing.
    """

    file: Path | None
    journal: Path
    answered: int = 0
    resumed: int = 0
    kept: int = 0
    unasked: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, str] = field(default_factory=dict)
    log: Path | None = None
