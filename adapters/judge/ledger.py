"""The ledger of a run: every judge call in one SQLite file, written as the calls end.

Answers are kept, request bodies only where that is asked for (`--keep-requests`). The file is append-only (the database
refuses changes), readable by its owner alone, and in WAL mode: it can be read while the run goes on and survives a
killed process. Each transaction is on the disk before it counts as written (`synchronous=FULL`), so that a loss of
power costs no more than the calls that had ended within the last few milliseconds.

A run that was stopped goes on in the same file, as its next session. What an earlier session was answered is there
for it, so that no answer is paid for twice.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import closing
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from evalparity.adapters.judge.answers import Json, unpacked
from evalparity.adapters.judge.batch_writer import BatchWriter
from evalparity.adapters.judge.private_database import open_private
from evalparity.adapters.judge.traffic import Call
from evalparity.unified_schema.errors import EvalparityError, UsageError

_LINGER = 0.005
"""Seconds in which calls gather for one transaction."""
_COLUMNS = tuple(field.name for field in fields(Call))
_SCHEMA = """
CREATE TABLE IF NOT EXISTS calls (
    session INTEGER NOT NULL, cell TEXT NOT NULL, ordinal INTEGER NOT NULL, kind TEXT NOT NULL, step TEXT,
    asked TEXT NOT NULL, key TEXT, served TEXT NOT NULL, attempts INTEGER NOT NULL, billable INTEGER NOT NULL,
    error_kind TEXT, error TEXT, input_tokens INTEGER, cached_tokens INTEGER, reasoning_tokens INTEGER,
    output_tokens INTEGER, cost_usd REAL, seconds REAL NOT NULL, waited REAL NOT NULL, reply TEXT,
    written TEXT, flags TEXT NOT NULL, request TEXT
);
CREATE INDEX IF NOT EXISTS calls_by_cell ON calls (cell);
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS calls_never_change BEFORE UPDATE ON calls
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER IF NOT EXISTS calls_never_go BEFORE DELETE ON calls
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
_NAMES = ", ".join(_COLUMNS)
_INSERT = f"INSERT INTO calls (session, {_NAMES}) VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})"  # noqa: S608 - names of our own fields
_KEEP = "INSERT OR IGNORE INTO answers (key, answer) VALUES (?, ?)"
_LAST_SESSION = "SELECT COALESCE(MAX(session), -1) FROM calls"
_OF_CELL = f"""
SELECT {_NAMES} FROM calls
WHERE cell = ?1 AND session = (SELECT MAX(session) FROM calls WHERE cell = ?1)
ORDER BY kind, ordinal, rowid
"""  # noqa: S608 - as above
_ANSWERED = f"""
SELECT {_NAMES}, answer FROM calls JOIN answers USING (key)
WHERE cell = ? AND key = ? AND error_kind IS NULL ORDER BY session DESC LIMIT 1
"""  # noqa: S608 - as above
_SENT = """
SELECT COALESCE(SUM(attempts), 0),
    COALESCE(SUM(MIN(billable, 1) * (COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0))), 0),
    COALESCE(SUM(MIN(billable, 1) * COALESCE(cost_usd, 0)), 0)
FROM calls WHERE served = 'upstream'
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """A call that an earlier session of the run was answered.

    Attributes:
        call: its record, with what it cost then.
        answer: what the server answered.
    """

    call: Call
    answer: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class SentCalls:
    """What a run has sent to its servers so far.

    Attributes:
        requests: retries included.
        tokens: in and out, as far as they were told.
        cost_usd: as far as it is known.
    """

    requests: int = 0
    tokens: int = 0
    cost_usd: float = 0.0


class Ledger:
    """Writes calls in a thread of its own, and finds those of earlier sessions.

    Args:
        path: the SQLite file; created when absent, continued as the next session when present.

    Raises:
        EvalparityError: the file cannot be opened or is no ledger.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._reader = open_private(path, _SCHEMA, durable=True)
            self._session = self._reader.execute(_LAST_SESSION).fetchone()[0] + 1
            database = open_private(path, _SCHEMA, durable=True)
        except (OSError, sqlite3.Error) as error:
            raise self._explained(error) from error
        self._writer: BatchWriter[tuple[Call, bytes | None]] = BatchWriter(
            database, self._insert, self._explained, name="ledger", linger=_LINGER
        )

    def write(self, call: Call, answer: bytes | None = None) -> None:
        """Hand over one call that has ended; returns at once.

        Args:
            call: the call.
            answer: what the server answered, packed, to be kept at the call's key; None: nothing is kept.
        """
        self._writer.write((call, answer))

    def flush(self) -> Future[None]:
        """Return a future that is done when every call handed over so far is on the disk.

        It raises `EvalparityError` when writing failed at any time.
        """
        return self._writer.flush()

    def close(self) -> None:
        """Write what is left and close the file.

        Raises:
            EvalparityError: writing failed at any time; the file lacks calls.
        """
        self._writer.close()
        self._reader.close()
        if self._writer.failure is not None:
            raise self._writer.failure

    def past(self, cell: str, key: str) -> PastCall | None:
        """Return the call of a cell that an earlier session was answered at this key; None where there is none."""
        if self._session == 0:
            return None
        row = self._reader.execute(_ANSWERED, (cell, key)).fetchone()
        return None if row is None else PastCall(call=_call(row[:-1]), answer=unpacked(row[-1]))

    def sent(self) -> SentCalls:
        """Return what earlier sessions of the run sent to its servers."""
        requests, tokens, cost_usd = self._reader.execute(_SENT).fetchone()
        return SentCalls(requests=requests, tokens=tokens, cost_usd=cost_usd)

    def _insert(self, database: sqlite3.Connection, records: Sequence[tuple[Call, bytes | None]]) -> None:
        database.executemany(_INSERT, ((self._session, *_row(call)) for call, _ in records))
        kept = [(call.key, answer) for call, answer in records if answer is not None]
        database.executemany(_KEEP, kept)

    def _explained(self, error: Exception) -> EvalparityError:
        return EvalparityError(
            f"cannot write the ledger {self._path} ({error}): check free space and permissions, "
            "or name another folder with --out"
        )


def read_calls(path: Path, cell: str) -> tuple[Call, ...]:
    """Return the calls of one cell from a ledger: chat calls, then embedding calls, each in the order asked.

    Of a cell that was run in several sessions, the last one's.

    Raises:
        UsageError: there is no ledger at this path, or the file is none.
    """
    return tuple(_call(row) for row in _read(path, _OF_CELL, (cell,)))


def read_answers(path: Path) -> dict[str, Json]:
    """Return every answer that a ledger keeps, by its key.

    Raises:
        UsageError: there is no ledger at this path, or the file is none.
    """
    return {key: unpacked(answer) for key, answer in _read(path, "SELECT key, answer FROM answers ORDER BY key", ())}


def _read(path: Path, query: str, values: Sequence[str]) -> list[Any]:
    if not path.is_file():
        raise UsageError(f"no ledger at {path}: name the folder of a run")
    try:
        with closing(sqlite3.connect(path)) as database:
            return database.execute(query, values).fetchall()
    except sqlite3.Error as error:
        raise UsageError(f"{path} is no ledger ({error}): name the folder of a run") from error


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
