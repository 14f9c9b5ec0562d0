"""Files of a run: their owner's alone, and on the disk before anything is built on them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path


def append_lines(path: Path, lines: Iterable[str]) -> None:
    """Add lines to a file, which is made when absent; they outlive a loss of power once this has returned.

    Raises:
        OSError: the file cannot be written.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a file as a whole: whoever reads it sees the old content or the new one, never a part.

    Raises:
        OSError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    append_lines(partial, pieces)
    partial.replace(path)
    sync_folder(path.parent)


def cut_half_line(path: Path) -> None:
    """Take what stands behind the last line break out of a file, as a writer that was killed leaves it.

    Raises:
        OSError: the file cannot be changed.
    """
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with path.open("r+b") as file:
            file.truncate(whole)
            os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Make the names in a folder outlive a loss of power."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
