"""The names of DeepEval's fields and metrics in its files: data only, held by tests against the real framework."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

CAMEL: Mapping[str, str] = MappingProxyType(
    {
        "actualOutput": "actual_output",
        "expectedOutput": "expected_output",
        "retrievalContext": "retrieval_context",
        "additionalMetadata": "additional_metadata",
        "toolsCalled": "tools_called",
        "expectedTools": "expected_tools",
        "tokenCost": "token_cost",
        "inputTokenCount": "input_token_count",
        "outputTokenCount": "output_token_count",
        "completionTime": "completion_time",
        "sourceFile": "source_file",
        "customColumnKeyValues": "custom_column_key_values",
        "expectedLabels": "expected_labels",
        "expectedOutcome": "expected_outcome",
        "userDescription": "user_description",
        "imagesMapping": "images_mapping",
        "metricsData": "metrics_data",
        "runDuration": "run_duration",
        "evaluationCost": "evaluation_cost",
        "expectationsData": "expectations_data",
    }
)
"""DeepEval's two spellings of a field: files that it saves have the second, test runs the first."""

SINGLE = frozenset(
    {
        "actual_output",
        "expected_output",
        "retrieval_context",
        "additional_metadata",
        "source_file",
        "expected_tools",
        "custom_column_key_values",
        *(camel for camel in CAMEL if camel not in {"completionTime", "imagesMapping", "runDuration"}),
    }
)
"""Names by which a golden or a test case of one turn is known (deepeval.dataset.golden, deepeval.test_case)."""

SEVERAL = frozenset({"scenario", "expected_outcome", "expectedOutcome", "user_description", "userDescription"})
"""Names by which one of several turns is known."""

USAGE: Mapping[str, str] = MappingProxyType(
    {
        "token_cost": "cost_usd",
        "input_token_count": "input_tokens",
        "output_token_count": "output_tokens",
        "completion_time": "seconds",
    }
)
"""Our `usage` by DeepEval's name: what the application under test spent."""

OF_RUN = frozenset(
    {
        "metrics_data",
        "success",
        "run_duration",
        "evaluation_cost",
        "order",
        "index",
        "trace",
        "flaky",
        "expectations_data",
        "multimodal",
        "conversational",
        "classifications",
    }
)
"""Fields of a test run that say how it went, not what was tested."""

OWN = "evalparity"
"""Key of `additional_metadata` under which our own files keep what DeepEval has no field for."""

MARKER = re.compile(r"^deepeval_source=(?P<source>.*?),deepeval_context=(?P<context>.*)$")
"""How DeepEval writes a passage that knows its source (deepeval.dataset.utils)."""

PICTURE = re.compile(r"\[DEEPEVAL:(?:IMAGE|PDF):(.*?)\]")
"""What DeepEval takes for a picture inside a text (LLMTestCase.set_is_multimodal)."""

SCORERS: Mapping[str, str] = MappingProxyType(
    {
        "Faithfulness": "deepeval:faithfulness",
        "Answer Relevancy": "deepeval:answer_relevancy",
        "Contextual Precision": "deepeval:contextual_precision",
        "Contextual Recall": "deepeval:contextual_recall",
        "Contextual Relevancy": "deepeval:contextual_relevancy",
        "Exact Match": "deepeval:exact_match",
    }
)
"""Our scorer by the name that a metric of DeepEval has in a test run."""

ERRORS: tuple[tuple[str, str], ...] = (
    ("cannot be None", "missing_field"),
    ("cannot be empty", "missing_field"),
    ("outputted an invalid JSON", "bad_json"),
    ("RateLimitError", "rate_limited"),
    ("insufficient_quota", "rate_limited"),
    ("AuthenticationError", "auth"),
    ("Error code: 401", "auth"),
    ("Error code: 403", "auth"),
    ("Error code: 429", "rate_limited"),
    ("Error code: 4", "http_4xx"),
    ("Error code: 5", "http_5xx"),
    ("InternalServerError", "http_5xx"),
    ("TimeoutError", "timeout"),
    ("imed out", "timeout"),
    ("APIConnectionError", "connect"),
    ("Connection error", "connect"),
    ("LengthFinishReason", "truncated"),
    ("validation error for", "bad_schema"),
)
"""A part of the error that a test run tells of a metric, and its kind; the first that fits."""
