"""Questions made from answers, and whether a statement addresses a question."""

from __future__ import annotations

import re

from evalparity.adapters.judge.lexical import RelevanceJudgement
from evalparity.adapters.judge.lexical.folding import fold, is_chinese, quoted
from evalparity.adapters.judge.lexical.matching import align
from evalparity.adapters.judge.lexical.reading import analyse
from evalparity.adapters.judge.lexical.segmentation import split_sentences
from evalparity.adapters.judge.lexical.sentences import Term

_MOST_WORDS = 12
_LONGEST_ANSWER = 2000
_YES, _UNCLEAR = 0.34, 0.15
_COUNTED = frozenset(
    ("number", "percent", "money", "distance", "mass", "volume", "area", "bytes", "times", "temperature", "span")
)
_KINDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (
        re.compile(
            r"\bhow (?:many|much|old|tall|far|high|large|big)\b|多少|几[个天年次人位]|多[大高远]", re.IGNORECASE
        ),
        _COUNTED,
    ),
    (re.compile(r"\bhow (?:long|often|soon)\b|多久|多长时间", re.IGNORECASE), frozenset(("span",))),
    (
        re.compile(
            r"\b(?:when|what year|which year|what date|what time)\b|何时|什么时候|哪年|哪一年|几点", re.IGNORECASE
        ),
        frozenset(("date", "clock")),
    ),
)


def question_for(answer: str) -> str:
    """Return a question made of the answer's weighty words, in the answer's language.

    It is a template, no paraphrase: numbers are left out, because a question asks for them.
    """
    text = answer[:_LONGEST_ANSWER]
    words = _weighty_words(text)
    if is_chinese(text):
        return f"关于{''.join(words)}的情况是怎样的？" if words else "这是什么？"
    return f"What about {' '.join(words)}?" if words else "What is this about?"


def _weighty_words(text: str) -> list[str]:
    words: dict[str, str] = {}
    for sentence in split_sentences(text):
        for term in analyse(sentence).terms:
            if term.quantity is None:
                words.setdefault(term.key, term.text)
    return list(words.values())[:_MOST_WORDS]


def judge_relevance(statement: str, question: str) -> RelevanceJudgement:
    """Say whether a statement addresses a question: by shared weighty words, or by answering its question word."""
    said, asked = analyse(statement), analyse(question)
    if not said.terms:
        return RelevanceJudgement(label="no", reason="the statement holds no word that could be compared")
    if not asked.terms:
        return RelevanceJudgement(label="unclear", reason="the question holds no word that could be compared")
    shared = [match.term for match in align(asked, said).matches]
    share = sum(term.weight for term in shared) / min(asked.weight, said.weight)
    if share >= _YES:
        return RelevanceJudgement(label="yes", reason=f"it shares {_listed(shared)} with the question")
    answer = _expected_answer(said.terms, question)
    if answer is not None:
        return RelevanceJudgement(label="yes", reason=f"{quoted(answer.text)} is what the question asks for")
    if share >= _UNCLEAR:
        return RelevanceJudgement(label="unclear", reason=f"it shares only {_listed(shared)} with the question")
    return RelevanceJudgement(label="no", reason=f"it shares no weighty word with {quoted(question)}")


def _listed(terms: list[Term]) -> str:
    return ", ".join(quoted(term.text) for term in terms[:3])


def _expected_answer(terms: tuple[Term, ...], question: str) -> Term | None:
    asked = fold(question[:_LONGEST_ANSWER])
    kinds = [kind for pattern, members in _KINDS if pattern.search(asked) for kind in members]
    return next((term for term in terms if term.quantity is not None and term.quantity.family in kinds), None)
