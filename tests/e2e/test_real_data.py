"""Real questions with their gold passage and a human answer, through all three frameworks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from support.commands import FOUR_METRICS, ROOT, evalparity

CLAPNQ = ROOT.parent / "shared" / "data" / "clapnq_answerable_60.jsonl"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CLAPNQ.exists(), reason="the shared data folder is not beside the project"),
]


def write_suite(path: Path, questions: int) -> None:
    """Write the first questions as a suite: the gold passage is the context, the human answer output and reference."""
    rows = [json.loads(line) for line in CLAPNQ.read_text(encoding="utf-8").split("\n")[:questions]]
    with path.open("w", encoding="utf-8") as suite:
        for row in rows:
            answer = row["output"][0]["answer"]
            case = {
                "id": row["id"],
                "input": row["input"],
                "output": answer,
                "reference": answer,
                "retrieved_contexts": [passage["text"] for passage in row["passages"]],
            }
            suite.write(json.dumps(case, ensure_ascii=False) + "\n")


def test_twenty_real_questions(tmp_path: Path) -> None:
    write_suite(tmp_path / "clapnq.jsonl", 20)

    ended = evalparity("run", "clapnq.jsonl", *FOUR_METRICS, "--out", "run", cwd=tmp_path)

    assert ended.returncode == 0, ended.stderr + ended.stdout
    report = json.loads(evalparity("report", "run", "--format", "json", cwd=tmp_path).stdout)
    assert len(report["cells"]) == 20 * 14
    assert Counter(cell["status"] for cell in report["cells"]) == {"scored": 280}
    for inputs in report["inputs"].values():
        assert inputs["verified"] == inputs["checked"]
    means = {row["scorer"]: row["mean"] for row in report["summary"]}
    # A human answer to its own gold passage: a judge that finds little of it supported would be broken.
    assert min(mean for scorer, mean in means.items() if "faithfulness" in scorer) > 0.5
    assert means["builtin:exact_match"] == 1.0
