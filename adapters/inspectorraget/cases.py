"""From a task and a model's answer to a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from evalparity.adapters.inspectorraget.layout import (
    RATING_LISTS,
    RECORDED,
    Metric,
    case_id,
    is_missing,
    output_of,
    ratings_of,
    text_of,
)
from evalparity.unified_schema.positions import Findings, quoted

ROLES: Mapping[object, str] = MappingProxyType({"agent": "assistant", "model": "assistant", "developer": "system"})
"""Roles of the viewer that we call otherwise."""

ANSWERABILITY = "Answerability"
ANSWERABLE: Mapping[object, bool] = MappingProxyType({"ANSWERABLE": True, "UNANSWERABLE": False})
"""What the MT-RAG benchmark calls a question; its other values (PARTIAL, CONVERSATIONAL) stay in the metadata."""

PLAIN_TYPES = ("rag", "qa", "chat")
"""Kinds of tasks that a case says by itself."""

TASK_KEYS = frozenset({"task_id", "task_type", "input", "contexts", "targets", "category"})
DOCUMENT_KEYS = frozenset({"document_id", "text", "score"})
ENTRY_KEYS = DOCUMENT_KEYS | {"id"}
_ANSWER_KEYS = frozenset({"task_id", "model_id", "model_response", "output", "contexts", *RATING_LISTS})
_TURN_KEYS = frozenset({"speaker", "role", "text", "content"})

Documents = Mapping[str, Mapping[str, Any]]


def read_case(
    task: Mapping[str, Any],
    evaluation: Mapping[str, Any] | None,
    documents: Documents,
    metrics: Mapping[str, Metric],
    findings: Findings,
) -> dict[str, Any]:
    """Return a case under our names.

    Args:
        task: what was asked.
        evaluation: what a model answered and how it was rated; None: nothing.
        documents: the passages of the file, by id.
        metrics: what was rated, by name.
        findings: takes what was assumed or is wrong.
    """
    given = evaluation or {}
    model = given.get("model_id", RECORDED)
    if task.get("task_id") in (None, ""):
        findings.fault(("id",), "the task has no task_id: give it one.")
    contexts = given["contexts"] if given.get("contexts") is not None else task.get("contexts")
    references = [text for target in _listed(task.get("targets")) if (text := text_of(target)) is not None]
    case = {
        "id": case_id(task.get("task_id"), model),
        **_asked(task.get("input"), findings),
        "output": output_of(given),
        "reference": references[0] if len(references) == 1 else references or None,
        "retrieved_contexts": [_chunk(entry, documents, findings) for entry in _listed(contexts)],
        "labels": _labels(given, metrics, findings),
        "category": task.get("category"),
        **_answerable(task),
        "metadata": _metadata(task, given, model),
    }
    return {key: value for key, value in case.items() if value not in (None, [], {})}


def _listed(given: object) -> list[Any]:
    return given if isinstance(given, list) else [] if given is None else [given]


def _asked(given: object, findings: Findings) -> dict[str, Any]:
    if not isinstance(given, list):
        return {"input": given}
    turns = [_turn(turn, findings) for turn in given]
    if not turns or turns[-1]["role"] != "user":
        findings.fault(("input",), "must be a text, or a list of turns of which the last is the user's.")
        return {"input": ""}
    return {"conversation": turns[:-1], "input": turns[-1]["content"]}


def _turn(turn: object, findings: Findings) -> dict[str, Any]:
    if not isinstance(turn, Mapping):
        return {"role": "user", "content": turn}
    role = turn.get("speaker", turn.get("role"))
    if turn.keys() - _TURN_KEYS:
        findings.remark(("conversation",), "what stands beside speaker and text of a turn is left out")
    return {"role": ROLES.get(role, role) if isinstance(role, str) else role, "content": text_of(turn)}


def _chunk(entry: object, documents: Documents, findings: Findings) -> Any:  # noqa: ANN401 - raw data
    if not isinstance(entry, Mapping):
        return entry
    name = str(entry.get("document_id"))
    document = documents.get(name, {})
    both = {**document, **entry}
    if "text" not in both:
        findings.fault(("retrieved_contexts",), f"there is no document {quoted(name)} in this file: add it.")
        return {"id": name, "text": ""}
    extra = {key: value for key, value in both.items() if key not in ENTRY_KEYS}
    if "id" in document:  # of the document, not of the entry, where it says what we call the passage
        extra["id"] = document["id"]
    chunk = {"id": entry.get("id", name), "text": both["text"], "score": both.get("score"), "metadata": extra}
    return {key: value for key, value in chunk.items() if value not in (None, {})}


def _labels(evaluation: Mapping[str, Any], metrics: Mapping[str, Metric], findings: Findings) -> dict[str, Any]:
    ratings = ratings_of(evaluation)
    unknown = [name for name in ratings if name not in metrics]
    for name in unknown:
        findings.remark(("labels",), f"{quoted(name)} is not among the metrics of the file and is left out")
    labels = {
        name: _ratings(name, ratings[name], metrics[name], findings)
        for name in ratings
        if name in metrics and metrics[name].human and isinstance(ratings[name], Mapping)
    }
    return {name: rated for name, rated in labels.items() if rated}


def _ratings(name: str, by_rater: Mapping[str, Any], metric: Metric, findings: Findings) -> list[dict[str, Any]]:
    rated = []
    for rater, entry in by_rater.items():
        value = entry.get("value") if isinstance(entry, Mapping) else entry
        if is_missing(value):
            findings.remark(("labels", name), "an empty rating is left out")
            continue
        if isinstance(entry, Mapping) and entry.keys() - {"value"}:
            findings.remark(("labels", name), "what stands beside the value of a rating, as its time, is left out")
        rated.append({"rater": rater, "value": metric.value(value)})
    return rated


def _answerable(task: Mapping[str, Any]) -> dict[str, Any]:
    values = _listed(task.get(ANSWERABILITY))
    known = values[0] if len(values) == 1 and isinstance(values[0], str) else None
    return {"answerable": ANSWERABLE[known]} if known in ANSWERABLE else {}


def _metadata(task: Mapping[str, Any], evaluation: Mapping[str, Any], model: object) -> dict[str, Any]:
    read = TASK_KEYS | ({ANSWERABILITY} if _answerable(task) else set())
    kept = {key: value for key, value in task.items() if key not in read}
    kept |= {key: value for key, value in evaluation.items() if key not in _ANSWER_KEYS}
    if task.get("task_type") not in (None, *PLAIN_TYPES):
        kept["task_type"] = task["task_type"]
    if model != RECORDED:
        kept |= {"task_id": task.get("task_id"), "model_id": model}
    return kept


def documents_of(given: Iterable[Mapping[str, Any]]) -> Documents:
    """Return the passages of a file by their ids; of two with one id the first."""
    by_id: dict[str, Mapping[str, Any]] = {}
    for document in given:
        by_id.setdefault(str(document.get("document_id")), document)
    return by_id
