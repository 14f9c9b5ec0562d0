"""Reads the rows of Ragas: samples of one turn and of several, test sets, and results as a suite."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from evalparity.adapters.leftovers import keep_the_rest
from evalparity.adapters.ragas_adapter.files_columns import LISTS, METRIC_COLUMNS
from evalparity.adapters.ragas_adapter.files_messages import messages_in, unfold
from evalparity.adapters.written_lists import list_in, value_in
from evalparity.unified_schema.exchange import RowShape
from evalparity.unified_schema.positions import Findings

_IDS = "retrieved_context_ids"
_TEXTS = "retrieved_contexts"


def read_sample(row: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return a row of `EvaluationDataset`, a test set or a result, with ids beside their texts and messages unfolded.

    Names are left to the loader wherever it knows them.
    """
    case = _present(row)
    for name in LISTS:
        _as_list(case, name, findings)
    _pair_ids(case, findings)
    messages = messages_in(case.get("user_input"), in_text=not (case.get("response") or case.get(_TEXTS)))
    if messages is not None:
        unfold(messages, case, findings)
        keep_the_rest(case, findings, kept=case.pop("metadata", None), framework="ragas")
    return case


def _present(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row has; NaN, by which pandas marks a gap, is none, and scores are numbers."""
    present = {key: value for key, value in row.items() if not _is_gap(value)}
    for name in METRIC_COLUMNS & present.keys():
        present[name] = number_in(present[name])
    return present


def _is_gap(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def number_in(cell: object) -> object:
    """Return a cell's text as the number that it shows; anything else, and what is no finite number, as it is."""
    if not isinstance(cell, str):
        return cell
    try:
        number = float(cell)
    except ValueError:
        return cell
    return number if math.isfinite(number) and "_" not in cell else cell


def _as_list(case: dict[str, Any], name: str, findings: Findings) -> None:
    if case.get(name) == "":  # an empty cell
        del case[name]
    value = value_in(case.get(name))
    if value is not None:
        case[name] = value
        findings.remark((name,), f"the text in {name} is read as the list that it shows")


def _pair_ids(case: dict[str, Any], findings: Findings) -> None:
    """Put the ids of retrieved passages to their texts; ids alone are passages without text."""
    ids = case.pop(_IDS, None)
    if not ids:
        return
    ids = ids if isinstance(ids, list) else [ids]
    texts = case.get(_TEXTS) or []
    if not texts:
        findings.remark((_TEXTS,), f"{_IDS} stand alone: the passages have ids and no text")
        texts = [""] * len(ids)
    if not isinstance(texts, list) or len(texts) != len(ids):
        count = len(texts) if isinstance(texts, list) else 1
        told = f"there are {len(ids)} {_IDS} and {count} {_TEXTS}: give each passage its id, or leave the ids out"
        findings.fault((_IDS,), told)
        return
    case[_TEXTS] = [_chunk(chunk_id, text) for chunk_id, text in zip(ids, texts, strict=True)]
    findings.remark((_TEXTS,), f"{_IDS} are the ids of {_TEXTS}")


def _chunk(chunk_id: object, text: object) -> object:
    return {**text, "id": chunk_id} if isinstance(text, Mapping) else {"id": chunk_id, "text": text}


def _is_sample(columns: frozenset[str]) -> bool:
    return "user_input" in columns


def _is_old_test_set(columns: frozenset[str]) -> bool:
    return {"question", "contexts", "evolution_type"} <= columns and "answer" not in columns


def _read_old_test_set(row: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return a row of a 0.1 test set, whose contexts are those that the question was made from."""
    case = _present(row)
    if "contexts" in case:
        contexts = case.pop("contexts")
        listed = list_in(contexts)
        case["reference_contexts"] = contexts if listed is None else listed
        findings.moved[("reference_contexts",)] = ("contexts",)
        told = "contexts of a Ragas 0.1 test set are read as reference_contexts: the question was made from them"
        findings.remark(("reference_contexts",), told)
    if "metadata" in case and not isinstance(case["metadata"], Mapping):
        case["document_metadata"] = case.pop("metadata")  # that of the documents, a list
    return case


SAMPLES = RowShape(name="Ragas samples", recognises=_is_sample, read=read_sample)
OLD_TEST_SET = RowShape(name="Ragas 0.1 test set", recognises=_is_old_test_set, read=_read_old_test_set)
