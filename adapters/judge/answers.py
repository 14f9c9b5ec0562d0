"""What the judge answered, by what it was asked: the address of an answer, and how it is packed to be kept."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any, Protocol

from evalparity.adapters.judge.upstream import UpstreamRequest

Json = dict[str, Any]

_FORMAT = 1
"""Part of every address; raised when equal requests may no longer be answered alike."""


def request_digest(server: str, request: UpstreamRequest) -> str:
    """Return the SHA-256 of what is asked of whom: server, kind of call, model, every parameter, all messages.

    Args:
        server: base URL of the server.
        request: what is sent; who asks, and for what, is no part of the digest.
    """
    return _digest([_FORMAT, server, request.kind, request.body])


def answer_key(digest: str, *, occurrence: int, repeat: int) -> str:
    """Return the address of the answer to one call, 64 hexadecimal digits.

    Args:
        digest: of the request.
        occurrence: how many equal requests the cell made before this one, 0 or more. A framework that asks the same
            three times wants three answers.
        repeat: 0-based repeat of the cell; servers that ignore the seed must not answer all repeats with one answer.
    """
    return _digest([digest, occurrence, repeat])


def _digest(content: object) -> str:
    # Only ASCII, as a text may hold half of a surrogate pair, which UTF-8 cannot.
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Answers(Protocol):
    """Something that keeps answers."""

    def find(self, key: str) -> Json | None:
        """Return the answer at an address; None where there is none."""


_WORTH_COMPRESSING = 8_000
"""Bytes from which on an answer is compressed: vectors shrink by half, a reply of a page gains nothing to speak of."""


def packed(answer: Mapping[str, Any]) -> bytes:
    """Return an answer as it is kept: JSON, compressed where it is long."""
    content = json.dumps(answer, separators=(",", ":")).encode("ascii")
    return content if len(content) < _WORTH_COMPRESSING else zlib.compress(content, level=1)


def unpacked(content: bytes) -> Json:
    """Return an answer that was packed.

    Raises:
        ValueError: the content is damaged.
    """
    try:
        return dict(json.loads(content if content.startswith(b"{") else zlib.decompress(content)))
    except (zlib.error, TypeError) as error:
        raise ValueError(f"a damaged answer ({error})") from error
