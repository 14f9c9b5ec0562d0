"""How a prompt of DeepEval is cut into the texts that stand in it; pure.

A prompt is a fixed text, then sections under fixed headings, then `JSON:`. Texts of a suite stand in the sections and
may hold the same headings. What makes a cut certain all the same: the fixed text ends before the first heading, and
lists are Python literals, which never hold a line break, so that the last heading before a list is DeepEval's own.
Where two plain texts follow each other nothing does, so that such a prompt is refused when a text holds the heading
between them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

END = "\n\nJSON:"


class UnknownLayoutError(Exception):
    """Raised when a prompt does not stand as DeepEval 4.3.1 writes it, or cannot be cut for certain."""


def body(prompt: str, end: str = END) -> str:
    """Return a prompt without its end."""
    if not prompt.endswith(end):
        raise UnknownLayoutError(f"it does not end in {end.strip()!r}")
    return prompt.removesuffix(end)


def after(text: str, heading: str) -> str:
    """Return what follows the first of these headings."""
    _, found, rest = text.partition(heading)
    if not found:
        raise UnknownLayoutError(f"it has no {heading.strip()!r}")
    return rest


def before_list(text: str, heading: str) -> tuple[str, list[Any]]:
    """Return the text before the last of these headings, and the list after it."""
    before, found, literal = text.rpartition(heading)
    if not found:
        raise UnknownLayoutError(f"it has no {heading.strip()!r}")
    return before, read_list(literal)


def read_list(literal: str) -> list[Any]:
    """Return the list that a Python literal stands for."""
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError) as error:
        raise UnknownLayoutError("it holds no Python list where one is expected") from error
    if not isinstance(value, list):
        raise UnknownLayoutError("it holds no Python list where one is expected")
    return value


def between(text: str, headings: Sequence[str]) -> list[str]:
    """Return the plain texts between headings, one more than there are headings."""
    texts = []
    for heading in headings:
        if (times := text.count(heading)) != 1:
            raise UnknownLayoutError(
                f"it holds {heading.strip()!r} {times} times, so that its texts cannot be told apart"
            )
        one, _, text = text.partition(heading)
        texts.append(one)
    return [*texts, text]
