"""A running DeepEval process, as a run starts it, and good replies for every step of its metrics."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evalparity.adapters.base import Binding
from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.unified_schema.cases import EvalCase
from support.judge_server import JudgeServer, Received, last_user_text

GOOD_REPLIES: Mapping[str, str] = {
    "FaithfulnessMetric.Truths": '{"truths": ["T1.", "T2."]}',
    "FaithfulnessMetric.Claims": '{"claims": ["C1.", "C2.", "C3.", "C4."]}',
    "FaithfulnessMetric.Verdicts": json.dumps(
        {
            "verdicts": [
                {"verdict": "yes"},
                {"verdict": "no", "reason": "contradicts"},
                {"verdict": "borderline", "reason": "not told"},
                {"verdict": "Yes, clearly"},
            ]
        }
    ),
    "FaithfulnessMetric.FaithfulnessScoreReason": '{"reason": "faithfulness reason"}',
    "ContextualRecallMetric.Verdicts": json.dumps(
        {"verdicts": [{"verdict": "yes", "reason": "1st node"}, {"verdict": "no", "reason": "nowhere"}]}
    ),
    "ContextualRecallMetric.ContextualRecallScoreReason": '{"reason": "recall reason"}',
    "AnswerRelevancyMetric.Statements": '{"statements": ["S1", "S2"]}',
    "AnswerRelevancyMetric.Verdicts": json.dumps(
        {"verdicts": [{"verdict": "no", "reason": "off topic"}, {"verdict": "idk"}]}
    ),
    "AnswerRelevancyMetric.AnswerRelevancyScoreReason": '{"reason": "relevancy reason"}',
}
"""A good reply for every step, one verdict per item."""


def step_of(request: Received) -> str | None:
    return {name.lower(): value for name, value in request.headers.items()}.get("x-evalparity-step")


class DeepEvalWorker:
    """The worker as the boundary starts it, asked one job at a time."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process, self.folder = process, folder
        self.ready = self.receive()["ready"]

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def send(self, job: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job, ensure_ascii=False).encode() + b"\n")
        self.process.stdin.flush()

    def answer(
        self, case: EvalCase, metric: str, base_url: str, *, timeout: float = 60, model: str = "any"
    ) -> dict[str, Any]:
        """Score one cell and return the whole line: a result or an error."""
        binding = ADAPTER.binding(metric)
        self.send(job_for(case, binding, base_url, timeout=timeout, model=model))
        return self.receive()


def job_for(
    case: EvalCase, binding: Binding, base_url: str, *, timeout: float = 60, model: str = "any"
) -> dict[str, Any]:
    return {
        "id": f"{case.id}/{binding.scorer}",
        "scorer": binding.scorer,
        "inputs": dict(ADAPTER.translate(case, binding)),
        "judge": {"base_url": base_url, "model": model, "embedding_model": None, "max_output_tokens": 512},
        "timeout": timeout,
    }


def start_worker(
    folder: Path, argv: tuple[str, ...] | None = None, extra: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    assert ADAPTER.command is not None
    command = ADAPTER.command(folder)
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            argv or command.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=folder,
            env=scrubbed_environment(folder, {**command.env, **(extra or {})}),
        )


def end_worker(process: subprocess.Popen[bytes]) -> None:
    process.communicate(timeout=20)  # closes its input, which ends it


def steps_of(server: JudgeServer) -> list[str]:
    return [str(step_of(request)) for request in server.chat_requests]


def prompts_by_step(server: JudgeServer) -> dict[str, str]:
    return {str(step_of(request)): last_user_text(request.body) for request in server.chat_requests}
