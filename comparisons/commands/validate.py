"""What `evalparity validate` does: load a suite or a study, and say what is wrong or doubtful."""

from __future__ import annotations

import json
from pathlib import Path

from evalparity.adapters.reading import check_any
from evalparity.comparisons.messages import tell
from evalparity.comparisons.studies.study_names import open_study, refuse_what_is_unmeasured
from evalparity.unified_schema import Study, is_study, suite_json_schema
from evalparity.unified_schema.exchange import ReadOptions
from evalparity.unified_schema.validation import Checked


def schema_text() -> str:
    """Return the JSON Schema of suites, as it is published in docs/suite.schema.json."""
    return json.dumps(suite_json_schema(), indent=2, ensure_ascii=False) + "\n"


def validate_command(path: Path, options: ReadOptions) -> str:
    """Check a file and return what it holds, in one line; a YAML file with a study's keys is taken for a study.

    Args:
        path: the file.
        options: what is allowed.

    Raises:
        DocumentError: the file is wrong; with every problem.
    """
    if is_study(path):
        study = open_study(path)
        refuse_what_is_unmeasured(study)
        notes, held = study.notes, f"{_of_study(study.study)}, no errors"
    else:
        suite = check_any(path, options)
        notes, held = tuple(map(str, suite.notes)), _of_suite(suite)
        for problem in suite.skipped:
            tell(f"left out: {problem}")
    for note in notes:
        tell(f"note: {note}")
    return f"{path}: {held}\n"


def _of_suite(suite: Checked) -> str:
    rows = len({problem.case for problem in suite.skipped})
    return f"{suite.cases} cases, {f'{rows} bad rows left out' if rows else 'no errors'}"


def _of_study(study: Study) -> str:
    frameworks = ", ".join(study.frameworks or ("all frameworks installed",))
    metrics = ", ".join(study.metrics or ("the default metrics",))
    judges = ", ".join(judge.name or judge.model or "lexical" for judge in study.named_judges())
    return f"a study of {metrics} by {frameworks}" + (f", judged by {judges}" if judges else "")
