"""Files of a run: their owner's alone, and on the disk before anything is built on them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

SYNC_EVERY = 0.2
"""Seconds after which lines that were written are flushed to the disk; doing so takes milliseconds for each."""


@contextmanager
def appended_lines(path: Path) -> Iterator[Callable[[str], None]]:
    """Yield a function that adds a line to a file, which is made when absent.

    A line outlives the end of the process as soon as it is added, and a loss of power a moment later.

    Raises:
        OSError: the file cannot be written, from the function too.
    """
    with _open(path) as file:
        dirty, over = threading.Event(), threading.Event()
        thread = threading.Thread(target=_sync, args=(file, dirty, over), name="sync", daemon=True)
        thread.start()

        def add(line: str) -> None:
            file.write(line)
            file.flush()
            dirty.set()

        try:
            yield add
        finally:
            over.set()
            dirty.set()
            thread.join()
            os.fsync(file.fileno())


def _sync(file: IO[str], dirty: threading.Event, over: threading.Event) -> None:
    while not over.wait(SYNC_EVERY):
        dirty.wait()
        dirty.clear()
        os.fsync(file.fileno())


def append_lines(path: Path, lines: Iterable[str]) -> None:
    """Add lines to a file, which is made when absent; they outlive a loss of power once this has returned.

    Raises:
        OSError: the file cannot be written.
    """
    with _open(path) as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _open(path: Path) -> IO[str]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    return os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a file as a whole: whoever reads it sees the old content or the new one, never a part.

    Raises:
        OSError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    append_lines(partial, pieces)
    partial.replace(path)
    _sync_folder(path.parent)


def without_broken_end(path: Path) -> bytes:
    """Return a file without what is no whole line of JSON at its end: a killed writer or a loss of power leaves that.

    Raises:
        OSError: the file cannot be read.
    """
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    while whole:
        begin = content.rfind(b"\n", 0, whole - 1) + 1
        if _is_json(content[begin:whole]):
            break
        whole = begin
    return content[:whole]


def cut_broken_end(path: Path) -> None:
    """Take what is no whole line of JSON off the end of a file for good.

    Raises:
        OSError: the file cannot be read or changed.
    """
    whole = len(without_broken_end(path))
    with path.open("r+b") as file:
        file.truncate(whole)
        os.fsync(file.fileno())


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _sync_folder(path: Path) -> None:
    """Make the names in a folder outlive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
