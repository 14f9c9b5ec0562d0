"""The columns of Ragas' samples, test sets and results: data only, held by tests against the real framework."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

LISTS = (
    "retrieved_contexts",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
    "multi_responses",
    "reference_tool_calls",
    "reference_topics",
    "rubrics",
)
"""Columns of lists and mappings; `EvaluationDataset.to_csv` writes them as Python shows them."""

SAMPLE = frozenset(
    {*LISTS, "user_input", "response", "reference", "persona_name", "query_style", "query_length", "synthesizer_name"}
)
"""Columns of samples and test sets (ragas.dataset_schema, ragas.testset)."""

OLD_SAMPLE = frozenset({"question", "answer", "contexts", "ground_truth", "ground_truths"})
"""Columns of Ragas 0.1."""

_FAITHFULNESS = "ragas:faithfulness"
_PRECISION = "ragas:context_precision"
_RECALL = "ragas:context_recall"
_UTILISATION = "ragas:context_utilization"
_RELEVANCY = "ragas:answer_relevancy"
_FACTUAL = "ragas:factual_correctness"
_SIMILARITY = "ragas:semantic_similarity"

SCORERS: Mapping[str, str] = MappingProxyType(
    {
        "faithfulness": _FAITHFULNESS,
        "answer_relevancy": _RELEVANCY,
        "response_relevancy": _RELEVANCY,
        "context_precision": _PRECISION,
        "llm_context_precision_with_reference": _PRECISION,
        "context_precision_with_reference": _PRECISION,
        "context_recall": _RECALL,
        "llm_context_recall": _RECALL,
        "nv_context_relevance": "ragas:context_relevance",
        "context_relevance": "ragas:context_relevance",
        "context_utilization": _UTILISATION,
        "llm_context_precision_without_reference": _UTILISATION,
        "context_precision_without_reference": _UTILISATION,
        "answer_correctness": "ragas:answer_correctness",
        "factual_correctness": _FACTUAL,
        "factual_correctness(mode=f1)": _FACTUAL,
        "semantic_similarity": _SIMILARITY,
        "answer_similarity": _SIMILARITY,
        "exact_match": "ragas:exact_match",
        "string_present": "ragas:string_presence",
        "string_presence": "ragas:string_presence",
        "rouge_score": "ragas:rouge_score",
        "rouge_score(mode=fmeasure)": "ragas:rouge_score",
        "bleu_score": "ragas:bleu_score",
        "non_llm_string_similarity": "ragas:non_llm_string_similarity",
    }
)
"""Our scorer by the column that a metric of Ragas has in results, its old and new names."""

OTHER_METRICS = frozenset(
    {
        "context_relevancy",
        "context_entity_recall",
        "context_entities_recall",
        "noise_sensitivity",
        "noise_sensitivity(mode=relevant)",
        "noise_sensitivity(mode=irrelevant)",
        "noise_sensitivity_relevant",
        "noise_sensitivity_irrelevant",
        "factual_correctness(mode=precision)",
        "factual_correctness(mode=recall)",
        "nv_accuracy",
        "answer_accuracy",
        "nv_response_groundedness",
        "response_groundedness",
        "chrf_score",
        "rouge_score(mode=precision)",
        "rouge_score(mode=recall)",
        "faithfulness_with_hhem",
        "non_llm_context_precision_with_reference",
        "non_llm_context_recall",
        "id_based_context_precision",
        "id_based_context_recall",
        "summary_score",
        "domain_specific_rubrics",
        "instance_rubrics",
        "topic_adherence",
        "topic_adherence(mode=f1)",
        "agent_goal_accuracy",
        "tool_call_accuracy",
        "tool_call_f1",
        "harmfulness",
        "maliciousness",
        "coherence",
        "correctness",
        "conciseness",
    }
)
"""Columns of metrics that Ragas has, or had, and evalparity does not run."""

METRIC_COLUMNS = frozenset({*SCORERS, *OTHER_METRICS})
"""Every column that is known to hold scores."""
