"""What GEval, DeepEval's judge with instructions of one's own, is told: pure data, no framework import.

GEval is always given `evaluation_steps`. From `criteria` it would have the judge write the steps anew for every case,
one call more each time, and every case would be held to another rubric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from evalparity.unified_schema.metrics import CaseField
from evalparity.unified_schema.rubrics import RUBRICS, Rubric

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "input": "Input",
        "output": "Actual Output",
        "reference": "Expected Output",
        "retrieved_contexts": "Retrieval Context",
    }
)
"""What DeepEval's prompts call the fields of a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """One use of GEval.

    Attributes:
        scorer: name of the scorer.
        metric: canonical metric.
        low: lowest number that the judge may give.
        high: highest number.
        steps: the `evaluation_steps`.
        levels: the `rubric`, by number; empty: GEval's own scale of 0 to 10 without one.
    """

    scorer: str
    metric: str
    low: int
    high: int
    steps: tuple[str, ...]
    levels: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def fields(self) -> tuple[CaseField, ...]:
        """Return what the judge is shown, in the order of the prompt."""
        return RUBRICS[self.metric].fields

    @property
    def name(self) -> str:
        """Return the scorer's name without the framework's."""
        return self.scorer.partition(":")[2]

    @property
    def step_of(self) -> str:
        """Return how the names of its prompts begin."""
        return f"GEval({self.name})"


def _rubric(metric: str) -> Rating:
    """Return the rating by a rubric: its levels as they are, its numbers as GEval's scale."""
    rubric = RUBRICS[metric]
    return Rating(
        scorer=f"deepeval:{metric}_rubric",
        metric=metric,
        low=rubric.low,
        high=rubric.high,
        steps=(rubric.question, _where(rubric), "Give the score of the rubric whose description fits best."),
        levels=rubric.levels,
    )


_ANCHORS = ("0", "2 or 3", "5", "7 or 8", "10")
"""Five levels at equal distances on a scale of 0 to 10."""


def _ten_points(scorer: str, metric: str) -> Rating:
    """Return the rating on GEval's own scale: the same levels, as anchors among the steps."""
    rubric = RUBRICS[metric]
    anchors = zip(_ANCHORS, rubric.levels.values(), strict=True)
    return Rating(
        scorer=scorer,
        metric=metric,
        low=0,
        high=10,
        steps=(
            rubric.question,
            _where(rubric),
            *(f"Give {number} where this holds: {level}" for number, level in anchors),
            "Give a number in between where the truth lies in between.",
        ),
    )


def _where(rubric: Rubric) -> str:
    """Return what ties the words of a rubric to the headings of DeepEval's prompt."""
    texts = [f"the {name.replace('_', ' ')} under {TITLES[name]}" for name in rubric.fields]
    return f"In what follows you find {_enumerated(texts)}."


def _enumerated(texts: Sequence[str]) -> str:
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


_ALL = (
    _ten_points("deepeval:g_eval_answer_correctness", "answer_correctness"),
    _rubric("answer_correctness"),
    _rubric("answer_relevancy"),
    _rubric("context_utilisation"),
)

RATINGS: Mapping[str, Rating] = MappingProxyType({rating.scorer: rating for rating in _ALL})
"""By scorer."""
