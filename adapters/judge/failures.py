"""What a failed HTTP exchange with an upstream means, and what its user can do; the key is never part of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.errors import JudgeError

_STATUS_KINDS = MappingProxyType({401: "auth", 403: "auth", 408: "timeout", 429: "rate_limited"})
_TRANSIENT = frozenset({408, 409, 429})
"""Besides every 5xx."""

_REMEDIES = MappingProxyType(
    {
        "auth": "check its key (EVALPARITY_JUDGE_API_KEY or --judge-key-file; of an embedding server elsewhere "
        "EVALPARITY_EMBEDDING_API_KEY or --embedding-key-file) and that it may use this model",
        "rate_limited": "ask for fewer calls at once, or for a higher limit or credit at the provider",
        "timeout": "try again, or raise the server's own time limit",
        "http_4xx": "check the model's name, the URL, and what parameters the server takes",
        "http_5xx": "try again later; the fault is on the server's side",
        "bad_reply": "check that the URL leads to an OpenAI-compatible API, up to and including /v1",
    }
)
_EXCERPT = 200


def status_error(status: int, headers: Mapping[str, str], text: str) -> JudgeError:
    """Return the error for an HTTP status other than 2xx.

    Args:
        status: the status.
        headers: of the answer, names in any case.
        text: its body, from which the key has been removed.
    """
    kind = _kind(status)
    spent = "insufficient_quota" in text  # OpenAI says 429 for an empty account: waiting does not fill it
    said = _said(text)
    quoted = f' "{said}"' if said else ""
    return JudgeError(
        kind,
        f"answered HTTP {status}{quoted}; {_REMEDIES[kind]}",
        retry_after=_retry_after(headers),
        transient=(status in _TRANSIENT or status >= 500) and not spent,  # noqa: PLR2004 - HTTP's classes
    )


def bad_answer(text: str) -> JudgeError:
    """Return the error for a 2xx answer that is no JSON object, or one that is an error."""
    quoted = f' "{_said(text)}"' if text else " with nothing"
    return JudgeError("bad_reply", f"answered{quoted}, no reply; {_REMEDIES['bad_reply']}", billable=True)


def without_key(text: str, key: str | None) -> str:
    """Return the text with the key taken out of it."""
    return text.replace(key, "[key]") if key else text


def retry_after_seconds(header: str) -> float | None:
    """Return the seconds that a Retry-After header asks for (RFC 9110, 10.2.3); None: unreadable."""
    try:
        seconds = float(header)
    except ValueError:
        seconds = _seconds_until(header)
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _kind(status: int) -> str:
    by_class = {4: "http_4xx", 5: "http_5xx"}
    return _STATUS_KINDS.get(status) or by_class.get(status // 100, "bad_reply")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    milliseconds = headers.get("retry-after-ms")  # Azure's and OpenAI's finer form
    if milliseconds is not None and (finer := retry_after_seconds(milliseconds)) is not None:
        return finer / 1000
    header = headers.get("Retry-After")
    return None if header is None else retry_after_seconds(header)


def _seconds_until(date: str) -> float:
    try:
        when = parsedate_to_datetime(date)
    except ValueError:
        return math.nan
    when = when if when.tzinfo else when.replace(tzinfo=UTC)  # "-0000" is read as a naive date in UTC
    return (when - datetime.now(UTC)).total_seconds()


def _said(text: str) -> str:
    """Return the beginning of the server's own message, on one line, printable, without mark-up."""
    try:
        message = _message(json.loads(text))
    except (ValueError, RecursionError):
        message = re.sub(r"<[^>]*>", " ", text)
    words = " ".join("".join(char if char.isprintable() else " " for char in message).split())
    return words if len(words) <= _EXCERPT else words[: _EXCERPT - 1] + "…"


def _message(body: Any) -> str:  # noqa: ANN401 - any JSON
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message") if isinstance(error, dict) else error
    return message if isinstance(message, str) else json.dumps(error, ensure_ascii=False)
