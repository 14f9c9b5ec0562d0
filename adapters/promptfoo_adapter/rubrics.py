"""What llm-rubric, Promptfoo's judge with instructions of one's own, is told: constants, no text of a case.

The driver's one template puts the texts of the case below them, as variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evalparity.unified_schema.rubrics import RUBRICS, Rubric

SCORERS: Mapping[str, Rubric] = MappingProxyType({f"promptfoo:{metric}_rubric": RUBRICS[metric] for metric in RUBRICS})
"""Rubric by scorer."""

LAYOUTS: Mapping[str, str] = MappingProxyType(
    {
        "output": "<Output>\n{text}\n</Output>\n<Rubric>\n",
        "input": "\n<Input>\n{text}\n</Input>",
        "reference": "\n<Reference>\n{text}\n</Reference>",
        "retrieved_contexts": "\n<Context>\n{text}\n</Context>",
    }
)
"""How the fields stand in the judge's last message: the first one by Promptfoo's prompt, the others by the driver's."""


def criteria(rubric: Rubric) -> str:
    """Return the instructions of a rubric.

    Promptfoo's own prompt shows scores of 0 and 1 and asks whether the output passes, so the scale and the meaning of
    passing are said in so many words.
    """
    levels = "\n".join(f"{number}: {text}" for number, text in rubric.levels.items())
    return (
        f"{rubric.question}\n"
        f"The score is the number, {rubric.low} to {rubric.high}, of the description that fits best; the scale of 0 to "
        f"1 in the examples above does not hold here:\n{levels}\n"
        f"The output passes when the score is {middle(rubric)} or more. It is held against this:"
    )


def middle(rubric: Rubric) -> int:
    """Return the lowest score that passes: the middle of the scale."""
    return (rubric.low + rubric.high + 1) // 2
