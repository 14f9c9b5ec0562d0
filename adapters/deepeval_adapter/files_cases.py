"""Reads DeepEval's goldens and test cases, of one turn and of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evalparity.adapters.deepeval_adapter.files_lists import split_lists
from evalparity.adapters.deepeval_adapter.files_names import CAMEL, MARKER, OWN, SEVERAL, SINGLE, USAGE
from evalparity.adapters.deepeval_adapter.files_own import take_back
from evalparity.adapters.deepeval_adapter.files_turns import unfold
from evalparity.adapters.leftovers import keep_the_rest
from evalparity.adapters.written_lists import value_in
from evalparity.unified_schema.exchange import RowShape
from evalparity.unified_schema.positions import Findings

_METADATA = "additional_metadata"
_RETRIEVED = "retrieval_context"
_MAY_BE_EMPTY = frozenset({"input", "actual_output", "expected_output"})
_STRUCTURED = (_METADATA, "turns", "persona", "tools_called", "expected_tools", "custom_column_key_values")


def is_case(columns: frozenset[str]) -> bool:
    """Say whether these are the fields of a golden or a test case."""
    one = "input" in columns and bool(columns & SINGLE)
    several = bool(columns & {"scenario", "turns"}) and bool(columns & (SEVERAL | SINGLE))
    return one or several


def read_document_case(row: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return a golden or test case out of a JSON document, where lists are lists, under names that are known."""
    case: dict[str, Any] = {}
    for key, value in row.items():
        name = CAMEL.get(key, key)
        if value not in (None, "") or name in _MAY_BE_EMPTY:
            _put(case, name, key, value, findings)
    own = _metadata(case)
    if own is not None:
        return take_back(case, own, findings)
    if "turns" in case or "scenario" in case:
        unfold(case, findings)
    _sources(case)
    _usage(case, findings)
    kept = case.pop("metadata", None)
    if kept is not None and _METADATA in case:
        findings.fault((_METADATA,), f"{_METADATA} and metadata are two names of one field: keep one of them")
    keep_the_rest(case, findings, kept=case.pop(_METADATA, kept), framework="deepeval")
    return case


def read_row_case(row: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return a golden or test case out of a row of CSV or JSON lines, where passages are joined by `|`."""
    case = dict(row)
    for key in row:
        if CAMEL.get(key, key) in _STRUCTURED:
            value = value_in(row[key])
            case[key] = row[key] if value is None else value
    split_lists(case, findings)
    return read_document_case(case, findings)


def _put(case: dict[str, Any], name: str, key: str, value: object, findings: Findings) -> None:
    if case.get(name) is not None:
        findings.fault((key,), f"{key} and {findings.in_file((name,))[0]} are two names of one field: keep one of them")
        return
    case[name] = value
    if name != key:
        findings.moved[(name,)] = (key,)


def _metadata(case: dict[str, Any]) -> Mapping[str, Any] | None:
    """Return what our own writer kept in the metadata of a case; None where it is another's."""
    for name in (_METADATA, "metadata"):
        kept = case.get(name)
        own = kept.get(OWN) if isinstance(kept, Mapping) else None
        if isinstance(own, Mapping) and "id" in own:
            case[_METADATA] = case.pop(name)
            return own
    return None


def _sources(case: dict[str, Any]) -> None:
    passages = case.get(_RETRIEVED)
    if isinstance(passages, list):
        case[_RETRIEVED] = [_passage(passage) for passage in passages]


def _passage(passage: object) -> object:
    """Return a passage that knows its source with the source in its metadata."""
    marked = MARKER.match(passage) if isinstance(passage, str) else None
    if marked is not None:
        return {"text": marked["context"], "metadata": {"source": marked["source"]}}
    if isinstance(passage, Mapping) and passage.keys() == {"context", "source"}:
        return {"text": passage["context"], "metadata": {"source": passage["source"]}}
    return passage


def _usage(case: dict[str, Any], findings: Findings) -> None:
    spent = {name: amount for name in USAGE if (amount := _amount(name, case.get(name))) is not None}
    if spent and "usage" not in case:
        case["usage"] = {USAGE[name]: amount for name, amount in spent.items()}
        for name in spent:
            del case[name]
        findings.remark(("usage",), "tokens, cost and time of the application are read as usage")


def _amount(name: str, value: object) -> float | int | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    whole = name.endswith("_count")
    return (int(value) if value == int(value) else None) if whole else float(value)


def shape(name: str, read: Callable[[Mapping[str, Any], Findings], dict[str, Any]]) -> RowShape:
    """Return the shape of goldens and test cases that are read so."""
    return RowShape(name=name, recognises=is_case, read=read)


IN_DOCUMENT = shape("DeepEval goldens or test cases", read_document_case)
IN_ROWS = shape("DeepEval goldens or test cases", read_row_case)
