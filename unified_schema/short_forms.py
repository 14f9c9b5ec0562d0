"""The short forms that a person may write in a case, and how each becomes the full form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.cases import Chunk, EvalCase
from evalparity.unified_schema.field_types import read_fields, unknown_key
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES, rename_fields
from evalparity.unified_schema.positions import Findings
from evalparity.unified_schema.scalars import as_id

CASE_KEYS = frozenset(EvalCase.model_fields) | {"relevant"}
"""Our own names: the fields of a case, and the short form `relevant`."""


def expand_case(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case with every short form written out and every value read by the type of its field.

    Raises:
        ValueError: a key is unknown, or two keys claim one field.
    """
    findings = Findings()
    expanded = write_out(rename_fields(data, CASE_KEYS, findings), findings)
    if findings.faults:
        raise ValueError("; ".join(message for _, message in findings.faults))
    return expanded


def write_out(named: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return a case under our names with short forms written out; pure, and the same when done twice."""
    case = {key: value for key, value in named.items() if value is not None}
    _relevant(case, findings)
    _other_references(case, findings)
    for field, form in _FORMS.items():
        if field in case:
            case[field] = form(case[field], (field,), findings)
    for key in case.keys() - EvalCase.model_fields.keys():
        findings.fault((key,), unknown_key(key, CASE_KEYS, FOREIGN_NAMES))
        del case[key]
    expanded = read_fields(EvalCase, case, (), findings)
    assert isinstance(expanded, dict)
    return expanded


def _relevant(case: dict[str, Any], findings: Findings) -> None:
    if "relevant" not in case:
        return
    ids = _listed(case.pop("relevant"))
    source = findings.in_file(("relevant",))
    if "relevance" in case:
        findings.fault(source, "relevant and relevance both claim the judgements: keep one of them")
    elif all(isinstance(as_id(chunk_id), str) for chunk_id in ids):
        case["relevance"] = {as_id(chunk_id): 1.0 for chunk_id in ids}
        findings.moved[("relevance",)] = source
    else:
        findings.fault(source, "must be a list of chunk ids as [d1, d3], each a text: put it in quotes")


def _other_references(case: dict[str, Any], findings: Findings) -> None:
    references = case.get("reference")
    if not isinstance(references, list | tuple):
        return
    given = [text for text in references if text is not None]
    case["reference"] = given[0] if given else None
    metadata = case.get("metadata", {})
    if len(given) > 1 and isinstance(metadata, Mapping):
        case["metadata"] = {"references": given, **metadata}
        findings.remark(("reference",), "the first of several references is used, all are in metadata.references")


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 - raw data
    return list(value) if isinstance(value, list | tuple) else [value]


def _without_gaps(value: Any, path: tuple[str | int, ...], findings: Findings) -> list[tuple[int, Any]]:  # noqa: ANN401 - raw data
    """Return the items with their 1-based ranks in the file; an empty item is left out and noted."""
    kept = [(rank, item) for rank, item in enumerate(_listed(value), start=1) if item is not None]
    if isinstance(value, list | tuple) and len(kept) < len(value):
        findings.remark(path, "an empty item (null) is left out")
        source = findings.in_file(path)
        findings.moved.update({(*path, place): (*source, rank - 1) for place, (rank, _) in enumerate(kept)})
    return kept


def _texts(value: Any, path: tuple[str | int, ...], findings: Findings) -> Any:  # noqa: ANN401 - raw data
    if isinstance(value, str):
        findings.remark(path, "the single text is read as a list of one")
    return [item for _, item in _without_gaps(value, path, findings)]


def _chunks(value: Any, path: tuple[str | int, ...], findings: Findings) -> Any:  # noqa: ANN401 - raw data
    if isinstance(value, str):
        findings.remark(path, "the single text is read as a list of one")
    ranked = _without_gaps(value, path, findings)
    given = (as_id(item.get("id")) for _, item in ranked if isinstance(item, Mapping))
    taken = {chunk_id for chunk_id in given if isinstance(chunk_id, str)}
    taken |= {item.id for _, item in ranked if isinstance(item, Chunk)}
    return [_chunk(item, _free_id(rank, taken)) for rank, item in ranked]


def _free_id(rank: int, taken: set[str]) -> str:
    names = (f"c{rank}" if attempt == 1 else f"c{rank}-{attempt}" for attempt in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _chunk(item: Any, chunk_id: str) -> Any:  # noqa: ANN401 - raw data
    if isinstance(item, Mapping):
        return item if item.get("id") is not None else {**item, "id": chunk_id}
    return item if isinstance(item, Chunk) else {"id": chunk_id, "text": item}


def _ids(value: Any, _path: tuple[str | int, ...], _findings: Findings) -> Any:  # noqa: ANN401 - raw data
    return [value] if isinstance(value, str | int) else value


def _stages(value: Any, _path: tuple[str | int, ...], _findings: Findings) -> Any:  # noqa: ANN401 - raw data
    if not isinstance(value, Mapping):
        return value
    return [{"name": name, "ids": ids} for name, ids in value.items()]


def _evidence(value: Any, _path: tuple[str | int, ...], _findings: Findings) -> Any:  # noqa: ANN401 - raw data
    return [_unit(item) for item in _listed(value)]


def _unit(item: Any) -> Any:  # noqa: ANN401 - raw data
    if isinstance(item, list | tuple):
        return {"any_of": item}
    if isinstance(item, Mapping):
        any_of = item.get("any_of")
        return {**item, "any_of": [any_of]} if isinstance(any_of, str | int) else item
    return {"any_of": [item]} if isinstance(item, str | int) else item


def _access(value: Any, _path: tuple[str | int, ...], _findings: Findings) -> Any:  # noqa: ANN401 - raw data
    return {"tenant": value} if isinstance(value, str | int) else value


def _labels(value: Any, path: tuple[str | int, ...], findings: Findings) -> Any:  # noqa: ANN401 - raw data
    if not isinstance(value, Mapping):
        return value
    return {name: _ratings(given, (*path, name), findings) for name, given in value.items()}


def _ratings(given: Any, path: tuple[str | int, ...], findings: Findings) -> Any:  # noqa: ANN401 - raw data
    if isinstance(given, Mapping) and not given.keys() & {"value", "rater"}:
        given = [{"rater": rater, "value": value} for rater, value in given.items()]
    ratings = [item if isinstance(item, Mapping) else {"value": item} for item in _listed(given)]
    rated = [item for item in ratings if not _is_empty(item.get("value", "missing"))]
    if len(rated) < len(ratings):
        findings.remark(path, "an empty rating is left out")
    return rated


def _is_empty(rating: Any) -> bool:  # noqa: ANN401 - raw data
    return rating is None or (isinstance(rating, str) and not rating.strip())


_FORMS: Mapping[str, Callable[[Any, tuple[str | int, ...], Findings], Any]] = MappingProxyType(
    {
        "reference_contexts": _texts,
        "retrieved_contexts": _chunks,
        "stages": _stages,
        "prompt_contexts": _ids,
        "evidence": _evidence,
        "access": _access,
        "labels": _labels,
    }
)
