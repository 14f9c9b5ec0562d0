"""What an upstream's answer means: a reply to pass on, or a failure that looks like one."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalparity.adapters.judge.reply_text import REASONING_REMOVED, bare_reply, declined, nothing_but_reasoning
from evalparity.unified_schema.errors import JudgeError

Json = dict[str, Any]

_REPLY_KEPT = ("id", "object", "created", "model", "usage", "system_fingerprint")
_LARGEST_COUNT = 2**63 - 1
"""What the ledger's columns hold."""
_REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers deliver reasoning beside the reply: DeepSeek, vLLM, llama.cpp; OpenRouter, Ollama."""
_CUT_OFF = "the reply was cut off at the output limit; raise the judge's output limit or choose shorter cases"
_NO_CHAT = "the answer is no chat reply ({0}); check that the URL leads to an OpenAI-compatible API"
_NO_VECTORS = "the answer holds no usable embeddings ({0}); check the embedding model and its URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Token counts as the upstream told them; None: not told."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    output_tokens: int | None = None


def read_tokens(answer: Mapping[str, Any]) -> Tokens:
    """Return the token counts of an OpenAI-style `usage`, each 0..2**63-1; what is absent or cannot be is None."""
    usage = _mapping(answer.get("usage"))
    into, out = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    cached = _count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
    reasoning = _count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    return Tokens(
        input_tokens=into,
        cached_tokens=_part_of(into, cached),
        reasoning_tokens=_part_of(out, reasoning),
        output_tokens=out,
    )


def _part_of(whole: int | None, part: int | None) -> int | None:
    """Return a count that is part of another; None where it is larger, which cannot be."""
    return None if part is not None and whole is not None and part > whole else part


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A usable chat answer.

    Attributes:
        text: the reply as the framework gets it; the arguments where it is a tool call.
        body: the JSON that the framework gets.
        flags: what was taken out of the judge's reply, names out of `FLAGS`.
    """

    text: str
    body: Json
    flags: tuple[str, ...] = ()


def chat_reply(answer: Json, asked: Sequence[str]) -> ChatReply:
    """Return the first choice of a chat answer, without reasoning text and fences.

    Args:
        answer: what the upstream answered.
        asked: the texts of the request's messages.

    Raises:
        JudgeError: kind `truncated`, `refusal` or `bad_reply`; such an answer is no judgement.
    """
    choice = _first_choice(answer)
    message = choice["message"]
    reason = choice.get("finish_reason")
    if message.get("refusal") or reason == "content_filter":
        raise declined()
    if reason == "length":
        raise JudgeError("truncated", _CUT_OFF)
    content = _content_text(message.get("content"))
    tool_calls = message.get("tool_calls") or None
    reasoned = _holds_reasoning(message)
    if not content.strip() and not tool_calls:
        raise nothing_but_reasoning() if reasoned else JudgeError("bad_reply", _NO_CHAT.format("an empty message"))
    bare = bare_reply(content, asked)
    kept: Json = {"role": "assistant", "content": bare.text or None}
    if tool_calls:
        kept["tool_calls"] = tool_calls
    clean = {name: answer[name] for name in _REPLY_KEPT if name in answer}
    clean["choices"] = [{"index": 0, "finish_reason": reason or "stop", "message": kept}]
    flags = dict.fromkeys((*((REASONING_REMOVED,) if reasoned else ()), *bare.flags))
    return ChatReply(text=bare.text or _arguments(tool_calls), body=clean, flags=tuple(flags))


def written_text(answer: Json) -> str | None:
    """Return the text of the first choice as the judge wrote it; None where there is none."""
    try:
        return _content_text(_first_choice(answer)["message"].get("content")) or None
    except JudgeError:
        return None


def embedding_reply(answer: Json, *, texts: int, as_base64: bool) -> Json:
    """Return the JSON that the framework gets for an embedding request, in the form it asked for.

    Args:
        answer: what the upstream answered.
        texts: how many texts were sent.
        as_base64: little-endian single precision in base64 instead of numbers.

    Raises:
        JudgeError: kind `bad_reply`; not one vector of finite numbers for each text, all of one length. Kind
            `embedding`; a vector of zeros, of which one framework makes a score of 0 and another none.
    """
    vectors = _vectors(answer, texts)
    data = [
        {"object": "embedding", "index": index, "embedding": _base64(vector) if as_base64 else vector}
        for index, vector in enumerate(vectors)
    ]
    kept = {name: answer[name] for name in ("model", "usage") if name in answer}
    return kept | {"object": "list", "data": data}


def _first_choice(answer: Json) -> Json:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise JudgeError("bad_reply", _NO_CHAT.format("it holds no choices"))
    choice = choices[0]
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise JudgeError("bad_reply", _NO_CHAT.format("its first choice holds no message"))
    return choice


def _holds_reasoning(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    thoughts = any(_mapping(part).get("type") in {"thinking", "reasoning"} for part in parts)
    return thoughts or any(message.get(name) for name in _REASONING_FIELDS)


def _content_text(content: object) -> str:
    """Some servers answer in parts, reasoning among them; only the text is the reply."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if _mapping(part).get("type") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    if content is not None and not isinstance(content, str):
        raise JudgeError("bad_reply", _NO_CHAT.format("its content is not text"))
    return content or ""


def _arguments(tool_calls: object) -> str:
    calls = tool_calls if isinstance(tool_calls, list) else []
    texts = (_mapping(_mapping(call).get("function")).get("arguments") for call in calls)
    return "\n".join(text for text in texts if isinstance(text, str))


def _vectors(answer: Json, texts: int) -> list[list[float]]:
    data = answer.get("data")
    if not isinstance(data, list) or len(data) != texts:
        got = len(data) if isinstance(data, list) else "no"
        raise JudgeError("bad_reply", _NO_VECTORS.format(f"{got} vectors for {texts} texts"))
    indices = [_mapping(entry).get("index", place) for place, entry in enumerate(data)]
    if any(index not in indices for index in range(texts)):
        raise JudgeError("bad_reply", _NO_VECTORS.format("its indices do not match the texts"))
    by_index = dict(zip(indices, data, strict=True))
    vectors = [_vector(_mapping(by_index[index]).get("embedding")) for index in range(texts)]
    if len({len(vector) for vector in vectors}) != 1:
        raise JudgeError("bad_reply", _NO_VECTORS.format("vectors of different lengths"))
    return vectors


def _vector(embedding: object) -> list[float]:
    numbers = _from_base64(embedding) if isinstance(embedding, str) else embedding
    if not isinstance(numbers, list) or not numbers or not all(_is_number(number) for number in numbers):
        raise JudgeError("bad_reply", _NO_VECTORS.format("a vector that is not a list of finite numbers"))
    if not any(numbers):
        raise JudgeError("embedding", _NO_VECTORS.format("a vector of zeros, which has no direction and no cosine"))
    return [float(number) for number in numbers]


def _is_number(value: object) -> bool:
    """Finite in single precision too, which is what base64 holds."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _SINGLE_MAX


_SINGLE_MAX = 3.4e38
"""Also false for NaN, which compares as false with everything."""


def _from_base64(text: str) -> Sequence[float]:
    try:
        packed = base64.b64decode(text, validate=True)
        return list(struct.unpack(f"<{len(packed) // 4}f", packed))
    except (ValueError, struct.error):
        return []


def _base64(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_COUNT else None
