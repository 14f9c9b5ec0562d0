"""Writes a suite as Ragas' `EvaluationDataset` reads it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalparity.adapters.losses import losses_of_case, losses_of_suite
from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, Writer
from evalparity.unified_schema.writing import replace_file

_COLUMNS = (
    "id",
    "user_input",
    "retrieved_contexts",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
    "response",
    "multi_responses",
    "reference",
    "rubrics",
    "persona_name",
    "query_style",
    "query_length",
)

_HELD = frozenset(
    {"id", "input", "output", "reference", "reference_contexts", "retrieved_contexts", "relevance", "metadata"}
)
_NO_FIELD = "Ragas has no field for it: it is left out"
_TOLD: Mapping[str, str] = MappingProxyType(
    {
        "conversation": "Ragas' samples with contexts hold one turn: the earlier ones are left out",
        "stages": "Ragas knows only what was retrieved: what reached the model is left out",
        "prompt_contexts": "Ragas knows only what was retrieved: what reached the model is left out",
    }
)
_ID = "the ids stand in the file, but Ragas drops them on loading: its results are joined by their texts"
_GRADES = "Ragas' reference_context_ids have no grades: ids of a grade above 0 are listed, others left out"
_CHUNKS = "Ragas' passages are an id and a text: their scores, tenants, dates, versions and metadata are left out"
_EMPTY = "in CSV an empty text cannot be told from a missing one"


def _text(value: object) -> bool:
    return isinstance(value, str)


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _mapping_of_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


_FROM_METADATA: Mapping[str, Callable[[object], bool]] = MappingProxyType(
    {
        "multi_responses": _texts,
        "rubrics": _mapping_of_texts,
        "persona_name": _text,
        "query_style": _text,
        "query_length": _text,
    }
)
"""Fields of a sample that our cases keep in their metadata, and what Ragas takes for them."""


def write_ragas(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a suite as JSON lines, which `EvaluationDataset.from_jsonl` loads, or as the CSV of `to_csv`.

    Samples are of one turn; where every case has earlier turns and none has contexts, of several.

    Raises:
        UsageError: the file cannot be written.
    """
    several = _all_conversations(suite)
    table = path.suffix.lower() == ".csv"
    rows = [_messages(case) if several else _sample(case) for case in suite.cases]
    text = _csv(rows) if table else "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).") from error
    losses = (loss for case in suite.cases for loss in _losses(case, several=several, table=table))
    return (*losses_of_suite(suite, path.stem), Loss(case=None, field="id", message=_ID), *losses)


def _all_conversations(suite: EvalSuite) -> bool:
    return all(
        case.conversation
        and not case.retrieved_contexts
        and not case.reference_contexts
        and not case.relevance
        and all(turn.role in {"user", "assistant"} for turn in case.conversation)
        for case in suite.cases
    )


def _sample(case: EvalCase) -> dict[str, Any]:
    chunks = case.retrieved_contexts
    plain = [chunk.id for chunk in chunks] == [f"c{rank}" for rank, _ in enumerate(chunks, start=1)]
    found = {
        "id": case.id,
        "user_input": case.input,
        "retrieved_contexts": [chunk.text for chunk in chunks] or None,
        "reference_contexts": list(case.reference_contexts) or None,
        "retrieved_context_ids": None if plain else [chunk.id for chunk in chunks],
        "reference_context_ids": [chunk_id for chunk_id, grade in case.relevance.items() if grade > 0] or None,
        "response": case.output,
        "reference": case.reference,
        **_from_metadata(case),
    }
    return {name: value for name, value in found.items() if value is not None}


def _messages(case: EvalCase) -> dict[str, Any]:
    types = {"user": "human", "assistant": "ai"}
    said = [*((types[turn.role], turn.content) for turn in case.conversation), ("human", case.input)]
    if case.output is not None:
        said.append(("ai", case.output))
    found = {
        "id": case.id,
        "user_input": [{"content": content, "type": kind} for kind, content in said],
        "reference": case.reference,
        "rubrics": _from_metadata(case).get("rubrics"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _from_metadata(case: EvalCase) -> dict[str, Any]:
    return {name: case.metadata[name] for name, fits in _FROM_METADATA.items() if fits(case.metadata.get(name))}


def _losses(case: EvalCase, *, several: bool, table: bool) -> Iterator[Loss]:
    yield from losses_of_case(case, _HELD | ({"conversation"} if several else set()), _TOLD, _NO_FIELD)
    held = _from_metadata(case)
    held = {"rubrics": held["rubrics"]} if several and "rubrics" in held else {} if several else held
    if case.metadata.keys() - held.keys():
        yield Loss(case=case.id, field="metadata", message=_NO_FIELD)
    if any(grade != 1 for grade in case.relevance.values()):
        yield Loss(case=case.id, field="relevance", message=_GRADES)
    if any(chunk.model_dump(exclude_defaults=True).keys() - {"id", "text"} for chunk in case.retrieved_contexts):
        yield Loss(case=case.id, field="retrieved_contexts", message=_CHUNKS)
    empty = [field for field in ("input", "output", "reference") if getattr(case, field) == ""]
    if "" in held.values():
        empty.append("metadata")
    yield from (Loss(case=case.id, field=field, message=_EMPTY) for field in empty if table)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as `EvaluationDataset.to_csv` writes them, lists as Python shows them, empty columns left out."""
    columns = [name for name in _COLUMNS if any(name in row for row in rows)]
    content = io.StringIO(newline="")
    writer = csv.DictWriter(content, fieldnames=columns)
    writer.writeheader()
    writer.writerows(rows)
    return content.getvalue()


RAGAS = Writer(
    name="ragas",
    endings=(".jsonl", ".csv"),
    write=write_ragas,
    about="samples for Ragas' EvaluationDataset.from_jsonl, or its CSV with lists as Python shows them",
)
