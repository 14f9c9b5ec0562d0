"""What `evalparity convert` does: read any file that is known, and write the suite as another tool reads it."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evalparity.adapters.reading import known_writers, load_any, writer_named
from evalparity.comparisons.commands.import_results import Imported, import_results
from evalparity.comparisons.messages import tell
from evalparity.unified_schema.cases import EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, ReadOptions, Writer

RUN = "run"
"""The kind that scores are converted to."""


def source_and_target(paths: Sequence[Path], suite: Path | None, out: Path | None) -> tuple[Path, Path]:
    """Return what is to be read and written.

    Raises:
        UsageError: it is not one of each, or options of an import are given.
    """
    if suite is not None or out is not None:
        raise UsageError("--suite and --out are for results: give --to run as well.")
    if len(paths) != 2:  # noqa: PLR2004 - a source and a target
        raise UsageError("name one SOURCE and one TARGET (several RESULTS are read with --to run).")
    return paths[0], paths[1]


def import_command(paths: Sequence[Path], suite: Path | None, out: Path | None, options: ReadOptions) -> Imported:
    """Read results into a run folder.

    Raises:
        EvalparityError: anything that the user can mend; nothing is written then.
    """
    if suite is None:
        raise UsageError("--to run: name the suite that was scored with --suite (it may be the same file).")
    return import_results(paths, suite, out, options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What a conversion came to.

    Attributes:
        path: what was written.
        cases: how many cases it holds.
        skipped: how many rows of the input were left out.
        losses: what the target cannot hold.
    """

    path: Path
    cases: int
    skipped: int
    losses: tuple[Loss, ...]


def convert_command(
    source: Path, target: Path, to: str | None, options: ReadOptions, *, overwrite: bool, model: str | None = None
) -> Converted:
    """Convert a file or folder.

    Args:
        source: what is read; its kind is found from its content.
        target: what is written.
        to: name of a writer; None: by the ending of the target.
        options: what is allowed in reading.
        overwrite: whether the target may be there already.
        model: whose answers are wanted, where the metadata of the cases name a `model_id`; None: all.

    Raises:
        EvalparityError: anything that the user can mend; nothing is written then.
    """
    writer = _writer(to, target)
    _refuse_what_is_there(source, target, writer, overwrite=overwrite)
    loaded = load_any(source, options)
    for note in loaded.notes:
        tell(f"note: {note}")
    for problem in loaded.skipped:
        tell(f"left out: {problem}")
    suite = loaded.suite if model is None else _of_model(loaded.suite, model)
    losses = _write(writer, suite, target)
    return Converted(path=target, cases=len(suite.cases), skipped=len(_rows(loaded.skipped)), losses=losses)


def _write(writer: Writer, suite: EvalSuite, target: Path) -> tuple[Loss, ...]:
    """Write a suite beside its target first, so that what has its name is whole, whenever this is broken off."""
    try:
        private = tempfile.TemporaryDirectory(prefix=".evalparity-", dir=target.parent)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror}).") from error
    with private as folder:
        partial = Path(folder) / target.name  # some kinds of files are called after their name
        try:
            losses = writer.write(suite, partial)
            _move(partial, target)
        except UsageError as error:
            raise UsageError(str(error).replace(str(partial), str(target))) from error
        except OSError as error:
            raise UsageError(f"{target}: cannot be written ({error.strerror}).") from error
    return losses


def _move(written: Path, target: Path) -> None:
    if not (written.is_dir() and target.is_dir()):
        written.replace(target)
        return
    for child in sorted(written.iterdir()):
        child.replace(target / child.name)


def _of_model(suite: EvalSuite, model: str) -> EvalSuite:
    """Return the suite with the answers of one model."""
    own = tuple(case for case in suite.cases if case.metadata.get("model_id") == model)
    if not own:
        models = dict.fromkeys(str(case.metadata["model_id"]) for case in suite.cases if "model_id" in case.metadata)
        there = f"there are {', '.join(models)}." if models else "no case names a model_id in its metadata."
        raise UsageError(f"--model {model}: there are no answers of it: {there}")
    return suite.model_copy(update={"cases": own})


def _rows(problems: Sequence[object]) -> set[object]:
    return {getattr(problem, "case", None) for problem in problems}


def _writer(to: str | None, target: Path) -> Writer:
    if to is not None:
        return writer_named(to)
    writers = known_writers()
    fitting = [writer for writer in writers.values() if target.suffix.lower() in writer.endings]
    if not fitting:
        raise UsageError(f"{target}: no kind of file ends so: name the kind with --to, one of {', '.join(writers)}.")
    return fitting[0]


def _refuse_what_is_there(source: Path, target: Path, writer: Writer, *, overwrite: bool) -> None:
    if writer.endings and target.suffix.lower() not in writer.endings:
        raise UsageError(f"{target}: a {writer.name} file ends in {' or '.join(writer.endings)}: name it so.")
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target}: there is no folder {target.absolute().parent}: make it first, or name another.")
    if target.exists() and source.exists() and target.samefile(source):
        raise UsageError(f"{target}: is what is to be read: name another file.")
    taken = target.exists() and (writer.endings or any(target.iterdir()) if target.is_dir() else True)
    if taken and not overwrite:
        raise UsageError(f"{target}: exists already: name another, or give --overwrite.")


def loss_lines(losses: Sequence[Loss], most: int = 3) -> list[str]:
    """Return what was lost, one line per field and reason, with the first cases named."""
    counts = Counter((loss.field, loss.message) for loss in losses)
    lines = []
    for (field, message), count in counts.items():
        cases = [loss.case for loss in losses if (loss.field, loss.message) == (field, message) and loss.case]
        named = f" ({', '.join(cases[:most])}{f' and {count - most} more' if count > most else ''})" if cases else ""
        lines.append(f"{field}: {message}{named}")
    return lines


def write_losses(losses: Sequence[Loss], path: Path) -> None:
    """Write every loss, case by case, as JSON.

    Raises:
        UsageError: the file cannot be written.
    """
    try:
        path.write_text(json.dumps([asdict(loss) for loss in losses], indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}).") from error
