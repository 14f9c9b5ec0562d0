"""Human labels out of result files, joined to the cases of a suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from evalparity.adapters.exchange import NativeResults
from evalparity.comparisons.importing.joining import Joiner, Miss
from evalparity.unified_schema.cases import EvalCase, Rating
from evalparity.unified_schema.outcomes import Frozen
from evalparity.unified_schema.positions import quoted


class ImportedLabels(Frozen):
    """Human labels of one case, as a result file has them; a line of `labels.jsonl`."""

    case_id: str
    file: str
    labels: dict[str, tuple[Rating, ...]]
    in_suite: bool
    """Whether the suite has all of them as well."""


class LostLabels(Frozen):
    """Labels that belong to no case, and why; a line of `lost_labels.jsonl`."""

    file: str
    told: str


def read_labels(file: str, results: NativeResults, joiner: Joiner) -> Iterator[ImportedLabels | LostLabels]:
    """Yield the labels of one framework's results in one file, by case.

    Args:
        file: path as the user gave it.
        results: what the file holds.
        joiner: finds cases.
    """
    for row, labels in results.labels:
        found = joiner.find(row)
        ratings = _ratings(labels)
        if isinstance(found, Miss):
            yield LostLabels(file=file, told=f"the labels of a row that {found.told}")
        elif ratings is None:
            yield LostLabels(file=file, told=f"the labels of case {quoted(found.id)} cannot be read")
        else:
            yield ImportedLabels(case_id=found.id, file=file, labels=ratings, in_suite=_has_all(found.labels, ratings))


def _ratings(labels: Mapping[str, Any]) -> dict[str, tuple[Rating, ...]] | None:
    try:
        return EvalCase.model_validate({"id": "labels", "input": "", "labels": dict(labels)}).labels
    except ValidationError:
        return None


def _has_all(own: Mapping[str, tuple[Rating, ...]], given: Mapping[str, tuple[Rating, ...]]) -> bool:
    return all(rating in own.get(name, ()) for name, ratings in given.items() for rating in ratings)
