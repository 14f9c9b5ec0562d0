"""Unfolds DeepEval's conversations into what was asked, answered and said before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evalparity.adapters.deepeval_adapter.files_names import CAMEL
from evalparity.unified_schema.conversations import last_exchange
from evalparity.unified_schema.positions import Findings

KEPT = "deepeval_turns"
"""Where turns are kept whole that say more than a conversation can."""

_NO_TURNS = "has a scenario and no turns, so that nothing was asked yet: let DeepEval simulate it, or write its turns"
_PLAIN = frozenset({"role", "content", "order"})


def unfold(case: dict[str, Any], findings: Findings) -> None:
    """Replace the turns of a case by its last question, the answer to it, and the turns before."""
    given = case.pop("turns", None)
    read = [_turn(turn) for turn in given] if isinstance(given, list) else []
    turns = [turn for turn in read if turn is not None]
    exchange = last_exchange(turns)
    if len(turns) < len(read) or exchange is None:
        case["input"] = ""
        _refuse(read, findings)
        return
    last = exchange.asked
    after = turns[last + 1 :]
    case["input"] = turns[last]["content"]
    case["conversation"] = turns[:last]
    if after:
        case["actual_output"] = after[-1]["content"]
    findings.moved[("input",)] = ("turns", last, "content")
    findings.moved[("conversation",)] = ("turns",)
    findings.remark(("input",), "of several turns the user's last one is the input, those before it the conversation")
    _passages_of_answer(given or [], last, case, findings)
    if len(after) > 1 or any(_says_more(turn) for turn in given or []):
        case[KEPT] = given


def _refuse(turns: Sequence[object], findings: Findings) -> None:
    if None in turns:
        findings.fault(("turns", turns.index(None)), "must have the role user or assistant, and a text as content")
    elif turns:
        findings.fault(("turns",), "there is no turn of a user: a case needs something that was asked")
    else:
        findings.fault(("turns",), _NO_TURNS)


def _turn(turn: object) -> dict[str, str] | None:
    if not isinstance(turn, Mapping):
        return None
    role, content = turn.get("role"), turn.get("content")
    fits = isinstance(role, str) and role in {"user", "assistant"} and isinstance(content, str)
    return {"role": str(role), "content": str(content)} if fits else None


def _passages_of_answer(given: Sequence[Any], last: int, case: dict[str, Any], findings: Findings) -> None:
    """Take the passages that the last answer had; those of earlier ones stay with their turns."""
    found = [_named(turn).get("retrieval_context") for turn in given[last + 1 :]]
    passages = [passage for own in found if isinstance(own, list) for passage in own]
    if passages and "retrieval_context" not in case:
        case["retrieval_context"] = passages
        findings.remark(("retrieved_contexts",), "the passages of the last answer are the retrieved ones")


def _named(turn: Mapping[str, Any]) -> dict[str, Any]:
    return {CAMEL.get(key, key): value for key, value in turn.items()}


def _says_more(turn: Mapping[str, Any]) -> bool:
    return any(value not in (None, [], {}) for key, value in turn.items() if key not in _PLAIN)
