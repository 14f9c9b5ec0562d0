"""Reads rows as tracing tools export them: `inputs`, `outputs` and `reference_outputs` that hold named values each.

So do LangSmith (https://docs.langchain.com/langsmith) and Langfuse (https://langfuse.com/docs). The answer of the
application and the reference answer are never crossed: only the part that a value stands in tells which it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.positions import Findings

_ASKED = frozenset({"question", "query", "input", "user_input", "prompt", "text", "user_query"})
_SAID = frozenset({"answer", "output", "response", "result", "text", "generation", "actual_output", "completion"})
_RIGHT = _SAID | {"reference", "ground_truth", "expected_output", "expected_answer", "label"}
_PASSAGES = frozenset(
    {"contexts", "context", "documents", "retrieved_contexts", "retrieval_context", "source_documents"}
)

_TURNS = frozenset({"messages", "chat_history"})

_PARTS: Mapping[str, tuple[tuple[str, frozenset[str]], ...]] = MappingProxyType(
    {
        "inputs": (("input", _ASKED), ("retrieved_contexts", _PASSAGES), ("messages", _TURNS)),
        "input": (("input", _ASKED), ("retrieved_contexts", _PASSAGES), ("messages", _TURNS)),
        "outputs": (("output", _SAID), ("retrieved_contexts", _PASSAGES)),
        "output": (("output", _SAID), ("retrieved_contexts", _PASSAGES)),
        "reference_outputs": (("reference", _RIGHT), ("reference_contexts", _PASSAGES)),
        "reference": (("reference", _RIGHT), ("reference_contexts", _PASSAGES)),
        "expected_output": (("reference", _RIGHT), ("reference_contexts", _PASSAGES)),
        "expectedOutput": (("reference", _RIGHT), ("reference_contexts", _PASSAGES)),
    }
)
"""By the part of a row, our fields for what stands in it, and the names that each field goes by there."""

PARTS = frozenset(_PARTS)
"""Names of the parts; only a part that holds a mapping is taken apart."""


def take_apart(data: Mapping[str, Any], findings: Findings) -> Mapping[str, Any]:
    """Return a row with the values of its parts under our names; a row without such parts as it is.

    Args:
        data: a row under any names.
        findings: takes what was moved, and where two values claim one field.
    """
    parts = [key for key in data if key in _PARTS and isinstance(data[key], Mapping)]
    if not parts:
        return data
    row = {key: value for key, value in data.items() if key not in parts}
    for part in parts:
        _take_part(part, data[part], row, findings)
    return row


def _take_part(part: str, held: Mapping[str, Any], row: dict[str, Any], findings: Findings) -> None:
    left = {str(key): value for key, value in held.items() if value is not None}
    for place, (field, names) in enumerate(_PARTS[part]):
        found = [key for key in left if key in names]
        if place == 0 and not found and len(left) == 1:  # whatever the application calls its only value
            found = [key for key, value in left.items() if isinstance(value, str)]
        if len(found) > 1:
            told = " and ".join(f"{part}.{key}" for key in found)
            findings.fault((part,), f"{told} all claim {field}: keep one of them")
        for key in found:
            _put(part, key, field, left.pop(key), row, findings)
    if left:
        metadata = row.get("metadata")
        row["metadata"] = {part: left, **(metadata if isinstance(metadata, Mapping) else {})}
        findings.remark((part,), f"other values of {part} are kept in metadata.{part}")


def _put(part: str, key: str, field: str, value: object, row: dict[str, Any], findings: Findings) -> None:
    if row.get(field) is not None:
        findings.fault((part, key), f"{part}.{key} and another column both claim {field}: keep one of them")
        return
    row[field] = value
    findings.moved[(field,)] = (part, key)
    findings.remark((part,), f"{part}.{key} is read as {field}{_ADVICE.get(part, '')}")


_ADVICE: Mapping[str, str] = MappingProxyType(
    {"outputs": ", the answer under test; in an export of a LangSmith data set it is the reference: name it so then"}
)
