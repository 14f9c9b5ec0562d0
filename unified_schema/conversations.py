"""Reads rows of several turns: the last turn of the user is the input, what came before is the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from evalparity.unified_schema.positions import Findings, quoted

TURN_LISTS = (
    "messages",
    "turns",
    "user_input",
    "input",
    "question",
    "query",
    "inputs",
    "conversations",
    "conversation",
)
"""Where other tools keep the turns of a row, in the order in which they are looked for."""

_ROLE_KEYS = ("role", "speaker", "from", "type")
_TEXT_KEYS = ("content", "text", "value")
_OUTPUTS = ("output", "response", "answer", "actual_output")

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "user": "user",
        "human": "user",
        "humanmessage": "user",
        "prompter": "user",
        "assistant": "assistant",
        "ai": "assistant",
        "aimessage": "assistant",
        "aimessagechunk": "assistant",
        "agent": "assistant",
        "bot": "assistant",
        "gpt": "assistant",
        "model": "assistant",
        "chatbot": "assistant",
        "system": "system",
        "systemmessage": "system",
        "developer": "system",
        "tool": "tool",
        "toolmessage": "tool",
        "function": "tool",
        "functionmessage": "tool",
    }
)
"""Our role by what other tools call it, in small letters."""


class Exchange(NamedTuple):
    """The last thing that was asked in a conversation, and what came after it; ranks of turns."""

    asked: int
    answers: tuple[int, ...]


def last_exchange(turns: Sequence[Mapping[str, str]]) -> Exchange | None:
    """Return the user's last turn and the assistant's turns after it; None where the user says nothing.

    Args:
        turns: as mappings of `role` and `content`, oldest first.
    """
    asked = [rank for rank, turn in enumerate(turns) if turn["role"] == "user"]
    if not asked:
        return None
    last = asked[-1]
    answers = (rank for rank in range(last + 1, len(turns)) if turns[rank]["role"] == "assistant")
    return Exchange(last, tuple(answers))


def unfold(data: Mapping[str, Any], findings: Findings) -> Mapping[str, Any]:
    """Return a row with its turns told apart into conversation, input and output; a row without turns as it is.

    Args:
        data: a row under any names.
        findings: takes what was moved, and why a row cannot be one.
    """
    key = next((key for key in TURN_LISTS if are_turns(data.get(key))), None)
    if key is None or (key == "conversation" and data.get("input") is not None):
        return data
    turns = [_turn(item, (key, rank), findings) for rank, item in enumerate(data[key])]
    rest = {name: value for name, value in data.items() if name != key}
    if None in turns:
        return rest
    return _told_apart([turn for turn in turns if turn], key, rest, data[key], findings)


def are_turns(value: object) -> bool:
    """Tell whether a value is a list of turns, whichever tool wrote them."""
    return isinstance(value, list | tuple) and bool(value) and all(map(_is_turn, value))


def _is_turn(item: object) -> bool:
    if not isinstance(item, Mapping):
        return False
    if "kwargs" in item or "data" in item:
        return True
    return any(key in item for key in _ROLE_KEYS)


def _turn(item: Mapping[str, Any], path: tuple[str | int, ...], findings: Findings) -> dict[str, str] | None:
    """Return a turn under our names, or None after a fault."""
    fields, name = _opened(item)
    role = ROLES.get(str(name).lower())
    if role is None:
        findings.fault(path, f"the role {quoted(name)} is unknown: it must be user, assistant, system or tool")
        return None
    content = _text(next((fields[key] for key in _TEXT_KEYS if fields.get(key) is not None), None))
    if content is None:
        findings.fault(path, "the turn has no text: give it content, or take the turn out")
        return None
    if fields.get("tool_calls"):
        findings.remark(path[:1], "what a turn calls of tools is left out of the conversation")
    return {"role": role, "content": content}


def _opened(item: Mapping[str, Any]) -> tuple[Mapping[str, Any], object]:
    """Return the fields of a message and its role, whichever way LangChain or another tool wraps it."""
    inner = item.get("kwargs") or item.get("data")
    if isinstance(inner, Mapping):
        kind = item.get("id")
        named = kind[-1] if isinstance(kind, list) and kind else item.get("type")
        return inner, inner.get("role") or named
    return item, next((item[key] for key in _ROLE_KEYS if item.get(key) is not None), None)


def _text(content: object) -> str | None:
    if isinstance(content, list):
        parts = [_text(part.get("text") if isinstance(part, Mapping) else part) for part in content]
        return (
            "\n".join(part for part in parts if part is not None) if all(part is not None for part in parts) else None
        )
    return content if isinstance(content, str) else None


def _told_apart(
    turns: list[dict[str, str]],
    key: str,
    rest: dict[str, Any],
    raw: Sequence[Any],
    findings: Findings,
) -> dict[str, Any]:
    exchange = last_exchange(turns)
    if exchange is None:
        findings.fault((key,), "no turn is the user's, so that nothing is asked: add one, or take the row out")
        return rest
    last, answers = exchange
    case = {**rest, "input": turns[last]["content"]}
    if turns[:last]:
        earlier = rest.get("conversation")
        case["conversation"] = [*(earlier if isinstance(earlier, list) else []), *turns[:last]]
    findings.moved[("input",)] = (key, last)
    findings.moved[("conversation",)] = (key,)
    findings.remark((key,), f"of the turns in {key}, the user's last is the input; those before are the conversation")
    if answers:
        _answer(turns, answers[-1], key, case, raw, findings)
    left = [turn for rank, turn in enumerate(turns[last + 1 :], start=last + 1) if rank not in answers[-1:]]
    _keep_the_rest(left, key, case, findings)
    return case


def _answer(
    turns: list[dict[str, str]],
    rank: int,
    key: str,
    case: dict[str, Any],
    raw: Sequence[Any],
    findings: Findings,
) -> None:
    content = turns[rank]["content"]
    other = next((name for name in _OUTPUTS if case.get(name) is not None), None)
    if other is not None and case[other] != content:
        findings.fault((other,), f"{other} and the last turn of {key} are two answers: keep one of them")
    elif other is None and content:
        case["output"] = content
        findings.moved[("output",)] = (key, rank)
    retrieved = raw[rank].get("retrieval_context")
    if retrieved and not any(case.get(name) for name in ("retrieved_contexts", "retrieval_context", "contexts")):
        case["retrieved_contexts"] = retrieved
        findings.moved[("retrieved_contexts",)] = (key, rank, "retrieval_context")


def _keep_the_rest(left: list[dict[str, str]], key: str, case: dict[str, Any], findings: Findings) -> None:
    """Keep turns between the question and the answer, for which a case has no other place."""
    if not left:
        return
    metadata = case.get("metadata")
    case["metadata"] = {"turns_after_input": left, **(metadata if isinstance(metadata, Mapping) else {})}
    findings.remark((key,), "turns between the question and its answer are kept in metadata.turns_after_input")
