"""A test set as teams keep it beside their code, and the suite that evalparity reads made from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass
class EvalQuery:
    question: str
    expected_answer: str
    relevant_chunk_ids: set[str]
    category: str


TEST_SET = [
    EvalQuery(
        question="How long is the refund window after purchase?",
        expected_answer="The refund window is 7 days from the date of purchase.",
        relevant_chunk_ids={"chunk_42"},
        category="policy",
    ),
    EvalQuery(
        question="Which Python version is required?",
        expected_answer="Python 3.10 or later is required.",
        relevant_chunk_ids={"chunk_17", "chunk_18"},
        category="setup",
    ),
    EvalQuery(
        question="Who pays for return shipping?",
        expected_answer="The customer pays for return shipping, unless the goods are defective.",
        relevant_chunk_ids={"chunk_44"},
        category="policy",
    ),
]

if __name__ == "__main__":
    cases = [{"id": f"q{number}", **vars(query)} for number, query in enumerate(TEST_SET, 1)]
    suite = {"evalparity": 1, "name": "handbook", "corpus": "corpus.jsonl", "cases": cases}
    Path("suite.json").write_text(json.dumps(suite, indent=2, default=sorted), encoding="utf-8")
