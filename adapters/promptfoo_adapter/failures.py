"""What Promptfoo's failures look like: it answers score 0 for most of them, and only the reason tells.

The table follows the reasons in the source of 0.123.1 (matchers/rag, providers/openai); `metadata.graderError` is
no substitute, because context-faithfulness overwrites it.
"""

from __future__ import annotations

import json
import re

from evalparity.unified_schema.outcomes import ERROR_KINDS

_STATUS = re.compile(r"^API error: (\d{3})\b[^\n]*\n?(.*)\Z", re.DOTALL)
_EXACT_STATUS = {401: "auth", 403: "auth", 408: "timeout", 429: "rate_limited"}

_REASONS: tuple[tuple[str, str], ...] = (
    (r"Could not extract context-faithfulness statements", "no_claims"),
    (r"Could not parse context-faithfulness verdicts|Grader returned no ", "bad_json"),
    (r"Invalid category value|Factuality checker output did not match[^{]*\{", "bad_schema"),
    (r"Factuality checker output did not match|Grader output does not quote", "bad_json"),
    (r"No output$", "bad_reply"),
    (r"No embedding|Embedding not found", "embedding"),
    (r"(?:API call error:.*)?Rate limit exceeded", "rate_limited"),
    (r"API call error:.*(?:timed? ?out|Timeout)", "timeout"),
    (r"API call error:.*Error parsing response", "bad_reply"),
    (r"API call error:", "connect"),
    (r"API error:", "bad_reply"),
    (r".*produced malformed response", "bad_schema"),
    (r"Could not (?:extract|parse|perform) ", "bad_json"),
)
_EXCEPTIONS: tuple[tuple[str, str], ...] = (
    (r"TimeoutError: ", "timeout"),
    (r".*Vectors must be of equal length", "embedding"),
    (r".*produced malformed response", "bad_schema"),
)


def failure_kind(reason: str, *, grader_error: bool) -> str | None:
    """Return the error kind of a result whose grader failed, or None when the score is a score."""
    if status := _STATUS.match(reason):
        return _kind_of_status(int(status[1]), status[2])
    kind = _first(_REASONS, reason)
    return "framework_error" if kind is None and grader_error else kind


def error_kind(type_name: str, message: str) -> str:
    """Return the error kind of an exception that the driver reported."""
    return _first(_EXCEPTIONS, f"{type_name}: {message}") or "framework_error"


def _kind_of_status(status: int, body: str) -> str:
    if (told := _told_kind(body)) is not None:
        return told
    return _EXACT_STATUS.get(status) or ("http_5xx" if status >= 500 else "http_4xx")  # noqa: PLR2004 - HTTP


def _told_kind(body: str) -> str | None:
    """Return the kind that the gateway wrote into its answer, in the place where OpenAI has the error's code."""
    try:
        error = json.loads(body)["error"]
        named = [error.get("code"), error.get("type")]
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return next((kind for kind in named if isinstance(kind, str) and kind in ERROR_KINDS), None)


def _first(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((kind for pattern, kind in table if re.match(pattern, text)), None)
