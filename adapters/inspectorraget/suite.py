"""A file of the viewer as a suite: every answer of every model is a case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalparity.adapters.inspectorraget.cases import documents_of, read_case
from evalparity.adapters.inspectorraget.layout import (
    Metric,
    case_id,
    evaluations_of,
    is_layout,
    mappings,
    metrics_of,
    ratings_of,
)
from evalparity.unified_schema.exchange import DocumentShape, Opened
from evalparity.unified_schema.positions import FieldPath, Findings, Locate, quoted
from evalparity.unified_schema.records import Record, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of a file.

    Attributes:
        place: where it stands in the document.
        evaluation: as the file has it; None: the task was answered by no model.
        case: under our names.
        findings: what was assumed or is wrong.
    """

    place: FieldPath
    evaluation: Mapping[str, Any] | None
    case: dict[str, Any]
    findings: Findings


def answers_of(data: Mapping[str, Any], metrics: Mapping[str, Metric]) -> Iterator[Answer]:
    """Yield the answers of a file by task, tasks without any and answers without a task included."""
    documents = documents_of(mappings(data, "documents"))
    key, evaluations = evaluations_of(data)
    by_task: dict[str, list[tuple[FieldPath, Mapping[str, Any]]]] = {}
    for rank, evaluation in enumerate(evaluations):
        given = evaluation if isinstance(evaluation, Mapping) else {}
        by_task.setdefault(str(given.get("task_id")), []).append(((key, rank), given))
    for rank, task in enumerate(data["tasks"]):
        given = task if isinstance(task, Mapping) else {}
        own = by_task.pop(str(given.get("task_id")), [(("tasks", rank), None)])
        for place, evaluation in own:
            findings = Findings()
            case = read_case(given, evaluation, documents, metrics, findings)
            yield Answer(place=place, evaluation=evaluation, case=case, findings=findings)
    for task_id, orphans in by_task.items():
        for place, evaluation in orphans:
            yield _orphan(task_id, place, evaluation)


def _orphan(task_id: str, place: FieldPath, evaluation: Mapping[str, Any]) -> Answer:
    findings = Findings()
    findings.fault((), f"there is no task {quoted(task_id)} in this file: add it, or take the answer out.")
    case = {"id": case_id(task_id, evaluation.get("model_id")), "input": ""}
    return Answer(place=place, evaluation=evaluation, case=case, findings=findings)


def read_suite(data: object, locate: Locate, opened: Opened) -> Source:
    """Return the answers of a file as the cases of one suite, human ratings as labels."""
    assert isinstance(data, Mapping)
    metrics = metrics_of(data)
    scales = {name: metric.scale for name, metric in metrics.items() if metric.human and metric.scale}
    name = data.get("name")
    return Source(
        file=opened.file,
        name=opened.path.stem,
        header={
            "name": name if isinstance(name, str) and name else opened.path.stem,
            "label_scales": {of: {"low": low, "high": high} for of, (low, high) in scales.items()},
        },
        locate=locate,
        records=_records(data, metrics, locate),
        remarks=_remarks(data, metrics),
    )


def _records(data: Mapping[str, Any], metrics: Mapping[str, Metric], locate: Locate) -> Iterator[Record]:
    for number, answer in enumerate(answers_of(data, metrics), start=1):
        yield Record(number=number, data=answer.case, locate=_at(locate, answer.place), findings=answer.findings)


def _at(locate: Locate, place: FieldPath) -> Locate:
    return lambda _path: locate(place)


def _remarks(data: Mapping[str, Any], metrics: Mapping[str, Metric]) -> tuple[str, ...]:
    _, evaluations = evaluations_of(data)
    told = ["this is a file of the InspectorRAGet viewer: every answer of a model is a case called TASK::MODEL"]
    used = {name for one in evaluations if isinstance(one, Mapping) for name in ratings_of(one)}
    recorded = [name for name, metric in metrics.items() if not metric.human and name in used]
    if recorded:
        told.append(
            f"recorded scores are no part of a suite ({', '.join(map(quoted, recorded))}): "
            "bring them in with `convert FILE --suite FILE --to run --out RUN`"
        )
    return tuple(told)


SHAPE = DocumentShape(name="InspectorRAGet", recognises=is_layout, read=read_suite)
"""Any file of the viewer."""
