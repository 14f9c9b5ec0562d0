"""What a judge's server can get wrong, as values; `support.judge_server` sends them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
Edit = Callable[[Json], Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A reply that is not a plain good one.

    Attributes:
        status: HTTP status.
        headers: sent with it.
        body: sent as it is; None: a good reply with `text`, changed by `edit`.
        text: text of the reply that `edit` changes.
        edit: changes the JSON of a good reply before it is sent.
        hang: never answer (until the server closes).
        disconnect: close the connection instead of answering.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    text: str = "ok"
    edit: Edit | None = None
    hang: bool = False
    disconnect: bool = False


def failing(status: int, message: str = "planted", *, headers: Mapping[str, str] | None = None) -> Fault:
    """Answer with an OpenAI-style error body."""
    body = json.dumps({"error": {"message": message, "type": "planted", "code": None}}).encode()
    return Fault(status=status, body=body, headers={"Content-Type": "application/json"} | dict(headers or {}))


def rate_limited(after: float | str | None = None) -> Fault:
    """Answer 429; `after` is the Retry-After header: seconds, an HTTP date, or None for no header."""
    return failing(429, headers={} if after is None else {"Retry-After": str(after)})


def cut_off(text: str) -> Fault:
    """Answer with a reply that ran into the output limit."""
    return Fault(text=text, edit=lambda reply: _with_choice(reply, finish_reason="length"))


def without_usage(text: str) -> Fault:
    """Answer well, but tell no token counts."""
    return Fault(text=text, edit=lambda reply: {name: reply[name] for name in reply if name != "usage"})


def reasoning_beside(text: str) -> Fault:
    """Answer well, with the reasoning in a field of its own."""
    return Fault(text=text, edit=lambda reply: _with_message(reply, reasoning_content="First {this}, then {that}."))


def _with_choice(reply: Json, **changes: Any) -> Json:
    return reply | {"choices": [reply["choices"][0] | changes]}


def _with_message(reply: Json, **changes: Any) -> Json:
    return _with_choice(reply, message=reply["choices"][0]["message"] | changes)


UNAUTHORISED = failing(401, "invalid key")
SERVER_ERROR = failing(500)
BAD_GATEWAY_HTML = Fault(status=502, body=b"<html>bad gateway</html>", headers={"Content-Type": "text/html"})
HANG = Fault(hang=True)
DISCONNECT = Fault(disconnect=True)
TRUNCATED_JSON = Fault(body=b'{"id": "x", "choices": [{"mess', headers={"Content-Type": "application/json"})
HTML = Fault(body=b"<html>log in</html>", headers={"Content-Type": "text/html"})
WRONG_TYPE = Fault(edit=lambda reply: reply, headers={"Content-Type": "text/plain"})
"""A good reply with the wrong content type: to be accepted."""
EMPTY_CHOICES = Fault(edit=lambda reply: reply | {"choices": []})
NULL_CONTENT = Fault(edit=lambda reply: _with_message(reply, content=None))
REFUSAL = Fault(edit=lambda reply: _with_message(reply, content=None, refusal="I can't help with that."))
FILTERED = Fault(edit=lambda reply: _with_choice(reply, finish_reason="content_filter"))
DECLINED = "I'm sorry, but I can't help with that."
"""A refusal in plain words, which no field tells."""
PROSE = "Certainly! Here is what I think about these statements, in my own words."

FAULTS: Mapping[str, Fault] = {
    "401": UNAUTHORISED,
    "429": rate_limited(),
    "500": SERVER_ERROR,
    "502 with HTML": BAD_GATEWAY_HTML,
    "hang": HANG,
    "disconnect": DISCONNECT,
    "truncated JSON": TRUNCATED_JSON,
    "HTML with 200": HTML,
    "empty choices": EMPTY_CHOICES,
    "null content": NULL_CONTENT,
    "refusal": REFUSAL,
    "content filter": FILTERED,
    "cut off": cut_off('{"verdicts": ['),
}
"""Every fault after which a call must fail, by name, for parametrised tests."""
