"""A user's mistake gets one clear message and exit code 2, never a traceback, and costs nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import EXAMPLE, evalparity

CASE = '{"id": "a", "input": "q?", "output": "o", "retrieved_contexts": ["c"]}'

SUITES = {
    "broken YAML": ("s.yaml", "evalparity: 1\nname: x\ncases:\n  - id: a\n    input: [oops\n", [":6:"]),
    "unknown key": (
        "s.yaml",
        "name: x\ncases:\n  - id: a\n    input: q\n    ouput: o\n",
        ["s.yaml:5", "case a", "ouput", "output"],
    ),
    "duplicate id": ("s.jsonl", f"{CASE}\n{CASE}\n", ["s.jsonl:2", "a", "1"]),
    "empty suite": ("s.yaml", "name: x\ncases: []\n", ["s.yaml", "cases"]),
    "empty file": ("s.jsonl", "", ["s.jsonl"]),
    "no case id": ("s.json", '{"name": "x", "cases": [{"input": "q"}]}', ["s.json:1", "id"]),
    "several at once": (
        "s.yaml",
        "name: x\ncases:\n  - id: a\n    inptu: q\n  - id: b\n    input: q\n    outptu: o\n",
        ["inptu", "outptu", "s.yaml:4", "s.yaml:7"],
    ),
}


def refused(ended, *needed: str) -> None:
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    for text in needed:
        assert text in ended.stderr


@pytest.mark.parametrize("command", ["validate", "run"])
@pytest.mark.parametrize("name", SUITES)
def test_a_broken_suite(tmp_path: Path, command: str, name: str) -> None:
    file, content, needed = SUITES[name]
    (tmp_path / file).write_text(content, encoding="utf-8")

    refused(evalparity(command, file, cwd=tmp_path), *needed)

    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("command", ["validate", "run"])
def test_a_missing_file_and_a_folder(tmp_path: Path, command: str) -> None:
    refused(evalparity(command, "nowhere.yaml", cwd=tmp_path), "nowhere.yaml")
    refused(evalparity(command, ".", cwd=tmp_path))


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (["--framework", "raggas"], ["unknown framework 'raggas'", "'ragas'"]),
        (["--metric", "faithfullness"], ["unknown metric 'faithfullness'", "'faithfulness'"]),
        (["--metric", "levenshtein", "--framework", "promptfoo"], ["levenshtein", "ragas", "builtin"]),
        (["--judge-url", "http://127.0.0.1:9/v1"], ["--judge-url", "--judge MODEL"]),
        (["--judge", "m", "--judge-url", "localhost:9"], ["--judge-url", "localhost:9", "https://host/v1"]),
        (["--judge", "m", "--judge-url", "http://localhost:9/v1/chat/completions"], ["/chat/completions"]),
        (["--judge", "gpt-4o-mini"], ["api.openai.com", "EVALPARITY_JUDGE_API_KEY"]),
        (["--judge", "m", "--judge-url", "http://localhost:9/v1", "--judge-key-file", "none"], ["none"]),
        (["--embedding-model", "e"], ["--embedding-url"]),
        (["--concurrency", "0"], ["--concurrency"]),
        (["--no-such-option"], ["--no-such-option"]),
        (["--format", "pdf"], ["terminal", "json"]),
        (["--cell-timeout", "0"], ["--cell-timeout"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_wrong_option(tmp_path: Path, arguments: list[str], needed: list[str]) -> None:
    refused(evalparity("run", EXAMPLE, *arguments, cwd=tmp_path), *needed)
    assert list(tmp_path.iterdir()) == []


def test_an_output_folder_that_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("mine")
    refused(evalparity("run", EXAMPLE, "--out", "taken", cwd=tmp_path), "taken", "not an empty folder")
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["file"]


def test_a_key_for_openai_is_not_sent_elsewhere(tmp_path: Path) -> None:
    ended = evalparity("run", EXAMPLE, "--judge", "gpt-4o-mini", cwd=tmp_path)
    refused(ended, "needs a key")


@pytest.mark.parametrize("content", [None, "not json", '{"schema_version": 99}', "{}"])
def test_a_report_that_is_missing_or_damaged(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "report.json").write_text(content)
    refused(evalparity("report", tmp_path))
    refused(evalparity("report", tmp_path / "nowhere"))
    (tmp_path / "file").write_text("")
    refused(evalparity("report", tmp_path / "file"))


def test_control_codes_of_a_suite_are_written_out(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text('name: x\ncases:\n  - id: "a\\e[2Jb"\n    input: q\n    "\\e[31m": q\n')
    ended = evalparity("validate", "s.yaml", cwd=tmp_path, FORCE_COLOR="1")
    refused(ended, "a\\x1b[2Jb")
    assert "\x1b" not in ended.stderr
