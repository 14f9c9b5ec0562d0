"""`evalparity record` with real applications that behave: what they may return, and which cases they are asked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import ROOT, environment
from support.rag_app import asked, cases_of, files_of, record, write

EXAMPLE = ROOT / "examples" / "record"
PAGE = ROOT / "docs" / "record.md"


# --- the page, followed to the letter


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    folder = tmp_path / "record"
    shutil.copytree(EXAMPLE, folder)
    (block,) = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    steps = re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", block, re.MULTILINE)
    assert len(steps) == 3
    for command, printed in steps:
        line = command.replace("python ", f"{sys.executable} ", 1).split()
        program = Path(sys.executable).with_name(line[0]) if line[0] == "evalparity" else line[0]
        ended = subprocess.run(
            [str(program), *line[1:]],
            cwd=folder,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout == printed or line[1] == "run"
    recorded = cases_of(folder)
    assert [chunk.id for chunk in recorded["q2"].retrieved_contexts][:2] == ["chunk_17", "chunk_18"]
    assert all(chunk.text for case in recorded.values() for chunk in case.retrieved_contexts)
    assert recorded["q1"].output == "The refund window is 7 days from the date of purchase."
    assert "context_recall  0.67   3/3" in ended.stdout


def test_the_page_shows_the_code_of_the_example() -> None:
    snippets = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    source = (EXAMPLE / "your_eval_set.py").read_text(encoding="utf-8")
    assert all(line.strip() in source for line in snippets[1].splitlines())


# --- obedient applications


def test_an_application_is_asked_and_what_it_prints_is_kept_apart(tmp_path: Path) -> None:
    write(tmp_path, "q1", "q2")
    ended = record(tmp_path, "answer")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == (
        "recorded 2 of 2 cases that were asked\nwhat the application printed: suite.recorded.json.app.log\n"
        "next: evalparity run suite.recorded.json\n"
    )
    assert [case.output for case in cases_of(tmp_path).values()] == ["answer to q1", "answer to q2"]
    names = ("suite.recorded.json", "suite.recorded.json.app.log", "suite.recorded.json.journal.jsonl")
    assert files_of(tmp_path) == set(names)
    assert (tmp_path / "suite.recorded.json.app.log").read_text() == "printed q1\nprinted q2\n"


@pytest.mark.parametrize("function", ["slow", "slow_async"])
@pytest.mark.parametrize(("concurrency", "most"), [("1", 1), ("3", 3)])
def test_so_many_calls_at_the_same_time(tmp_path: Path, function: str, concurrency: str, most: int) -> None:
    write(tmp_path, *map(str, range(6)))
    ended = record(tmp_path, function, "--concurrency", concurrency)
    assert ended.returncode == 0, ended.stderr
    assert max(case.metadata["recorded"]["most"] for case in cases_of(tmp_path).values()) == most
    assert all(case.usage is not None and 0.25 < case.usage.seconds < 3 for case in cases_of(tmp_path).values())


def test_a_function_is_told_what_it_names_and_no_key(tmp_path: Path) -> None:
    write(
        tmp_path, "q", access="acme", as_of="2026-06-01", metadata={"page": 3}, reference="secret",
        conversation=[{"role": "user", "content": "before"}],
    )  # fmt: skip
    keys = {"EVALPARITY_JUDGE_API_KEY": "k", "EVALPARITY_EMBEDDING_KEY_FILE": "f"}
    ended = record(tmp_path, "curious", **keys)
    assert ended.returncode == 0, ended.stderr
    told = cases_of(tmp_path)["case-q"].metadata["recorded"]["told"]
    conversation = [{"role": "user", "content": "before"}]
    assert told == ["case-q", "acme", "2026-06-01", {"page": 3}, conversation, [], [], ""]


def test_a_method_will_do(tmp_path: Path) -> None:
    write(tmp_path, "q")
    assert record(tmp_path, "pipeline.answer").returncode == 0
    assert cases_of(tmp_path)["case-q"].output == "a method's"


def test_a_hostile_answer_is_text(tmp_path: Path) -> None:
    write(tmp_path, "q")
    ended = record(tmp_path, "hostile", "--out", "out.yaml")
    assert ended.returncode == 0, ended.stderr
    output = cases_of(tmp_path, "out.yaml")["case-q"].output
    assert output == "\0 \ufffd \U0001f600 \u2028 {{ x }} ${HOME} !!python/object *a &b --- \n...\n: - #"


# --- outputs that were there, and choosing cases


def test_outputs_are_kept_unless_they_are_to_be_overwritten(tmp_path: Path) -> None:
    suite = write(tmp_path, "q1", "q2")
    raw = json.loads(suite.read_text())
    raw["cases"][0] |= {"output": "by hand", "labels": {"faithfulness": [{"value": 1}]}}
    suite.write_text(json.dumps(raw))
    ended = record(tmp_path, "answer")
    kept = "recorded 1 of 1 cases that were asked\nkept the output that 1 had already (--overwrite asks again)\n"
    assert kept in ended.stdout
    assert cases_of(tmp_path)["case-q1"].output == "by hand"

    again = record(tmp_path, "answer", "--overwrite", "--resume", "--case", "case-q1")
    assert "case-q1: its human labels rated the earlier output and are left out" in again.stdout
    assert [case.output for case in cases_of(tmp_path).values()] == ["answer to q1", "answer to q2"]
    assert asked(tmp_path) == ["q2", "q1"]


def test_one_case_at_a_time_loses_no_other(tmp_path: Path) -> None:
    write(tmp_path, "q1", "q2", "q3")
    first = record(tmp_path, "answer", "--case", "case-q1")
    assert "left 2 without an output, as they were not to be asked" in first.stdout
    second = record(tmp_path, "answer", "--case", "case-q3", "--resume")
    assert "recorded 1 of 1 cases that were asked\ntook over 1 from the journal\n" in second.stdout
    outputs = [case.output for case in cases_of(tmp_path).values()]
    assert outputs == ["answer to q1", None, "answer to q3"]
    lossy = record(tmp_path, "answer", "--case", "case-q2", "--fresh")
    assert lossy.returncode == 2
    assert "would leave suite.recorded.json without the answers of all other cases" in lossy.stderr
    assert [case.output for case in cases_of(tmp_path).values()] == outputs


def test_a_suite_that_grew_is_recorded_further(tmp_path: Path) -> None:
    write(tmp_path, "q1")
    assert record(tmp_path, "answer").returncode == 0
    write(tmp_path, "q1", "q2")
    assert record(tmp_path, "answer", "--resume").returncode == 0
    assert asked(tmp_path) == ["q1", "q2"]
    assert [case.output for case in cases_of(tmp_path).values()] == ["answer to q1", "answer to q2"]
