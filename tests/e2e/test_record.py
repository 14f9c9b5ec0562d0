"""`evalparity record` with real applications: obedient ones, broken ones, and recordings that are stopped."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalparity.unified_schema import EvalCase, load_suite
from support.commands import ROOT, environment, evalparity, start_evalparity

EXAMPLE = ROOT / "examples" / "record"
PAGE = ROOT / "docs" / "record.md"

APP = '''
import asyncio, os, sys, threading, time
from pathlib import Path

here = Path(__file__).parent
lock, open_now, most = threading.Lock(), 0, 0

def count(question):
    with open(here / "asked.txt", "a") as file:
        file.write(question + "\\n")

def answer(question):
    count(question)
    print("printed", question)
    return "answer to " + question

def slow(question):
    global open_now, most
    with lock:
        open_now += 1
        most = max(most, open_now)
    time.sleep(0.3)
    with lock:
        open_now -= 1
    return {"answer": "a", "metadata": {"most": most}}

async def slow_async(question):
    global open_now, most
    open_now += 1
    most = max(most, open_now)
    await asyncio.sleep(0.3)
    open_now -= 1
    return {"answer": "a", "metadata": {"most": most}}

def flaky(question):
    count(question)
    if (here / "asked.txt").read_text().count(question) < 3:
        raise ConnectionError("try again")
    return "in the end"

def waits(question):
    count(question)
    while question == "q2" and not (here / "go").exists():
        time.sleep(0.02)
    return "answer to " + question

def curious(question, case_id, tenant=None, as_of=None, metadata=None, conversation=()):
    secrets = sorted(name for name in os.environ if name.startswith("EVALPARITY_") and "KEY" in name)
    told = [case_id, tenant, str(as_of), metadata, list(conversation), secrets, sys.argv[1:], sys.stdin.read()]
    return {"answer": "a", "told": told}

def hostile(question):
    return "\\0 \\ud800 \\U0001f600 \\u2028 {{ x }} ${HOME} !!python/object *a &b --- \\n...\\n: - #"

def misbehaves(question):
    if question == "raises":
        raise RuntimeError("no index\\nat all \\x1b[31m")
    if question == "hangs":
        time.sleep(3600)
    if question == "exits":
        raise SystemExit(3)
    if question == "coroutine":
        return slow_async(question)
    if question == "kills":
        os.kill(os.getpid(), 9)
    return {
        "none": None, "generator": (word for word in "abc"), "number": {"answer": 3}, "object": object(),
        "bytes": b"a", "no output": {"contexts": []}, "class": dict,
        "stage": {"answer": "a", "contexts": ["x"], "stages": {"s": ["y"]}},
    }.get(question, "fine")

async def misbehaves_async(question):
    if question == "hangs":
        await asyncio.sleep(3600)
    if question == "blocks":
        time.sleep(3600)
    return misbehaves(question)

class Pipeline:
    def answer(self, question):
        return "a method's"

pipeline = Pipeline()
number = 3
needs = lambda question, client: client
no_question = lambda: "a"
'''  # fmt: skip


def write(folder: Path, *questions: str, **fields: Any) -> Path:
    """Write the application and a suite of these questions; return the suite's path."""
    (folder / "shop").mkdir(exist_ok=True)
    (folder / "shop" / "__init__.py").write_text("", encoding="utf-8")
    (folder / "shop" / "rag.py").write_text(APP, encoding="utf-8")
    cases = [{"id": f"case-{question}", "input": question, **fields} for question in questions]
    suite = folder / "suite.json"
    suite.write_text(json.dumps({"evalparity": 1, "name": "s", "cases": cases}), encoding="utf-8")
    return suite


def record(folder: Path, function: str, *options: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Record `suite.json` of a folder as a user in that folder."""
    return evalparity("record", "suite.json", "--app", f"shop.rag:{function}", *options, cwd=folder, **variables)


def cases_of(folder: Path, name: str = "suite.recorded.json") -> dict[str, EvalCase]:
    return {case.id: case for case in load_suite(folder / name).suite.cases}


def asked(folder: Path) -> list[str]:
    file = folder / "shop" / "asked.txt"
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def files_of(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"shop", "suite.json"}


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


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


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


# --- going on


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_recording_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    write(tmp_path, "q1", "q2", "q3")
    process = start_evalparity("record", "suite.json", "--app", "shop.rag:waits", cwd=tmp_path)
    try:
        wait_for(lambda: "q2" in asked(tmp_path))
        process.send_signal(number)
        printed, complaint = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "Traceback" not in complaint
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert "interrupted: the answers stand in suite.recorded.json.journal.jsonl" in printed
    assert not (tmp_path / "suite.recorded.json").exists()

    (tmp_path / "go").touch()
    (tmp_path / "shop" / "go").touch()
    resumed = record(tmp_path, "waits", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "recorded 2 of 2 cases that were asked\ntook over 1 from the journal\n" in resumed.stdout
    assert asked(tmp_path) == ["q1", "q2", "q2", "q3"]
    assert [case.output for case in cases_of(tmp_path).values()] == [f"answer to q{n}" for n in (1, 2, 3)]


def test_a_changed_question_is_asked_again_and_a_changed_application_is_noticed(tmp_path: Path) -> None:
    suite = write(tmp_path, "q1", "none")
    assert record(tmp_path, "misbehaves").returncode == 3
    suite.write_text(suite.read_text().replace('"none"', '"fixed"'))
    (tmp_path / "shop" / "rag.py").write_text(f"{APP}\n# changed\n")

    refused = record(tmp_path, "misbehaves", "--resume")
    assert refused.returncode == 2
    assert "the 1 answers in suite.recorded.json.journal.jsonl were given before shop/rag.py changed" in refused.stderr
    other = record(tmp_path, "answer", "--resume")
    assert "were given by shop.rag:misbehaves" in other.stderr

    kept = record(tmp_path, "misbehaves", "--resume", "--accept-changes")
    assert kept.returncode == 0, kept.stderr
    assert "recorded 1 of 1 cases that were asked\ntook over 1 from the journal\n" in kept.stdout


def test_an_answer_that_was_none_is_asked_for_again(tmp_path: Path) -> None:
    write(tmp_path, "stage", "fine")
    broken = record(tmp_path, "misbehaves")
    assert broken.returncode == 3
    assert "case-stage: returned what no case can hold: stages" in broken.stderr  # at once, not at the end only
    (tmp_path / "shop" / "rag.py").write_text(APP.replace('"s": ["y"]', '"s": ["c1"]'))
    mended = record(tmp_path, "misbehaves", "--resume", "--accept-changes")
    assert mended.returncode == 0, mended.stderr
    assert "recorded 1 of 1 cases that were asked\ntook over 1 from the journal\n" in mended.stdout
    assert [case.output for case in cases_of(tmp_path).values()] == ["a", "fine"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no folder here that nobody can write into")
def test_a_folder_that_cannot_be_written_is_told_as_such(tmp_path: Path) -> None:
    write(tmp_path, "q1")
    ended = record(tmp_path, "answer", "--out", "/proc/out.json")
    assert ended.returncode == 2
    assert "/proc/out.json.journal.jsonl: cannot be written" in ended.stderr
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


def test_two_recordings_never_write_the_same_file(tmp_path: Path) -> None:
    write(tmp_path, "q2")
    process = start_evalparity("record", "suite.json", "--app", "shop.rag:waits", cwd=tmp_path)
    try:
        wait_for(lambda: asked(tmp_path) == ["q2"])
        second = record(tmp_path, "waits", "--resume")
        assert second.returncode == 2
        assert "another recording is writing it" in second.stderr
        (tmp_path / "shop" / "go").touch()
        process.communicate(timeout=60)
        assert process.returncode == 0
    finally:
        process.kill()


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no permissions of this kind")
def test_a_journal_is_its_owners_alone(tmp_path: Path) -> None:
    write(tmp_path, "q1", "none")
    assert record(tmp_path, "misbehaves").returncode == 3
    assert (tmp_path / "suite.recorded.json.journal.jsonl").stat().st_mode & 0o077 == 0
