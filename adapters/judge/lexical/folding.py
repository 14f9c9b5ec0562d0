"""Text as the lexical judge reads it: one form for full-width, invisible and typographic characters."""

from __future__ import annotations

import re
import unicodedata

CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
"""Characters of Chinese and Japanese, for use inside a regular expression's brackets."""

_CJK_CHARACTER = re.compile(f"[{CJK}]")
_INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]")
_TYPOGRAPHY = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2212": "-",
        "\u2028": "\n", "\u2029": "\n", "\u0085": "\n", "\v": "\n", "\f": "\n", "\r": "\n",
    }
)  # fmt: skip
_QUOTE_LIMIT = 80


def fold(text: str) -> str:
    """Return a text with full-width forms narrowed, invisible characters removed and quotes made plain.

    The compatibility form (NFKC) also turns a full-width comma into a plain one; words stay as they were.
    """
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).translate(_TYPOGRAPHY)


def has_cjk(text: str) -> bool:
    """Say whether a text holds a Chinese or Japanese character."""
    return _CJK_CHARACTER.search(text) is not None


def is_chinese(text: str) -> bool:
    """Say whether a text is to be answered in Chinese: a third of its letters are Chinese characters."""
    letters = sum(character.isalpha() for character in text)
    return letters > 0 and 3 * len(_CJK_CHARACTER.findall(text)) >= letters


def quoted(text: str) -> str:
    """Return a text on one line in double quotes, cut to 80 characters at most."""
    line = " ".join(text.split())
    return f'"{line}"' if len(line) <= _QUOTE_LIMIT else f'"{line[: _QUOTE_LIMIT - 1]}…"'
