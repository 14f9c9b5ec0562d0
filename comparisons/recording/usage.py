"""Reads what an application says it spent."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalparity.comparisons.recording.contexts import UnusableError
from evalparity.unified_schema.cases import SystemUsage
from evalparity.unified_schema.positions import quoted

USAGE_NAMES: Mapping[str, str] = MappingProxyType(
    {name: name for name in SystemUsage.model_fields}
    | {
        "prompt_tokens": "input_tokens",
        "completion_tokens": "output_tokens",
        "cost": "cost_usd",
        "total_cost": "cost_usd",
        "latency": "seconds",
    }
)
"""Our field by the name under which an application may say it."""
_WHOLE = frozenset({"input_tokens", "output_tokens"})


def read_usage(usage: object) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Return usage under our names, and what else it says; None where nothing was said.

    Raises:
        UnusableError: it is no mapping.
    """
    if usage is None:
        return None, {}
    if not isinstance(usage, Mapping):
        raise UnusableError(f"returned usage that is no mapping but {quoted(usage)}: return {{'input_tokens': 900}}.")
    read: dict[str, Any] = {}
    for name, ours in USAGE_NAMES.items():
        if usage.get(name) is not None:
            read.setdefault(ours, _whole(usage[name]) if ours in _WHOLE else usage[name])
    return read, {name: value for name, value in usage.items() if name not in USAGE_NAMES and value is not None}


def _whole(number: object) -> object:
    return int(number) if isinstance(number, float) and number.is_integer() else number
