"""Run a command and tell how long it took and how much CPU each of its processes used.

CPU per process is read from /proc at intervals; elsewhere than on Linux only the sum is known.
"""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAUSE = 1.0
"""Seconds between two looks; looking costs as well."""


@dataclass(slots=True, kw_only=True)
class Measured:
    """A command that has ended.

    Attributes:
        output: what it printed.
        begun, ended: when, on the monotonic clock.
        cpu: seconds of CPU of all its processes together.
        cpu_of: seconds of CPU by process id, as last seen.
        commands: command line by process id.
    """

    output: str = ""
    begun: float = 0.0
    ended: float = 0.0
    cpu: float = 0.0
    cpu_of: dict[int, float] = field(default_factory=dict)
    commands: dict[int, str] = field(default_factory=dict)


def run(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    limit: float = 3600,
    pause: float = _PAUSE,
    codes: Sequence[int] = (0,),
) -> Measured:
    """Run a command to its end.

    Args:
        command: the command line.
        folder: its working directory.
        environment: all its variables.
        limit: seconds that it may take.
        pause: seconds between two looks at the CPU of its processes.
        codes: how it may end.

    Raises:
        RuntimeError: it failed; the message ends in what it printed last.
    """
    measured = Measured()
    before = _cpu_of_children()
    measured.begun = time.monotonic()
    with (folder / "stdout").open("w+") as out, (folder / "stderr").open("w+") as err:
        process = subprocess.Popen(
            command, cwd=folder, env=dict(environment), stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        over = threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, measured, over, pause))
        watcher.start()
        try:
            code = process.wait(limit)
        finally:
            process.kill()
            over.set()
            watcher.join()
        measured.ended = time.monotonic()
        measured.cpu = _cpu_of_children() - before
    measured.output = (folder / "stdout").read_text(errors="replace")
    if code not in codes:
        tail = (folder / "stderr").read_text(errors="replace")[-2000:]
        raise RuntimeError(f"{' '.join(command)} ended with {code}:\n{tail}")
    return measured


def _cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(root: int, measured: Measured, over: threading.Event, pause: float) -> None:
    while not over.wait(pause):
        _look(root, measured)


def _look(root: int, measured: Measured) -> None:
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for entry in _PROC.glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        parents[int(entry.name)] = int(fields[1])
        used[int(entry.name)] = (int(fields[11]) + int(fields[12])) / _TICKS
    for pid in _descendants(root, parents):
        measured.cpu_of[pid] = used[pid]
        measured.commands[pid] = _command(pid) or measured.commands.get(pid, "")  # a fork becomes another program


def _descendants(root: int, parents: Mapping[int, int]) -> list[int]:
    found, queue = [], [root]
    while queue:
        pid = queue.pop()
        if pid in parents:
            found.append(pid)
            queue += [child for child, parent in parents.items() if parent == pid]
    return found


def _command(pid: int) -> str:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
