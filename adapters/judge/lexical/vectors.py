"""Embeddings without a model: hashed stems and character n-grams."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator

from evalparity.adapters.judge.lexical.chinese import chinese_key
from evalparity.adapters.judge.lexical.folding import fold, has_cjk
from evalparity.adapters.judge.lexical.lexicon import STOP_WORDS
from evalparity.adapters.judge.lexical.scanning import Token, scan
from evalparity.adapters.judge.lexical.synonyms import key_of

DIMENSIONS = 512
_LONGEST_TEXT = 20_000
_WORD, _STOP, _GRAM, _PAIR = 1.0, 0.1, 0.15, 0.5


def embed(text: str) -> list[float]:
    """Return a unit vector of 512 components, all at least 0, so that every cosine lies in 0..1.

    Each stem and each character n-gram adds its weight to the component that its CRC-32 names; stop words
    add little. Counts are damped by a square root. Empty text gives a fixed vector. Of a text longer than
    20,000 characters the beginning counts.
    """
    counts = [0.0] * DIMENSIONS
    for feature, weight in _features(text[:_LONGEST_TEXT]):
        counts[zlib.crc32(feature.encode("utf-8", "surrogatepass")) % DIMENSIONS] += weight
    damped = [math.sqrt(count) for count in counts]
    length = math.sqrt(sum(value * value for value in damped))
    if length == 0:
        return [1.0] + [0.0] * (DIMENSIONS - 1)
    return [value / length for value in damped]


def _features(text: str) -> Iterator[tuple[str, float]]:
    for token in scan(fold(text)):
        if token.kind != "mark":
            yield from _token_features(token)


def _token_features(token: Token) -> Iterator[tuple[str, float]]:
    word = token.lower
    if token.quantity is not None:
        yield f"#{token.quantity.kind}:{token.quantity.value}", _WORD
    elif has_cjk(word):
        yield f"w:{chinese_key(word)}", _STOP if token.stop else _WORD
        yield from ((f"p:{word[index : index + 2]}", _PAIR) for index in range(len(word) - 1))
    elif token.stop or word in STOP_WORDS:
        yield f"w:{word}", _STOP
    else:
        yield f"w:{key_of(word)}", _WORD
        padded = f"<{word}>"
        yield from ((f"g:{padded[index : index + 3]}", _GRAM) for index in range(len(padded) - 2))
