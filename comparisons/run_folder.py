"""The folder of a run: written as cells end, readable at any moment, also after the run was killed.

run.json         what was run, how it was asked for, and every planned cell
outcomes.jsonl   one line per cell that has ended; of a cell that was run again, the last line counts
ledger.sqlite    one row per judge call, and the answers
logs/            what each framework printed
report.json      the report, once the run has ended
skipped.jsonl    one line per problem of a row of the suite that was left out (`--skip-bad-rows`)
unused.jsonl     imported scores only: one line per score of the result files that became no cell, and why
labels.jsonl     imported scores only: human labels of the result files, by case
lost_labels.jsonl  imported scores only: human labels of the result files that belong to no case
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import JsonValue, ValidationError

from evalparity.adapters.base import Binding
from evalparity.adapters.registry import adapter_names, load_adapter
from evalparity.comparisons.comparing.disagreement import Limits
from evalparity.comparisons.comparing.report import Report, build_report
from evalparity.comparisons.private_files import (
    append_lines,
    appended_lines,
    cut_broken_end,
    without_broken_end,
    write_whole,
)
from evalparity.comparisons.render.json_report import json_pieces, parse_report
from evalparity.comparisons.running.plan import PlannedCell
from evalparity.comparisons.running.run_info import RunInfo
from evalparity.comparisons.running.settle import Settled
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.unified_schema.errors import Problem, UsageError
from evalparity.unified_schema.outcomes import Closeness, Frozen, Outcome

RUNS = Path("runs")
"""Where a run goes when no folder is named, below the working directory."""


OUTCOMES = "outcomes.jsonl"


SKIPPED = "skipped.jsonl"
LABELS = "labels.jsonl"


class SkippedRow(Frozen):
    """What is wrong with a row of the suite that was left out; a line of `skipped.jsonl`."""

    file: str
    line: int | None
    column: int | None
    case: str | None
    field: str | None
    message: str


class PlannedLine(Frozen):
    """What must be known of a planned cell to report it when it never ended."""

    case_id: str
    metric: str
    scorer: str
    framework: str
    closeness: Closeness
    judge_model: str | None = None
    repeat: int = 0
    threshold: float | None = None


class AskedFor(Frozen):
    """How a run was asked for, so that it can go on as it began; no key is part of it."""

    suite: str
    """Its path, absolute."""
    values: dict[str, JsonValue]
    """Of every option."""
    flags: tuple[str, ...]
    """Names of the options that stood on the command line itself."""


class RunRecord(Frozen):
    """The content of `run.json`."""

    info: RunInfo
    planned: tuple[PlannedLine, ...]
    limits: Limits = Limits()
    """When a difference is flagged."""
    asked: AskedFor | None = None
    """None: the run cannot be resumed, as one of imported scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFolder:
    """A run folder that is being written."""

    path: Path
    record: RunRecord

    @property
    def ledger(self) -> Path:
        """Return the path of the ledger."""
        return self.path / "ledger.sqlite"

    @property
    def logs(self) -> Path:
        """Return the folder of what the frameworks print."""
        return self.path / "logs"

    @contextmanager
    def outcomes(self) -> Iterator[Callable[[Settled], None]]:
        """Yield what writes a cell that has ended; whole lines only, so that a killed run can be read.

        Raises:
            UsageError: the folder cannot be written any more, as when the disk is full.
        """
        with self._told(), appended_lines(self.path / OUTCOMES) as add:

            def append(settled: Settled) -> None:
                with self._told():
                    add(settled.model_dump_json() + "\n")

            yield append

    def write_lines(self, name: str, records: Iterable[Frozen]) -> None:
        """Add records to a file of the folder, one line each.

        Raises:
            UsageError: the folder cannot be written any more.
        """
        with self._told():
            append_lines(self.path / name, (record.model_dump_json() + "\n" for record in records))

    def write_skipped(self, problems: Iterable[Problem]) -> None:
        """List what is wrong with the rows of the suite that were left out.

        Raises:
            UsageError: the folder cannot be written.
        """
        rows = [SkippedRow(**asdict(problem)) for problem in problems]
        if rows:
            self.write_lines(SKIPPED, rows)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UsageError(
                f"{self.path}: cannot be written any more ({error.strerror}); the run was stopped."
            ) from error

    def finish(self, *, complete: bool) -> Report:
        """Write and return the report."""
        report = _build(self.record, read_settled(self.path), complete=complete)
        write_whole(self.path / "report.json", json_pieces(report))
        return report

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from running in this folder meanwhile.

        Raises:
            UsageError: another one does.
        """
        lock = FileLock(self.path / "run.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise UsageError(f"{self.path}: another process is at this run; wait for it to end.") from None
        try:
            yield
        finally:
            with suppress(OSError):
                Path(lock.lock_file).unlink()
            lock.release()


def default_folder(now: datetime) -> Path:
    """Return the folder of a run that names none, by date and time; a text of the suite is never part of a path."""
    return RUNS / now.strftime("%Y%m%d-%H%M%S")


def reopen_run_folder(path: Path, record: RunRecord) -> RunFolder:
    """Return the folder of a run that was stopped, for more cells; what the stop left half written is taken away.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        (path / "report.json").unlink(missing_ok=True)  # it will not be true any more
        if (path / OUTCOMES).exists():
            cut_broken_end(path / OUTCOMES)
    except OSError as error:
        raise UsageError(f"--resume {path}: cannot be written ({error.strerror}).") from error
    return RunFolder(path=path, record=record)


def check_run_folder(path: Path) -> None:
    """Do nothing when the folder of a run can be made.

    Raises:
        UsageError: the folder exists and is not empty, or nothing may be written where it is to stand.
    """
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise UsageError(f"--out {path}: exists already and is not an empty folder; name another one.")
        there = next(parent for parent in (path, *path.absolute().parents) if parent.exists())
        if not there.is_dir() or not os.access(there, os.W_OK):
            raise UsageError(f"--out {path}: nothing may be written in {there}.")
    except OSError as error:
        raise UsageError(f"--out {path}: cannot be written ({error.strerror}).") from error


def make_run_folder(path: Path, record: RunRecord) -> RunFolder:
    """Make the folder of a run of which everything is known that `run.json` says, readable by its owner alone.

    Raises:
        UsageError: the folder exists and is not empty, or cannot be made.
    """
    check_run_folder(path)
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
        (path / "logs").mkdir(mode=0o700)
        write_whole(path / "run.json", (record.model_dump_json(indent=2), "\n"))
    except OSError as error:
        raise UsageError(f"--out {path}: cannot be written ({error.strerror}).") from error
    return RunFolder(path=path, record=record)


def planned_lines(plans: Sequence[JudgePlan]) -> tuple[PlannedLine, ...]:
    """Return what `run.json` says of all planned cells."""
    return tuple(planned_line(cell, one.judge.name) for one in plans for cell in one.plan.cells)


def planned_line(cell: PlannedCell, judge: str) -> PlannedLine:
    """Return what `run.json` says of a planned cell.

    Args:
        cell: the cell.
        judge: name of the judge.
    """
    return PlannedLine(
        case_id=cell.case.id,
        metric=cell.binding.metric,
        scorer=cell.binding.scorer,
        framework=cell.framework,
        closeness=cell.binding.closeness,
        judge_model=judge if cell.binding.asks_judge else None,
        repeat=cell.repeat,
        threshold=cell.threshold,
    )


def read_report(path: Path) -> Report:
    """Return the report of a run folder; of an unfinished run, with the cells that never ended as `interrupted`.

    Raises:
        UsageError: the folder holds no run, or its files are damaged.
    """
    try:
        if (path / "report.json").exists():
            return parse_report((path / "report.json").read_bytes(), str(path / "report.json"))
    except NotADirectoryError as error:
        raise UsageError(f"{path} is a file; give the run folder that `evalparity run` made.") from error
    record, ended = read_record(path), read_settled(path)
    # A run that was killed after its last cell lacks nothing but its report.
    return _build(record, ended, complete=len(ended) == len(record.planned))


def read_record(path: Path) -> RunRecord:
    """Return what the `run.json` of a run folder says.

    Raises:
        UsageError: the folder holds no run, or the file is damaged.
    """
    try:
        return RunRecord.model_validate_json((path / "run.json").read_bytes())
    except FileNotFoundError as error:
        raise UsageError(
            f"{path} is no run folder: it holds no run.json (`evalparity run --out` makes one)."
        ) from error
    except NotADirectoryError as error:
        raise UsageError(f"{path} is a file; give the run folder that `evalparity run` made.") from error
    except ValidationError as error:
        raise UsageError(f"{path / 'run.json'}: damaged or from another version ({_first(error)}).") from error


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]


def read_settled(path: Path) -> list[Settled]:
    """Return how the cells of a run folder ended; of a cell that ended several times, the last time.

    Raises:
        UsageError: a line is damaged.
    """
    file = path / OUTCOMES
    try:
        lines = without_broken_end(file).decode("utf-8").splitlines() if file.exists() else []
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: is no UTF-8 text; it is damaged.") from error
    read = [_settled(line, f"{file}:{number}") for number, line in enumerate(lines, 1)]
    return list({_key(one.outcome, several=True): one for one in read}.values())


def _settled(line: str, place: str) -> Settled:
    try:
        return Settled.model_validate_json(line)
    except ValidationError as error:
        raise UsageError(f"{place}: the line is damaged or from another version ({_first(error)}).") from error


def _build(record: RunRecord, ended: list[Settled], *, complete: bool) -> Report:
    # Runs of older versions had one judge and did not name it in their plan.
    several = bool(record.info.other_judges)
    known = {_key(one.outcome, several=several) for one in ended}
    lost = [_interrupted(cell) for cell in record.planned if _key(cell, several=several) not in known]
    return build_report(
        record.info.model_copy(update={"complete": complete}),
        [*(one.outcome for one in ended), *lost],
        _bindings(record),
        [one.inputs for one in ended if one.inputs is not None],
        case_order=tuple(dict.fromkeys(cell.case_id for cell in record.planned)),
        limits=record.limits,
    )


def _key(cell: PlannedLine | Outcome, *, several: bool) -> tuple[str, str, str, int, str | None]:
    """Return what makes a cell unique in its run."""
    return (cell.case_id, cell.metric, cell.scorer, cell.repeat, cell.judge_model if several else None)


def _interrupted(cell: PlannedLine) -> Outcome:
    return Outcome(
        **cell.model_dump(), status="errored", kind="interrupted", reason="the run was stopped before this cell ended"
    )


def _bindings(record: RunRecord) -> Mapping[str, Binding]:
    names = dict.fromkeys(cell.framework for cell in record.planned)
    return {
        binding.scorer: binding for name in adapter_names() if name in names for binding in load_adapter(name).scorers()
    }
