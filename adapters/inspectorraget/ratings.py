"""Human labels as the metrics and annotations of the viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalparity.adapters.inspectorraget.layout import is_number
from evalparity.unified_schema.cases import EvalCase, EvalSuite, LabelScale, Rating
from evalparity.unified_schema.exchange import Loss

MOST_VALUES = 11
"""A scale of whole numbers with so many values at most is a list to choose from; a longer one is a range."""

_STEPS = 10
_NO_RATER = "rater"


def metric_data(suite: EvalSuite) -> list[dict[str, Any]]:
    """Return what the cases of a suite are rated for, and its scales, as the viewer declares metrics."""
    rated: dict[str, list[Rating]] = {name: [] for name in suite.label_scales}
    for case in suite.cases:
        for name, ratings in case.labels.items():
            rated.setdefault(name, []).extend(ratings)
    return [_metric(name, ratings, suite.label_scales.get(name)) for name, ratings in rated.items()]


def _metric(name: str, ratings: Sequence[Rating], scale: LabelScale | None) -> dict[str, Any]:
    metric = {"name": name, "display_name": name, "author": "human"}
    declared = {} if scale is None else {"range": [scale.low, scale.high, (scale.high - scale.low) / _STEPS]}
    if not all(is_number(rating.value) for rating in ratings):
        return {**metric, "type": "text", **declared}
    values = _values(ratings, scale)
    if values:
        listed = [{"value": str(value), "display_value": str(value), "numeric_value": value} for value in values]
        return {**metric, "type": "categorical", "aggregator": "median", "values": listed}
    return {**metric, "type": "numerical", "aggregator": "average", **declared}


def _values(ratings: Sequence[Rating], scale: LabelScale | None) -> range:
    """Return the values to choose from, where the scale has few and all ratings are among them."""
    if scale is None or not (scale.low.is_integer() and scale.high.is_integer()):
        return range(0)
    values = range(int(scale.low), int(scale.high) + 1)
    return values if len(values) <= MOST_VALUES and all(rating.value in values for rating in ratings) else range(0)


def rating_data(case: EvalCase, metrics: Sequence[Mapping[str, Any]]) -> tuple[dict[str, dict[str, Any]], list[Loss]]:
    """Return the labels of a case as annotations by metric and rater, and what of them is lost."""
    types = {metric["name"]: metric["type"] for metric in metrics}
    losses: list[Loss] = []
    data = {name: _by_rater(case, name, types[name], losses) for name in case.labels}
    return data, losses


def _by_rater(case: EvalCase, name: str, kind: str, losses: list[Loss]) -> dict[str, Any]:
    by_rater: dict[str, Any] = {}
    for rating in case.labels[name]:
        rater = _free(rating.rater or _NO_RATER, by_rater)
        if rater != rating.rater:
            losses.append(_loss(case, "every rating needs a rater of its own: others are called rater, rater-2 ..."))
        value: object = rating.value
        if kind == "categorical":
            value = str(int(rating.value))
        elif kind == "text" and not isinstance(value, str):
            losses.append(_loss(case, f"values of {name} are partly text: its numbers and truth values become text"))
            value = str(value)
        if value == "":
            losses.append(_loss(case, "an empty text is no rating to readers of the file"))
        by_rater[rater] = {"value": value}
    return by_rater


def _free(rater: str, taken: Mapping[str, object]) -> str:
    names = (rater if number == 1 else f"{rater}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _loss(case: EvalCase, message: str) -> Loss:
    return Loss(case=case.id, field="labels", message=message)
