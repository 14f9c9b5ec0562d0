"""What `evalparity validate` does: load a suite or a study, and say what is wrong or doubtful."""

from __future__ import annotations

from pathlib import Path

from evalparity.adapters.reading import check_any
from evalparity.comparisons.messages import tell
from evalparity.comparisons.studies.study_names import open_study, refuse_what_is_unmeasured
from evalparity.unified_schema import Study, is_study


def validate_command(path: Path) -> str:
    """Check a file and return what it holds, in one line; a YAML file with a study's keys is taken for a study.

    Raises:
        DocumentError: the file is wrong; with every problem.
    """
    if is_study(path):
        study = open_study(path)
        refuse_what_is_unmeasured(study)
        notes, held = study.notes, _of_study(study.study)
    else:
        suite = check_any(path)
        notes, held = tuple(map(str, suite.notes)), f"{suite.cases} cases"
    for note in notes:
        tell(f"note: {note}")
    return f"{path}: {held}, no errors\n"


def _of_study(study: Study) -> str:
    frameworks = ", ".join(study.frameworks or ("all frameworks installed",))
    metrics = ", ".join(study.metrics or ("the default metrics",))
    judges = ", ".join(judge.name or judge.model or "lexical" for judge in study.named_judges())
    return f"a study of {metrics} by {frameworks}" + (f", judged by {judges}" if judges else "")
