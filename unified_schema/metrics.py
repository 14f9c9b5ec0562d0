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
        default: whether it is measured when no metric is named.
        judged_whole: the field whose every sentence must get a verdict; None where the judge draws claims freely.
        caution: what readers may take the name for and it is not; None where the name misleads nobody.
    """

    name: str
    family: Family
    definition: str
    requires: tuple[CaseField, ...]
    source: str
    default: bool = False
    judged_whole: Literal["reference"] | None = None
    caution: str | None = None

    @property
    def contexts(self) -> CaseField | None:
        """Which contexts are judged: what the model saw (generation) or what came back (retrieval)."""
        return next((field for field in self.requires if field.endswith("_contexts")), None)


_RAGAS_PAPER = "Es et al. 2023, RAGAS (arXiv:2309.15217), section 3"
_USED = (
    "It does not look at the output. Some articles call by this name how much of what was retrieved the output makes "
    "use of: that is context_utilisation."
)

_METRICS = (
    Metric(
        name="faithfulness",
        family="generation",
        definition="The share of the output's claims that the contexts in the prompt support.",
        requires=("input", "output", "prompt_contexts"),
        source=_RAGAS_PAPER,
        default=True,
    ),
    Metric(
        name="answer_relevancy",
        family="generation",
        definition="How far the output addresses what was asked.",
        requires=("input", "output"),
        source=_RAGAS_PAPER,
        default=True,
    ),
    Metric(
        name="context_precision",
        family="retrieval-with-judge",
        definition=(
            "How far up the retrieved contexts that help to arrive at the reference stand: the mean of precision@k "
            "over the ranks k of these."
        ),
        requires=("input", "reference", "retrieved_contexts"),
        source="Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval, 8.4 (average precision), "
        "over what was retrieved",
        default=True,
        caution=_USED,
    ),
    Metric(
        name="context_recall",
        family="retrieval-with-judge",
        definition="The share of the reference's statements that can be attributed to the retrieved contexts.",
        requires=("input", "reference", "retrieved_contexts"),
        source="Ragas documentation, Context Recall",
        default=True,
        judged_whole="reference",
        caution=_USED,
    ),
    Metric(
        name="context_relevancy",
        family="retrieval-with-judge",
        definition="How much of what was retrieved bears on the input.",
        requires=("input", "retrieved_contexts"),
        source=_RAGAS_PAPER + " (context relevance)",
        default=True,
    ),
    Metric(
        name="context_utilisation",
        family="retrieval-with-judge",
        definition="How much of what was retrieved the output makes use of.",
        requires=("input", "output", "retrieved_contexts"),
        source="what some articles on RAG evaluation call context precision and context recall",
    ),
    Metric(
        name="answer_correctness",
        family="generation",
        definition="How far the output states what the reference states: nothing wrong, nothing left out.",
        requires=("input", "output", "reference"),
        source="Ragas documentation, Answer Correctness",
        default=True,
    ),
    Metric(
        name="answer_similarity",
        family="generation",
        definition="How close output and reference are in meaning: the cosine of their embeddings.",
        requires=("output", "reference"),
        source="Risch et al. 2021, Semantic Answer Similarity (arXiv:2108.06130), section 3, the bi-encoder",
    ),
    Metric(
        name="exact_match",
        family="lexical",
        definition="1 if output and reference are the same text after white space at both ends is removed, else 0.",
        requires=("output", "reference"),
        source="Rajpurkar et al. 2016, SQuAD (arXiv:1606.05250), section 6.1, without its normalisation",
    ),
    Metric(
        name="contains",
        family="lexical",
        definition="1 if the reference, without white space at both ends, stands in the output as it is, else 0.",
        requires=("output", "reference"),
        source="Asai et al. 2023, Self-RAG (arXiv:2310.11511), section 4.1 (accuracy by inclusion), case kept",
    ),
    Metric(
        name="rouge_l",
        family="lexical",
        definition="The F measure of the longest common subsequence of words of output and reference.",
        requires=("output", "reference"),
        source="Lin 2004, ROUGE (ACL W04-1013), section 3.1, with beta = 1",
    ),
    Metric(
        name="bleu",
        family="lexical",
        definition="The precision of the output's word n-grams, n from 1 to 4, in the reference, with brevity penalty.",
        requires=("output", "reference"),
        source="Papineni et al. 2002, BLEU (ACL P02-1040), section 2.3, for one sentence",
    ),
    Metric(
        name="levenshtein",
        family="lexical",
        definition="1 minus the edit distance of output and reference over the length of the longer one.",
        requires=("output", "reference"),
        source="Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals",
    ),
)

METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _METRICS})
"""Canonical metric by name, in the order of reports."""
