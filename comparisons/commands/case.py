"""What `report RUN --case ID` shows: the cells of a case, and its texts where the suite is still what was run."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalparity.adapters.reading import load_any
from evalparity.comparisons.comparing.disagreement import Disagreement, Unresolved
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.importing.human_labels import ImportedLabels
from evalparity.comparisons.run_folder import LABELS
from evalparity.comparisons.running.run_info import JudgeInfo
from evalparity.unified_schema import EvalCase, EvalSuite, SuiteError, UsageError, suite_sha256
from evalparity.unified_schema.cases import LabelScale, Rating
from evalparity.unified_schema.exchange import ReadOptions
from evalparity.unified_schema.outcomes import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCase:
    """Everything that a run knows of one case.

    Attributes:
        case_id: its id.
        case: its texts; None: the suite cannot be read any more as it was.
        without_texts: why there are none; None where there are.
        labels: human labels, those of the suite and those that were imported, by what they rate.
        scales: of human labels, by what they rate.
        cells: its outcomes, in report order.
        disagreements: what was flagged.
        unresolved: gaps as wide, and not flagged.
        judges: who was asked in this run.
    """

    case_id: str
    case: EvalCase | None
    without_texts: str | None
    labels: dict[str, tuple[Rating, ...]]
    scales: dict[str, LabelScale]
    cells: tuple[Outcome, ...]
    disagreements: tuple[Disagreement, ...]
    unresolved: tuple[Unresolved, ...]
    judges: tuple[JudgeInfo, ...]


def shown_cases(run: Path, report: Report, case_ids: Sequence[str]) -> list[ShownCase]:
    """Return the cases of a run with these ids, in the order asked for.

    Args:
        run: the run folder.
        report: its report.
        case_ids: ids.

    Raises:
        UsageError: the run has no such case, or its imported labels are damaged.
    """
    known = dict.fromkeys(cell.case_id for cell in report.cells)
    for case_id in case_ids:
        if case_id not in known:
            near = difflib.get_close_matches(case_id, known, n=1)
            told = f"did you mean {near[0]}?" if near else f"it has {', '.join(list(known)[:5])} and others."
            raise UsageError(f"--case {case_id}: the run has no such case: {told}")
    suite, missing = _suite_of(report)
    by_id = {case.id: case for case in suite.cases} if suite is not None else {}
    imported = _imported_labels(run)
    return [
        ShownCase(
            case_id=case_id,
            case=by_id.get(case_id),
            without_texts=missing,
            labels=_together(by_id.get(case_id), imported.get(case_id, [])),
            scales=dict(suite.label_scales) if suite is not None else {},
            cells=tuple(cell for cell in report.cells if cell.case_id == case_id),
            disagreements=tuple(one for one in report.disagreements if one.case_id == case_id),
            unresolved=tuple(one for one in report.unresolved if one.case_id == case_id),
            judges=report.run.judges,
        )
        for case_id in case_ids
    ]


def _imported_labels(run: Path) -> dict[str, list[ImportedLabels]]:
    """Return the human labels that came with imported scores, by case."""
    file = run / LABELS
    if not file.exists():
        return {}
    found: dict[str, list[ImportedLabels]] = {}
    try:
        for line in file.read_text(encoding="utf-8").splitlines():
            labels = ImportedLabels.model_validate_json(line)
            found.setdefault(labels.case_id, []).append(labels)
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: is damaged or cannot be read; import the results again.") from error
    return found


def _together(case: EvalCase | None, imported: Sequence[ImportedLabels]) -> dict[str, tuple[Rating, ...]]:
    """Return the labels of the suite, then those that came from elsewhere and say something else."""
    together = dict(case.labels) if case is not None else {}
    for one in imported:
        for about, given in one.labels.items():
            own = together.get(about, ())
            together[about] = (*own, *(rating for rating in given if rating not in own))
    return together


def _suite_of(report: Report) -> tuple[EvalSuite | None, str | None]:
    """Return the suite of a run, or why it is not to be had; a report holds no texts of its own."""
    path = report.run.suite.path
    try:
        if not Path(path).exists():
            return None, f"there is no {path} here: go to the folder where the run was started"
        if suite_sha256(path) != report.run.suite.sha256:
            return None, f"{path} has changed since the run"
        return load_any(path, ReadOptions(**report.run.suite.reading.model_dump())).suite, None
    except SuiteError as error:
        return None, str(error.problems[0])
    except OSError as error:
        return None, f"a path that cannot be opened ({error.strerror}): {path}"
