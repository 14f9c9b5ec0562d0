"""Reads a sentence token by token into weighty terms and clauses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from evalparity.adapters.judge.lexical import chinese, chinese_lexicon, lexicon
from evalparity.adapters.judge.lexical.chinese_lexicon import SIMPLIFY
from evalparity.adapters.judge.lexical.folding import fold
from evalparity.adapters.judge.lexical.scanning import Token, scan
from evalparity.adapters.judge.lexical.sentences import Clause, Sentence, Term, agents_of, with_terms
from evalparity.adapters.judge.lexical.synonyms import CLASSES, key_of

CONTENT, LIGHT, NUMBER, SYLLABLE = 1.0, 0.35, 1.5, 0.5
"""Weights of a content word, a word that decides little, a quantity and a lone Chinese character."""

NAME, FURTHER_NAME = 1.3, 0.5
"""Weights of the first and of each further word of a name."""

_NEGATIVE_PREFIXES = ("non-", "non", "un", "in", "im", "ir", "il", "dis")
_SHORTEST_NEGATED = 4
_TRANSITIVE = frozenset(("decline", "declines", "declined"))  # "declined the offer", not "prices declined"
_BACKWARD = frozenset(("before", "earlier", "ago"))
_LONGEST_SENTENCE = 4000


@lru_cache(maxsize=8192)
def analyse(text: str) -> Sentence:
    """Return a sentence's terms, clauses and agents; of a longer one than 4,000 characters, its beginning's."""
    folded = fold(text[:_LONGEST_SENTENCE])
    reader = _Reader()
    for token, following in pairwise([*scan(folded), Token("mark", "\n")]):
        reader.read(token, following)
    return reader.sentence(folded)


@dataclass(slots=True)
class _Reader:
    """Reads tokens from left to right; lives only inside `analyse`."""

    terms: list[Term] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=lambda: [Clause()])
    clause: int = 0
    main: int = 0
    segment: int = 0
    bound: str = ""
    action: str = ""
    previous: str = "\n"
    resumes: bool = False
    unconditional: bool = False
    exclusive: bool = False
    than: int = 0

    def read(self, token: Token, following: Token) -> None:
        """Take one token in; the next one is needed to know a clause's beginning."""
        word = token.lower
        if token.kind == "mark":
            self._mark(word, following)
        elif token.kind == "quantity":
            self._quantity(token, following)
        elif not self._opens_clause(word, token.kind, following) and not self._negates(word, token, following):
            self._word(token, following)
        if word == "by" and self.terms:
            self.action = self.terms[-1].key
        elif word == "than":
            self.than = len(self.terms)
        self.previous = word

    def _mark(self, mark: str, following: Token) -> None:
        self.segment += 1
        chinese_next = following.kind == "chinese" or self.previous in chinese_lexicon.CONDITION_ENDS
        if self.previous in chinese_lexicon.CONDITION_ENDS and mark == ",":
            self.clauses[self.clause] = replace(self.clauses[self.clause], side=True)
        side = self.clauses[self.clause].side
        if mark in ";\n" or side or (mark == "," and (chinese_next or _begins_clause(following.lower))):
            self._open(Clause(continues=_lacks_subject(following)))

    def _open(self, clause: Clause) -> None:
        if any(term.clause == self.clause for term in self.terms):
            self.clauses.append(clause)
            self.clause = len(self.clauses) - 1
        else:
            self.clauses[self.clause] = replace(clause, negated=clause.negated)
        if not clause.side:
            self.main = self.clause

    def _opens_clause(self, word: str, kind: str, following: Token) -> bool:
        if kind == "chinese":
            return self._opens_chinese(word)
        if word in lexicon.CONDITION_MARKS:
            self.resumes = word in lexicon.NOMINAL_MARKS
            self._open(Clause(negated=word in lexicon.NEGATED_MARKS, side=True))
            return True
        if word in lexicon.CLAUSE_MARKS or (word in ("and", "or") and _begins_clause(following.lower)):
            self.segment += 1
            self._open(Clause(continues=_lacks_subject(following)))
            return True
        if self.resumes and (word in lexicon.VERB_MARKS or self._ends_phrase(word)):
            self._resume()
        self.segment += word in ("and", "or")
        return False

    def _resume(self) -> None:
        self.resumes = False
        if self.clauses[self.main].side:
            self._open(Clause())
        else:
            self.clause = self.main

    def _ends_phrase(self, word: str) -> bool:
        # "without a reason the customer pays": a second article that follows no preposition begins something new.
        begun = bool(self.terms) and self.terms[-1].clause == self.clause
        return begun and word in lexicon.DETERMINERS and self.previous not in lexicon.STOP_WORDS

    def _opens_chinese(self, word: str) -> bool:
        if word in chinese_lexicon.CONDITION_MARKS:
            self._open(Clause(negated=word in chinese_lexicon.NEGATED_MARKS, side=True))
            return True
        self.segment += word in ("和", "而", "及", "与")
        return False

    def _negates(self, word: str, token: Token, following: Token) -> bool:
        if token.kind == "chinese":
            return self._negates_chinese(word, token)
        if word in lexicon.NEGATIVE_WORDS and (word not in _TRANSITIVE or following.lower in lexicon.DETERMINERS):
            self._flip()
            self._word(replace(token, text=lexicon.NEGATIVE_WORDS[word]), following)
            return True
        is_numero = word == "no" and following.kind == "quantity" and following.text[0].isdecimal()
        is_answer = word == "no" and self.previous == "\n" and following.kind == "mark"
        is_second_half = word == "nor" and self.clauses[self.clause].negated
        is_noun = self.previous in lexicon.DETERMINERS and word.startswith("lack")
        is_negator = word in lexicon.NEGATORS or word.endswith("n't")
        if not is_negator or is_numero or is_answer or is_second_half or is_noun:
            return False
        if word == "not" and self.previous in (",", "but", "and") and not _begins_clause(following.lower):
            self._open(Clause(negated=True, side=True))
        else:
            self._flip()
        return True

    def _negates_chinese(self, word: str, token: Token) -> bool:
        if word in chinese_lexicon.BOUNDS or not chinese.is_negator(word):
            return False
        self._flip()
        part = chinese.negated_part(word)
        if part:
            self._word(replace(token, text=part, stop=part in chinese_lexicon.STOP_WORDS), token)
        return True

    def _flip(self) -> None:
        clause = self.clauses[self.clause]
        self.clauses[self.clause] = replace(clause, negated=not clause.negated)

    def _quantity(self, token: Token, following: Token) -> None:
        assert token.quantity is not None
        bound = "" if following.lower in _BACKWARD else self.bound or chinese_lexicon.BOUNDS.get(following.text, "")
        quantity = replace(token.quantity, bound=bound)
        key = f"#{quantity.kind}:{quantity.value}"
        weight = 0.0 if token.stop else NUMBER
        self._add(Term(key, token.text, weight, self.clause, self.segment, quantity=quantity, noun=_noun(following)))

    def _word(self, token: Token, following: Token) -> None:
        word = token.lower
        self.unconditional |= word in lexicon.UNCONDITIONAL or word in chinese_lexicon.UNCONDITIONAL
        if word in lexicon.EXCLUSIVE or word in chinese_lexicon.EXCLUSIVE_MARKS:
            self.exclusive |= following.kind != "quantity"
        bounds = chinese_lexicon.BOUNDS if token.kind == "chinese" else lexicon.BOUNDS
        if word in lexicon.UNCONDITIONAL:
            return
        if word in bounds and following.kind == "quantity":
            self.bound = bounds[word]
        elif token.kind == "chinese":
            self._chinese_word(token)
        elif word not in lexicon.STOP_WORDS:
            self._english_word(token, following)

    def _chinese_word(self, token: Token) -> None:
        if token.stop or token.text in chinese_lexicon.BOUNDS or token.text in chinese_lexicon.CONDITION_ENDS:
            return
        weight = NAME if token.name else CONTENT if len(token.text) > 1 else SYLLABLE
        key = chinese.chinese_key(token.text)
        self._add(Term(key, token.text, weight, self.clause, self.segment, name=token.name, action=self.action))

    def _english_word(self, token: Token, following: Token) -> None:
        word = token.lower.removesuffix("'s").replace(".", "")
        key = key_of(word)
        named = self._is_named(token, following) and key not in CLASSES
        is_light = word in lexicon.LIGHT_WORDS or key in lexicon.LIGHT_WORDS
        weight = NAME if named else LIGHT if is_light else CONTENT
        if named and self.terms and self.terms[-1].name and self.terms[-1].text.lower() == self.previous:
            weight = FURTHER_NAME
        term = Term(key, token.text, weight, self.clause, self.segment, name=named, bare=_bare(word))
        self._add(replace(term, focus=_is_content(following), action=self.action))
        for part in word.split("-") if "-" in word and not term.bare else ():
            # Found when looked for, but nothing is missed when they are not.
            self._add(Term(key_of(part), token.text, 0.0, self.clause, self.segment))

    def _is_named(self, token: Token, following: Token) -> bool:
        return token.text[0].isupper() and (self.previous != "\n" or following.text[:1].isupper())

    def _add(self, term: Term) -> None:
        if term.quantity is None:
            self.action = ""
        self.terms.append(term)
        self.bound = ""

    def sentence(self, folded: str) -> Sentence:
        """Return what was read."""
        clauses = self.clauses
        if all(clause.side for clause in clauses):
            clauses = [replace(clause, side=False) for clause in clauses]
        terms = _with_final_focus(self.terms)
        bare = Sentence(
            text=folded,
            squeezed="".join(folded.translate(SIMPLIFY).split()),
            clauses=tuple(clauses),
            agents=agents_of(terms),
            compared=_compared(terms, self.than),
            unconditional=self.unconditional,
            exclusive=self.exclusive,
        )
        return with_terms(bare, terms)


def _with_final_focus(terms: list[Term]) -> tuple[Term, ...]:
    last = {term.clause: index for index, term in enumerate(terms)}
    finals = frozenset(last.values())
    return tuple(
        replace(term, focus=True) if index in finals and not term.focus else term for index, term in enumerate(terms)
    )


def _compared(terms: tuple[Term, ...], than: int) -> tuple[frozenset[str], frozenset[str]]:
    if than == 0:
        return frozenset(), frozenset()
    before, after = ({term.key for term in side if term.weight} for side in (terms[:than], terms[than:]))
    return frozenset(before), frozenset(after)


def _begins_clause(word: str) -> bool:
    return word in lexicon.CLAUSE_OPENERS or word in lexicon.VERB_MARKS or word in lexicon.NEGATORS


def _lacks_subject(first: Token) -> bool:
    if first.kind == "chinese":
        return first.stop or not first.noun or chinese.is_negator(first.text)
    return _begins_clause(first.lower)


def _is_content(token: Token) -> bool:
    return token.kind == "word" and token.lower not in lexicon.STOP_WORDS and token.lower not in lexicon.BOUNDS


def _noun(following: Token) -> str:
    if following.kind == "chinese":
        return "" if following.stop else chinese.chinese_key(following.text)
    return key_of(following.lower) if _is_content(following) else ""


def _bare(word: str) -> str:
    for prefix in _NEGATIVE_PREFIXES:
        rest = word[len(prefix) :]
        if word.startswith(prefix) and len(rest) >= _SHORTEST_NEGATED:
            return key_of(rest)
    return ""
