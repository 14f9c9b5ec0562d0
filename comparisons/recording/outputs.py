"""Which files a recording writes, and whether it may: the suite, the journal beside it, what the application prints."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from evalparity.comparisons.recording.journal import Past, Session, journal_of, read_journal
from evalparity.unified_schema.cases import EvalSuite
from evalparity.unified_schema.errors import UsageError

ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """The files of one recording.

    Attributes:
        suite: the suite with outputs.
        journal: a line per answer; it stays, so that more can be recorded later.
        log: what the application printed, gone when that is nothing.
    """

    suite: Path
    journal: Path
    log: Path


def outputs_of(suite: Path, out: Path | None) -> Outputs:
    """Return where a recording of a suite is written.

    Args:
        suite: path of the suite that is recorded.
        out: as named by the user; None: `NAME.recorded.yaml` beside the suite, or with its own ending.

    Raises:
        UsageError: it is the suite itself, has another ending or a folder that is not there.
    """
    ending = suite.suffix if suite.suffix.lower() in ENDINGS else ".yaml"
    file = out or suite.with_name(f"{suite.stem}.recorded{ending}")
    if file.suffix.lower() not in ENDINGS:
        raise UsageError(f"--out {file}: suites are written to {', '.join(ENDINGS)} files; name one of them.")
    if not file.parent.is_dir():
        raise UsageError(f"--out {file}: there is no folder {file.parent}: make it first, or name another.")
    if file.is_dir():
        raise UsageError(f"--out {file}: is a folder: name a file.")
    if file.exists() and suite.exists() and file.samefile(suite):
        raise UsageError(f"--out {file}: is the suite itself, whose comments would be lost: name another file.")
    return Outputs(suite=file, journal=journal_of(file), log=file.with_name(f"{file.name}.app.log"))


def past_of(outputs: Outputs, *, resume: bool, fresh: bool) -> Past:
    """Return what an earlier recording left behind and this one takes over.

    Args:
        outputs: its files.
        resume: whether its answers are taken over.
        fresh: whether it is thrown away.

    Raises:
        UsageError: there is one, and the user has not said what is to become of it.
    """
    if fresh:
        _remove(outputs.log)
        return Past()
    past = read_journal(outputs.journal)
    if not resume and past.session is not None:
        raise UsageError(
            f"{outputs.journal} holds {len(past.answers)} answers of an earlier recording: --resume takes them over "
            "and asks only for the others, --fresh throws them away."
        )
    if past.session is None and outputs.suite.exists():
        raise UsageError(f"{outputs.suite} is there already: name another --out, or give --fresh to write it anew.")
    return past


def throw_away(outputs: Outputs) -> None:
    """Remove what an earlier recording left behind, once there is an application to ask anew."""
    _remove(outputs.journal)


def refuse_changes(past: Past, now: Session, outputs: Outputs) -> None:
    """Refuse answers of two applications, or of two versions of one, in the same suite.

    Raises:
        UsageError: the application is another one than that of the past, or its source files changed.
    """
    before = past.session
    if before is None or not past.answers:
        return
    if before.app != now.app:
        changed = f"were given by {before.app}"
    else:
        files = {*before.sources, *now.sources}
        differ = sorted(name for name in files if before.sources.get(name) != now.sources.get(name))
        if not differ:
            return
        more = f" and {len(differ) - 3} more" if len(differ) > 3 else ""  # noqa: PLR2004 - fits a line
        changed = f"were given before {', '.join(differ[:3])}{more} changed"
    raise UsageError(
        f"the {len(past.answers)} answers in {outputs.journal} {changed}: --fresh asks for all of them again, "
        "--resume --accept-changes keeps them."
    )


def moved_corpus(suite: EvalSuite, file: Path, out: Path) -> EvalSuite:
    """Return the suite with the path of its corpus as seen from where it is written.

    Raises:
        UsageError: from there the corpus is out of reach; a suite points into its own folder only.
    """
    if suite.corpus is None:
        return suite
    seen = os.path.relpath((file.parent / suite.corpus).resolve(), out.parent.resolve())
    if seen.startswith(os.pardir) or Path(seen).is_absolute():
        raise UsageError(
            f"--out {out}: the suite's corpus {suite.corpus} cannot be reached from there: "
            f"write into {file.parent} or a folder above it."
        )
    return suite.model_copy(update={"corpus": Path(seen).as_posix()})


def tidy(outputs: Outputs) -> None:
    """Remove a log without a word."""
    if outputs.log.exists() and outputs.log.stat().st_size == 0:
        _remove(outputs.log)


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{file}: cannot be removed ({error.strerror}).") from error
