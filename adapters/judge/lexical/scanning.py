"""A sentence as a row of tokens: quantities, words of any script, and the punctuation that divides clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from evalparity.adapters.judge.lexical.chinese import chinese_words
from evalparity.adapters.judge.lexical.chinese_lexicon import SIMPLIFY
from evalparity.adapters.judge.lexical.folding import CJK
from evalparity.adapters.judge.lexical.lexicon import PHRASES
from evalparity.adapters.judge.lexical.quantities import QUANTITY, Quantity, read_quantity

Kind = Literal["word", "chinese", "quantity", "mark"]

_PIECE = re.compile(
    rf"(?P<chinese>[{CJK}]+)"
    rf"|(?P<word>(?:[A-Za-z]\.){{2,8}}|(?:(?![{CJK}])[^\W_])+(?:['-](?:(?![{CJK}])[^\W_])+)*)"
    r"|(?P<mark>[,;:()、|\n])"
)
_LONGEST_PHRASE = 4
_RANGE_JOINTS = frozenset(("to", "and", "or", "至", "到", "-", "~"))
_ARTICLE = re.compile(r"(?:one|一(?:个|种|项|件|次|家|位|名|所|座|部|本|条|张|间|度)?)\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """One token.

    `stop` marks Chinese words that decide nothing and numbers that are mostly articles (`one`, 一个); `name` and
    `noun` mark Chinese names and nouns, by the dictionary's tags.
    """

    kind: Kind
    text: str
    quantity: Quantity | None = None
    stop: bool = False
    name: bool = False
    noun: bool = False

    @property
    def lower(self) -> str:
        """Return the text in lower case."""
        return self.text.lower()


def scan(folded: str) -> list[Token]:
    """Return the tokens of a folded sentence, in order; known phrases are one token each."""
    text = folded.translate(SIMPLIFY)
    return _with_ranges(_with_phrases(list(_tokens(text))))


def _tokens(text: str) -> Iterator[Token]:
    end = 0
    for match in QUANTITY.finditer(text):
        if _is_inside_word(text, match):
            continue
        yield from _pieces(text[end : match.start()])
        yield _quantity_token(match)
        end = match.end()
    yield from _pieces(text[end:])


def _is_inside_word(text: str, match: re.Match[str]) -> bool:
    # The digits of `COVID-19`, `B12` or `v2` are part of a name and count nothing.
    before = text[max(match.start() - 2, 0) : match.start()]
    glued = bool(before) and before[-1].isascii() and (before[-1].isalpha() or before[-1] == "_")
    hyphenated = len(before) == 2 and before[-1] == "-" and before[0].isascii() and before[0].isalpha()  # noqa: PLR2004 - two characters are looked at
    return (glued or hyphenated) and match.group()[0].isdecimal()


def _quantity_token(match: re.Match[str]) -> Token:
    text = match.group()
    if _ARTICLE.match(text):
        return Token("quantity", text, quantity=read_quantity(match), stop=True)
    return Token("quantity", text, quantity=read_quantity(match))


def _pieces(text: str) -> Iterator[Token]:
    for match in _PIECE.finditer(text):
        if match.lastgroup == "chinese":
            yield from (
                Token("chinese", word.text, stop=word.stop, name=word.name, noun=word.noun)
                for word in chinese_words(match.group())
            )
        elif match.lastgroup == "word":
            yield Token("word", match.group())
        else:
            yield Token("mark", match.group())


def _with_phrases(tokens: list[Token]) -> list[Token]:
    merged: list[Token] = []
    index = 0
    while index < len(tokens):
        size, name = _phrase_at(tokens, index)
        if size == 0:
            merged.append(tokens[index])
        elif name:
            merged.append(Token("word", name))
        index += max(size, 1)
    return merged


def _phrase_at(tokens: list[Token], index: int) -> tuple[int, str]:
    if tokens[index].kind != "word" or tokens[index].lower not in _PHRASE_STARTS:
        return 0, ""
    for size in range(_LONGEST_PHRASE, 1, -1):
        words = tuple(token.lower for token in tokens[index : index + size])
        if words in PHRASES:
            return size, PHRASES[words]
    return 0, ""


_PHRASE_STARTS = frozenset(phrase[0] for phrase in PHRASES)


def _with_ranges(tokens: list[Token]) -> list[Token]:
    # In "3 to 5 days" and "5-7 days" the first number counts days, too.
    result = list(tokens)
    for index in range(len(tokens) - 2, -1, -1):
        first = result[index].quantity
        later = index + 2 if tokens[index + 1].lower in _RANGE_JOINTS else index + 1
        second = result[later].quantity if later < len(tokens) else None
        if first is None or second is None or first.kind != "number" or isinstance(second.value, tuple):
            continue
        if second.kind not in ("number", "ordinal") and not isinstance(first.value, tuple):
            factor = _factor(second)
            result[index] = replace(result[index], quantity=Quantity(second.kind, first.value * factor, first.text))
    return result


def _factor(quantity: Quantity) -> float:
    number = re.search(r"\d+(?:\.\d+)?", quantity.text.replace(",", ""))
    if number is None or isinstance(quantity.value, tuple) or float(number.group()) == 0:
        return 1.0
    return quantity.value / float(number.group())
