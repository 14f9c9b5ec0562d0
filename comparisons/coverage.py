"""Whether every sentence that should get a verdict got one; the same rule for every framework, and pure.

For context recall all three let the judge cut the reference and judge its parts in one reply. When that reply ends
early, none of them notices: they divide by what came back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evalparity.unified_schema.outcomes import Item

# A full stop after a short word may belong to an abbreviation ("Mr.", "U.S."): rather one sentence too few.
_SENTENCE_END = re.compile(r"(?<=\w{4}[.])\s+|(?<=[!?])\s+|(?<=[。！？])|\n+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_SHORTEST = 8
_SHORTEST_HAN = 4


def unjudged_sentences(text: str, items: Sequence[Item]) -> int:
    """Return how many sentences of a text none of the items stands for.

    A sentence is judged when an item holds it or is a part of it. An item in other words counts for one sentence.
    Where the framework hides the items' texts, their number alone is compared. Sentences of a word or two ("Yes.")
    may be left out by a judge and are not asked for.
    """
    sentences = [bare for part in _SENTENCE_END.split(text) if _counts(bare := _letters(part))]
    judged = [bare for item in items if item.text is not None and (bare := _letters(item.text))]
    if not judged:
        return max(0, len(sentences) - len(items))
    unseen = [one for one in sentences if not _overlaps(one, judged)]
    reworded = [one for one in judged if not _overlaps(one, sentences)]
    return max(0, len(unseen) - len(reworded))


def _counts(letters: str) -> bool:
    return len(letters) >= (_SHORTEST_HAN if _HAN.search(letters) else _SHORTEST)


def _overlaps(text: str, others: Sequence[str]) -> bool:
    return any(text in other or other in text for other in others)


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
