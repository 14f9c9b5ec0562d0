"""What a user sees while a run goes on: one bar per framework on a terminal, plain lines everywhere else."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from evalparity.comparisons.run import Listener
from evalparity.comparisons.settle import Settled

if TYPE_CHECKING:
    from rich.console import Console

LINE_EVERY = 5.0
"""Seconds between two plain progress lines."""


@contextmanager
def progress(console: Console, totals: Mapping[str, int]) -> Iterator[Listener]:
    """Yield a listener that shows how far each framework is.

    Args:
        console: where to show it, standard error.
        totals: planned cells by framework.
    """
    show = _bars if console.is_terminal else _lines
    with show(console, totals) as listener:
        yield listener


@contextmanager
def _bars(console: Console, totals: Mapping[str, int]) -> Iterator[Listener]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415 - heavy; only on a terminal

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[errored]}", style="red"),
        TimeElapsedColumn(),
    )
    errored: Counter[str] = Counter()
    with Progress(*columns, console=console, transient=True) as bars:
        tasks = {name: bars.add_task(name, total=total, errored="") for name, total in totals.items()}

        def ended(settled: Settled) -> None:
            outcome = settled.outcome
            errored[outcome.framework] += outcome.status == "errored"
            count = errored[outcome.framework]
            bars.update(tasks[outcome.framework], advance=1, errored=f"{count} errored" if count else "")

        yield Listener(line=lambda text: bars.console.print(text, markup=False), ended=ended)


@contextmanager
def _lines(console: Console, totals: Mapping[str, int]) -> Iterator[Listener]:
    done: Counter[str] = Counter()
    last = time.monotonic()

    def ended(settled: Settled) -> None:
        nonlocal last
        done[settled.outcome.framework] += 1
        if time.monotonic() - last >= LINE_EVERY or done.total() == sum(totals.values()):
            last = time.monotonic()
            say("  ".join(f"{name} {done[name]}/{total}" for name, total in totals.items()))

    def say(text: str) -> None:
        console.print(text, markup=False, highlight=False, soft_wrap=True)

    yield Listener(line=say, ended=ended)
