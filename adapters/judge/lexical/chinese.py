"""Chinese words: a dictionary tokenizer (jieba, through its kept Rust binding) and what to make of its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalparity.adapters.judge.lexical.chinese_lexicon import (
    BOUNDS,
    EXCLUSIVE,
    NEGATORS,
    NOT_NEGATING,
    OPPOSITE_PAIRS,
    SAME,
    STOP_WORDS,
)
from evalparity.adapters.judge.lexical.wordlists import classes, opposites

if TYPE_CHECKING:
    import rjieba

_PREFIXES = ("不", "没", "未", "无", "非")
_FUNCTION_TAGS = ("u", "p", "c", "y", "e", "o", "r", "f", "x", "k", "h", "d", "zg", "ul", "uj", "w", "q")
_NOUN_TAGS = ("n", "vn", "j", "l", "i", "b", "a", "eng")
_NAME_TAGS = ("nr", "ns", "nt", "nz")
_WORD_FREQUENCY = 100_000
_SHORTEST_NEGATED = 3


@dataclass(frozen=True, slots=True)
class ChineseWord:
    """One word: its text, and whether it decides nothing by itself, is a name, and can be a subject."""

    text: str
    stop: bool
    name: bool
    noun: bool


@lru_cache(maxsize=1)
def _tokenizer() -> rjieba.Jieba:
    import rjieba  # noqa: PLC0415 - loads a dictionary for 0.2 s, needed for Chinese text only

    tokenizer = rjieba.Jieba()
    for word in sorted(word for word in (*NEGATORS, *BOUNDS) if len(word) > 1):
        tokenizer.add_word(word, _WORD_FREQUENCY, "v")
    return tokenizer


def chinese_words(text: str) -> list[ChineseWord]:
    """Return the words of a text without spaces, in order; nothing is left out."""
    return [
        ChineseWord(
            text=word,
            stop=word in STOP_WORDS or tag in _FUNCTION_TAGS,
            name=len(word) > 1 and tag.startswith(_NAME_TAGS),
            noun=tag.startswith(_NOUN_TAGS),
        )
        for word, tag in _tokenizer().tag(text)
    ]


def is_negator(word: str) -> bool:
    """Say whether a Chinese word negates, alone or by its first character."""
    return word in NEGATORS or (word.startswith(_PREFIXES) and word not in NOT_NEGATING)


def negated_part(word: str) -> str:
    """Return what a negating word negates by itself: `支持` for `不支持`, nothing for `不`."""
    return word[1:] if len(word) >= _SHORTEST_NEGATED and word.startswith(_PREFIXES) else ""


_KEYS = MappingProxyType({word: group[0] for group in reversed(SAME) for word in group})


def chinese_key(word: str) -> str:
    """Return the key under which a Chinese word and its synonyms are compared."""
    return _KEYS.get(word, word)


CLASSES = classes([[chinese_key(word) for word in group] for group in EXCLUSIVE])
"""Numbers of the sets of mutually exclusive words that a key belongs to."""

OPPOSITES = opposites([[chinese_key(word) for word in pair] for pair in OPPOSITE_PAIRS])
"""The opposites of a key, by key."""
