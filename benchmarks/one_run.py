"""One run of the benchmark: what was asked for, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from fixed_judge import Taken
from measured_process import Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is run: cases, the judge's seconds per chat and per embedding call, calls in flight, and how."""

    cases: int
    latency: float
    embedding_latency: float
    in_flight: int
    skip_natives: bool
    wiring: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: its process, what the judge was asked, and the CPU seconds that the judge used."""

    name: str
    process: Measured
    taken: Taken
    judge_cpu: float

    @property
    def first(self) -> float:
        """Return when the first call came."""
        return min(call.begun for call in self.taken.calls)

    @property
    def last(self) -> float:
        """Return when the last reply went."""
        return max(call.ended for call in self.taken.calls)

    @property
    def startup(self) -> float:
        """Return the seconds until the first call."""
        return self.first - self.process.begun

    @property
    def seconds(self) -> float:
        """Return the seconds from the first call to the end of the process."""
        return self.process.ended - self.first

    @property
    def closing(self) -> float:
        """Return the seconds from the last reply to the end of the process, which are part of the run."""
        return self.process.ended - self.last

    def ideal(self, options: Options) -> float:
        """Return the seconds that its calls take with all slots busy at all times."""
        embeddings = sum(call.what == "embedding" for call in self.taken.calls)
        chats = len(self.taken.calls) - embeddings
        return (chats * options.latency + embeddings * options.embedding_latency) / options.in_flight
