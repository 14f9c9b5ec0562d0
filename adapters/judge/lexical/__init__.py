"""The lexical judge: deterministic, offline, no key. It compares words; it understands nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimJudgement:
    """What the lexical judge says of one claim.

    Attributes:
        label: `supported` by a premise, `contradicted` by one, or `unsupported` by all.
        reason: one sentence a reader can check.
        premise: 0-based index of the premise that decided, or None.
    """

    label: Literal["supported", "contradicted", "unsupported"]
    reason: str
    premise: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceJudgement:
    """Whether a statement addresses a question: yes, no, or unclear, with a reason."""

    label: Literal["yes", "no", "unclear"]
    reason: str


class LexicalJudge(Protocol):
    """What the prompts of the frameworks may ask of the lexical judge; every method is pure."""

    def split_claims(self, text: str) -> list[str]:
        """Return the factual claims of a text, each a sentence or a clause of its own; [] for a refusal."""

    def split_sentences(self, text: str) -> list[str]:
        """Return the sentences of a text, Chinese ones included, with their final punctuation."""

    def judge_claim(self, claim: str, premises: Sequence[str]) -> ClaimJudgement:
        """Say whether the premises, taken together, support a claim."""

    def judge_relevance(self, statement: str, question: str) -> RelevanceJudgement:
        """Say whether a statement addresses a question."""

    def is_noncommittal(self, answer: str) -> bool:
        """Say whether an answer is a refusal or evasive."""

    def question_for(self, answer: str) -> str:
        """Return a question that the answer would answer, in the answer's language."""

    def embed(self, text: str) -> list[float]:
        """Return a unit vector of fixed length; equal texts give equal vectors, empty text a fixed one."""

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens by this judge's own tokenizer, which is no model's."""
