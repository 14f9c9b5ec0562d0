"""A sentence as the lexical judge weighs it: weighty terms, clauses with their negation, and who acts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from evalparity.adapters.judge.lexical import chinese
from evalparity.adapters.judge.lexical.folding import has_cjk
from evalparity.adapters.judge.lexical.quantities import Quantity
from evalparity.adapters.judge.lexical.synonyms import CLASSES, OPPOSITES

_PRONOUN = re.compile(r"(?:it|they|he|she|this|these|its|their|his|her)\b|(?:其|它|他|她|该|此)", re.IGNORECASE)
_SUBJECT_TERMS = 3


@dataclass(frozen=True, slots=True)
class Term:
    """One weighty word or quantity.

    Attributes:
        key: what it is compared by.
        text: as written.
        weight: how much it decides.
        clause: index of its clause.
        segment: counts commas, semicolons and `and`; quantities of one list stand in different segments.
        name: whether it names someone or something.
        quantity: its number, if it is one.
        bare: key without a negative prefix (`refund` for `non-refundable`), or "".
        noun: key of the word that a bare number counts, if it stands right behind it.
        focus: whether a claim that lacks it fails sooner: the last word of a clause, or a word right before another.
        action: key of what is done *by* this party, from a passive; "" in all other cases.
    """

    key: str
    text: str
    weight: float
    clause: int
    segment: int
    name: bool = False
    quantity: Quantity | None = None
    bare: str = ""
    noun: str = ""
    focus: bool = False
    action: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    Attributes:
        negated: whether an odd number of words negates it.
        side: whether it is a condition or an exception to another.
        continues: whether it has no subject of its own, or only a pronoun.
    """

    negated: bool = False
    side: bool = False
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """One analysed sentence.

    Attributes:
        text: folded text.
        squeezed: the text without space and with simplified characters.
        terms: weighty terms in order.
        clauses: at least one.
        by_key: the terms of each key, bare keys not among them.
        by_bare: the terms of each bare key.
        keys: all keys, bare ones and marks of quantities too.
        reach: all keys that a term of this sentence could be found by in another one.
        has_chinese: whether it holds a Chinese term.
        agents: pairs (who acts, what is done) by key.
        compared: keys before and after `than`, or two empty sets.
        unconditional: whether it says `always`, `regardless` or the like.
        exclusive: whether it says `only` or the like.
    """

    text: str
    squeezed: str
    clauses: tuple[Clause, ...]
    agents: frozenset[tuple[str, str]]
    unconditional: bool
    exclusive: bool
    compared: tuple[frozenset[str], frozenset[str]]
    terms: tuple[Term, ...] = ()
    by_key: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    by_bare: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    keys: frozenset[str] = frozenset()
    reach: frozenset[str] = frozenset()
    has_chinese: bool = False
    weight: float = 0.0


def carry(previous: Sentence, sentence: Sentence) -> Sentence:
    """Return a sentence with the subject of the one before, when it begins with a pronoun."""
    if not _PRONOUN.match(sentence.text):
        return sentence
    held = {term.key for term in sentence.terms}
    subject = [term for term in previous.terms if term.clause == 0 and term.quantity is None and term.key not in held]
    carried = tuple(replace(term, clause=0, segment=0, action="") for term in subject[:_SUBJECT_TERMS])
    return with_terms(sentence, (*carried, *sentence.terms))


def with_terms(sentence: Sentence, terms: tuple[Term, ...]) -> Sentence:
    """Return a sentence with other terms and everything that is looked up by them."""
    return replace(
        sentence,
        terms=terms,
        by_key=_grouped((term.key, term) for term in terms),
        by_bare=_grouped((term.bare, term) for term in terms if term.bare),
        keys=_keys(terms),
        reach=_reach(terms),
        has_chinese=any(has_cjk(term.key) for term in terms),
        weight=sum(term.weight for term in terms),
    )


def _keys(terms: tuple[Term, ...]) -> frozenset[str]:
    words = {key for term in terms for key in (term.key, term.bare) if key}
    return frozenset(words.union(*(term.quantity.marks for term in terms if term.quantity)))


def _reach(terms: tuple[Term, ...]) -> frozenset[str]:
    keys = _keys(terms)
    return keys.union(*(opposites_of(key) for key in keys))


def opposites_of(key: str) -> tuple[str, ...]:
    """Return the opposites of a key in a fixed order, whatever its language."""
    return OPPOSITES.get(key, ()) or chinese.OPPOSITES.get(key, ())


def _grouped(pairs: Iterable[tuple[str, Term]]) -> Mapping[str, tuple[Term, ...]]:
    groups: dict[str, tuple[Term, ...]] = {}
    for key, term in pairs:
        groups[key] = (*groups.get(key, ()), term)
    return groups


def agents_of(terms: tuple[Term, ...]) -> frozenset[tuple[str, str]]:
    """Return pairs (who acts, what is done): a party right before a word, or after `by`."""
    parties = {index for index, term in enumerate(terms) if _is_party(term)}
    passive = {(terms[index].key, terms[index].action) for index in parties if terms[index].action}
    passive_actions = {action for _, action in passive}
    active = {
        (terms[index].key, terms[index + 1].key)
        for index in parties
        if not terms[index].action and index + 1 < len(terms) and index + 1 not in parties
    }
    return frozenset(passive | {(agent, action) for agent, action in active if action not in passive_actions})


def _is_party(term: Term) -> bool:
    return term.name or term.key in CLASSES or term.key in chinese.CLASSES
