"""How the terms of a claim are found in one sentence of a premise."""

from __future__ import annotations

from dataclasses import dataclass

from evalparity.adapters.judge.lexical.folding import has_cjk
from evalparity.adapters.judge.lexical.sentences import Sentence, Term, opposites_of

_PARTIAL_CREDIT = 0.5
_COMPOUND = 3

SUBJECT_SHARE = 0.6
"""How much a claim's first term counts in choosing the clause to compare: what is said counts more than of whom."""


@dataclass(frozen=True, slots=True)
class Match:
    """Where a term of the claim stands in the premise.

    Attributes:
        term: the claim's term.
        found: the premise's term in the clause that fits the claim best, or None when only characters were found.
        opposite: whether the premise has its opposite.
        credit: share of the weight that counts as covered, 0..1.
    """

    term: Term
    found: Term | None
    opposite: bool = False
    credit: float = 1.0


@dataclass(frozen=True, slots=True)
class Alignment:
    """A claim laid over one sentence: what was found, what was not, and the share of weight that was."""

    claim: Sentence
    premise: Sentence
    matches: tuple[Match, ...]
    missing: tuple[Term, ...]
    coverage: float
    clause_weights: dict[int, float]


@dataclass(frozen=True, slots=True)
class _Hits:
    term: Term
    same: tuple[Term, ...] = ()
    opposite: tuple[Term, ...] = ()
    credit: float = 0.0


def align(claim: Sentence, premise: Sentence) -> Alignment:
    """Lay a claim over one sentence; of a word that stands there twice, the place in the best clause counts."""
    if _is_foreign(claim, premise):
        return Alignment(claim, premise, matches=(), missing=claim.terms, coverage=0.0, clause_weights={})
    hits = [find_term(term, premise) for term in claim.terms]
    weights = _clause_weights(hits)
    matches = tuple(_best(hit, hits, weights) for hit in hits if hit.credit)
    covered = sum(match.term.weight * match.credit for match in matches)
    return Alignment(
        claim=claim,
        premise=premise,
        matches=matches,
        missing=tuple(hit.term for hit in hits if not hit.credit),
        coverage=covered / claim.weight if claim.weight else 0.0,
        clause_weights=weights,
    )


def _is_foreign(claim: Sentence, premise: Sentence) -> bool:
    # Most sentences of a long context share nothing with a claim; this is told without looking at each term.
    both_chinese = claim.has_chinese and premise.has_chinese
    return not both_chinese and claim.reach.isdisjoint(premise.keys)


def _clause_weights(hits: list[_Hits]) -> dict[int, float]:
    weights: dict[int, float] = {}
    for order, hit in enumerate(hits):
        for clause in sorted({term.clause for term in (*hit.same, *hit.opposite)}):
            weights[clause] = weights.get(clause, 0.0) + _share(order) * hit.term.weight
    return weights


def _best(hit: _Hits, hits: list[_Hits], weights: dict[int, float]) -> Match:
    if len(hit.same) + len(hit.opposite) <= 1:
        return Match(hit.term, (*hit.same, *hit.opposite, None)[0], opposite=bool(hit.opposite), credit=hit.credit)

    def fit(term: Term) -> tuple[float, float]:
        return weights[term.clause], _company(term, hit, hits)

    same = max(hit.same, key=fit, default=None)
    opposite = max(hit.opposite, key=fit, default=None)
    if opposite is not None and (same is None or fit(opposite) > fit(same)):
        return Match(hit.term, opposite, opposite=True, credit=hit.credit)
    return Match(hit.term, same, credit=hit.credit)


def _company(term: Term, hit: _Hits, hits: list[_Hits]) -> float:
    return sum(
        _share(order) * other.term.weight
        for order, other in enumerate(hits)
        if other is not hit and any(found.segment == term.segment for found in other.same)
    )


def _share(order: int) -> float:
    return SUBJECT_SHARE if order == 0 else 1.0


def find_term(term: Term, premise: Sentence) -> _Hits:
    """Find one term by its number, its key, its opposite, or, for Chinese, by its characters."""
    if term.quantity is not None:
        same = _equal_quantities(term, premise)
        return _Hits(term, same=same, credit=1.0 if same else 0.0)
    same, opposite = premise.by_key.get(term.key, ()), _opposites(term, premise)
    if same or opposite:
        return _Hits(term, same=same, opposite=opposite, credit=1.0)
    return _find_characters(term, premise) if has_cjk(term.key) else _Hits(term)


def _equal_quantities(term: Term, premise: Sentence) -> tuple[Term, ...]:
    mine = term.quantity
    assert mine is not None
    return tuple(other for other in premise.terms if other.quantity is not None and mine.agrees(other.quantity))


def _opposites(term: Term, premise: Sentence) -> tuple[Term, ...]:
    bare = (*premise.by_bare.get(term.key, ()), *(premise.by_key.get(term.bare, ()) if term.bare else ()))
    return (*bare, *(found for key in opposites_of(term.key) for found in premise.by_key.get(key, ())))


def _find_characters(term: Term, premise: Sentence) -> _Hits:
    # Dictionaries cut compounds in different places; the characters tell that 运费 is in 退货运费.
    for form in (term.text, term.key):
        if form in premise.squeezed:
            return _Hits(term, same=_holders(form, premise), credit=1.0)
    if len(term.text) < _COMPOUND or term.name:
        return _Hits(term)
    pairs = [term.text[index : index + 2] for index in range(len(term.text) - 1)]
    share = sum(pair in premise.squeezed for pair in pairs) / len(pairs)
    return _Hits(term, credit=share if share >= _PARTIAL_CREDIT else 0.0)


def _holders(form: str, premise: Sentence) -> tuple[Term, ...]:
    return tuple(term for term in premise.terms if form in term.text or term.text in form)
