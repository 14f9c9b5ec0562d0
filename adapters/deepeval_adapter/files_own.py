"""What our own DeepEval files keep in `additional_metadata`, so that the suite comes back whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalparity.adapters.deepeval_adapter.files_names import OWN
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.positions import Findings
from evalparity.unified_schema.short_forms import CASE_KEYS
from evalparity.unified_schema.writing import case_data

_NATIVE = frozenset({"input", "output", "reference", "reference_contexts", "retrieved_contexts", "metadata"})
"""What DeepEval has fields for."""
_CHANGED = "the passages are no longer those that were written: take the entry evalparity out of the metadata"


def metadata_of(case: EvalCase) -> dict[str, Any]:
    """Return the metadata of a case with all in it that DeepEval has no field for, under a key of our own."""
    data = case_data(case)
    own = {name: value for name, value in data.items() if name not in _NATIVE}
    chunks = data.get("retrieved_contexts", ())
    if chunks:
        own["chunks"] = [{name: value for name, value in chunk.items() if name != "text"} for chunk in chunks]
    metadata = data.get("metadata", {})
    if OWN in metadata:
        return {OWN: {**own, "metadata": metadata}}
    return {**metadata, OWN: own}


def take_back(case: Mapping[str, Any], own: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return the case that our own writer wrote."""
    metadata = own.get("metadata", {name: value for name, value in case["additional_metadata"].items() if name != OWN})
    kept = {name: value for name, value in own.items() if name in CASE_KEYS and name not in _NATIVE}
    passages, chunks = case.get("retrieval_context") or [], own.get("chunks", [])
    if not isinstance(passages, list):
        passages = [passages]
    if not isinstance(chunks, list) or len(chunks) != len(passages):
        findings.fault(("retrieval_context",), _CHANGED)
        chunks = [{}] * len(passages)
    paired = [
        {**(chunk if isinstance(chunk, Mapping) else {}), "text": text}
        for chunk, text in zip(chunks, passages, strict=True)
    ]
    return {
        "input": case.get("input"),
        "actual_output": case.get("actual_output"),
        "expected_output": case.get("expected_output"),
        "context": case.get("context"),
        "retrieval_context": paired,
        **kept,
        "metadata": metadata,
    }
