"""Writes a suite so that the InspectorRAGet viewer shows it: documents, tasks, answers and human ratings.

Where every case was read from such a file (it is called TASK::MODEL), answers to one task stand under one task again;
else every case is a task of its own, answered by a model called `recorded`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from evalparity.adapters.inspectorraget.cases import ANSWERABILITY, ANSWERABLE, DOCUMENT_KEYS, PLAIN_TYPES, TASK_KEYS
from evalparity.adapters.inspectorraget.layout import RECORDED, case_id
from evalparity.adapters.inspectorraget.ratings import metric_data, rating_data
from evalparity.unified_schema.cases import Chunk, EvalCase, EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, Writer
from evalparity.unified_schema.writing import case_data

_NO_PLACE = (
    "reference_contexts", "stages", "prompt_contexts", "relevance", "evidence", "citations", "access", "as_of", "hops",
    "usage",
)  # fmt: skip
"""Fields of a case that the viewer knows nothing of."""

_NO_PLACE_IN_CHUNKS = ("tenant", "valid_from", "valid_to", "version")
_SPEAKERS = {"user": "user", "assistant": "agent"}
_OWN_TYPES = ("generation", "text_generation", "json_generation", "tool_calling", "agentic")
_FEWEST_REFERENCES = 2


@dataclass(slots=True)
class _Documents:
    """The passages of all cases; one id stands for one text with its metadata."""

    by_id: dict[str, dict[str, Any]] = field(default_factory=dict)

    def entry(self, chunk: Chunk) -> dict[str, Any]:
        """Return how a task names a passage; `id` is ours where other cases have another passage of this id."""
        extra = {key: value for key, value in chunk.metadata.items() if key not in DOCUMENT_KEYS}
        document = {"text": chunk.text, **extra}
        name, number = chunk.id, 1
        while self.by_id.setdefault(name, document) != document:
            number += 1
            name = f"{chunk.id}#{number}"
        return {
            "document_id": name,
            **({} if name == chunk.id else {"id": chunk.id}),
            **({} if chunk.score is None else {"score": chunk.score}),
        }


def write_inspectorraget(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a suite as a JSON file of the viewer; return what it has no place for.

    Raises:
        UsageError: the file cannot be written.
    """
    losses = [*_losses_of_suite(suite), *(loss for case in suite.cases for loss in _losses_of(case))]
    text = json.dumps(_document(suite, losses), ensure_ascii=False, indent=1, allow_nan=False)
    try:
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).") from error
    return tuple(dict.fromkeys(losses))


def _document(suite: EvalSuite, losses: list[Loss]) -> dict[str, Any]:
    documents, metrics = _Documents(), metric_data(suite)
    tasks: list[dict[str, Any]] = []
    evaluations: list[dict[str, Any]] = []
    models: dict[str, None] = {}
    for task_id, model_cases in _by_task(suite):
        tasks.append(_task(task_id, model_cases[0][1], documents, losses))
        for model, case in model_cases:
            models.setdefault(model)
            evaluations.extend(_evaluation(task_id, model, case, metrics, losses))
    return {
        "name": suite.name,
        "models": [{"model_id": model, "name": model, "owner": ""} for model in models],
        "metrics": metrics,
        "documents": [{"document_id": name, **document} for name, document in documents.by_id.items()],
        "filters": _filters(tasks),
        "tasks": tasks,
        "evaluations": evaluations,
    }


def _by_task(suite: EvalSuite) -> list[tuple[str, list[tuple[str, EvalCase]]]]:
    """Return the cases by task as pairs of model and case, in the order of the suite."""
    named = [(_text(case, "task_id"), _text(case, "model_id"), case) for case in suite.cases]
    groups = [
        (task, [(str(model), _without_names(case)) for _, model, case in own])
        for task, own in groupby(named, key=lambda one: one[0])
    ]
    whole = len({task for task, _ in groups}) == len(groups) and all(
        task is not None and model is not None and case.output is not None and model != RECORDED
        and case.id == case_id(task, model)
        for task, model, case in named
    ) and all(_as_asked(case) == _as_asked(own[0][1]) for _, own in groups for _, case in own)  # fmt: skip
    if whole:
        return [(str(task), own) for task, own in groups]
    return [(case.id, [(RECORDED, case)]) for case in suite.cases]


def _text(case: EvalCase, name: str) -> str | None:
    value = case.metadata.get(name)
    return value if isinstance(value, str) else None


def _without_names(case: EvalCase) -> EvalCase:
    kept = {key: value for key, value in case.metadata.items() if key not in {"task_id", "model_id"}}
    return case.model_copy(update={"metadata": kept})


def _as_asked(case: EvalCase) -> dict[str, Any]:
    return {key: value for key, value in case_data(case).items() if key not in {"id", "output", "labels"}}


def _task(task_id: str, case: EvalCase, documents: _Documents, losses: list[Loss]) -> dict[str, Any]:
    own = case.metadata.get("task_type")
    task = {
        "task_id": task_id,
        "task_type": own if own in _OWN_TYPES else "rag",
        **_asked(case),
        "contexts": [documents.entry(chunk) for chunk in case.retrieved_contexts],
        "targets": [{"speaker": "agent", "text": text} for text in _references(case)],
    }
    if case.category is not None:
        task["category"] = case.category
    if case.answerable is not None:
        task[ANSWERABILITY] = [word for word, value in ANSWERABLE.items() if value is case.answerable]
    return {**task, **_metadata(case, task, losses)}


def _asked(case: EvalCase) -> dict[str, Any]:
    turns = [*((turn.role, turn.content) for turn in case.conversation), ("user", case.input)]
    if all(role in _SPEAKERS for role, _ in turns):
        return {"input": [{"speaker": _SPEAKERS[role], "text": text} for role, text in turns]}
    return {"task_type": "chat", "input": [{"role": role, "content": text} for role, text in turns]}


def _references(case: EvalCase) -> list[str]:
    if case.reference is None:
        return []
    return _several(case) or [case.reference]


def _several(case: EvalCase) -> list[str]:
    """Return all references where the metadata hold several, the first of which is the reference; else nothing."""
    listed = case.metadata.get("references")
    if not isinstance(listed, list) or len(listed) < _FEWEST_REFERENCES or listed[0] != case.reference:
        return []
    texts = [text for text in listed if isinstance(text, str)]
    return texts if len(texts) == len(listed) else []


def _metadata(case: EvalCase, task: Mapping[str, Any], losses: list[Loss]) -> dict[str, Any]:
    kept = {}
    for key, value in case.metadata.items():
        if (key == "references" and _several(case)) or (key == "task_type" and value == task["task_type"]):
            continue
        if key in TASK_KEYS or key in task or (key == ANSWERABILITY and _would_be_read(value)):
            message = f"the key {key} of the metadata means something else in a task and is left out"
            losses.append(Loss(case=case.id, field="metadata", message=message))
            continue
        kept[key] = value
    return kept


def _would_be_read(value: object) -> bool:
    word = value[0] if isinstance(value, list) and len(value) == 1 else value
    return isinstance(word, str) and word in ANSWERABLE


def _evaluation(
    task_id: str, model: str, case: EvalCase, metrics: list[dict[str, Any]], losses: list[Loss]
) -> Iterator[dict[str, Any]]:
    if case.output is None:
        message = "a case without an output is a task that no model answered; the viewer does not show it"
        losses.append(Loss(case=case.id, field="output", message=message))
        if case.labels:
            losses.append(Loss(case=case.id, field="labels", message="there is no answer that they could rate"))
        return
    annotations, lost = rating_data(case, metrics)
    losses.extend(lost)
    yield {"task_id": task_id, "model_id": model, "model_response": case.output, "annotations": annotations}


def _filters(tasks: list[dict[str, Any]]) -> list[str]:
    """Return the keys by which the viewer can filter: texts, or lists of texts, in every task."""
    common = set.intersection(*(set(task) for task in tasks)) - (TASK_KEYS - {"category"})
    return [key for key in tasks[0] if key in common and all(_is_texts(task[key]) for task in tasks)]


def _is_texts(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(text, str) for text in value))


def _losses_of_suite(suite: EvalSuite) -> Iterator[Loss]:
    if suite.corpus is not None:
        yield Loss(case=None, field="corpus", message="only passages that were retrieved are written")


def _losses_of(case: EvalCase) -> Iterator[Loss]:
    held = case_data(case)
    for name in _NO_PLACE:
        if name in held or (name == "prompt_contexts" and case.prompt_contexts is not None):
            yield Loss(case=case.id, field=name, message="the viewer has no place for it")
    for chunk in case.retrieved_contexts:
        lost = [name for name in _NO_PLACE_IN_CHUNKS if getattr(chunk, name) is not None]
        lost += [f"metadata.{key}" for key in chunk.metadata if key in DOCUMENT_KEYS]
        if lost:
            message = f"the viewer has no place for {', '.join(lost)} of a passage"
            yield Loss(case=case.id, field="retrieved_contexts", message=message)
    if case.metadata.get("task_type") in PLAIN_TYPES:
        yield Loss(case=case.id, field="metadata", message="a task_type that a case says by itself is left out")


WRITER = Writer(
    name="inspectorraget",
    endings=(".json",),
    write=write_inspectorraget,
    about="a file of the InspectorRAGet viewer: answers, passages and human ratings side by side",
)
