"""What DeepEval scores without a judge, and what it does not score at all; seen in the real framework."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.unified_schema.cases import EvalCase
from support.deepeval_worker import DeepEvalWorker, binding_of
from support.judge_server import JudgeServer

PAIRS = [
    ("The merchant.", "The merchant.", 1.0),
    (" The merchant.\n", "\tThe merchant.\u3000", 1.0),
    ("The merchant.", "the merchant.", 0.0),
    ("The  merchant.", "The merchant.", 0.0),
    ("The merchant. Always.", "The merchant.", 0.0),
    ("caf\u00e9", "cafe\u0301", 0.0),
    ("[DEEPEVAL:IMAGE:/etc/hostname]", "[DEEPEVAL:IMAGE:/etc/hostname]", 1.0),
    ("{{ 7*7 }}", "49", 0.0),
]


@pytest.mark.parametrize(("output", "reference", "score"), PAIRS)
@pytest.mark.parametrize("question", ["Who pays?", "", " "])
def test_exact_match_removes_white_space_at_the_ends_and_nothing_else(
    worker: DeepEvalWorker, output: str, reference: str, score: float, question: str
) -> None:
    case = EvalCase.model_validate({"id": "c", "input": question, "output": output, "reference": reference})
    with JudgeServer() as server:
        reading = worker.reading(case, "exact_match", server.url)
        assert not server.requests

    assert (reading.raw, reading.kind, reading.flags, reading.details.items) == (score, None, (), ())
    assert (output.strip() == reference.strip()) == (score == 1.0)


def test_exact_match_declares_no_judge_and_no_texts() -> None:
    binding = binding_of("exact_match")

    assert (binding.asks_judge, binding.sent, binding.item, binding.formula) == (False, (), None, None)


SEEN = """
import asyncio, json
import deepeval.metrics
from deepeval.metrics import PatternMatchMetric
from deepeval.test_case import LLMTestCase

def match(output):
    metric = PatternMatchMetric(pattern="The merchant")
    return asyncio.run(metric.a_measure(LLMTestCase(input="", actual_output=output), _show_indicator=False))

seen = {"whole": match("The merchant"), "part": match("The merchant pays")}
print(json.dumps({"metrics": deepeval.metrics.__all__, **seen}))
"""


def test_what_is_said_to_be_missing_upstream_is_missing(tmp_path: Path) -> None:
    assert ADAPTER.command is not None
    env = scrubbed_environment(tmp_path, ADAPTER.command(tmp_path).env)
    argv = [sys.executable, "-P", "-c", SEEN]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=tmp_path, env=env)
    seen = json.loads(done.stdout.splitlines()[-1])
    names = " ".join(seen["metrics"]).lower()

    assert (seen["whole"], seen["part"]) == (1.0, 0.0)
    for missing in ("similar", "embed", "contain", "rouge", "bleu", "levenshtein", "distance"):
        assert missing not in names
    brought = " ".join(line for line in requires("deepeval") or () if "extra ==" not in line)
    assert "rouge" not in brought
    assert "nltk" not in brought
    assert {unsupported.kind for unsupported in ADAPTER.unsupported.values()} == {"upstream"}
