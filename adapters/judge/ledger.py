"""The ledger of a run: every judge call in one SQLite file, written as the calls end.

Replies are kept, request bodies are not. The file is append-only (the database refuses changes), readable by its
owner alone, and in WAL mode: it can be read while the run goes on and survives a killed process. Rows of the last
moments may be lost when the machine itself loses power (`synchronous=NORMAL`), never the file.
"""

from __future__ import annotations

import json
import os
import queue
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from evalparity.adapters.judge.traffic import Call
from evalparity.unified_schema.errors import EvalparityError, UsageError

_COLUMNS = tuple(field.name for field in fields(Call))
_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    cell TEXT NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, step TEXT, asked TEXT NOT NULL,
    attempts INTEGER NOT NULL, billable INTEGER NOT NULL, error_kind TEXT, error TEXT,
    input_tokens INTEGER, cached_tokens INTEGER, reasoning_tokens INTEGER, output_tokens INTEGER,
    cost_usd REAL, seconds REAL NOT NULL, waited REAL NOT NULL, reply TEXT,
    written TEXT, flags TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS calls_by_cell ON calls (cell);
CREATE TRIGGER IF NOT EXISTS calls_never_change BEFORE UPDATE ON calls
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER IF NOT EXISTS calls_never_go BEFORE DELETE ON calls
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
_INSERT = f"INSERT INTO calls ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - names of our own fields
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM calls WHERE cell = ? ORDER BY kind, ordinal, rowid"  # noqa: S608 - as above

_LINGER = 0.005
"""Seconds in which calls gather for one transaction; a killed process loses no more than them."""

_Task = Call | Future[None] | None
"""A call to write, a promise to keep once all before it are written, or None: the end."""


class Ledger:
    """Writes calls in a thread of its own, many in one transaction when they come fast.

    Args:
        path: the SQLite file; created when absent, continued when present.

    Raises:
        EvalparityError: the file cannot be opened or is no ledger.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._failure: Exception | None = None
        self._closed = False
        self._tasks: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        try:
            self._database = _open(path)
        except (OSError, sqlite3.Error) as error:
            raise self._explained(error) from error
        self._writer = threading.Thread(target=self._write_all, name="ledger", daemon=True)
        self._writer.start()

    def write(self, call: Call) -> None:
        """Hand over one call that has ended; returns at once."""
        self._tasks.put(call)

    def flush(self) -> Future[None]:
        """Return a future that is done when every call handed over so far is in the file.

        It raises `EvalparityError` when writing failed at any time.
        """
        if self._closed:
            raise ValueError("the ledger is closed")
        written: Future[None] = Future()
        self._tasks.put(written)
        return written

    def close(self) -> None:
        """Write what is left and close the file.

        Raises:
            EvalparityError: writing failed at any time; the file lacks calls.
        """
        self._closed = True
        self._tasks.put(None)
        self._writer.join()
        if self._failure is not None:
            raise self._explained(self._failure) from self._failure

    def _write_all(self) -> None:
        with closing(self._database):
            going = True
            while going:
                batch = self._next_batch()
                going = None not in batch
                self._write_batch([task for task in batch if isinstance(task, Call)])
                for task in batch:
                    if isinstance(task, Future):
                        self._keep(task)

    def _next_batch(self) -> list[_Task]:
        batch = [self._tasks.get()]
        time.sleep(_LINGER)
        while not self._tasks.empty():
            batch.append(self._tasks.get())
        return batch

    def _write_batch(self, calls: Sequence[Call]) -> None:
        if not calls or self._failure is not None:
            return
        try:
            with self._database:
                self._database.executemany(_INSERT, map(_row, calls))
        except Exception as error:  # noqa: BLE001 - whatever it is, a writer that is gone leaves all others waiting
            self._failure = error

    def _keep(self, promise: Future[None]) -> None:
        if not promise.set_running_or_notify_cancel():
            return  # whoever waited was cancelled, as when a run is interrupted
        if self._failure is None:
            promise.set_result(None)
        else:
            promise.set_exception(self._explained(self._failure))

    def _explained(self, error: Exception) -> EvalparityError:
        return EvalparityError(
            f"cannot write the ledger {self._path} ({error}): check free space and permissions, "
            "or name another folder with --out"
        )


def read_calls(path: Path, cell: str) -> tuple[Call, ...]:
    """Return the calls of one cell from a ledger: chat calls, then embedding calls, each in the order asked.

    Raises:
        UsageError: there is no ledger at this path, or the file is none.
    """
    if not path.is_file():
        raise UsageError(f"no ledger at {path}: name the folder of a run")
    try:
        with closing(sqlite3.connect(path)) as database:
            rows = database.execute(_SELECT, (cell,)).fetchall()
    except sqlite3.Error as error:
        raise UsageError(f"{path} is no ledger ({error}): name the folder of a run") from error
    return tuple(_call(row) for row in rows)


def _open(path: Path) -> sqlite3.Connection:
    # SQLite gives its -wal and -shm files the permissions of the file itself.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)
    database = sqlite3.connect(path, check_same_thread=False)  # handed to the writer's thread, used there alone
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _row(call: Call) -> tuple[Any, ...]:
    values = {name: getattr(call, name) for name in _COLUMNS}
    texts = {name: _storable(value) for name, value in values.items() if isinstance(value, str)}
    documents = {"asked": json.dumps(call.asked), "flags": json.dumps(call.flags)}
    return tuple((values | texts | documents).values())


def _storable(text: str) -> str:
    """Replace halves of surrogate pairs, which a reply may hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()


def _call(row: Sequence[Any]) -> Call:
    values = dict(zip(_COLUMNS, row, strict=True))
    return Call(**(values | {"asked": json.loads(values["asked"]), "flags": tuple(json.loads(values["flags"]))}))
