"""`evalparity adapters doctor`: all that a run needs, looked at before there is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from evalparity.comparisons.cli import adapters
from evalparity.unified_schema.errors import StudyError
from support.certificates import self_signed
from support.commands import evalparity
from support.judge_server import JudgeServer
from support.replies import reply_to

KEY = "planted-key-3f9a27c1d4"


def doctor(folder: Path, *arguments: str, **variables: str):
    return evalparity("adapters", "doctor", *arguments, cwd=folder, **variables)


@pytest.mark.slow
def test_all_that_a_run_needs_is_there(tmp_path: Path) -> None:
    with JudgeServer(lambda request, _n: reply_to(request), key=KEY, models=["the-judge", "the-embedder"]) as server:
        judge = ("--judge", "the-judge", "--judge-url", server.url, "--embedding-model", "the-embedder")
        ended = doctor(tmp_path, *judge, EVALPARITY_JUDGE_API_KEY=KEY)
        assert (len(server.chat_requests), len(server.embedding_requests)) == (2, 1)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    states = {line[9:].split("  ")[0]: line.split()[0] for line in ended.stdout.splitlines() if line.startswith("ok")}
    assert list(states) == ["ragas", "deepeval", "promptfoo", "builtin", "cache", "runs", "judge", "embedding model"]
    assert "the-judge at 127.0.0.1 answers; it takes json_schema and json_object" in ended.stdout
    assert "the-embedder at 127.0.0.1 answers with vectors of 8 numbers" in ended.stdout
    assert ended.stdout.endswith("all is ready for a run (8 ok)\n")
    assert KEY not in ended.stdout + ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_is_told_all_at_once_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with JudgeServer(models=["a-judge"]) as server:
        judge = ("--judge", "the-judge", "--judge-url", server.url, "--embedding-model", "none")
        ended = doctor(tmp_path, "--framework", "builtin", *judge, EVALPARITY_CACHE_DIR=str(tmp_path / "file"))
    assert ended.returncode == 2
    told = " ".join(ended.stdout.split())
    assert "-> name another folder in EVALPARITY_CACHE_DIR" in told
    assert "-> the server has no model 'the-judge'; --judge can be a-judge" in told
    assert "-> the server has no model 'none'; --embedding-model can be a-judge" in told
    assert told.endswith("a run would fail (3 failed, 2 ok)")
    assert "Traceback" not in ended.stderr


def test_a_certificate_of_ones_own_authority_is_trusted_where_it_is_named(tmp_path: Path) -> None:
    # Refused without the variable: tests/unit/judge/test_preflight.py.
    context, certificate = self_signed(tmp_path)
    with JudgeServer(lambda request, _n: reply_to(request), certificate=context) as server:
        judge = ("--judge", "m", "--judge-url", server.url)
        ended = doctor(tmp_path, "--framework", "builtin", *judge, SSL_CERT_FILE=str(certificate))
    assert ended.returncode == 0, ended.stdout
    assert "none is named, so scores that need embeddings are skipped" in ended.stdout
    assert "a run is possible; read the warnings" in ended.stdout


def test_a_missing_key_is_one_line_of_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    unset = {"OPENAI_API_KEY": None, "EVALPARITY_JUDGE_API_KEY": None}
    ended = CliRunner().invoke(adapters, ["doctor", "--framework", "builtin", "--judge", "gpt-4.1"], env=unset)
    assert ended.exit_code == 2
    assert "failed   judge    the judge at api.openai.com needs a key" in ended.stdout


def test_a_wrong_study_is_told_as_a_run_tells_it(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("study: 1\nframworks: ragas\n")
    ended = CliRunner().invoke(adapters, ["doctor", "--study", str(tmp_path / "study.yaml")])
    assert isinstance(ended.exception, StudyError)
    assert "frameworks" in str(ended.exception)
