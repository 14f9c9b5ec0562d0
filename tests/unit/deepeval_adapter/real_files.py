"""Runs in a process of its own: writes files with the real DeepEval, and loads with it what evalparity exported."""

import json
import sys
from pathlib import Path

from deepeval import evaluate
from deepeval.dataset import EvaluationDataset, Golden
from deepeval.dataset.golden import ConversationalGolden
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import ExactMatchMetric, FaithfulnessMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, RetrievedContextData, Turn

FOLDER = Path(sys.argv[1])
TEXTS = json.loads((FOLDER / "texts.json").read_text("utf-8"))


class Broken(DeepEvalBaseLLM):
    def load_model(self):
        return self

    def get_model_name(self):
        return "broken-judge"

    def generate(self, _prompt):
        return "no JSON here"

    async def a_generate(self, _prompt):
        return "no JSON here"


goldens = [
    Golden(
        input=text,
        actual_output=f"{text} out",
        expected_output=f"{text} ref",
        context=[f"{text} ideal"],
        retrieval_context=[f"{text} one", "two"],
        name=f"case {number}",
        comments="seen",
        source_file="handbook.pdf",
        additional_metadata={"page": number, "note": text},
    )
    for number, text in enumerate(TEXTS)
]
sourced = Golden(input="q", retrieval_context=[RetrievedContextData(source="a.pdf", context="text of a")])
for kind in ("json", "csv", "jsonl"):
    EvaluationDataset(goldens=goldens).save_as(kind, str(FOLDER), "goldens")
EvaluationDataset(goldens=[sourced]).save_as("json", str(FOLDER), "sourced")
EvaluationDataset(goldens=[Golden(input="q", retrieval_context=["| a | b |", "c"])]).save_as(
    "csv", str(FOLDER), "pipes"
)
EvaluationDataset(goldens=[Golden(input="q", retrieval_context=["| a | b |", "c"])]).save_as(
    "jsonl", str(FOLDER), "pipes"
)
talks = [
    ConversationalGolden(
        scenario="a refund",
        expected_outcome="it is paid",
        context=[f"{text} ideal"],
        turns=[
            Turn(role="user", content="hello"),
            Turn(role="assistant", content="yes?", retrieval_context=["old"]),
            Turn(role="user", content=text),
            Turn(role="assistant", content=f"{text} out", retrieval_context=[f"{text} one", "two"]),
        ],
    )
    for text in TEXTS
]
for kind in ("json", "csv", "jsonl"):
    EvaluationDataset(goldens=talks).save_as(kind, str(FOLDER), "talks")

cases = [
    LLMTestCase(input="q1", actual_output="a", expected_output="a", retrieval_context=["c"], name="first", tags=["t"]),
    LLMTestCase(input="q2", actual_output="a", expected_output="b"),
]
result = evaluate(
    cases,
    [ExactMatchMetric(), FaithfulnessMetric(model=Broken(), threshold=0.7)],
    async_config=AsyncConfig(run_async=False),
    cache_config=CacheConfig(write_cache=False),
    display_config=DisplayConfig(show_indicator=False, print_results=False, results_folder=str(FOLDER / "runs")),
    error_config=ErrorConfig(ignore_errors=True),
)
(FOLDER / "evaluation.json").write_text(result.model_dump_json(), "utf-8")


def shown(case):
    return {
        "input": case.input,
        "output": case.actual_output,
        "reference": case.expected_output,
        "retrieved": case.retrieval_context,
        "ideal": case.context,
    }


KEYS = ("input", "actual_output", "expected_output", "context", "retrieval_context")
exports = {}
for path in (FOLDER / "exports").iterdir():
    dataset = EvaluationDataset()
    if path.suffix == ".json":
        dataset.add_test_cases_from_json_file(str(path), *KEYS)
        exports[path.name] = [shown(case) for case in dataset.test_cases]
    if path.suffix == ".csv":
        dataset.add_test_cases_from_csv_file(str(path), "input", "actual_output")
        exports[path.name] = [{**shown(case), "metadata": case.metadata} for case in dataset.test_cases]
    again = EvaluationDataset()
    getattr(again, f"add_goldens_from_{path.suffix[1:]}_file")(str(path))
    exports[f"goldens {path.name}"] = [
        {**shown(golden), "name": golden.name, "metadata": golden.additional_metadata} for golden in again.goldens
    ]
(FOLDER / "answer.json").write_text(json.dumps({"exports": exports}, default=str), "utf-8")
