"""SQLite files that hold replies: their owner's alone, safe under several processes and when one is killed."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

_PATIENCE = 30.0
"""Seconds to wait for another process that writes."""


def open_private(path: Path, schema: str, *, durable: bool) -> sqlite3.Connection:
    """Return a connection to a file in WAL mode, for one thread at a time; the file is made when absent.

    Args:
        path: the file.
        schema: statements that make the tables where they are missing.
        durable: whether a finished transaction outlives a loss of power (`synchronous=FULL`), or only the end of the
            process (`NORMAL`).

    Raises:
        OSError, sqlite3.Error: it cannot be opened, or is no database.
    """
    # SQLite gives its -wal and -shm files the permissions of the file itself.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)
    database = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        database.executescript(schema)
    except sqlite3.Error:
        database.close()
        raise
    return database
