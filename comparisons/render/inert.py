"""Text from a suite, a judge or a framework, made harmless for a terminal."""

from __future__ import annotations

import unicodedata

JOINERS = frozenset("\u200c\u200d")
"""Format characters that scripts and emoji need; they move nothing."""

_HIDDEN = frozenset({"Cc", "Cf", "Cs"})
"""Control, format and surrogate characters: they move the cursor, colour, hide or reverse text."""


def inert(text: str) -> str:
    r"""Return the text on one line, with every control character written out, as `\x1b`.

    Line breaks and runs of white space become one space. Rich markup such as `[bold]` stays as it is: it must be
    put into `rich.text.Text`, which never reads markup.
    """
    return " ".join("".join(_visible(character) for character in text).split())


def _visible(character: str) -> str:
    if character.isspace() or character in JOINERS:
        return " " if character.isspace() else character
    if unicodedata.category(character) in _HIDDEN:
        return character.encode("unicode_escape").decode("ascii")
    return character
