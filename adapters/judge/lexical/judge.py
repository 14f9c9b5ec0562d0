"""The lexical judge as one object, for whoever answers the prompts of a framework."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalparity.adapters.judge.lexical import (
    ClaimJudgement,
    LexicalJudge,
    RelevanceJudgement,
    entailment,
    questions,
    refusals,
    segmentation,
    tokens,
    vectors,
)


@dataclass(frozen=True, slots=True)
class WordComparingJudge:
    """Decides by words, numbers, dates, units and negation; deterministic, offline, without state."""

    def split_claims(self, text: str) -> list[str]:
        """Return the factual claims of a text; [] for a refusal."""
        return segmentation.split_claims(text)

    def split_sentences(self, text: str) -> list[str]:
        """Return the sentences of a text."""
        return segmentation.split_sentences(text)

    def judge_claim(self, claim: str, premises: Sequence[str]) -> ClaimJudgement:
        """Say whether the premises, taken together, support a claim."""
        return entailment.judge_claim(claim, premises)

    def judge_relevance(self, statement: str, question: str) -> RelevanceJudgement:
        """Say whether a statement addresses a question."""
        return questions.judge_relevance(statement, question)

    def is_noncommittal(self, answer: str) -> bool:
        """Say whether an answer is a refusal or evasive."""
        return refusals.is_noncommittal(segmentation.split_sentences(answer))

    def question_for(self, answer: str) -> str:
        """Return a question that the answer would answer."""
        return questions.question_for(answer)

    def embed(self, text: str) -> list[float]:
        """Return a unit vector of 512 components."""
        return vectors.embed(text)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens."""
        return tokens.count_tokens(text)


LEXICAL_JUDGE: LexicalJudge = WordComparingJudge()
"""The one instance; it has no state, so that it may be shared by threads."""
