"""Which prompt of a framework a call is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalparity.adapters.base import PromptStep

STEP_HEADER = "X-Evalparity-Step"
"""Request header in which a framework's process tells the name of the step."""


def find_step(steps: Sequence[PromptStep], *, told: str | None, text: str) -> PromptStep | None:
    """Return the step of this name; without a name the step whose opening the text has, the longest one first.

    A name that is told and unknown is not made up for by the text: None.
    """
    if told is not None:
        return next((step for step in steps if step.name == told), None)
    known = [step for step in steps if step.opening and text.startswith(step.opening)]
    return max(known, key=lambda step: len(step.opening or ""), default=None)


def message_text(message: Mapping[str, Any]) -> str:
    """Return the text of a chat message; its content is a string, a list of parts, or nothing."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content if isinstance(part, Mapping))


def last_user_text(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the last message whose role is user; empty without one."""
    return next((message_text(item) for item in reversed(messages) if item.get("role") == "user"), "")
