"""Unfolds the messages of Ragas' multi-turn samples into what was asked, answered and said before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evalparity.adapters.written_lists import list_in
from evalparity.unified_schema.conversations import last_exchange
from evalparity.unified_schema.positions import Findings

KEPT = "ragas_messages"
"""Where messages are kept whole that say more than a conversation can."""

_ROLES: Mapping[str, str] = MappingProxyType(
    {
        "human": "user",
        "user": "user",
        "ai": "assistant",
        "assistant": "assistant",
        "tool": "tool",
        "system": "system",
    }
)
"""Our role by Ragas' type of message (ragas.messages), and by what chat endpoints call it."""


def messages_in(value: object, *, in_text: bool) -> list[object] | None:
    """Return the messages that a `user_input` holds; None where it is a question.

    Args:
        value: of the column.
        in_text: whether a text may be the list of messages that a table holds: not where the row has what only
            samples of one turn have, for then it is a question that looks so.
    """
    if isinstance(value, list):
        return value
    if not in_text or not isinstance(value, str) or not value.lstrip().startswith("[{"):
        return None
    listed = list_in(value)
    return listed if listed and all(_turn(message) is not None for message in listed) else None


def unfold(messages: Sequence[object], case: dict[str, Any], findings: Findings) -> None:
    """Replace the messages of a case by its last question, the answer to it, and the turns before."""
    read = [_turn(message) for message in messages]
    case["input"] = ""
    case.pop("user_input", None)
    if None in read:
        told = "must have a text as content and be of type human, ai or tool"
        findings.fault(("user_input", read.index(None)), told)
        return
    turns = [turn for turn in read if turn is not None]
    exchange = last_exchange(turns)
    if exchange is None:
        findings.fault(("user_input",), "there is no message of a user: a case needs something that was asked")
        return
    last, answers = exchange
    case["input"] = turns[last]["content"]
    case["conversation"] = turns[:last]
    if answers and "response" not in case:
        case["output"] = turns[answers[-1]]["content"]
        findings.moved[("output",)] = ("user_input",)
        findings.remark(("output",), "the last answer to it is the output")
    findings.moved[("input",)] = ("user_input", last, "content")
    findings.moved[("conversation",)] = ("user_input",)
    findings.remark(
        ("input",), "of several messages the user's last one is the input, those before it the conversation"
    )
    if _says_more(messages, unanswered=len(turns) - last - 1 != len(answers[:1])):
        case[KEPT] = list(messages)


def _turn(message: object) -> dict[str, str] | None:
    if not isinstance(message, Mapping):
        return None
    role = _ROLES.get(str(message.get("type", message.get("role"))))
    content = message.get("content")
    return {"role": role, "content": content} if role and isinstance(content, str) else None


def _says_more(messages: Sequence[object], *, unanswered: bool) -> bool:
    """Say whether the messages hold tool calls, metadata, or steps other than one answer after the last question."""
    more = any(
        isinstance(message, Mapping) and (message.get("tool_calls") or message.get("metadata")) for message in messages
    )
    return more or unanswered
