"""What a user asked for on the command line, before a study has its say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
