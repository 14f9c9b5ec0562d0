"""Writes a suite in the EvalPort format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalparity.adapters.evalport.suite import GRADER, VERSION
from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, Writer
from evalparity.unified_schema.writing import case_data

_NO_PLACE = (
    "output", "reference_contexts", "stages", "prompt_contexts", "relevance", "evidence", "answerable", "citations",
    "access", "as_of", "hops", "labels", "usage",
)  # fmt: skip
_WHY = {"output": "a test case holds no answer: the format keeps answers in result sets"}


def write_evalport(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a suite as an EvalPort JSON file; return what it has no place for.

    Raises:
        UsageError: the file cannot be written.
    """
    data = {
        "version": VERSION,
        "id": suite.name,
        "name": suite.name,
        "graders": [{"id": GRADER, "type": "custom", "params": {"handler": GRADER}}],
        "test_cases": [_test_case(case) for case in suite.cases],
    }
    try:
        text = json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).") from error
    held = {"corpus": suite.corpus, "label_scales": suite.label_scales}
    of_suite = [name for name, value in held.items() if value]
    lost = (Loss(case=None, field=name, message="the format has no place for it") for name in of_suite)
    return (*lost, *(loss for case in suite.cases for loss in _losses(case)))


def _test_case(case: EvalCase) -> dict[str, Any]:
    metadata = {key: value for key, value in case.metadata.items() if key not in _taken(case)}
    metadata |= {} if case.category is None else {"category": case.category}
    data = {
        "id": case.id,
        "input": [*(turn.content for turn in case.conversation), case.input] if _told_whole(case) else case.input,
        "expected_output": case.reference,
        "retrieval_context": [chunk.text for chunk in case.retrieved_contexts] or None,
        "context": case.metadata.get("context") if _has_context(case) else None,
        "graders": [GRADER],
        "metadata": metadata or None,
    }
    return {key: value for key, value in data.items() if value is not None}


def _told_whole(case: EvalCase) -> bool:
    """Whether the turns before are the user's alone: the format knows no roles."""
    return bool(case.conversation) and all(turn.role == "user" for turn in case.conversation)


def _has_context(case: EvalCase) -> bool:
    given = case.metadata.get("context")
    return bool(case.retrieved_contexts) and isinstance(given, list) and all(isinstance(text, str) for text in given)


def _taken(case: EvalCase) -> set[str]:
    taken = {"context"} if _has_context(case) else set()
    names_one = isinstance(case.metadata.get("category"), str) or case.category is not None
    return taken | ({"category"} if names_one else set())


def _losses(case: EvalCase) -> Iterator[Loss]:
    held = case_data(case)
    for name in _NO_PLACE:
        if name in held:
            yield Loss(case=case.id, field=name, message=_WHY.get(name, "the format has no place for it"))
    if case.conversation and not _told_whole(case):
        yield Loss(case=case.id, field="conversation", message="the format knows turns of the user only")
    if not case.input:
        yield Loss(case=case.id, field="input", message="an empty input is refused by readers of the format")
    if any(_more_than_text(number, chunk) for number, chunk in enumerate(held.get("retrieved_contexts", ()), 1)):
        yield Loss(case=case.id, field="retrieved_contexts", message="only the texts are written, in their order")
    if "category" in case.metadata and "category" in _taken(case):
        yield Loss(case=case.id, field="metadata", message="the key category would be read as the case's own")


def _more_than_text(number: int, chunk: dict[str, Any]) -> bool:
    return chunk.keys() != {"id", "text"} or chunk["id"] != f"c{number}"


WRITER = Writer(
    name="evalport",
    endings=(".json",),
    write=write_evalport,
    about="an EvalPort suite: questions, references and passages, without answers",
)
