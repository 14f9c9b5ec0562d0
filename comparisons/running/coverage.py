"""Whether every sentence that should get a verdict got one; the same rule for every framework, and pure.

For context recall all three let the judge cut the reference and judge its parts in one reply. When that reply ends
early, none of them notices: they divide by what came back. A judge may merge, cut and reword sentences as it likes,
so whatever is doubtful here counts as judged: an honest score must never be thrown away.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evalparity.unified_schema.outcomes import Item

_HAN = "\u3400-\u9fff"
_POSSIBLE_END = re.compile(
    r"(?P<blank>\n[^\S\n]*\n)|(?<=[.!?])(?P<stop>\s+)(?=[^\W_])|(?<=[。！？])(?![”’」』）)\"'。！？])"
)
_LAST_WORD = re.compile(r"(\S*?)[.]+$")
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+")
_TITLES = (
    "adm asst atty bros capt cmdr co col corp cpl cpt dept dr esq gen gov hon inc jr lt ltd maj messrs mlle mme mr mrs "
    "ms mt pres prof rep rev sen sgt sr st supt univ ave blvd bldg ft hwy rd"
)
_QUANTITIES = (
    "al app approx art assoc avg ca cap cf ch chap cit cl dist div ed eds ep eq eqs est etc ext fig figs hr hrs ibid "
    "incl kg max med min misc nat nb no nos nr obs op oz para pg pl pp pt pts ref refs resp sec sect ser sp spp sq tab "
    "tel temp vol vols viz vs wt yr yrs"
)
_CALENDAR = "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
_OTHER_LANGUAGES = "bspw bzw evtl ggf hrsg inkl ing mio mrd sog usw vgl zzgl sra dra dott"
_ABBREVIATIONS = frozenset(f"{_TITLES} {_QUANTITIES} {_CALENDAR} {_OTHER_LANGUAGES}".split())
_INITIAL = 1
_SHORT_NUMBER = 2
_SHORTEST = 8
_SHORTEST_HAN = 4
_STEM = 5
"""So many first letters make two forms of a word the same."""

_FAR = 80
"""No word is longer."""

_HELD = 1 / 3
"""An item in other words stands for a sentence from this share of the sentence's words on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A text as it is compared: its letters and digits in a row, and its words."""

    letters: str
    words: Counter[str]

    @property
    def long_enough(self) -> bool:
        return len(self.letters) >= (_SHORTEST_HAN if re.search(f"[{_HAN}]", self.letters) else _SHORTEST)

    def shares_text_with(self, item: _Reading) -> bool:
        """Whether an item holds this sentence or is a part of it; a scrap is a part of everything and shows nothing."""
        return self.letters in item.letters or (item.long_enough and item.letters in self.letters)


def unjudged_sentences(text: str, items: Sequence[Item]) -> int:
    """Return how many sentences of a text none of the items stands for; rather one too few.

    A sentence is judged when an item holds it or is a part of it. An item in other words counts for every sentence of
    which it holds a third of the words, each of its words used once, and for one at least; so does an item whose text
    the framework hides or shows no more of than a number ("3."). Sentences of a word or two ("Yes.") may be left out
    by a judge and are not asked for; where a sentence ends is decided by `sentences`.
    """
    parts = [_read(part) for part in sentences(text)]
    asked = [part for part in parts if part.long_enough]
    small_talk = {part.letters for part in parts if not part.long_enough} | {""}
    read = [_read(item.text) for item in items if item.text is not None]
    visible = [item for item in read if item.letters not in small_talk]
    hidden = len(items) - len(read)
    unseen = [one for one in asked if not any(one.shares_text_with(item) for item in visible)]
    return max(0, len(unseen) - hidden - _stood_for(unseen, asked, visible))


def sentences(text: str) -> list[str]:
    """Cut a text where a sentence ends for certain.

    That is a stop, `!` or `?` followed by white space and a capital, a digit or a letter of a script without
    capitals; a Chinese or Japanese stop; or a blank line. A stop after an abbreviation, an initial, a word with
    inner stops, a number of one or two digits or an ellipsis may not be the end and is none; nor is a line break.
    """
    cuts = [0, *_ends(text), len(text)]
    return [part for start, end in pairwise(cuts) if (part := text[start:end].strip())]


def _ends(text: str) -> Iterator[int]:
    for found in _POSSIBLE_END.finditer(text):
        gap = found["stop"]
        if gap is None or gap.count("\n") > 1 or _is_end(text, found):
            yield found.end()


def _is_end(text: str, found: re.Match[str]) -> bool:
    return not text[found.end()].islower() and not _may_go_on(text[max(0, found.start() - _FAR) : found.start()])


def _may_go_on(before: str) -> bool:
    """Whether the stop at the end of a text may belong to its last word."""
    last = _LAST_WORD.search(before)
    if last is None:
        return False
    word = last.group(1).lstrip("(\"'“‘[").casefold()
    number = word.isdigit() and len(word) <= _SHORT_NUMBER
    return len(word) == _INITIAL or "." in word or number or word in _ABBREVIATIONS or before.endswith("..")


def _stood_for(unseen: Sequence[_Reading], asked: Sequence[_Reading], items: Sequence[_Reading]) -> int:
    """Return how many of the unseen sentences the items stand for with words that they do not share as text."""
    left = [sentence.words for sentence in unseen]
    total = 0
    for item in items:
        shared = [sentence for sentence in asked if sentence.shares_text_with(item)]
        spare = item.words.copy()
        for sentence in shared:
            spare -= sentence.words
        total += max(_take_held(left, spare), 0 if shared else 1)
    return total


def _take_held(left: list[Counter[str]], spare: Counter[str]) -> int:
    """Take out the sentences whose words the spare words hold; return how many these are."""
    held = 0
    for words in sorted(left, key=lambda one: (one & spare).total() / one.total(), reverse=True):
        common = words & spare
        if common.total() >= _HELD * words.total():
            spare -= common
            left.remove(words)
            held += 1
    return held


def _read(text: str) -> _Reading:
    folded = text.casefold()
    letters = "".join(character for character in folded if character.isalnum())
    return _Reading(letters=letters, words=Counter(word[:_STEM] for word in _WORD.findall(folded)))
