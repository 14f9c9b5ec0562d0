"""The cache: good answers of judge servers, kept for all runs of a user, so that none is paid for twice.

One SQLite file that several processes read and write at once. It never fails a run: a cache that cannot be read or
written is told about once and is then as if it were empty.
"""

from __future__ import annotations

import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from evalparity.adapters.cache_folder import cache_root
from evalparity.adapters.judge.answers import Json, unpacked
from evalparity.adapters.judge.batch_writer import BatchWriter
from evalparity.adapters.judge.private_database import open_private
from evalparity.unified_schema.errors import EvalparityError, UsageError

FILE = "answers.sqlite"
DEFAULT_MEGABYTES = 2048
DEFAULT_DAYS = 90

_DAY = 86_400.0
_MEGABYTE = 1_000_000
_CHECK_EVERY = 200
"""Answers between two looks at the size."""
_ROOM = 0.9
"""Share of the limit that is left filled when it was reached, so that not every answer makes room for itself."""
_RECENT = 1000
"""Answers that have been handed over and may not stand in the file yet."""
_LINGER = 0.05
"""Seconds in which answers gather for one transaction; all of them are found meanwhile."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, created REAL NOT NULL, used REAL NOT NULL, bytes INTEGER NOT NULL,
    answer BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_use ON answers (used, bytes);
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (created);
"""
_FIND = "SELECT answer FROM answers WHERE key = ? AND created >= ?"
_KEEP = "INSERT OR REPLACE INTO answers (key, model, created, used, bytes, answer) VALUES (?, ?, ?, ?, ?, ?)"
_USE = "UPDATE answers SET used = ? WHERE key = ?"
_LEAST_USED = """
DELETE FROM answers WHERE key IN (
    SELECT key FROM (SELECT key, SUM(bytes) OVER (ORDER BY used DESC, key) AS filled FROM answers) WHERE filled > ?
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSettings:
    """Where the cache stands, and how much and how long it keeps.

    Attributes:
        file: its file; None: one in the folder of all that evalparity caches.
        megabytes: size of all answers at most; the least recently used go first.
        days: age of an answer at most.
    """

    file: Path | None = None
    megabytes: float = DEFAULT_MEGABYTES
    days: float = DEFAULT_DAYS

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.file or cache_root() / FILE


@dataclass(frozen=True, slots=True)
class _Kept:
    key: str
    model: str
    answer: bytes


class Cache:
    """The cache of one process; close it to write what is left.

    Args:
        settings: where it stands, and what it keeps.
        tell: is told, once, why the cache cannot be used.
    """

    def __init__(self, settings: CacheSettings, tell: Callable[[str], None]) -> None:
        self._settings, self._tell = settings, tell
        self._told = False
        self._recent: OrderedDict[str, bytes] = OrderedDict()
        self._reader: sqlite3.Connection | None = None
        self._writer: BatchWriter[_Kept | str] | None = None
        try:
            settings.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._reader = open_private(settings.path, _SCHEMA, durable=False)
            database = open_private(settings.path, _SCHEMA, durable=False)
        except (OSError, sqlite3.Error) as error:
            self._unusable(error)
            return
        self._written = 0
        self._writer = BatchWriter(database, self._insert, self._explained, name="cache", linger=_LINGER)

    def find(self, key: str) -> Json | None:
        """Return the answer at an address; None where there is none, or it is too old."""
        if key in self._recent:
            return unpacked(self._recent[key])
        if self._reader is None or self._writer is None:
            return None
        try:
            row = self._reader.execute(_FIND, (key, time.time() - self._settings.days * _DAY)).fetchone()
            answer = None if row is None else unpacked(row[0])
        except (sqlite3.Error, ValueError) as error:
            self._unusable(error)
            return None
        if answer is not None:
            self._writer.write(key)
        return answer

    def keep(self, key: str, answer: bytes, *, model: str) -> None:
        """Keep an answer; returns at once.

        Args:
            key: its address.
            answer: what the server answered, packed; a good answer, never an error.
            model: that gave it, for statistics.
        """
        if self._writer is None:
            return
        self._recent[key] = answer
        if len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        self._writer.write(_Kept(key, model, answer))
        if self._writer.failure is not None:
            self._unusable(self._writer.failure)

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._writer is not None:
            self._writer.close()
            if self._writer.failure is not None:
                self._unusable(self._writer.failure)
        if self._reader is not None:
            self._reader.close()

    def _insert(self, database: sqlite3.Connection, records: Sequence[_Kept | str]) -> None:
        now = time.time()
        used = {(now, record) for record in records if isinstance(record, str)}
        database.executemany(_USE, used)
        for record in records:
            if isinstance(record, _Kept):
                content = record.answer
                database.execute(_KEEP, (record.key, record.model, now, now, len(content), content))
                if self._written % _CHECK_EVERY == 0:
                    make_room(database, self._settings)
                self._written += 1

    def _unusable(self, error: Exception) -> None:
        if not self._told:
            self._told = True
            self._tell(f"note: {self._explained(error)}")

    def _explained(self, error: Exception) -> EvalparityError:
        return EvalparityError(
            f"the cache {self._settings.path} cannot be used ({error}), so answers are not kept or found there: check "
            "free space and permissions, `evalparity cache clear` makes it anew, --no-cache runs without it"
        )


def make_room(database: sqlite3.Connection, settings: CacheSettings) -> None:
    """Take out what is older than the age limit and, above the size limit, what was used longest ago."""
    database.execute("DELETE FROM answers WHERE created < ?", (time.time() - settings.days * _DAY,))
    limit = settings.megabytes * _MEGABYTE
    if (database.execute("SELECT COALESCE(SUM(bytes), 0) FROM answers").fetchone()[0]) > limit:
        database.execute(_LEAST_USED, (limit * _ROOM,))


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """What a cache holds.

    Attributes:
        path: its file.
        answers: how many, by model.
        kilobytes: of all answers together, compressed.
        oldest, newest: days since they came; None: it is empty.
    """

    path: Path
    answers: Mapping[str, int]
    kilobytes: float
    oldest: float | None
    newest: float | None


def cache_stats(settings: CacheSettings) -> CacheStats:
    """Return what the cache holds.

    Raises:
        UsageError: the file is no cache.
    """
    if not settings.path.exists():
        return CacheStats(path=settings.path, answers={}, kilobytes=0.0, oldest=None, newest=None)
    try:
        with closing(open_private(settings.path, _SCHEMA, durable=False)) as database:
            by_model = dict(database.execute("SELECT model, COUNT(*) FROM answers GROUP BY model ORDER BY model"))
            filled, first, last = database.execute(
                "SELECT SUM(bytes), MIN(created), MAX(created) FROM answers"
            ).fetchone()
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"{settings.path} is no cache ({error}): `evalparity cache clear` makes it anew.") from error
    now = time.time()
    return CacheStats(
        path=settings.path,
        answers=by_model,
        kilobytes=(filled or 0) / 1000,
        oldest=None if first is None else (now - first) / _DAY,
        newest=None if last is None else (now - last) / _DAY,
    )


def clear_cache(settings: CacheSettings, *, older_than: float | None = None) -> int:
    """Take answers out of the cache and give their room on the disk back; return how many.

    A file that is no cache any more, such as a damaged one, is taken away.

    Args:
        settings: where it stands.
        older_than: only those that came more than so many days ago; None: all.

    Raises:
        UsageError: the file cannot be changed.
    """
    if not settings.path.exists():
        return 0
    try:
        with closing(open_private(settings.path, _SCHEMA, durable=False)) as database:
            before = time.time() - older_than * _DAY if older_than is not None else float("inf")
            with database:
                gone = database.execute("DELETE FROM answers WHERE created < ?", (before,)).rowcount
            database.execute("VACUUM")
            return gone
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise UsageError(
                f"{settings.path}: cannot be cleared now ({error}); try again when no run uses it."
            ) from error
        _remove(settings.path)
        return 0
    except OSError as error:
        raise UsageError(f"{settings.path}: cannot be cleared ({error.strerror}).") from error


def _remove(path: Path) -> None:
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(FileNotFoundError):
            path.with_name(name).unlink()
