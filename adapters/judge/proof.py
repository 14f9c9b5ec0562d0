r"""The proof of equal inputs: the texts of a case, held against what a framework really sent.

A binding declares in which form each text stands in the prompts (`evalparity.adapters.base.Sent`). Here the texts
of the case are brought into that form and looked up whole. JSON may be written in several ways (`\n` or `\u000a`,
white space between items or none); all spellings of one text count as that text, and no other text does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from evalparity.adapters.base import Encoding, Sent
from evalparity.adapters.judge.traffic import InputProof

Texts = Mapping[str, "str | tuple[str, ...]"]
Pieces = tuple[str, ...]
"""Parts that follow each other with nothing but white space between them."""

_HOLE = "{text}"


class InputProofBuilder:
    """Takes note of the calls of one cell as they come, and says at the end which texts were not among them.

    Args:
        texts: the case's texts by canonical field; contexts as a tuple, in order.
        sent: the texts that the binding sends, and their form. A declared field that `texts` lacks is missing.
    """

    def __init__(self, texts: Texts, sent: Sequence[Sent]) -> None:
        self._texts = texts
        self._pending = [_Needle(item, pieces) for item in sent for pieces in _needles(item, texts)]

    def see_messages(self, messages: Iterable[str]) -> None:
        """Take note of the texts of one chat call's messages."""
        self._see(list(messages), embedded=False)

    def see_embedded(self, inputs: Iterable[str]) -> None:
        """Take note of the texts of one embedding call."""
        self._see(list(inputs), embedded=True)

    def proof(self) -> InputProof:
        """Return what was not found so far: rewritten where the framework is known to do so, else missing."""
        absent = {needle.sent.field: needle.sent for needle in self._pending}
        # A field counts as rewritten only if every place where it is absent may rewrite it.
        kept = {needle.sent.field for needle in self._pending if not self._may_rewrite(needle.sent)}
        return InputProof(
            missing=tuple(field for field in absent if field in kept),
            rewritten=tuple(field for field in absent if field not in kept),
        )

    def _see(self, seen: list[str], *, embedded: bool) -> None:
        self._pending = [
            needle
            for needle in self._pending
            if needle.sent.embedded != embedded or not any(needle.stands_in(text) for text in seen)
        ]

    def _may_rewrite(self, sent: Sent) -> bool:
        texts = self._texts.get(sent.field, ())
        return sent.may_rewrite is not None and any(
            sent.may_rewrite(text) for text in ((texts,) if isinstance(texts, str) else texts)
        )


class _Needle:
    """One text in the form in which it must stand in a message; None: there is no such text."""

    __slots__ = ("pieces", "sent")

    def __init__(self, sent: Sent, pieces: Pieces | None) -> None:
        self.sent, self.pieces = sent, pieces

    def stands_in(self, message: str) -> bool:
        if self.pieces is None:
            return False
        if _holds(message, self.pieces):
            return True
        if self.sent.encoding != "json" or "\\" not in message:
            return False
        return _holds(_one_spelling(message), tuple(_one_spelling(piece) for piece in self.pieces))


def _needles(sent: Sent, texts: Texts) -> list[Pieces | None]:
    """Return all that must be found for one declaration: one, or one for each context where each stands alone."""
    text = texts.get(sent.field)
    if text is None:
        return [None]
    if not isinstance(text, str) and sent.join is not None:
        text = sent.join.join(text)
    before, _, after = sent.layout.partition(_HOLE)
    if isinstance(text, str):
        return [(before + _ENCODERS[sent.encoding](text) + after,)]
    items = [_ENCODERS[sent.encoding](item) for item in text]
    if sent.each or sent.encoding == "plain":
        return [(before + item + after,) for item in items]
    between = [piece for item in items for piece in (",", item)][1:]
    return [(before + "[", *between, "]" + after)]


def _to_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


_ENCODERS: Mapping[Encoding, Callable[[str], str]] = MappingProxyType(
    {"plain": str, "json": _to_json, "python_repr": repr}
)


def _holds(message: str, pieces: Pieces) -> bool:
    first, *rest = pieces
    start = message.find(first)
    while start >= 0:
        if _follow(message, start + len(first), rest):
            return True
        start = message.find(first, start + 1)
    return False


def _follow(message: str, at: int, pieces: Sequence[str]) -> bool:
    for piece in pieces:
        while message[at : at + 1] in {" ", "\n", "\r", "\t"}:
            at += 1
        if not message.startswith(piece, at):
            return False
        at += len(piece)
    return True


_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\.", re.DOTALL)


def _one_spelling(text: str) -> str:
    """Write every JSON escape of a text in the one way that `json.dumps` would."""
    return _ESCAPES.sub(lambda match: _respell(match.group()), text)


def _respell(escape: str) -> str:
    try:
        return _to_json(json.loads(f'"{escape}"'))[1:-1]
    except ValueError:  # no escape of JSON's: text around it that happens to hold a backslash
        return escape
