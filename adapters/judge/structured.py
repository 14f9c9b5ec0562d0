"""Structured output: what a framework asks for, what the judge's server takes, and what is sent in its place.

What the server takes is found out once, before the first cell (`evalparity.adapters.judge.preflight`), so that all
frameworks, and all calls of a run, are treated alike.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

Json = dict[str, Any]

Form = Literal["json_schema", "json_object"]
"""A type of `response_format` (OpenAI API reference, Create chat completion)."""

FORMS: tuple[Form, ...] = ("json_schema", "json_object")

IN_WORDS = "\n\nReply with one JSON object and nothing else. It must match this JSON Schema:\n"
"""What stands between the end of the last user message and a schema that the server would not take."""


def fit_to_server(request: Json, takes: Sequence[Form] | None) -> Json:
    """Return a chat request with a `response_format` that the server takes.

    A form that it takes is sent as it is. A schema that it does not take is written at the end of the last user
    message, beside `json_object` where it takes that. Any other form is left off: whoever asks for a JSON object must
    ask for it in words as well (OpenAI's own rule), so that nothing is lost but the server's guarantee.

    Args:
        request: the request as the framework asked for it.
        takes: the forms that the server takes; None: not known, so that everything is sent as it is.
    """
    asked = request.get("response_format")
    if takes is None or not isinstance(asked, dict) or asked.get("type") not in {*FORMS} - {*takes}:
        return request
    fitted = {name: value for name, value in request.items() if name != "response_format"}
    schema = _schema_of(asked)
    if schema is None:
        return fitted
    with_schema = fitted | {"messages": _with_schema(request["messages"], schema)}
    return with_schema | ({"response_format": {"type": "json_object"}} if "json_object" in takes else {})


def _schema_of(asked: Json) -> Json | None:
    named = asked.get("json_schema")
    schema = named.get("schema") if isinstance(named, dict) else None
    return schema if isinstance(schema, dict) else None


def _with_schema(messages: Sequence[Json], schema: Json) -> list[Json]:
    """Not in a system message: the templates of some models know none."""
    words = IN_WORDS + json.dumps(schema, ensure_ascii=False)
    users = [place for place, message in enumerate(messages) if message.get("role") == "user"]
    if not users:
        return [*messages, {"role": "user", "content": words.lstrip()}]
    changed = list(messages)
    changed[users[-1]] = _with_text(messages[users[-1]], words)
    return changed


def _with_text(message: Json, words: str) -> Json:
    content = message.get("content") or ""
    more = content + words if isinstance(content, str) else [*content, {"type": "text", "text": words}]
    return message | {"content": more}
