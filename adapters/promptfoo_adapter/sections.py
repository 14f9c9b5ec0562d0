"""Where the fields of a case stand in Promptfoo's prompts, which put them between fixed texts."""

from __future__ import annotations


def between(prompt: str, *, after: str, before: str) -> str:
    """Return what stands between a text of the prompt, the first such, and the fixed end of the prompt.

    Raises:
        ValueError: the prompt lacks either of them.
    """
    _, _, rest = split(prompt.partition(after))
    if not rest.endswith(before):
        raise ValueError(f"the prompt does not end with {before!r}, as Promptfoo 0.123.1 writes it")
    return rest.removesuffix(before)


def split(parts: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return what `partition` or `rpartition` gave, if it found its marker.

    Raises:
        ValueError: it did not.
    """
    if not parts[1]:
        raise ValueError("the prompt lacks a marker that Promptfoo 0.123.1 writes")
    return parts


def one_line(text: str) -> str:
    """Return a text with every stretch of white space as one blank."""
    return " ".join(text.split())
