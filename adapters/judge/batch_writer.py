"""A thread that writes to a database, many records in one transaction when they come fast."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing
from typing import Generic, TypeVar

from evalparity.unified_schema.errors import EvalparityError

R = TypeVar("R")


class BatchWriter(Generic[R]):
    """Takes records from any thread and writes them in its own.

    Records gather for a moment, and while a transaction is on its way to the disk: a transaction for each would take
    more processor time than all the rest of a call.

    Args:
        database: used by the writer's thread alone from now on, and closed by it.
        insert: writes records within the transaction that is open.
        explained: makes the error of a failed write one that a user can read.
        name: of the thread.
        linger: seconds in which records gather; a process that is killed loses no more than these.
    """

    def __init__(
        self,
        database: sqlite3.Connection,
        insert: Callable[[sqlite3.Connection, Sequence[R]], None],
        explained: Callable[[Exception], EvalparityError],
        *,
        name: str,
        linger: float,
    ) -> None:
        self._database, self._insert, self._explained = database, insert, explained
        self._linger = linger
        self._failure: Exception | None = None
        self._closed = False
        self._tasks: deque[_Record[R] | Future[None] | None] = deque()
        self._some = threading.Event()
        self._thread = threading.Thread(target=self._write_all, name=name, daemon=True)
        self._thread.start()

    @property
    def failure(self) -> EvalparityError | None:
        """Return why writing failed; None while it did not."""
        return None if self._failure is None else self._explained(self._failure)

    def write(self, record: R) -> None:
        """Hand over one record; returns at once."""
        self._hand_over(_Record(record))

    def flush(self) -> Future[None]:
        """Return a future that is done when every record handed over so far is in the file.

        It raises `EvalparityError` when writing failed at any time.
        """
        if self._closed:
            raise ValueError("the file is closed")
        written: Future[None] = Future()
        self._hand_over(written)
        return written

    def close(self) -> None:
        """Write what is left and close the file; a second time does nothing."""
        if not self._closed:
            self._closed = True
            self._hand_over(None)
            self._thread.join()

    def _hand_over(self, task: _Record[R] | Future[None] | None) -> None:
        self._tasks.append(task)
        if not self._some.is_set():  # waking the writer for every record would cost more than the record
            self._some.set()

    def _write_all(self) -> None:
        with closing(self._database):
            going = True
            while going:
                self._some.wait()
                time.sleep(self._linger)
                self._some.clear()
                batch = [self._tasks.popleft() for _ in range(len(self._tasks))]
                going = None not in batch
                self._write_batch([task.content for task in batch if isinstance(task, _Record)])
                for task in batch:
                    if isinstance(task, Future):
                        self._keep(task)

    def _write_batch(self, records: Sequence[R]) -> None:
        if not records or self._failure is not None:
            return
        try:
            with self._database:
                self._insert(self._database, records)
        except Exception as error:  # noqa: BLE001 - whatever it is, a writer that is gone leaves all others waiting
            self._failure = error

    def _keep(self, promise: Future[None]) -> None:
        if not promise.set_running_or_notify_cancel():
            return  # whoever waited was cancelled, as when a run is interrupted
        if self._failure is None:
            promise.set_result(None)
        else:
            promise.set_exception(self._explained(self._failure))


class _Record(Generic[R]):
    """Tells a record from a promise, whatever its type."""

    __slots__ = ("content",)

    def __init__(self, content: R) -> None:
        self.content = content
