"""The stem of an English word, by a few rules of our own.

Light on purpose: it joins the forms of one word (`refunds`, `refunded`, `refunding`, `refundable`) and leaves
different words apart, where a stronger stemmer would join `university` and `universe`.
"""

from __future__ import annotations

from functools import lru_cache

from evalparity.adapters.judge.lexical.lexicon import IRREGULAR

_DERIVED = (
    ("ifications", "ify"), ("ification", "ify"), ("isations", "ise"), ("isation", "ise"),
    ("izations", "ise"), ("ization", "ise"), ("izing", "ise"), ("ized", "ise"), ("izes", "ise"), ("ize", "ise"),
    ("ations", "ate"), ("ation", "ate"), ("itions", "ite"), ("ition", "ite"),
    ("ctions", "ct"), ("ction", "ct"), ("ssions", "ss"), ("ssion", "ss"), ("sions", "se"), ("sion", "se"),
    ("ptions", "pt"), ("ption", "pt"), ("utions", "ute"), ("ution", "ute"),
    ("fulness", "ful"), ("ousness", "ous"), ("iness", "y"), ("ness", ""),
    ("ments", ""), ("ment", ""), ("ances", ""), ("ance", ""), ("ably", ""), ("able", ""), ("ibly", ""), ("ible", ""),
    ("ically", "ic"), ("ally", "al"), ("ily", "y"), ("ly", ""),
)  # fmt: skip
_INFLECTED = (
    ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("zzes", "z"), ("ies", "y"),
    ("ied", "y"), ("ying", "y"), ("eed", "eed"), ("ing", ""), ("ed", ""),
    ("'s", ""), ("s'", ""), ("ss", "ss"), ("us", "us"), ("is", "is"),
    ("s", ""),
)  # fmt: skip
_VOWELS = frozenset("aeiouy")
_SHORTEST = 3


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of other scripts come back as they are."""
    if word in IRREGULAR:
        return stem(IRREGULAR[word])
    if len(word) <= _SHORTEST or not word.isascii():
        return word
    bare = _strip(_strip(word, _INFLECTED), _DERIVED)
    bare = IRREGULAR.get(bare, bare)
    return _without_end(bare) if len(bare) > _SHORTEST else bare


def _strip(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            root = word[: len(word) - len(suffix)]
            enough = len(root) + len(replacement) >= _SHORTEST and not _VOWELS.isdisjoint(root)
            return root + replacement if enough else word
    return word


def _without_end(word: str) -> str:
    # `stopped` and `stop`, `use` and `using`, `verify` and `verifies` meet in one form.
    if word[-1] == word[-2] and word[-1] not in "aeiousl":
        return word[:-1]
    word = word.removesuffix("e")
    return word[:-1] + "i" if word.endswith("y") and word[-2] not in _VOWELS else word
