"""The names that other tools give to the fields of a case."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.field_types import unknown_key
from evalparity.unified_schema.positions import Findings, quoted

FOREIGN_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "case_id": "id",
        "record_id": "id",  # TruLens
        "sample_id": "id",
        "question_id": "id",
        "question": "input",
        "query": "input",
        "user_input": "input",
        "user_query": "input",
        "main_input": "input",
        "inputs": "input",
        "answer": "output",
        "response": "output",
        "actual_output": "output",
        "actualOutput": "output",
        "main_output": "output",
        "generated_answer": "output",
        "prediction": "output",
        "outputs": "output",
        "ground_truth": "reference",
        "ground_truths": "reference",
        "expected_answer": "reference",
        "expected_output": "reference",
        "expectedOutput": "reference",  # Langfuse, DeepEval
        "expected_response": "reference",  # TruLens
        "reference_answer": "reference",
        "gold_answer": "reference",
        "reference_outputs": "reference",  # LangSmith
        "contexts": "retrieved_contexts",
        "retrieval_context": "retrieved_contexts",
        "retrievalContext": "retrieved_contexts",
        "retrieved_documents": "retrieved_contexts",
        "retrieved_chunks": "retrieved_contexts",
        "source_documents": "retrieved_contexts",
        "context": "reference_contexts",  # DeepEval: the ideal passages, not the retrieved ones
        "expected_chunks": "reference_contexts",  # TruLens
        "relevant_ids": "relevant",
        "relevant_chunk_ids": "relevant",
        "reference_context_ids": "relevant",
        "additional_metadata": "metadata",
        "additionalMetadata": "metadata",
    }
)
"""Our field by the name that another tool gives it; `relevant` is our own short form of `relevance`."""


def rename_fields(
    data: Mapping[str, Any],
    known: frozenset[str],
    findings: Findings,
    *,
    keep_unknown: bool = False,
    loose: bool = False,
) -> dict[str, Any]:
    """Return a case under our names; two names that claim one field are a fault.

    Args:
        data: the case as the file has it.
        known: our own names.
        findings: where to note what was renamed.
        keep_unknown: move unknown keys to `metadata`, instead of leaving them where they are refused; of a case that
            uses our names alone, not those that look like one of them with a slip of the pen.
        loose: move unknown keys of any case there.
    """
    named: dict[str, Any] = {key: value for key, value in data.items() if key in known}
    foreign = False
    for key in data:
        if key in known or key not in FOREIGN_NAMES:
            continue
        foreign = True
        _rename(key, data[key], named, findings)
    unknown = [key for key in data if key not in known and key not in FOREIGN_NAMES]
    kept = [key for key in unknown if loose or (keep_unknown and (foreign or not _is_slip(key, known)))]
    if kept:
        _move_to_metadata({key: data[key] for key in kept}, named, known, findings)
    named.update({key: data[key] for key in unknown if key not in kept})
    return named


def _is_slip(key: str, known: frozenset[str]) -> bool:
    """Tell whether a key looks like one of ours with a slip of the pen."""
    return "did you mean" in unknown_key(key, known, FOREIGN_NAMES)


def _rename(key: str, value: object, named: dict[str, Any], findings: Findings) -> None:
    field = FOREIGN_NAMES[key]
    if value is None:
        return
    if named.get(field) is not None:
        taken = findings.in_file((field,))[0]
        findings.fault((key,), f"{key} and {taken} both claim {field}: keep one of them")
        return
    named[field] = value
    findings.moved[(field,)] = (key,)
    findings.remark((field,), f"{key} is read as {field}{_ADVICE.get(key, '')}")


def _move_to_metadata(
    unknown: Mapping[str, Any], named: dict[str, Any], known: frozenset[str], findings: Findings
) -> None:
    metadata = named.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        named.update(unknown)
        return
    for key in unknown:
        hint = unknown_key(key, known, FOREIGN_NAMES)
        near = f" ({hint.rpartition(': ')[2]})" if "did you mean" in hint else ""
        findings.moved[("metadata", key)] = (key,)
        findings.remark(("metadata", key), f"the unknown key {quoted(key)} is kept in metadata{near}")
    named["metadata"] = {**unknown, **metadata}


_ADVICE: Mapping[str, str] = MappingProxyType(
    {"context": " (DeepEval's meaning); name it retrieved_contexts if a retriever returned it"}
)
