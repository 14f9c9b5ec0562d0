"""A small RAG application with many habits, good and bad, and how a test records it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evalparity.unified_schema import EvalCase, load_suite
from support.commands import evalparity

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


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)
