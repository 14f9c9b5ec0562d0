"""What a run costs, from the tokens that a server told to the report: counted by hand from the server's own sums."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.commands import evalparity
from support.judge_server import JudgeServer
from support.replies import reply_to

pytestmark = pytest.mark.slow

SUITE = {
    "evalparity": 1,
    "name": "prices",
    "cases": [
        {
            "id": "c",
            "input": "What stands here?",
            "output": "First. Second.",
            "reference": "First. Second.",
            "retrieved_contexts": ["First.", "Second."],
        }
    ],
}
PRICES = """\
per: 1M tokens
models:
  - {model: house, host: 127.0.0.1, input: 2, cached_input: 1, output: 8}
"""
EMBEDDING = "  - {model: vectors, input: 0.5}\n"


def run(server: JudgeServer, folder: Path, *options: str) -> dict[str, Any]:
    (folder / "suite.json").write_text(json.dumps(SUITE), encoding="utf-8")
    ended = evalparity(
        "run", folder / "suite.json", "--judge", "house", "--judge-url", server.url, "--embedding-model", "vectors",
        "--metric", "answer_relevancy", "--metric", "faithfulness", "--out", folder / "run", "--format", "json",
        *options,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    report: dict[str, Any] = json.loads(ended.stdout)
    return report


def test_every_token_is_paid_for_at_the_users_prices(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(PRICES + EMBEDDING, encoding="utf-8")
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        report = run(server, tmp_path, "--prices", str(tmp_path / "prices.yaml"))
        rows, before = report["cost"], report["run"]["preflight"]
        embedded = sum(row["embedding_tokens"] for row in (*rows, before))
        expected = (2 * server.input_tokens + 8 * server.output_tokens + 0.5 * embedded) / 1e6
    assert embedded > before["embedding_tokens"] > 0
    assert sum(row["input_tokens"] for row in (*rows, before)) == server.input_tokens
    assert sum(row["cost_usd"] for row in (*rows, before)) == pytest.approx(expected, rel=1e-9)
    of_cells = sum(cell["judge"]["cost_usd"] for cell in report["cells"])
    assert of_cells + before["cost_usd"] == pytest.approx(expected, rel=1e-9)
    for row in rows:
        assert row["cost_usd"] == row["at_least_usd"] == row["requested_usd"]
        assert row["unpriced_calls"] == 0
    assert report["run"]["prices"]["file"] == str(tmp_path / "prices.yaml")
    assert report["run"]["prices"]["table"].startswith("genai-prices ")


def test_what_has_no_price_makes_the_sum_unknown_and_the_rest_the_least_it_costs(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(PRICES, encoding="utf-8")
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        report = run(server, tmp_path, "--prices", str(tmp_path / "prices.yaml"), "--framework", "ragas")
    rows = {(row["framework"], row["metric"]): row for row in report["cost"]}
    embedding = rows["ragas", "answer_relevancy"]
    assert embedding["cost_usd"] is None
    assert embedding["at_least_usd"] > 0
    assert embedding["unpriced_calls"] == embedding["embedding_calls"] > 0
    assert rows["ragas", "faithfulness"]["cost_usd"] == rows["ragas", "faithfulness"]["at_least_usd"]
    shown = evalparity("report", tmp_path / "run").stdout
    assert "at least" in shown
    assert f"{sum(row['unpriced_calls'] for row in rows.values())} calls unpriced" in shown


def test_without_a_price_the_cost_is_unknown_and_never_0(tmp_path: Path) -> None:
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        report = run(server, tmp_path, "--framework", "promptfoo")
    assert any(row["calls"] and row["embedding_calls"] for row in report["cost"])
    assert {row["cost_usd"] for row in report["cost"] if row["calls"]} == {None}
    assert {row["requested_usd"] for row in report["cost"] if row["calls"]} == {None}


def test_a_wrong_price_file_stops_the_run_before_anything_is_spent(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text("models:\n  - {model: house, input: -2, output: 8}\n", encoding="utf-8")
    (tmp_path / "suite.json").write_text(json.dumps(SUITE), encoding="utf-8")
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        ended = evalparity(
            "run", tmp_path / "suite.json", "--judge", "house", "--judge-url", server.url,
            "--prices", tmp_path / "prices.yaml", "--out", tmp_path / "run",
        )  # fmt: skip
        assert not server.requests
    assert ended.returncode == 2
    assert "per: is missing: add it." in ended.stderr
    assert "models[0].input: must be 0 or more" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "run").exists()
