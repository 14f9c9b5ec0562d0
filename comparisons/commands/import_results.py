"""What `evalparity convert RESULTS... --suite SUITE --to run` does: scores that are there become a run folder."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evalparity.adapters.base import Binding
from evalparity.adapters.exchange import ResultReader
from evalparity.adapters.reading import load_any, result_readers
from evalparity.adapters.registry import adapter_names, load_adapter
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.importing.gathering import UNNAMED, FileOfScores, Gathered, Unused, gather
from evalparity.comparisons.importing.human_labels import ImportedLabels, LostLabels, read_labels
from evalparity.comparisons.importing.joining import joiner
from evalparity.comparisons.importing.settling import ImportedCell, import_cells, judges_of
from evalparity.comparisons.messages import tell
from evalparity.comparisons.run_description import suite_info
from evalparity.comparisons.run_folder import (
    LABELS,
    OUTCOMES,
    RunFolder,
    RunRecord,
    default_folder,
    make_run_folder,
    planned_line,
)
from evalparity.comparisons.running.run_info import FrameworkInfo, ImportedFile, JudgeInfo, RunInfo, SuiteInfo
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from evalparity.unified_schema.files import sha256_of
from evalparity.unified_schema.outcomes import Frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import came to.

    Attributes:
        path: the run folder.
        report: the report of the scores.
        unused: scores of the files that became no cell.
        labels: human labels of the files, by case.
        lost_labels: those that belong to no case.
    """

    path: Path
    report: Report
    unused: tuple[Unused, ...]
    labels: tuple[ImportedLabels, ...]
    lost_labels: tuple[LostLabels, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A result file that was read, and as what."""

    kind: str
    path: Path
    scores: FileOfScores


def import_results(files: Sequence[Path], suite: Path, out: Path | None, options: ReadOptions) -> Imported:
    """Write the scores of result files as a run, without asking any judge.

    Args:
        files: what frameworks wrote.
        suite: the cases that were scored.
        out: run folder to make; None: one named after date and time.
        options: what is allowed in reading the suite.

    Raises:
        EvalparityError: anything that the user can mend; nothing is written then.
    """
    loaded = load_any(suite, options)
    read = [_read(path, options) for path in _each_once(files)]
    join = joiner(loaded.suite)
    gathered = gather([one.scores for one in read], join, _bindings())
    labels = [
        found for one in read for results in one.scores.results for found in read_labels(one.scores.file, results, join)
    ]
    cells = list(import_cells(gathered, loaded.suite))
    if not cells:
        raise UsageError(_nothing_used(gathered.unused))
    kept = tuple(found for found in labels if isinstance(found, ImportedLabels))
    now = datetime.now(UTC)
    info = _describe(suite_info(suite, loaded, options), read, gathered, kept, cells, now)
    planned = tuple(planned_line(one.cell, one.judge) for one in cells)
    folder = make_run_folder(out or default_folder(now), RunRecord(info=info, planned=planned))
    for note in loaded.notes:
        tell(f"note: {note}")
    for problem in loaded.skipped:
        tell(f"left out: {problem}")
    folder.write_skipped(loaded.skipped)
    lost = tuple(found for found in labels if isinstance(found, LostLabels))
    report = _write(folder, cells, {"unused.jsonl": gathered.unused, LABELS: kept, "lost_labels.jsonl": lost})
    return Imported(path=folder.path, report=report, unused=tuple(gathered.unused), labels=kept, lost_labels=lost)


def _each_once(files: Sequence[Path]) -> Sequence[Path]:
    """Return the files; the same one twice would count as two measurements."""
    first: dict[str, Path] = {}
    for path in files:
        content = _sha256(path) or str(path.resolve())
        if content in first:
            raise UsageError(f"{path}: has the same content as {first[content]}: give each result file once.")
        first[content] = path
    return files


def _sha256(path: Path) -> str | None:
    try:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file: check the path.")
        return sha256_of(path) if path.is_file() else None
    except (OSError, ValueError) as error:
        raise UsageError(f"{str(path)!r}: cannot be opened ({error}): check the path.") from error


def _read(path: Path, options: ReadOptions) -> _Read:
    opened = Opened(path=path, file=str(path), options=options)
    readers = result_readers()
    reader: ResultReader | None = next((reader for reader in readers if reader.recognises(opened)), None)
    if reader is None:
        known = ", ".join(reader.name for reader in readers)
        raise UsageError(f"{path}: holds no scores that are known here; known are {known}.")
    results = reader.read(opened)
    return _Read(kind=reader.name, path=path, scores=FileOfScores(file=str(path), results=results))


def _bindings() -> Mapping[str, Binding]:
    return {binding.scorer: binding for name in adapter_names() for binding in load_adapter(name).scorers()}


def _nothing_used(unused: Sequence[Unused]) -> str:
    if not unused:
        return "there is no score in these files."
    first = unused[0]
    return (
        f"none of the {len(unused)} scores in these files can be used; the first, {first.scorer} at {first.place} of "
        f"{first.file}: {first.told}. Check that --suite names the suite that was scored."
    )


def _describe(
    suite: SuiteInfo,
    read: Sequence[_Read],
    gathered: Gathered,
    labels: Sequence[ImportedLabels],
    cells: Sequence[ImportedCell],
    now: datetime,
) -> RunInfo:
    first, *others = (_judge(name) for name in judges_of(gathered))
    taking_part = {one.cell.framework for one in cells}
    return RunInfo(
        id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        created_at=now,
        repeats=max(one.cell.repeat for one in cells) + 1,
        suite=suite,
        judge=first,
        other_judges=tuple(others),
        frameworks={
            name: FrameworkInfo(name=name, version=" and ".join(gathered.versions.get(name, ())) or None)
            for name in adapter_names()
            if name in taking_part
        },
        imported=tuple(_imported(one, gathered.unused, labels) for one in read),
        complete=True,
    )


def _judge(name: str) -> JudgeInfo:
    return JudgeInfo(kind="unknown", name=name, model=name, temperature=None, seed=None, max_output_tokens=None)


def _imported(read: _Read, unused: Iterable[Unused], labels: Iterable[ImportedLabels]) -> ImportedFile:
    results = read.scores.results
    scores = sum(len(one.scores) for one in results)
    return ImportedFile(
        path=str(read.path),
        sha256=_sha256(read.path),
        kind=read.kind,
        scores=scores,
        used=scores - sum(one.file == read.scores.file for one in unused),
        labels=sum(one.file == read.scores.file for one in labels),
        remarks=tuple(remark for one in results for remark in one.remarks),
    )


def _write(folder: RunFolder, cells: Iterable[ImportedCell], others: Mapping[str, Sequence[Frozen]]) -> Report:
    folder.write_lines(OUTCOMES, (one.settled for one in cells))
    for name, records in others.items():
        if records:
            folder.write_lines(name, records)
    return folder.finish(complete=True)


def told_of(imported: Imported, most: int = 3) -> list[str]:
    """Return what an import came to, a line each: the files, what was not used and why, and where all of it stands."""
    lines = [_told_of_file(file) for file in imported.report.run.imported]
    groups: dict[tuple[str, str], list[Unused]] = {}
    for one in imported.unused:
        groups.setdefault((one.why, one.scorer if one.why == "unknown_scorer" else ""), []).append(one)
    lines += [_told_of_group(scorer, own, most) for (_, scorer), own in groups.items()]
    lines += [f"not used: {one.told}" for one in imported.lost_labels[:most]]
    if len(imported.lost_labels) > most:
        lines.append(f"not used: the labels of {len(imported.lost_labels) - most} more rows")
    if imported.unused:
        lines.append(f"each of them is listed in {imported.path / 'unused.jsonl'}")
    if imported.labels:
        same = " (the suite has them as well)" if all(one.in_suite for one in imported.labels) else ""
        lines.append(f"human labels of {len(imported.labels)} cases stand in {imported.path / 'labels.jsonl'}{same}")
    if UNNAMED in {judge.label for judge in imported.report.run.judges}:
        lines.append(f"the files do not say which judge it was; the report calls it {UNNAMED}")
    return [*lines, f"no judge was asked; the run stands in {imported.path}"]


def _told_of_group(scorer: str, own: Sequence[Unused], most: int) -> str:
    if scorer:
        return f"not used: {len(own)} of {scorer}: {own[0].told}"
    places = ", ".join(f"{one.scorer} at {one.place}" for one in own[:most])
    more = f" and {len(own) - most} more" if len(own) > most else ""
    return f"not used: {places}{more}; the first {own[0].told}"


def _told_of_file(file: ImportedFile) -> str:
    remarks = "".join(f"; {remark}" for remark in file.remarks)
    return f"{file.path}: {file.kind}, {file.used} of {file.scores} scores used{remarks}"
