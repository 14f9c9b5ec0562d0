"""What of a report must be equal when two runs did the same."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

_OF_THE_MOMENT = frozenset({"id", "created_at", "seconds"})


def without_times(report: Json) -> Json:
    """Return a report without the run's id and all that is measured by a clock."""
    return {name: _without(value) for name, value in report.items()}


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(item) for name, item in value.items() if name not in _OF_THE_MOMENT}
    return [_without(item) for item in value] if isinstance(value, list) else value
