"""Words of a text in any script, as the built-in scorers count them."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby
from typing import Literal

from evalparity.adapters.judge.lexical.folding import CJK

_CJK_CHARACTER = re.compile(f"[{CJK}]")
_IN_A_WORD = frozenset("LMN")
"""Letters, the marks that belong to them, and numbers, by the first letter of their Unicode category."""


def words(text: str) -> list[str]:
    """Return the lower-cased words of a text: runs of letters and digits, and each Chinese or Japanese character.

    Punctuation, symbols and emoji are no words. Full-width letters count as plain ones (Unicode NFKC).
    """
    found: list[str] = []
    for kind, run in groupby(unicodedata.normalize("NFKC", text).lower(), key=_kind):
        if kind == "character":
            found += run
        elif kind == "word":
            found.append("".join(run))
    return found


def _kind(character: str) -> Literal["word", "character"] | None:
    if character.isascii():
        return "word" if character.isalnum() else None
    if _CJK_CHARACTER.match(character):
        return "character"
    return "word" if unicodedata.category(character)[0] in _IN_A_WORD else None


def has_chinese(text: str) -> bool:
    """Say whether a text holds a Chinese or Japanese character."""
    return _CJK_CHARACTER.search(text) is not None
