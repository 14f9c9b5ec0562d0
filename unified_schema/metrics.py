"""The canonical metrics: what each one means and what a case must hold for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Family = Literal["generation", "retrieval-with-judge", "retrieval", "lexical", "rubric"]
CaseField = Literal["input", "output", "reference", "retrieved_contexts", "prompt_contexts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A definition of quality that frameworks measure, each in its own way.

    Attributes:
        name: as on the command line and in reports.
        family: what kind of metric it is.
        definition: one sentence, the yardstick for every binding's closeness.
        requires: fields that a case must hold, none of them blank; the same for every framework.
        source: where the definition comes from.
        judged_whole: the field whose every sentence must get a verdict; None where the judge draws claims freely.
    """

    name: str
    family: Family
    definition: str
    requires: tuple[CaseField, ...]
    source: str
    judged_whole: Literal["reference"] | None = None

    @property
    def contexts(self) -> CaseField | None:
        """Which contexts are judged: what the model saw (generation) or what came back (retrieval)."""
        return next((field for field in self.requires if field.endswith("_contexts")), None)


_METRICS = (
    Metric(
        name="faithfulness",
        family="generation",
        definition="The share of the output's claims that the contexts in the prompt support.",
        requires=("input", "output", "prompt_contexts"),
        source="Es et al. 2023, RAGAS (arXiv:2309.15217), section 3",
    ),
    Metric(
        name="context_recall",
        family="retrieval-with-judge",
        definition="The share of the reference's statements that can be attributed to the retrieved contexts.",
        requires=("input", "reference", "retrieved_contexts"),
        source="Ragas documentation, Context Recall",
        judged_whole="reference",
    ),
    Metric(
        name="answer_relevancy",
        family="generation",
        definition="How far the output addresses what was asked.",
        requires=("input", "output"),
        source="Es et al. 2023, RAGAS (arXiv:2309.15217), section 3",
    ),
    Metric(
        name="exact_match",
        family="lexical",
        definition="1 if output and reference are the same text after white space at both ends is removed, else 0.",
        requires=("output", "reference"),
        source="Rajpurkar et al. 2016, SQuAD (arXiv:1606.05250), section 6.1, without its normalisation",
    ),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _METRICS})
"""Canonical metric by name, in the order of reports."""
