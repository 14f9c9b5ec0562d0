"""Recorded metrics and human ratings of a file of the viewer, as scores and labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from evalparity.adapters.exchange import NativeResults, NativeScore, ResultReader
from evalparity.adapters.inspectorraget.layout import (
    Metric,
    is_layout,
    is_missing,
    is_number,
    metrics_of,
    ratings_of,
    text_of,
)
from evalparity.adapters.inspectorraget.suite import Answer, answers_of
from evalparity.unified_schema.encodings import decode
from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.exchange import Opened
from evalparity.unified_schema.files import unreadable
from evalparity.unified_schema.json_source import read_json
from evalparity.unified_schema.positions import quoted

SCORERS: Mapping[str, tuple[str, str]] = MappingProxyType({"rl_f": ("faithfulness", "ragas:faithfulness")})
"""Canonical metric and scorer by the name of a recorded metric. `rl_f` is the faithfulness of Ragas in the files of the
MT-RAG benchmark (arXiv 2501.03468), of an older version and with that paper's judge."""

OTHERS = "inspectorraget"
"""Whose scores they are where the file does not say which framework took them."""


def read_results(opened: Opened) -> tuple[NativeResults, ...]:
    """Return the recorded metrics of a file by framework, and its human ratings.

    Raises:
        SuiteError: the file cannot be read, or an answer in it is broken.
    """
    data = _document(opened)
    metrics = metrics_of(data)
    answers = list(answers_of(data, metrics))
    problems = [
        Problem(file=opened.file, case=answer.case["id"], message=message)
        for answer in answers
        for _, message in answer.findings.faults
    ]
    if problems:
        raise SuiteError(problems)
    by_framework: dict[str, list[NativeScore]] = {}
    for answer in answers:
        for score in _scores(answer, metrics):
            by_framework.setdefault(score.scorer.partition(":")[0], []).append(score)
    first, *others = by_framework or {OTHERS: []}
    labels = tuple((_known(answer), answer.case["labels"]) for answer in answers if "labels" in answer.case)
    return (
        NativeResults(framework=first, scores=tuple(by_framework.get(first, ())), labels=labels),
        *(NativeResults(framework=name, scores=tuple(by_framework[name])) for name in others),
    )


def _document(opened: Opened) -> Mapping[str, Any]:
    try:
        text, problems, _ = decode(opened.path.read_bytes(), opened.file)
    except OSError as error:
        raise SuiteError([unreadable(error, opened.file)]) from error
    data, _, found = (None, None, problems) if problems else read_json(text, opened.file)
    if found or not isinstance(data, Mapping):
        raise SuiteError(found or [Problem(file=opened.file, message="is no file of the InspectorRAGet viewer.")])
    return data


def _known(answer: Answer) -> dict[str, Any]:
    """Return what is known of a case: by these a case of any suite is found."""
    case = answer.case
    contexts = [text_of(chunk) for chunk in case.get("retrieved_contexts", [])]
    texts = {"retrieved_contexts": contexts} if "retrieved_contexts" in case else {}
    return {**{key: case[key] for key in ("id", "input", "output") if key in case}, **texts}


def _scores(answer: Answer, metrics: Mapping[str, Metric]) -> Iterator[NativeScore]:
    known = _known(answer)
    for name, by_annotator in ratings_of(answer.evaluation or {}).items():
        metric = metrics.get(name, Metric(name=name, human=False))
        if metric.human or not isinstance(by_annotator, Mapping):
            continue
        canonical, scorer = SCORERS.get(name, (None, name if ":" in name else f"{OTHERS}:{name}"))
        for annotator, entry in by_annotator.items():
            given = metric.value(entry.get("value") if isinstance(entry, Mapping) else entry)
            yield NativeScore(
                place=f"{known['id']}, {name} by {annotator}",
                case=known,
                metric=canonical,
                scorer=scorer,
                **_number(given),
            )


def _number(given: object) -> dict[str, Any]:
    if is_number(given):
        return {"raw": float(given)}
    told = "holds no number here" if is_missing(given) else f"holds {quoted(given)} where a number should stand"
    return {"kind": "framework_error", "reason": f"the file {told}, and does not say why"}


def _recognises(opened: Opened) -> bool:
    if opened.path.suffix.lower() != ".json":
        return False
    try:
        return is_layout(json.loads(opened.path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return False


READER = ResultReader(name="InspectorRAGet", recognises=_recognises, read=read_results)
"""The recorded metrics of any file of the viewer."""
