"""What a user sees while a run goes on: one bar per framework on a terminal, plain lines everywhere else."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from evalparity.comparisons.messages import tell
from evalparity.comparisons.running.run import Listener
from evalparity.comparisons.running.settle import Settled

LINE_EVERY = 5.0
"""Seconds between two plain progress lines."""


@contextmanager
def progress(totals: Mapping[str, int]) -> Iterator[Listener]:
    """Yield a listener that shows on standard error how far each framework is.

    Args:
        totals: planned cells by framework.
    """
    on_terminal = sys.stderr is not None and sys.stderr.isatty()
    show = _bars if on_terminal else _lines
    with show(totals) as listener:
        yield listener


@contextmanager
def _bars(totals: Mapping[str, int]) -> Iterator[Listener]:
    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[errored]}", style="red"),
        TimeElapsedColumn(),
    )
    errored: Counter[str] = Counter()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {name: bars.add_task(name, total=total, errored="") for name, total in totals.items()}

        def ended(settled: Settled) -> None:
            outcome = settled.outcome
            errored[outcome.framework] += outcome.status == "errored"
            count = errored[outcome.framework]
            bars.update(tasks[outcome.framework], advance=1, errored=f"{count} errored" if count else "")

        yield Listener(line=lambda text: bars.console.print(text, markup=False), ended=ended)


@contextmanager
def _lines(totals: Mapping[str, int]) -> Iterator[Listener]:
    done: Counter[str] = Counter()
    last = time.monotonic()

    def ended(settled: Settled) -> None:
        nonlocal last
        done[settled.outcome.framework] += 1
        if time.monotonic() - last >= LINE_EVERY or done.total() == sum(totals.values()):
            last = time.monotonic()
            tell("  ".join(f"{name} {done[name]}/{total}" for name, total in totals.items()))

    yield Listener(line=tell, ended=ended)
