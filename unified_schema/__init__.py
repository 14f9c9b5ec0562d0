"""What an evaluation is: suites, metrics, outcomes; knows no framework."""

from evalparity.unified_schema.cases import Chunk, EvalCase, EvalSuite
from evalparity.unified_schema.errors import (
    EvalparityError,
    FrameworkError,
    JudgeError,
    Problem,
    SuiteError,
    UsageError,
)
from evalparity.unified_schema.json_schema import suite_json_schema
from evalparity.unified_schema.loading import load_suite, suite_sha256
from evalparity.unified_schema.metrics import METRICS, Metric
from evalparity.unified_schema.notes import Note
from evalparity.unified_schema.outcomes import Outcome
from evalparity.unified_schema.validation import LoadedSuite

__all__ = [
    "METRICS",
    "Chunk",
    "EvalCase",
    "EvalSuite",
    "EvalparityError",
    "FrameworkError",
    "JudgeError",
    "LoadedSuite",
    "Metric",
    "Note",
    "Outcome",
    "Problem",
    "SuiteError",
    "UsageError",
    "load_suite",
    "suite_json_schema",
    "suite_sha256",
]
