"""What an evaluation is: suites, metrics, outcomes; knows no framework."""

from evalparity.unified_schema.cases import Chunk, EvalCase, EvalSuite
from evalparity.unified_schema.errors import (
    DocumentError,
    EvalparityError,
    FrameworkError,
    JudgeError,
    Problem,
    StudyError,
    SuiteError,
    UsageError,
)
from evalparity.unified_schema.in_python import load_cases
from evalparity.unified_schema.json_schema import suite_json_schema
from evalparity.unified_schema.loading import load_suite, suite_sha256
from evalparity.unified_schema.metrics import METRICS, Metric
from evalparity.unified_schema.notes import Note
from evalparity.unified_schema.outcomes import Outcome
from evalparity.unified_schema.study import Study
from evalparity.unified_schema.study_loading import LoadedStudy, is_study, load_study
from evalparity.unified_schema.study_schema import study_json_schema
from evalparity.unified_schema.validation import LoadedSuite

__all__ = [
    "METRICS",
    "Chunk",
    "DocumentError",
    "EvalCase",
    "EvalSuite",
    "EvalparityError",
    "FrameworkError",
    "JudgeError",
    "LoadedStudy",
    "LoadedSuite",
    "Metric",
    "Note",
    "Outcome",
    "Problem",
    "Study",
    "StudyError",
    "SuiteError",
    "UsageError",
    "is_study",
    "load_cases",
    "load_study",
    "load_suite",
    "study_json_schema",
    "suite_json_schema",
    "suite_sha256",
]
