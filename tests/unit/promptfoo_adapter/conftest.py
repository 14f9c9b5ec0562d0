"""The real Promptfoo in its driver, started once for the tests of this folder, and a judge that obeys its forms."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.base import Binding, JudgeReply, Reading
from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.judge.steps import find_step
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER, command
from evalparity.adapters.promptfoo_adapter.installation import install
from evalparity.unified_schema.cases import EvalCase
from support.judge_faults import Fault
from support.judge_server import JudgeServer, last_user_text

GOOD_REPLIES: Mapping[str, str] = {
    "context-faithfulness-longform": "The merchant pays.\nDelivery is free.",
    "context-faithfulness-nli": (
        "1. Explanation: it is said. Verdict: Yes.\n2. Explanation: nothing says so. Verdict: No.\n"
        "Final verdict for each statement in order: Yes. No."
    ),
    "context-recall": "1. A. It is there. So [Attributed]\n2. B. It is not there. So [Not Attributed]",
    "answer-relevance": "Who pays the postage?",
    "context-relevance": "Goods can be returned within 7 days of delivery.",
    "factuality": '{"category": "A", "reason": "It says less."}',
    "llm-rubric": '{"reason": "It leaves little out.", "pass": true, "score": 4}',
}
"""A good reply for every step, one verdict per item."""

Replies = Mapping[str, str | Fault]


def binding_of(name: str) -> Binding:
    """Return a scorer by its name, or the default one of a metric."""
    scorers = {binding.scorer: binding for binding in ADAPTER.scorers()}
    return scorers[name] if name in scorers else ADAPTER.binding(name)


class Driver:
    """The driver's process as the boundary starts it; ask it one job or many."""

    def __init__(self, folder: Path, extra: Mapping[str, str] | None = None) -> None:
        started = command(folder)
        self.folder, self._ids = folder, count()
        with (folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                started.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env=scrubbed_environment(folder, {**started.env, **(extra or {})}),
            )
        self.ready = self.receive()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, (self.folder / "log").read_text()
        return json.loads(line)

    def send(self, job: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job, ensure_ascii=False).encode() + b"\n")
        self.process.stdin.flush()

    def job(self, case: EvalCase, scorer: str, base_url: str, *, timeout: float = 60) -> dict[str, Any]:
        """Return a job for a scorer, or for the default one of a metric."""
        binding = binding_of(scorer)
        judge = {"base_url": base_url, "model": "o3", "embedding_model": "e", "max_output_tokens": 512}
        return {
            "id": f"{next(self._ids)}",
            "scorer": binding.scorer,
            "inputs": dict(ADAPTER.translate(case, binding)),
            "judge": judge,
            "timeout": timeout,
        }

    def ask_all(self, jobs: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        for job in jobs:
            self.send(job)
        answers = [self.receive() for _ in jobs]
        return {answer["id"]: answer for answer in answers}

    def ask(self, case: EvalCase, scorer: str, base_url: str, *, timeout: float = 60) -> dict[str, Any]:
        job = self.job(case, scorer, base_url, timeout=timeout)
        return self.ask_all([job])[job["id"]]

    def end(self) -> int:
        self.process.communicate(timeout=30)  # closes its input, which ends it
        return self.process.returncode


@pytest.fixture(scope="session")
def tree() -> None:
    """Promptfoo is in the user's cache folder; installed there by the first test that needs it."""
    install(print)


@pytest.fixture(scope="session")
def driver(tree: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    running = Driver(tmp_path_factory.mktemp("promptfoo"))
    try:
        yield running
    finally:
        running.end()


@pytest.fixture(scope="session")
def make_driver(tree: None) -> type[Driver]:
    """Start a driver in a folder, with variables beyond its own; the caller ends it."""
    return Driver


@pytest.fixture
def start_driver(tree: None, tmp_path: Path) -> Iterator[Callable[..., Driver]]:
    """Start drivers of a test's own, which end with it."""
    started: list[Driver] = []

    def start(**extra: str) -> Driver:
        folder = tmp_path / f"driver-{len(started)}"
        folder.mkdir()
        started.append(Driver(folder, extra))
        return started[-1]

    yield start
    for running in started:
        if running.process.returncode is None:
            running.end()


def step_name(request: Mapping[str, Any]) -> str:
    step = find_step(ADAPTER.steps, told=None, text=last_user_text(dict(request)))
    assert step is not None, f"no step opens {last_user_text(dict(request))[:80]!r}"
    return step.name


@pytest.fixture(scope="session")
def scripted() -> Callable[..., JudgeServer]:
    """From replies by step, beyond the good ones, to a judge's server."""

    def make(replies: Replies | None = None) -> JudgeServer:
        table = {**GOOD_REPLIES, **(replies or {})}
        return JudgeServer(lambda request, _n: table[step_name(request)])

    return make


@pytest.fixture
def score(driver: Driver, scripted: Callable[..., JudgeServer]) -> Callable[..., Reading]:
    """Score one case with the real Promptfoo against scripted replies, and read what comes back."""

    def run(case: EvalCase, scorer: str, replies: Replies | None = None) -> Reading:
        with scripted(replies) as server:
            answer = driver.ask(case, scorer, server.url)
            table = {**GOOD_REPLIES, **(replies or {})}
            names = [step_name(request.body) for request in server.chat_requests]
        told = [JudgeReply(step=name, text=text) for name in names if isinstance(text := table[name], str)]
        assert "result" in answer, answer
        return ADAPTER.read(binding_of(scorer), answer["result"], told)

    return run
