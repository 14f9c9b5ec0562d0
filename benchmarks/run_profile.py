"""Where the time of a run goes that its judge's calls do not account for."""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from fixed_judge import Served
from one_run import Options, Run

PROCESSES = {
    "ragas_adapter": "Ragas",
    "deepeval_adapter": "DeepEval",
    "driver.mjs": "Promptfoo",
    "comparisons": "evalparity",
}
"""A part of the command line, and what runs there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A part of a run between two moments."""

    name: str
    begun: float
    ended: float

    def busy(self, calls: list[Served]) -> float:
        """Return the seconds that calls were open within it, summed over calls."""
        return sum(max(0.0, min(call.ended, self.ended) - max(call.begun, self.begun)) for call in calls)


def phases(run: Run) -> list[Phase]:
    """Return the parts of a run by which frameworks were asking; one that is over before it begins has no length."""
    first: dict[str, float] = {}
    last: dict[str, float] = {}
    for call in run.taken.calls:
        if call.what != "embedding":  # no embedding tells whose it is
            first[call.what] = min(call.begun, first.get(call.what, call.begun))
            last[call.what] = max(call.ended, last.get(call.what, call.ended))
    order = sorted(last, key=lambda name: last[name])
    parts = {
        "until all frameworks ask": max(first.values()),
        "while all ask": last[order[0]],
        f"{order[0]} is done": last[order[1]],
        f"{order[-1]} is alone": run.last,
        "from the last reply to the end": run.process.ended,
    }
    ends = list(itertools.accumulate(parts.values(), max))
    return [
        Phase(name=name, begun=begun, ended=ended)
        for name, begun, ended in zip(parts, [run.first, *ends], ends, strict=False)
    ]


def print_profile(options: Options, run: Run, folder: Path) -> None:
    """Print where the time beyond the ideal went, and the CPU of each process."""
    print("where evalparity's time goes (idle: seconds of its slots that no call used, in seconds of the run)")
    print(f"  {'part of the run':32} {'s':>6} {'in flight':>10} {'idle s':>7}")
    for phase in phases(run):
        length = phase.ended - phase.begun
        busy = phase.busy(run.taken.calls)
        mean = busy / length if length else 0.0
        print(f"  {phase.name:32} {length:6.1f} {mean:10.1f} {length - busy / options.in_flight:7.1f}")
    waited, upstream = _ledger_means(folder / "ledger.sqlite")
    print(f"  a call took {upstream * 1000:.0f} ms upstream and waited {waited * 1000:.0f} ms for its turn (means)")
    used = [*((_short(command), cpu) for command, cpu in _by_cpu(run)), ("judge", run.judge_cpu)]
    print(f"  CPU s: {', '.join(f'{name} {cpu:.1f}' for name, cpu in used)}\n")


def _ledger_means(path: Path) -> tuple[float, float]:
    with closing(sqlite3.connect(path)) as database:
        waited, upstream = database.execute("SELECT avg(waited), avg(seconds) FROM calls").fetchone()
    return float(waited), float(upstream)


def _by_cpu(run: Run) -> list[tuple[str, float]]:
    pairs = [(run.process.commands[pid], cpu) for pid, cpu in run.process.cpu_of.items() if cpu >= 0.1]
    return sorted(pairs, key=lambda pair: -pair[1])


def _short(command: str) -> str:
    return next((name for part, name in PROCESSES.items() if part in command), command[-30:])
