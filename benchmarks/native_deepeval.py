"""DeepEval's own run, as its documentation shows it: `evaluate` over test cases, so many cases at a time.

    python benchmarks/native_deepeval.py SUITE URL IN_FLIGHT       # prints how many scores came out

Its knob bounds test cases, not calls; within a case all metrics run at once.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import AnswerRelevancyMetric, ContextualRecallMetric, FaithfulnessMetric
from deepeval.models import GPTModel
from deepeval.test_case import LLMTestCase
from made_cases import read_cases


def main(suite: str, url: str, in_flight: str) -> None:
    """Score with the three core metrics."""
    cases = [
        LLMTestCase(
            name=case.id,
            input=case.input,
            actual_output=case.output,
            expected_output=case.reference,
            retrieval_context=case.retrieved_contexts,
        )
        for case in read_cases(Path(suite))
    ]
    judge = GPTModel(model="gpt-4o-mini", base_url=url, api_key="any")
    metrics = [metric(model=judge) for metric in (FaithfulnessMetric, ContextualRecallMetric, AnswerRelevancyMetric)]
    with contextlib.redirect_stdout(sys.stderr):  # it advertises, whatever it is told
        result = evaluate(
            cases,
            metrics=metrics,
            async_config=AsyncConfig(max_concurrent=int(in_flight)),
            cache_config=CacheConfig(write_cache=False),
            display_config=DisplayConfig(show_indicator=False, print_results=False),
            error_config=ErrorConfig(ignore_errors=True),
        )
    scored = [one.score for test in result.test_results for one in test.metrics_data or () if one.score is not None]
    print(json.dumps({"scores": len(scored), "of": len(cases) * len(metrics)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
