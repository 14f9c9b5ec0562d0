"""Puts what an application answered into its case: pure, and checked like any case of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalparity.comparisons.recording.answers import Answer
from evalparity.comparisons.recording.contexts import UnusableError
from evalparity.unified_schema.cases import EvalCase, LabelScale
from evalparity.unified_schema.errors import SuiteError
from evalparity.unified_schema.records import Record, Source
from evalparity.unified_schema.validation import validate
from evalparity.unified_schema.writing import case_data

RETURNED_EXTRA = "recorded"
"""Key in the metadata of a case under which stands what else the application returned."""

_OF_AN_ANSWER = frozenset({"output", "stages", "prompt_contexts", "citations", "hops", "usage"})
"""What was said of an earlier answer and does not hold of another; contexts stay, an application may be given them."""


def with_answer(case: EvalCase, answer: Answer, seconds: float, scales: Mapping[str, LabelScale]) -> EvalCase:
    """Return the case with what the application answered.

    Fields that the answer names replace those of the case. What the case said of an earlier answer goes: its stages,
    citations, hops and usage, and its human labels unless the output is the same text again.

    Args:
        case: the case that was asked.
        answer: what came back.
        seconds: how long it took; stands in `usage.seconds` unless the application says so itself.
        scales: of the suite's human labels.

    Raises:
        UnusableError: the answer contradicts itself or breaks the suite format; says how.
    """
    data = case_data(case)
    said = dict(answer.fields)
    said["usage"] = {"seconds": round(seconds, 4), **said.get("usage", {})}
    gone = _OF_AN_ANSWER | ({"labels"} if loses_labels(case, answer) else set())
    kept = {name: value for name, value in data.items() if name not in gone}
    metadata = {name: value for name, value in kept.pop("metadata", {}).items() if name != RETURNED_EXTRA}
    if answer.extra:
        metadata[RETURNED_EXTRA] = dict(answer.extra)
    return _checked({**kept, **said, "metadata": metadata}, scales)


def loses_labels(case: EvalCase, answer: Answer) -> bool:
    """Tell whether the case holds human labels of another output than the one that came back."""
    return bool(case.labels) and case.output is not None and case.output != answer.fields["output"]


def _checked(data: dict[str, Any], scales: Mapping[str, LabelScale]) -> EvalCase:
    header = {"name": "recorded", "label_scales": {name: scale.model_dump() for name, scale in scales.items()}}
    record = Record(number=1, data=data, locate=_nowhere)
    try:
        loaded = validate(Source(file="", name="recorded", header=header, locate=_nowhere, records=[record]))
    except SuiteError as error:
        faults = "; ".join(f"{one.field or 'case'}: {one.message}" for one in error.problems)
        raise UnusableError(f"returned what no case can hold: {faults}") from None
    return loaded.suite.cases[0]


def _nowhere(_path: object) -> None:
    return None
