"""The same judge for every framework: what a request asks for, and what is sent in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.structured import fit_to_server
from evalparity.unified_schema.errors import JudgeError

Json = dict[str, Any]

_CHAT_KEPT = ("messages", "response_format", "tools", "tool_choice")
_REASONING = re.compile(r"(o[134]|gpt-5)")
"""OpenAI's reasoning models: they refuse `temperature` and `max_tokens` (API reference, Create chat completion)."""
_UNSAID = {"stream": False}
"""Defaults that mean nothing when they are said; not worth a note."""


def enforce_chat(asked: Json, settings: JudgeSettings, *, repeat: int = 0) -> Json:
    """Return the chat request that is sent upstream: the framework's messages, our model and parameters.

    The form of the reply is the framework's where the server takes it.

    Args:
        asked: the framework's request.
        settings: the judge of the run.
        repeat: added to the seed, 0 or more.

    Raises:
        JudgeError: kind `framework_error`; it asks for a stream or holds no messages.
    """
    if asked.get("stream"):
        raise refusal("streaming is not offered; ask with stream=false")
    messages = asked.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(item, dict) for item in messages):
        raise refusal("a chat request needs `messages`, a list of at least one message")
    kept = {name: asked[name] for name in _CHAT_KEPT if asked.get(name) is not None}
    return fit_to_server(kept, settings.structured_output) | _parameters(settings) | {"seed": settings.seed + repeat}


def enforce_embedding(asked: Json, model: str | None) -> Json:
    """Return the embedding request that is sent upstream: the framework's texts, our model, as numbers.

    Args:
        asked: the framework's request.
        model: the embedding model of the run, None when it has none.

    Raises:
        JudgeError: kind `embedding` without a model; kind `framework_error` when the input
            is not a text or a list of texts.
    """
    if model is None:
        raise JudgeError("embedding", "no embedding model was named: name one with --embedding-model")
    inputs = asked.get("input")
    texts = [inputs] if isinstance(inputs, str) else inputs
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise refusal("`input` must be a text or a list of texts; lists of tokens fit one tokenizer only")
    return {"model": model, "input": texts, "encoding_format": "float"}


def replaced(asked: Json, sent: Mapping[str, Any]) -> Json:
    """Return what the framework asked for and did not get, by name: neither messages nor input texts."""
    texts = {"messages", "input", "encoding_format"}
    return {
        name: value
        for name, value in asked.items()
        if name not in texts and sent.get(name) != value and _UNSAID.get(name) != value
    }


def refusal(reason: str) -> JudgeError:
    """Return the error for a request that is not sent upstream as the framework asked for something not on offer."""
    return JudgeError("framework_error", f"the gateway refused a request of the framework: {reason}")


def is_reasoning_model(model: str) -> bool:
    """Tell whether a name, with or without a `vendor/` prefix, is one of OpenAI's reasoning models."""
    return _REASONING.match(model.rpartition("/")[2]) is not None


def _parameters(settings: JudgeSettings) -> Json:
    if is_reasoning_model(settings.model):
        return {"model": settings.model, "max_completion_tokens": settings.max_output_tokens}
    return {
        "model": settings.model,
        "temperature": settings.temperature,
        "max_tokens": settings.max_output_tokens,
    }
