"""`evalparity record` with applications that break, cannot be called, or are asked for what makes no sense."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from support.commands import evalparity
from support.rag_app import asked, cases_of, record, wait_for, write

# --- broken applications

BROKEN = {
    "raises": r"raised RuntimeError: no index at all \\x1b\[31m \(shop/rag.py:\d+\)",
    "hangs": r"did not answer within 2 s \(--timeout\)\.",
    "exits": r"raised SystemExit: 3",
    "kills": r"was not answered: the application's process was ended by SIGKILL",
    "none": r"returned None",
    "generator": r"returned a generator: collect it",
    "number": r"returned answer that is no text",
    "object": r"returned an object of type object",
    "bytes": r"returned bytes",
    "no output": r"returned a dict without `output`",
    "stage": r"returned what no case can hold: stages",
    "class": r"returned an object of type type",
}


@pytest.mark.parametrize("concurrency", ["1", "4"])
@pytest.mark.parametrize("function", ["misbehaves", "misbehaves_async"])
def test_a_broken_case_harms_no_other(tmp_path: Path, function: str, concurrency: str) -> None:
    broken = dict(BROKEN)
    if function == "misbehaves_async":
        broken["blocks"] = r"did not answer within 2 s"
        broken["coroutine"] = r"returned a coroutine: await it"
    write(tmp_path, *broken, *(f"fine {question}" for question in BROKEN))
    ended = record(tmp_path, function, "--concurrency", concurrency, "--timeout", "2", "--retries", "0")
    assert ended.returncode == 3, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "\x1b" not in ended.stdout + ended.stderr
    recorded = cases_of(tmp_path)
    assert {case.input for case in recorded.values() if case.output is None} == set(broken)
    assert all(recorded[f"case-fine {question}"].output == "fine" for question in BROKEN)
    for question, told in broken.items():
        assert re.search(rf"^  case-{question}: {told}", ended.stdout, re.MULTILINE), (question, ended.stdout)
    assert f"{len(broken)} without an answer:" in ended.stdout


def test_what_may_pass_is_tried_again(tmp_path: Path) -> None:
    write(tmp_path, "q1")
    ended = record(tmp_path, "flaky", "--retries", "1")
    assert ended.returncode == 3
    assert "case-q1: raised ConnectionError: try again" in ended.stderr
    assert asked(tmp_path) == ["q1", "q1"]
    resumed = record(tmp_path, "flaky", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert asked(tmp_path) == ["q1", "q1", "q1"]


def test_nothing_is_left_running(tmp_path: Path) -> None:
    write(tmp_path, "hangs")
    (tmp_path / "shop" / "rag.py").write_text(
        "import os, subprocess, sys, time\nfrom pathlib import Path\n"
        "def misbehaves(question):\n"
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "    Path('pids').write_text(f'{os.getpid()} {child.pid}')\n    time.sleep(600)\n"
    )
    started = time.monotonic()
    ended = record(tmp_path, "misbehaves", "--timeout", "1", "--retries", "0", "--concurrency", "2")
    assert ended.returncode == 3
    assert time.monotonic() - started < 30
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        wait_for(lambda pid=pid: not is_running(pid))


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# --- what ends the command before anything is asked

REFUSED = [
    ("shop.rag:anwser", "there is no anwser in shop.rag: did you mean answer?"),
    ("shop.rag:Pipeline", "is a class: make an object of it"),
    ("shop.rag:number", "is no function but of type int"),
    ("shop.rag:needs", "needs client, which evalparity cannot give"),
    ("shop.rag:no_question", "takes no question"),
    ("shopp.rag:answer", "there is no module shopp in"),
    ("shop.rga:answer", "there is no module shop.rga in"),
    ("shop.rag", "write it as package.module:function"),
    ("shop.rag:", "write it as package.module:function"),
    ("../shop:answer", "write it as package.module:function"),
    ("broken:answer", "importing broken failed: ZeroDivisionError: division by zero (broken.py:1)"),
    ("syntax:answer", "importing syntax failed: SyntaxError"),
    ("exits:answer", "importing exits ended the program (SystemExit) (exits.py:1)"),
    ("dies:answer", "its process ended with code 7 while it was imported"),
    ("missing:answer", "importing missing failed, there is no module not_installed_anywhere"),
]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the application, a half-done recording, and modules that cannot be imported."""
    folder = tmp_path_factory.mktemp("shop")
    write(folder, "q1", "q2")
    modules = {
        "broken": "1 / 0",
        "syntax": "def answer(:",
        "exits": "raise SystemExit(0)",
        "dies": "import os; os._exit(7)",
        "missing": "import not_installed_anywhere",
    }
    for name, code in modules.items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    record(folder, "misbehaves", "--case", "case-q1")
    return folder


@pytest.mark.parametrize(("app", "told"), REFUSED)
def test_an_application_that_cannot_be_called(shop: Path, app: str, told: str) -> None:
    journal = shop / "suite.recorded.json.journal.jsonl"
    before = journal.read_bytes()
    ended = evalparity("record", "suite.json", "--app", app, "--fresh", cwd=shop)
    assert ended.returncode == 2, ended.stdout
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""
    assert journal.read_bytes() == before  # what was paid for is safe from a slip of the pen


OPTIONS = [
    (["--case", "case-q9"], "--case case-q9: the suite has no such case: did you mean case-q"),
    (["--out", "x.jsonl"], "suites are written to .yaml, .yml, .json files"),
    (["--out", "nowhere/x.yaml"], "there is no folder nowhere"),
    (["--out", "shop"], "suites are written to"),
    (["--out", "suite.json"], "is the suite itself"),
    (["--timeout", "nan"], "is no number of seconds"),
    (["--concurrency", "0"], "0 is not in the range"),
    (["--resume", "--fresh"], "--resume and --fresh exclude each other"),
    ([], "holds 1 answers of an earlier recording: --resume takes them over"),
]


@pytest.mark.parametrize(("options", "told"), OPTIONS)
def test_options_that_make_no_sense(shop: Path, options: list[str], told: str) -> None:
    ended = record(shop, "answer", *options)
    assert ended.returncode == 2, ended.stdout
    assert told in ended.stderr
    assert asked(shop) == []


def test_a_suite_without_anything_to_record(tmp_path: Path) -> None:
    write(tmp_path, "q1", output="there")
    ended = record(tmp_path, "answer")
    assert ended.returncode == 2
    assert "every case has an output already" in ended.stderr


def test_a_corpus_must_stay_in_reach(tmp_path: Path) -> None:
    suite = write(tmp_path, "q1")
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "b"}\n')
    suite.write_text(json.dumps({**json.loads(suite.read_text()), "corpus": "corpus.jsonl"}))
    (tmp_path / "below").mkdir()
    ended = record(tmp_path, "answer", "--out", "below/out.yaml")
    assert ended.returncode == 2
    assert "the suite's corpus corpus.jsonl cannot be reached from there" in ended.stderr
    assert asked(tmp_path) == []


@pytest.mark.slow
def test_a_process_that_ends_takes_no_other_case_with_it(tmp_path: Path) -> None:
    questions = [f"{'exit' if n % 10 == 7 else 'fine'}-{n}" for n in range(40)]
    write(tmp_path, *questions)
    (tmp_path / "shop" / "rag.py").write_text(
        "import asyncio, os\nasync def ask(question):\n    await asyncio.sleep(0.05)\n"
        "    if question.startswith('exit'):\n        os._exit(1)\n    return 'fine'\n"
    )
    for _ in range(3):
        ended = record(tmp_path, "ask", "--concurrency", "8", "--retries", "0", "--fresh")
        assert {case.input for case in cases_of(tmp_path).values() if case.output is None} == {
            question for question in questions if question.startswith("exit")
        }, ended.stdout
