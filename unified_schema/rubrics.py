"""Rubrics: what a judge is told where a metric is a rating, in the same words for every framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evalparity.unified_schema.metrics import CaseField


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """A scale of whole numbers with a description of each, and what is rated.

    Attributes:
        metric: the canonical metric that it measures.
        question: what the judge is to say, one sentence.
        fields: what the judge is shown, by canonical field.
        levels: by score, lowest first, what an answer of that score looks like.
    """

    metric: str
    question: str
    fields: tuple[CaseField, ...]
    levels: Mapping[int, str]

    @property
    def low(self) -> int:
        """Return the lowest score."""
        return min(self.levels)

    @property
    def high(self) -> int:
        """Return the highest score."""
        return max(self.levels)


_RUBRICS = (
    Rubric(
        metric="answer_relevancy",
        question="How directly does the output respond to the input?",
        fields=("input", "output"),
        levels=MappingProxyType(
            {
                1: "The output does not respond to the input.",
                2: "The output keeps to the subject of the input and leaves open what was asked.",
                3: "The output answers a part of what was asked.",
                4: "The output answers what was asked, beside matter that was not asked for.",
                5: "The output answers what was asked, directly and in full.",
            }
        ),
    ),
    Rubric(
        metric="context_utilisation",
        question="How much of the retrieved contexts does the output make use of?",
        fields=("input", "output", "retrieved_contexts"),
        levels=MappingProxyType(
            {
                1: "The output uses none of the retrieved contexts.",
                2: "The output uses a small part of the retrieved contexts.",
                3: "The output uses about half of the retrieved contexts.",
                4: "The output uses most of the retrieved contexts.",
                5: "The output uses every one of the retrieved contexts.",
            }
        ),
    ),
    Rubric(
        metric="answer_correctness",
        question="How far does the output state what the reference states?",
        fields=("input", "output", "reference"),
        levels=MappingProxyType(
            {
                1: "The output states nothing of the reference, or contradicts it.",
                2: "The output states a small part of the reference, or much beside it that is wrong.",
                3: "The output states about half of the reference.",
                4: "The output states the reference but for a small omission or addition.",
                5: "The output states what the reference states: nothing wrong, nothing left out.",
            }
        ),
    ),
)

RUBRICS: Mapping[str, Rubric] = MappingProxyType({rubric.metric: rubric for rubric in _RUBRICS})
"""Rubric by canonical metric. The one of answer_relevancy puts the scale of 1 to 5 of a rating prompt, "rate how
directly the answer responds, 1 to 5", into words; the levels of all three are ours."""
