"""Where things stand in a file of the InspectorRAGet viewer, in both versions of its layout.

Version 1 keeps `evaluations` with `annotations` and `model_response`; version 2 keeps `results` with `scores` and a
typed `output`. The viewer reads both (its src/types.ts and src/migrator.ts say so), and so does this.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

RECORDED = "recorded"
"""The model of a suite that names none: its tasks are called as its cases."""

EVALUATION_LISTS = ("evaluations", "results")
"""Where the answers stand, in the first version and in the second."""

RATING_LISTS = ("annotations", "scores")


def is_layout(data: object) -> bool:
    """Say whether a document is a file of the viewer."""
    if not isinstance(data, Mapping) or not all(isinstance(data.get(key), list) for key in ("tasks", "metrics")):
        return False
    return isinstance(data.get("models"), list) and any(isinstance(data.get(key), list) for key in EVALUATION_LISTS)


def case_id(task: object, model: object) -> str:
    """Return the id of a case: the task's, and the model's unless there is none to tell apart."""
    return str(task) if model == RECORDED else f"{task}::{model}"


def evaluations_of(data: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return the key of the list of answers, and the list."""
    key = next(key for key in EVALUATION_LISTS if isinstance(data.get(key), list))
    return key, data[key]


def mappings(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """Return the mappings in a list of a document; whatever else stands there is left to the caller's counts."""
    given = data.get(key)
    return [item for item in given if isinstance(item, Mapping)] if isinstance(given, list) else []


def ratings_of(evaluation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what was annotated of an answer: by metric, then by who or what annotated."""
    given = next((evaluation[key] for key in RATING_LISTS if key in evaluation), None)
    return given if isinstance(given, Mapping) else {}


def output_of(evaluation: Mapping[str, Any]) -> Any:  # noqa: ANN401 - raw data, which the schema checks
    """Return the text that a model answered; None without one, as when it called tools."""
    if "output" not in evaluation:
        return evaluation.get("model_response")
    return text_of(evaluation["output"])


def text_of(given: object) -> Any:  # noqa: ANN401 - raw data, which the schema checks
    """Return the text of an output, a target or a turn in any of their forms; None where it holds none."""
    if not isinstance(given, Mapping):
        return given
    return next((given[key] for key in ("text", "value", "content") if key in given), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """Something that was rated or measured.

    Attributes:
        name: as the file calls it.
        human: whether people rated it.
        numbers: number by the value that stands in an annotation, where the file lists its values.
        scale: lowest and highest number; None where the file does not say.
    """

    name: str
    human: bool
    numbers: Mapping[str, float] = field(default_factory=dict)
    scale: tuple[float, float] | None = None

    def value(self, given: object) -> object:
        """Return a value as a number where the file says which it stands for, else as it is."""
        return self.numbers.get(str(given), given)


def metrics_of(data: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics that a file declares, by name."""
    return {
        given["name"]: _metric(given["name"], given)
        for given in mappings(data, "metrics")
        if isinstance(given.get("name"), str)
    }


def _metric(name: str, given: Mapping[str, Any]) -> Metric:
    values = mappings(given, "values")
    numbers = {
        str(one["value"]): float(one["numeric_value"])
        for one in values
        if "value" in one and is_number(one.get("numeric_value"))
    }
    return Metric(name=name, human=given.get("author") == "human", numbers=numbers, scale=_scale(given, numbers))


def _scale(given: Mapping[str, Any], numbers: Mapping[str, float]) -> tuple[float, float] | None:
    ends: Sequence[Any] = tuple(numbers.values())
    if not ends and isinstance(given.get("range"), list):
        ends = given["range"][:2]
    if not ends:
        ends = (_end(given.get("min_value")), _end(given.get("max_value")))
    if len(ends) < 2 or not all(is_number(end) for end in ends) or min(ends) >= max(ends):  # noqa: PLR2004 - a pair
        return None
    return float(min(ends)), float(max(ends))


def _end(given: object) -> object:
    return given.get("numeric_value", given.get("value")) if isinstance(given, Mapping) else given


def is_missing(value: object) -> bool:
    """Say whether a file has no value here: null, an empty text or NaN."""
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def is_number(value: object) -> TypeGuard[float]:
    """Say whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
