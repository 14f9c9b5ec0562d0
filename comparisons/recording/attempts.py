"""What came of asking the application once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "raised": "the application raised an exception",
        "timeout": "it did not answer in time",
        "ended": "its process ended while it answered",
        "absent": "its process could not be started again",
        "nothing": "it returned None",
        "generator": "it returned a generator instead of the whole text",
        "wrong_type": "it returned what is no text and no data",
        "unusable": "what it returned says no case: no output, unknown ids, contradictions",
    }
)
"""Why a case was not recorded."""

MAY_PASS = frozenset({"raised", "timeout"})
"""Kinds that another attempt may mend."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What the application is told of one case.

    Attributes:
        case_id: id of the case.
        text: what is asked.
        conversation: earlier turns as mappings of `role` and `content`, oldest first.
        tenant: who asks.
        as_of: when, as an ISO 8601 date or time.
        metadata: of the case.
    """

    case_id: str
    text: str
    conversation: tuple[Mapping[str, str], ...] = ()
    tenant: str | None = None
    as_of: str | None = None
    metadata: Mapping[str, Any]

    def offered(self) -> dict[str, Any]:
        """Return what is given by keyword to a function that names it."""
        return {
            "case_id": self.case_id,
            "conversation": [dict(turn) for turn in self.conversation],
            "tenant": self.tenant,
            "as_of": self.as_of,
            "metadata": dict(self.metadata),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What the application returned, as plain data.

    Attributes:
        value: text, or lists and mappings.
        type_name: the type of what was returned, for messages.
        seconds: how long the call took.
    """

    value: Any
    type_name: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Why there is no answer: a name out of `KINDS`, and a sentence that follows the name of the case."""

    kind: str
    reason: str
