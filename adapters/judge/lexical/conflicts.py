"""What makes a sentence contradict a claim that it otherwise covers: numbers, negation, roles, exclusive words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import takewhile

from evalparity.adapters.judge.lexical import chinese
from evalparity.adapters.judge.lexical.folding import quoted
from evalparity.adapters.judge.lexical.matching import Alignment
from evalparity.adapters.judge.lexical.sentences import Sentence, Term
from evalparity.adapters.judge.lexical.synonyms import CLASSES

_TOPIC = 0.5
"""Share of the claim's other words that a sentence must hold before a difference counts as a contradiction."""


_OTHER_SUBJECT = 0.5


def find_conflict(alignment: Alignment) -> str | None:
    """Return what in the sentence contradicts the claim, as `"7 days" against "30 days"`; None if nothing does."""
    return next((text for text in (detect(alignment) for detect in _DETECTORS) if text is not None), None)


def _topic_share(alignment: Alignment, without: Iterable[Term]) -> float:
    left_out = {id(term) for term in without}
    total = sum(term.weight for term in alignment.claim.terms if id(term) not in left_out)
    covered = sum(match.term.weight * match.credit for match in alignment.matches if id(match.term) not in left_out)
    return covered / total if total else 0.0


def _against(claimed: str, found: str) -> str:
    return f"{quoted(claimed)} against {quoted(found)}"


def quantity_conflict(alignment: Alignment) -> str | None:
    """Another number of the same kind where the claim's number should stand, or a limit turned round."""
    return _other_number(alignment) or _other_bound(alignment) or _other_row(alignment)


def _other_number(alignment: Alignment) -> str | None:
    missing = [term for term in alignment.missing if term.quantity is not None and term.weight]
    if not missing or _topic_share(alignment, [t for t in alignment.claim.terms if t.quantity]) < _TOPIC:
        return None
    taken = {id(match.found) for match in alignment.matches}
    rows = _rows(alignment)
    for term in missing:
        for other in _quantities(alignment.premise):
            if id(other) not in taken and _rival(term, other, alignment) and _is_on_topic(other, alignment, rows):
                return _against(term.text, other.text)
    return None


def _quantities(sentence: Sentence) -> list[Term]:
    return [term for term in sentence.terms if term.quantity is not None]


def _is_on_topic(other: Term, alignment: Alignment, rows: dict[int, set[str]]) -> bool:
    # A number between two commas belongs to the words before it: "on Sunday, 15 December".
    inside = [term for term in alignment.premise.terms if term.segment == other.segment and not term.quantity]
    return bool(rows.get(other.segment) or (len(inside) <= 1 and rows.get(other.segment - 1)))


def _rival(term: Term, other: Term, alignment: Alignment) -> bool:
    if term.quantity is None or other.quantity is None or not term.quantity.rivals(other.quantity):
        return False
    nouns_differ = bool(term.noun and other.noun) and term.noun != other.noun
    return not (term.quantity.family == "number" and nouns_differ and term.noun not in alignment.premise.keys)


def _other_bound(alignment: Alignment) -> str | None:
    for match in alignment.matches:
        first = match.term.quantity
        second = match.found.quantity if match.found is not None else None
        if first and second and {first.bound, second.bound} == {"min", "max"}:
            return f"{quoted(match.term.text)} is a limit from the other side"
    return None


def _other_row(alignment: Alignment) -> str | None:
    # "Silver members get 10% and gold members get 20%": the number must stand beside the claim's own words.
    rows = _rows(alignment)
    for match in alignment.matches:
        if match.term.quantity is None or match.found is None:
            continue
        here = rows.get(match.found.segment, set())
        for other in _quantities(alignment.premise):
            there = rows.get(other.segment, set())
            if _rival(match.term, other, alignment) and there > here:
                return _against(match.term.text, other.text)
    return None


def _rows(alignment: Alignment) -> dict[int, set[str]]:
    words = {match.found.key for match in alignment.matches if match.found and not match.term.quantity}
    rows: dict[int, set[str]] = {}
    for term in alignment.premise.terms:
        if term.key in words:
            rows.setdefault(term.segment, set()).add(term.key)
    return rows


def polarity_conflict(alignment: Alignment) -> str | None:
    """An odd number of negations and opposites between the claim and what the sentence says of it."""
    if _topic_share(alignment, ()) < _TOPIC:
        return None
    opposites = [match for match in alignment.matches if match.opposite]
    turned = _is_turned(alignment)
    odd = _is_negated(alignment.claim) ^ _premise_negated(alignment) ^ (len(opposites) % 2 == 1) ^ turned
    if not odd:
        return None
    if opposites and opposites[0].found is not None:
        return _against(opposites[0].term.text, opposites[0].found.text)
    if turned:
        return f"the comparison is turned round in {quoted(alignment.premise.text)}"
    said = "the claim is negated" if _is_negated(alignment.claim) else "the claim is not negated"
    return f"{said}, unlike {quoted(alignment.premise.text)}"


def _is_turned(alignment: Alignment) -> bool:
    before, after = alignment.claim.compared
    other_before, other_after = alignment.premise.compared
    return bool((before - after) & (other_after - other_before)) and bool(
        (after - before) & (other_before - other_after)
    )


def _is_negated(claim: Sentence) -> bool:
    sides = sum(clause.negated for clause in claim.clauses if clause.side)
    mains = [clause.negated for clause in claim.clauses if not clause.side]
    return any(mains) ^ (sides % 2 == 1)


def _premise_negated(alignment: Alignment) -> bool:
    clauses = alignment.premise.clauses
    mains = [index for index, clause in enumerate(clauses) if not clause.side]
    best = max(mains, key=lambda index: (_fit(alignment, index), index))
    negated = clauses[best].negated
    touched = {match.found.clause for match in alignment.matches if match.found is not None}
    for index, clause in enumerate(clauses):
        if clause.side and index in touched:
            negated ^= clause.negated
    return negated


def _fit(alignment: Alignment, index: int) -> float:
    # "Full members vote, guest members do not": a clause about somebody else counts half.
    weight = alignment.clause_weights.get(index, 0.0)
    if alignment.premise.clauses[index].continues:
        return weight + _carried_subject(alignment, index) if weight else 0.0
    subject = next((term for term in alignment.premise.terms if term.clause == index and term.weight), None)
    known = subject is None or subject.key in alignment.claim.reach or subject.text in alignment.claim.squeezed
    return weight if known else _OTHER_SUBJECT * weight


def _carried_subject(alignment: Alignment, index: int) -> float:
    # In "gift cards never expire, and they can be used online" the second clause is about gift cards, too.
    clauses = alignment.premise.clauses
    head = next(
        (place for place in range(index - 1, -1, -1) if not (clauses[place].continues or clauses[place].side)), -1
    )
    subject = [term for term in alignment.premise.terms if term.clause == head]
    pairs = takewhile(lambda pair: pair[0].key == pair[1].key, zip(alignment.claim.terms, subject, strict=False))
    return sum(term.weight for term, _ in pairs)


def role_conflict(alignment: Alignment) -> str | None:
    """Somebody else does what the claim says: another party before the same verb."""
    if _topic_share(alignment, ()) < _TOPIC:
        return None
    for agent, action in sorted(alignment.claim.agents - alignment.premise.agents):
        for other in sorted(doer for doer, done in alignment.premise.agents if done == action):
            swapped = agent in alignment.premise.by_key and other in alignment.claim.by_key
            if other != agent and (swapped or _exclusive(agent, other)):
                return _against(_text(alignment.claim, agent), _text(alignment.premise, other))
    return None


def _text(sentence: Sentence, key: str) -> str:
    return sentence.by_key[key][0].text if key in sentence.by_key else key


def _exclusive(first: str, second: str) -> bool:
    in_english = CLASSES.get(first, frozenset()) & CLASSES.get(second, frozenset())
    in_chinese = chinese.CLASSES.get(first, frozenset()) & chinese.CLASSES.get(second, frozenset())
    return first != second and bool(in_english or in_chinese)


def substitution_conflict(alignment: Alignment) -> str | None:
    """A word of the claim is missing and one that excludes it stands in the sentence instead."""
    taken = {id(match.found) for match in alignment.matches}
    for term in alignment.missing:
        if term.quantity is not None or _topic_share(alignment, [term]) < _TOPIC:
            continue
        for other in alignment.premise.terms:
            if id(other) not in taken and (_exclusive(term.key, other.key) or _same_slot_name(alignment, term, other)):
                return _against(term.text, other.text)
    return None


def _same_slot_name(alignment: Alignment, term: Term, other: Term) -> bool:
    if not (term.name and other.name):
        return False
    return bool(_neighbours(alignment.claim, term) & _neighbours(alignment.premise, other))


def _neighbours(sentence: Sentence, term: Term) -> set[tuple[int, str]]:
    index = next(place for place, candidate in enumerate(sentence.terms) if candidate is term)
    beside = ((-1, index - 1), (1, index + 1))
    return {(side, sentence.terms[place].key) for side, place in beside if 0 <= place < len(sentence.terms)}


_DETECTORS: tuple[Callable[[Alignment], str | None], ...] = (
    quantity_conflict,
    role_conflict,
    substitution_conflict,
    polarity_conflict,
)
