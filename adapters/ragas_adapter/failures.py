"""What the exceptions of Ragas, instructor and the OpenAI client mean; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

# A reply is parsed into a pydantic model whose name ends in Output; its message tells JSON from schema.
_BAD_OUTPUT = re.compile(r"\d+ validation errors? for (?:\w+Output|ClassificationWithReason)\n( +Invalid JSON: )?")

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "TimeoutError": "timeout",
        "APITimeoutError": "timeout",
        "APIConnectionError": "connect",
        "AuthenticationError": "auth",
        "PermissionDeniedError": "auth",
        "RateLimitError": "rate_limited",
        "InternalServerError": "http_5xx",
        "BadRequestError": "http_4xx",
        "NotFoundError": "http_4xx",
        "ConflictError": "http_4xx",
        "UnprocessableEntityError": "http_4xx",
        "IncompleteOutputException": "truncated",
        "ContentFilterFinishReasonError": "refusal",
        "LengthFinishReasonError": "truncated",
        "JSONDecodeError": "bad_reply",
        "ResponseParsingError": "bad_reply",
    }
)


def error_kind(type_name: str, message: str) -> str:
    """Return the error kind of an exception that Ragas, instructor or the OpenAI client raised.

    Args:
        type_name: name of the exception's class.
        message: its text.

    Returns:
        a name out of `evalparity.unified_schema.outcomes.ERROR_KINDS`; `framework_error` when unknown.
    """
    if output := _BAD_OUTPUT.search(message):
        return "bad_json" if output[1] else "bad_schema"
    return _KINDS.get(type_name, "framework_error")
