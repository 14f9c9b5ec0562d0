"""Any OpenAI-compatible server can be the judge; its key goes to it and nowhere else."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from evalparity.adapters.judge.breaker import MOST_IN_A_ROW
from support.commands import FOUR_METRICS, TEN_CASES, evalparity
from support.judge_server import JudgeServer
from support.replies import reply_to

pytestmark = pytest.mark.slow

KEY = "planted-key-5a1f9c3e"


def run_on(server: JudgeServer, folder: Path, *arguments: str, **variables: str):
    return evalparity(
        "run", TEN_CASES, *FOUR_METRICS, "--judge", "vendor/model-7b", "--judge-url", server.url,
        "--embedding-model", "embedder", "--out", folder, *arguments, cwd=folder.parent, **variables,
    )  # fmt: skip


@pytest.mark.parametrize("how", ["variable", "file"])
def test_all_frameworks_ask_the_same_model_with_the_key(tmp_path: Path, how: str) -> None:
    (tmp_path / "key").write_text(KEY + "\n")
    folder = tmp_path / "run"
    given = {"EVALPARITY_JUDGE_API_KEY": KEY} if how == "variable" else {}
    # Where the key comes from is over before a framework begins: all of them once, then the one that starts soonest.
    arguments = [] if how == "variable" else ["--judge-key-file", str(tmp_path / "key"), "--framework", "promptfoo"]
    arguments += ["--keep-requests"] if how == "file" else []
    with JudgeServer(lambda request, _n: reply_to(request), key=KEY) as server:
        ended = run_on(server, folder, *arguments, **given)

    report = json.loads((folder / "report.json").read_text())
    assert ended.returncode in {0, 3}, ended.stderr
    assert {cell["kind"] for cell in report["cells"]} <= {None, "missing_field", "missing_verdicts"}
    assert report["run"]["judge"]["model"] == "vendor/model-7b"
    assert report["run"]["judge"]["url"] == server.url
    for request in server.chat_requests:
        body = request.body
        asked = (body["model"], body["temperature"], body["seed"], body["max_tokens"])
        assert asked == ("vendor/model-7b", 0.0, 0, 4096)
        assert set(body) <= {"model", "messages", "temperature", "seed", "max_tokens", "response_format"}
    assert {request.body["model"] for request in server.embedding_requests} == {"embedder"}
    counted = [*report["cost"], report["run"]["preflight"]]
    assert sum(row["calls"] for row in counted) == len(server.chat_requests)
    assert sum(row["embedding_calls"] for row in counted) == len(server.embedding_requests)
    assert sum(row["output_tokens"] for row in counted) == server.output_tokens
    assert report["run"]["judge"]["structured_output"] == ["json_schema", "json_object"]
    with sqlite3.connect(folder / "ledger.sqlite") as ledger:
        kept = [json.loads(body) for (body,) in ledger.execute("SELECT request FROM calls WHERE request IS NOT NULL")]
    sent = [request.body for request in server.requests]
    assert all(body in sent for body in kept)
    assert len(kept) == (len(sent) if how == "file" else 0)
    for path in folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in ended.stdout + ended.stderr


def test_a_wrong_key_is_found_before_any_cell_runs(tmp_path: Path) -> None:
    with JudgeServer(lambda request, _n: reply_to(request), key=KEY) as server:
        ended = run_on(server, tmp_path / "run", EVALPARITY_JUDGE_API_KEY="planted-other-key-1")

    assert ended.returncode == 2
    assert (
        "no cell was run, as a judge cannot be used:\n- judge: vendor/model-7b at 127.0.0.1: answered" in ended.stderr
    )
    assert "check its key" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "planted-other-key" not in ended.stdout + ended.stderr
    assert len(server.chat_requests) == len(server.embedding_requests) == 1
    assert not (tmp_path / "run").exists()


def test_a_folder_that_is_taken_is_known_before_the_judge_is_asked(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "report.json").write_text("{}")
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        ended = run_on(server, tmp_path / "run")
        assert server.requests == []
    assert ended.returncode == 2
    assert "is not an empty folder" in ended.stderr


def test_without_a_pre_flight_a_wrong_key_is_every_cells_error(tmp_path: Path) -> None:
    # With all frameworks: test_faults.py.
    with JudgeServer(lambda request, _n: reply_to(request), key=KEY) as server:
        ended = run_on(
            server, tmp_path / "run", "--no-preflight", "--framework", "promptfoo",
            EVALPARITY_JUDGE_API_KEY="planted-other-key-1",
        )  # fmt: skip

    assert ended.returncode == 3
    assert "Traceback" not in ended.stderr
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    judged = [cell for cell in report["cells"] if cell["judge_model"] and cell["status"] != "skipped"]
    kinds = Counter((cell["status"], cell["kind"]) for cell in judged)
    assert set(kinds) == {("errored", "auth"), ("errored", "judge_down")}
    assert 1 <= kinds["errored", "auth"] <= MOST_IN_A_ROW + 16  # those in flight when it was known to be down
    assert "planted-other-key" not in ended.stdout + ended.stderr + json.dumps(report)
    asking = {cell["scorer"] for cell in judged}
    assert all(row["mean"] is None for row in report["summary"] if row["scorer"] in asking)
    assert report["run"]["preflight"] is None
    assert report["run"]["judge"]["structured_output"] is None


def test_the_openai_key_of_the_environment_is_not_sent_to_another_host(tmp_path: Path) -> None:
    # One framework is enough for ours: what no framework sees of the environment stands in test_crashes.py.
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        ended = run_on(server, tmp_path / "run", "--framework", "deepeval", OPENAI_API_KEY=KEY)

    assert ended.returncode in {0, 3}, ended.stderr
    assert server.requests
    assert all(KEY not in json.dumps(dict(request.headers)) for request in server.requests)
