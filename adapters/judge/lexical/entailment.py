"""Whether premises support a claim: the best sentences are laid under it, word by word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from evalparity.adapters.judge.lexical import ClaimJudgement
from evalparity.adapters.judge.lexical.conflicts import find_conflict
from evalparity.adapters.judge.lexical.folding import quoted
from evalparity.adapters.judge.lexical.matching import Alignment, align, find_term
from evalparity.adapters.judge.lexical.reading import analyse
from evalparity.adapters.judge.lexical.segmentation import split_sentences
from evalparity.adapters.judge.lexical.sentences import Sentence, Term, carry

ENOUGH = 0.55
"""Share of a claim's weight that premises must hold to support it."""

_FOCUS = 2.0
_NEAR_BEST = 0.85
_OTHER_SENTENCE = 0.8
_MOST_HELPERS = 2
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Candidate:
    premise: int
    alignment: Alignment

    @property
    def coverage(self) -> float:
        return self.alignment.coverage


def judge_claim(claim: str, premises: Sequence[str]) -> ClaimJudgement:
    """Say whether the premises, taken together, support a claim.

    A claim is supported when at least 0.55 of the weight of its words stands in the best sentence of the premises
    and, discounted, two more; every number in one of these; every name anywhere. It is contradicted when a
    sentence that covers it as well as the best one has another number, an odd number of negations, another party
    or an excluding word in its place. Anything else is unsupported, an empty claim included.
    """
    wanted = analyse(claim)
    if not wanted.terms:
        return _unsupported("the claim holds no word that could be checked")
    candidates = [
        _Candidate(index, align(wanted, sentence))
        for index, premise in enumerate(premises)
        for sentence in _sentences(premise)
    ]
    if not any(candidate.coverage for candidate in candidates):
        return _unsupported(f"no premise holds a word of {quoted(claim)}")
    return _decide(wanted, candidates)


def _sentences(premise: str) -> list[Sentence]:
    # A sentence that is repeated decides nothing new, and a hostile premise may repeat it a million times.
    analysed = [analyse(text) for text in dict.fromkeys(split_sentences(premise))]
    return [*analysed[:1], *(carry(before, after) for before, after in pairwise(analysed))]


def _unsupported(reason: str) -> ClaimJudgement:
    return ClaimJudgement(label="unsupported", reason=reason, premise=None)


def _decide(claim: Sentence, candidates: list[_Candidate]) -> ClaimJudgement:
    best = max(candidate.coverage for candidate in candidates)
    near = sorted((c for c in candidates if c.coverage >= _NEAR_BEST * best), key=lambda c: -c.coverage)
    conflicts = [(candidate, find_conflict(candidate.alignment)) for candidate in near]
    agreeing = [candidate for candidate, conflict in conflicts if conflict is None]
    if not agreeing or (conflicts[0][1] is not None and agreeing[0].coverage < best):
        candidate, conflict = next((c, text) for c, text in conflicts if text is not None)
        reason = f"{conflict} in premise {candidate.premise + 1}"
        return ClaimJudgement(label="contradicted", reason=reason, premise=candidate.premise)
    return _support(claim, agreeing[0], candidates)


def _support(claim: Sentence, best: _Candidate, candidates: list[_Candidate]) -> ClaimJudgement:
    covered, missing = _with_helpers(best, candidates)
    where = f"premise {best.premise + 1}"
    gap = _gap(missing, candidates)
    if gap is not None:
        return _unsupported(gap)
    share = covered / (covered + sum(term.weight * (_FOCUS if term.focus else 1.0) for term in missing))
    if share < ENOUGH:
        names = ", ".join(quoted(term.text) for term in missing[:_MOST_NAMED])
        return _unsupported(f"{share:.0%} of the claim's weight is in {where}; missing: {names}")
    if claim.unconditional and any(clause.side for clause in best.alignment.premise.clauses):
        return _unsupported(f"the claim is unconditional, {where} sets a condition")
    if claim.exclusive and not best.alignment.premise.exclusive:
        return _unsupported(f"the claim says `only`, {where} does not")
    reason = f"{share:.0%} of the claim's weight is in {where}: {quoted(best.alignment.premise.text)}"
    return ClaimJudgement(label="supported", reason=reason, premise=best.premise)


def _with_helpers(best: _Candidate, candidates: list[_Candidate]) -> tuple[float, list[Term]]:
    covered = sum(match.term.weight * match.credit for match in best.alignment.matches)
    missing = list(best.alignment.missing)
    for _ in range(_MOST_HELPERS):
        gains = [(_gain(missing, candidate), -index) for index, candidate in enumerate(candidates)]
        gain, place = max(gains)
        if not missing or gain <= 0:
            break
        helper = candidates[-place].alignment.premise
        covered += _OTHER_SENTENCE * gain
        missing = [term for term in missing if not find_term(term, helper).credit]
    return covered, missing


def _gain(missing: list[Term], candidate: _Candidate) -> float:
    wanted = {id(term) for term in missing}
    return sum(m.term.weight * m.credit for m in candidate.alignment.matches if id(m.term) in wanted and not m.opposite)


def _gap(missing: list[Term], candidates: list[_Candidate]) -> str | None:
    for term in missing:
        if term.quantity is not None and term.weight:
            return f"{quoted(term.text)} is in no premise that is about the claim"
        if term.name and not any(_holds(candidate, term) for candidate in candidates):
            return f"the name {quoted(term.text)} is in no premise"
    return None


def _holds(candidate: _Candidate, term: Term) -> bool:
    return any(match.term is term for match in candidate.alignment.matches)
