"""The journal of a recording: a line per answer, written as it comes, so that nothing that was paid for is lost.

    {"session": {"version": 1, "app": "your_rag_app:rag_pipeline", "suite": "suite.yaml", "sources": {...}}}
    {"case": "q1", "asked": "<hash of what was told>", "value": ..., "type": "tuple", "seconds": 0.2, "attempts": 1}
    {"case": "q2", "asked": "<hash of what was told>", "kind": "raised", "reason": "...", "attempts": 3}

It holds what the application returned, as it returned it: what becomes of it in the suite is decided anew each time.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

from evalparity.comparisons.recording.attempts import Failed, Question, Returned
from evalparity.unified_schema.errors import UsageError

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What was recorded with what.

    Attributes:
        app: `package.module:function`.
        suite: path of the suite.
        sources: SHA-256 of the application's source files, by path.
    """

    app: str
    suite: str
    sources: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What an earlier recording left behind.

    Attributes:
        session: the last one; None: there is none.
        answers: what was returned, by case and what the application was told of it.
        damaged: lines that cannot be read, as when the computer went down.
    """

    session: Session | None = None
    answers: Mapping[tuple[str, str], Returned] = field(default_factory=dict)
    damaged: int = 0


def journal_of(out: Path) -> Path:
    """Return where the journal of a suite that is being recorded stands."""
    return out.with_name(f"{out.name}.journal.jsonl")


def told(question: Question, takes: frozenset[str]) -> str:
    """Return a hash of what the application is told of a case; a case that changed elsewhere keeps its answer."""
    given = {name: value for name, value in question.offered().items() if name in takes}
    text = json.dumps([question.text, given], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


class Journal:
    """A journal that is being written, by one recording at a time; a context manager."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(f"{path}.lock")

    def __enter__(self) -> Self:
        try:
            with tempfile.TemporaryFile(dir=self._path.parent):  # what cannot be written looks like locked
                pass
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UsageError(
                f"{self._path}: another recording is writing it; wait for it, or name another --out."
            ) from None
        except OSError as error:
            raise _unwritable(self._path, error) from error
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        with suppress(OSError):
            Path(self._lock.lock_file).unlink()
        self._lock.release()

    def begin(self, session: Session) -> None:
        """Write a session; what follows was recorded with it."""
        body = {"version": VERSION, "app": session.app, "suite": session.suite, "sources": dict(session.sources)}
        self._append({"session": body})

    def answered(self, case_id: str, asked: str, outcome: Returned | Failed, attempts: int) -> None:
        """Write what came of a case.

        Raises:
            UsageError: the journal cannot be written any more, as when the disk is full.
        """
        if isinstance(outcome, Returned):
            said = {"value": outcome.value, "type": outcome.type_name, "seconds": outcome.seconds}
        else:
            said = {"kind": outcome.kind, "reason": outcome.reason}
        self._append({"case": case_id, "asked": asked, **said, "attempts": attempts})

    def _append(self, line: Mapping[str, Any]) -> None:
        try:
            # Answers may be confidential: the file is its owner's alone.
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "r+b") as file:
                content = json.dumps(line).encode("ascii") + b"\n"
                file.write(content if _is_whole(file) else b"\n" + content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(self._path, error) from error


def _is_whole(file: Any) -> bool:  # noqa: ANN401 - a binary file, read and written
    """Tell whether a file ends with a whole line; one whose writer was killed need not."""
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    whole = file.read(1) == b"\n"
    file.seek(0, os.SEEK_END)
    return bool(whole)


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be written ({error.strerror or error}); what it holds by now is safe.")


def read_journal(path: Path) -> Past:
    """Return what a journal holds; nothing where there is none.

    Raises:
        UsageError: it cannot be read, or is from another version of evalparity.
    """
    session: Session | None = None
    answers: dict[tuple[str, str], Returned] = {}
    damaged = 0
    try:
        lines = path.read_bytes().split(b"\n") if path.exists() else []
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}).") from error
    for line in filter(None, lines):
        try:
            read = json.loads(line)
            if "session" in read:
                session = _session(read["session"], path)
            elif "value" in read:
                answers[(str(read["case"]), str(read["asked"]))] = _returned(read)
        except (ValueError, LookupError, TypeError, AttributeError):
            damaged += 1
    return Past(session=session, answers=answers, damaged=damaged)


def _session(read: Mapping[str, Any], path: Path) -> Session:
    if read["version"] != VERSION:
        raise UsageError(f"{path}: is from another version of evalparity: name another --out.")
    return Session(app=read["app"], suite=read["suite"], sources=read["sources"])


def _returned(read: Mapping[str, Any]) -> Returned:
    return Returned(value=read["value"], type_name=str(read["type"]), seconds=float(read["seconds"]))
