"""What a user asked for on the command line, before a study has its say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PATH = "path"
_SEVERAL = {"frameworks": "framework", "metrics": "metric", "scorers": "scorer", "thresholds": "threshold"}
"""Options that may be given several times stand under other names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a user asked for: the value of every option, and which of them stand on the command line itself.

    Attributes:
        values: by name; what was not given holds the value of its variable or its default.
        flags: names of those that were given.
    """

    values: Mapping[str, Any]
    flags: frozenset[str]

    def pick(self, name: str, of_study: Any) -> Any:  # noqa: ANN401 - options are of many types
        """Return an option's value: as given, else the study's, else that of its variable or its default."""
        return self.values.get(name) if name in self.flags or of_study is None else of_study


def option_of(name: str) -> str:
    """Return an option as it is typed, such as `--judge-url`, from its name among the values."""
    return f"--{_SEVERAL.get(name, name).replace('_', '-')}"


def to_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options as JSON can hold them, by which a run is resumed from any working directory."""
    return {name: _to_json(value) for name, value in values.items()}


def from_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of options as they were before `to_json`, paths absolute."""
    return {name: _from_json(value) for name, value in values.items()}


def _to_json(value: Any) -> Any:  # noqa: ANN401 - options are of many types
    if isinstance(value, Path):
        return {_PATH: str(value.absolute())}
    return [_to_json(item) for item in value] if isinstance(value, tuple) else value


def _from_json(value: Any) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, dict):
        return Path(value[_PATH])
    return tuple(_from_json(item) for item in value) if isinstance(value, list) else value
