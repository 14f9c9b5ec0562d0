"""Which verdict belongs to which statement: Ragas' judge repeats the statement beside each verdict; pure."""

from __future__ import annotations

from collections.abc import Sequence


def pair_verdicts(statements: Sequence[str], repeated: Sequence[str]) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
    """Find each statement's verdict by the text that the verdict repeats.

    Equal texts (letter case, punctuation and white space aside) belong together, whatever the order. What is
    left is paired in order, if it is equally many. A verdict that repeats a statement which has its own already
    is left over, so that a statement judged twice never hides one that was not judged.

    Returns:
        for each statement the position of its verdict, or None; and the positions of verdicts left over.
    """
    pairs = _equal_texts(statements, repeated)
    known = set(map(_bare, statements))
    rest = [at for at in range(len(repeated)) if at not in pairs]
    reworded = [at for at in rest if _bare(repeated[at]) not in known]
    if len(reworded) == pairs.count(None):
        in_order = iter(reworded)
        pairs = [next(in_order) if at is None else at for at in pairs]
    return tuple(pairs), tuple(at for at in rest if at not in pairs)


def _equal_texts(statements: Sequence[str], repeated: Sequence[str]) -> list[int | None]:
    places: dict[str, list[int]] = {}
    for at, text in enumerate(repeated):
        places.setdefault(_bare(text), []).append(at)
    return [found.pop(0) if (found := places.get(_bare(text))) else None for text in statements]


def _bare(text: str) -> str:
    return _letters(text) or text.strip()


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
