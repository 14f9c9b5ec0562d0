"""A real language model as judge: a small llama.cpp server, the three real frameworks, and the server's own counts.

Only `make test-live` runs this. The model is a base model of 270 million parameters: its verdicts are worthless and
most of its replies are no JSON. What is held here is that each cell ends in one honest outcome and every token is
counted.
"""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evalparity.unified_schema.outcomes import ERROR_KINDS, SKIP_KINDS
from support.commands import ROOT

pytest.importorskip("xllamacpp", reason="run `make test-live`, which installs the server and the model")

pytestmark = [pytest.mark.live, pytest.mark.timeout(3000)]

SERVER = Path(__file__).parent / "llama_server.py"
METRICS = ("faithfulness", "context_recall", "answer_relevancy", "answer_similarity")
CASES = ("correct", "contradiction", "right-from-memory")

OUTPUT_LIMIT = 96
"""Tokens of a reply at most: left alone this model goes on to the end of its context."""

MODEL_FAULTS = {
    "truncated",
    "bad_json",
    "bad_schema",
    "missing_verdicts",
    "surplus_verdicts",
    "refusal",
    "out_of_range",
}
"""What a weak model does wrong. Anything else would be a fault of ours or of the server."""

LiveRun = tuple[dict[str, Any], Path, dict[str, float]]
"""The report, the run folder, and what the server counted of the run."""

COUNTED = re.compile(r"^llamacpp:(\w+) ([\d.e+]+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a llama.cpp server that ends with the tests."""
    folder = tmp_path_factory.mktemp("model")
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, str(SERVER), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout is not None
    try:
        told = next((line for line in process.stdout if line.startswith("listening on ")), None)
        assert told is not None, (folder / "server.log").read_text()[-2000:]
        yield told.removeprefix("listening on ").strip()
    finally:
        process.communicate(timeout=60)
    assert process.returncode == 0


def counts(server: str) -> dict[str, float]:
    """Return what the server itself has counted so far."""
    with urllib.request.urlopen(f"{server}/metrics", timeout=30) as reply:
        return {name: float(number) for name, number in COUNTED.findall(reply.read().decode())}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three cases of the example suite."""
    from evalparity.unified_schema import load_suite

    loaded = load_suite(ROOT / "examples" / "refund_policy" / "suite.yaml").suite
    cases = [json.loads(case.model_dump_json(exclude_none=True)) for case in loaded.cases if case.id in CASES]
    path = tmp_path_factory.mktemp("suite") / "suite.json"
    kept = ("id", "input", "output", "reference", "retrieved_contexts")
    lean = [{name: case[name] for name in kept} for case in cases]
    path.write_text(json.dumps({"evalparity": 1, "name": "live", "cases": lean}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def run(server: str, suite: Path, tmp_path_factory: pytest.TempPathFactory) -> LiveRun:
    """The report, the run folder, and what the server counted of this run."""
    folder = tmp_path_factory.mktemp("run") / "run"
    named = [part for metric in METRICS for part in ("--metric", metric)]
    frameworks = [part for name in ("ragas", "deepeval", "promptfoo") for part in ("--framework", name)]
    before = counts(server)
    done = subprocess.run(
        [sys.executable, "-m", "evalparity.comparisons", "run", str(suite), "--out", str(folder), "--format", "json",
         "--judge", "gemma-3-270m", "--judge-url", f"{server}/v1", "--embedding-model", "gemma-3-270m",
         "--max-output-tokens", str(OUTPUT_LIMIT), "--concurrency", "2", "--judge-timeout", "600", *named, *frameworks],
        capture_output=True, text=True, timeout=2700, check=False, cwd=ROOT,
    )  # fmt: skip
    sys.stderr.write(done.stderr[-2000:])
    assert done.returncode in {0, 3}, done.stderr
    after = counts(server)
    return json.loads(done.stdout), folder, {name: after[name] - before[name] for name in after}


def test_every_cell_ends_once_and_honestly(run: LiveRun) -> None:
    cells = run[0]["cells"]
    keys = Counter((cell["case_id"], cell["scorer"]) for cell in cells)
    # Three frameworks measure three of the metrics and two the fourth.
    assert len(keys) == len(cells) == len(CASES) * (3 * 3 + 2)
    for cell in cells:
        assert (cell["status"] == "scored") == (cell["score"] is not None) == (cell["kind"] is None), cell
        if cell["status"] == "scored":
            assert 0.0 <= cell["score"] <= 1.0
        else:
            known = SKIP_KINDS if cell["status"] == "skipped" else ERROR_KINDS
            assert cell["kind"] in known
            assert cell["reason"]
    assert {cell["kind"] for cell in cells if cell["status"] == "errored"} <= MODEL_FAULTS
    print(Counter((cell["framework"], cell["metric"], cell["kind"] or "scored") for cell in cells))


def test_what_needs_no_words_is_scored(run: LiveRun) -> None:
    similarity = [cell for cell in run[0]["cells"] if cell["metric"] == "answer_similarity"]
    assert {cell["status"] for cell in similarity} == {"scored"}
    by_case: dict[str, list[float]] = {}
    for cell in similarity:
        by_case.setdefault(cell["case_id"], []).append(cell["score"])
        assert cell["judge"]["embedding_calls"] > 0
        assert cell["judge"]["calls"] == 0
    for scores in by_case.values():
        assert max(scores) - min(scores) < 1e-3, "the same two texts, the same embeddings, the same cosine"
    assert by_case["right-from-memory"][0] == pytest.approx(1.0, abs=1e-3), "output and reference are one text"


def test_every_token_is_the_servers_own_count(run: LiveRun) -> None:
    report, folder, counted = run
    query = (
        "SELECT count(*), sum(kind = 'chat'), sum(attempts), total(input_tokens), total(output_tokens), "
        "total(cached_tokens), sum(input_tokens IS NULL) FROM calls WHERE served = 'upstream'"
    )
    with sqlite3.connect(folder / "ledger.sqlite") as ledger:
        calls, chat, attempts, input_tokens, output_tokens, cached, untold = ledger.execute(query).fetchone()
    assert untold == 0
    assert attempts == calls
    assert input_tokens == counted["prompt_tokens_total"] + counted["prompt_tokens_cached_total"]
    assert cached == counted["prompt_tokens_cached_total"]
    assert output_tokens == counted["tokens_predicted_total"]
    counted_here = [*report["cost"], report["run"]["preflight"]]
    assert chat == sum(row["billed_calls"] for row in counted_here)
    asked = sum(row["calls"] + row["embedding_calls"] for row in counted_here)
    assert calls == asked - sum(row["shared_calls"] for row in counted_here)
    assert output_tokens == sum(row["output_tokens"] for row in counted_here)
    print(f"{calls} calls, {input_tokens:.0f} tokens in ({cached:.0f} cached), {output_tokens:.0f} tokens out")


def test_no_reply_is_longer_than_the_limit(run: LiveRun) -> None:
    with sqlite3.connect(run[1] / "ledger.sqlite") as ledger:
        (longest,) = ledger.execute("SELECT max(output_tokens) FROM calls").fetchone()
    assert 0 < longest <= OUTPUT_LIMIT


def test_the_texts_reached_the_model(run: LiveRun) -> None:
    for name, inputs in run[0]["inputs"].items():
        assert inputs["missing"] == 0, name


def test_the_report_reads_back_and_names_the_judge(run: LiveRun) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "evalparity.comparisons", "report", str(run[1])],
        capture_output=True, text=True, timeout=120, check=True, cwd=ROOT,
    )  # fmt: skip
    assert "gemma-3-270m" in done.stdout
    assert "NOT A LANGUAGE MODEL" not in done.stdout
    print(done.stdout)
