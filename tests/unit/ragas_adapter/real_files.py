"""Runs in a process of its own: writes files with the real Ragas, and loads with it what evalparity exported."""

import ast
import csv
import json
import sys
from pathlib import Path

from datasets import DatasetDict
from ragas import EvaluationDataset, metrics
from ragas.callbacks import ChainRun
from ragas.dataset_schema import EvaluationResult
from ragas.evaluation import ModeMetric

FOLDER = Path(sys.argv[1])
TEXTS = json.loads((FOLDER / "texts.json").read_text("utf-8"))

single = EvaluationDataset.from_list(
    [
        {
            "user_input": text,
            "retrieved_contexts": [f"{text} one", "two"],
            "retrieved_context_ids": ["d1", str(number)],
            "reference_contexts": [f"{text} ideal"],
            "response": f"{text} out",
            "reference": f"{text} ref",
        }
        for number, text in enumerate(TEXTS)
    ]
)
several = EvaluationDataset.from_list(
    [
        {
            "user_input": [
                {"content": "first", "type": "human"},
                {"content": "let me see", "type": "ai", "tool_calls": [{"name": "find", "args": {"q": text}}]},
                {"content": "found", "type": "tool"},
                {"content": "answer one", "type": "ai"},
                {"content": text, "type": "human"},
                {"content": f"{text} out", "type": "ai"},
            ],
            "reference": "ref",
        }
        for text in TEXTS
    ]
)
scores = [
    {
        "faithfulness": 0.5,
        "llm_context_precision_with_reference": float("nan"),
        "factual_correctness(mode=f1)": 1.0,
        "tone": 1,
    }
    for _ in TEXTS
]
single.to_jsonl(FOLDER / "single.jsonl")
single.to_csv(FOLDER / "single.csv")
several.to_jsonl(FOLDER / "several.jsonl")
several.to_csv(FOLDER / "several.csv")
single.to_hf_dataset().save_to_disk(str(FOLDER / "saved"))
DatasetDict({"train": single.to_hf_dataset(), "test": single.to_hf_dataset()}).save_to_disk(str(FOLDER / "splits"))
trace = ChainRun(run_id="r", parent_run_id=None, name="evaluation", inputs={}, metadata={}, outputs={}, children=[])
frame = EvaluationResult(scores=scores, dataset=single, ragas_traces={"r": trace}).to_pandas()
frame.to_csv(FOLDER / "results.csv", index=False)
frame.to_csv(FOLDER / "results_with_index.csv")
# Excel has no control characters, and takes what begins with = for a formula.
frame[~frame["user_input"].str.contains(r"[\x00-\x1f]|^=")].to_excel(FOLDER / "results.xlsx", index=False)
frame.to_parquet(FOLDER / "results.parquet", index=False)
frame.to_csv(FOLDER / "german.csv", index=False, sep=";", decimal=",", encoding="utf-16")
frame.to_json(FOLDER / "results.json")
frame.to_json(FOLDER / "records.json", orient="records", force_ascii=False)
frame.to_json(FOLDER / "results.jsonl", orient="records", lines=True)


def column(metric):
    return f"{metric.name}(mode={metric.mode})" if isinstance(metric, ModeMetric) else metric.name


def cells(path):
    with path.open(encoding="utf-8", newline="") as content:
        for row in csv.DictReader(content):
            given = {key: value for key, value in row.items() if value}
            lists = {
                key: ast.literal_eval(value) for key, value in given.items() if key.endswith(("_contexts", "_ids"))
            }
            yield {**given, **lists}


csv.field_size_limit(2**31 - 1)
exports = {path.name: EvaluationDataset.from_jsonl(path).to_list() for path in (FOLDER / "exports").glob("*.jsonl")}
exports |= {
    path.name: EvaluationDataset.from_list(list(cells(path))).to_list() for path in (FOLDER / "exports").glob("*.csv")
}
names = [
    "Faithfulness",
    "ResponseRelevancy",
    "LLMContextPrecisionWithReference",
    "LLMContextPrecisionWithoutReference",
    "ContextPrecision",
    "ContextUtilization",
    "LLMContextRecall",
    "ContextRelevance",
    "AnswerCorrectness",
    "FactualCorrectness",
    "SemanticSimilarity",
    "AnswerSimilarity",
    "ExactMatch",
    "StringPresence",
    "RougeScore",
    "BleuScore",
    "NonLLMStringSimilarity",
]
columns = {name: column(getattr(metrics, name)()) for name in names}
others = {
    name: column(getattr(metrics, name)())
    for name in ("NoiseSensitivity", "AnswerAccuracy", "ResponseGroundedness", "ContextEntityRecall", "ChrfScore")
}
answer = {"exports": exports, "columns": columns, "others": others}
(FOLDER / "answer.json").write_text(json.dumps(answer), "utf-8")
