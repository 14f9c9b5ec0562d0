"""A running DeepEval process, as a run starts it, and good replies for every step of its metrics."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from evalparity.adapters.base import Binding, Reading, Wiring
from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.unified_schema.cases import EvalCase
from support.judge_faults import Fault
from support.judge_server import JudgeServer, Received, last_user_text

Reply = str | Fault | Callable[[str], str]
"""What the judge answers to a step: a text, a fault, or a function of the prompt."""

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
    "ContextualPrecisionMetric.Verdicts": json.dumps(
        {"verdicts": [{"verdict": "no", "reason": "useless"}, {"verdict": "yes", "reason": "useful"}]}
    ),
    "ContextualPrecisionMetric.ContextualPrecisionScoreReason": '{"reason": "precision reason"}',
    "ContextualRelevancyMetric.ContextualRelevancyVerdicts": json.dumps(
        {"verdicts": [{"statement": "S1", "verdict": "yes"}, {"statement": "S2", "verdict": "no", "reason": "off"}]}
    ),
    "ContextualRelevancyMetric.ContextualRelevancyScoreReason": '{"reason": "relevancy reason"}',
    "ContextualRecallMetric.Verdicts": json.dumps(
        {"verdicts": [{"verdict": "yes", "reason": "1st node"}, {"verdict": "no", "reason": "nowhere"}]}
    ),
    "ContextualRecallMetric.ContextualRecallScoreReason": '{"reason": "recall reason"}',
    "AnswerRelevancyMetric.Statements": '{"statements": ["S1", "S2"]}',
    "AnswerRelevancyMetric.Verdicts": json.dumps(
        {"verdicts": [{"verdict": "no", "reason": "off topic"}, {"verdict": "idk"}]}
    ),
    "AnswerRelevancyMetric.AnswerRelevancyScoreReason": '{"reason": "relevancy reason"}',
    "GEval(g_eval_answer_correctness).ReasonScore": '{"reason": "correctness reason", "score": 7}',
    "GEval(answer_correctness_rubric).ReasonScore": '{"reason": "correctness reason", "score": 4}',
    "GEval(answer_relevancy_rubric).ReasonScore": '{"reason": "relevancy reason", "score": 5}',
    "GEval(context_utilisation_rubric).ReasonScore": '{"reason": "utilisation reason", "score": 2}',
}
"""A good reply for every step, one verdict per item of the case of these tests, which has two contexts."""

ASKING: tuple[str, ...] = tuple(
    binding.scorer.partition(":")[2]
    for binding in ADAPTER.scorers()
    if binding.asks_judge and binding.derived_from is None
)
"""The scorers that ask the judge themselves, without the framework's name."""


def binding_of(name: str) -> Binding:
    """Return a binding by its scorer's name without the framework's."""
    return next(binding for binding in ADAPTER.scorers() if binding.scorer == f"deepeval:{name}")


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
        self, case: EvalCase, scorer: str, base_url: str, *, timeout: float = 60, wiring: Wiring = "stock"
    ) -> dict[str, Any]:
        """Score one cell and return the whole line: a result or an error."""
        self.send(job_for(case, binding_of(scorer), base_url, timeout=timeout, wiring=wiring))
        return self.receive()

    def reading(self, case: EvalCase, scorer: str, base_url: str, *, wiring: Wiring = "stock") -> Reading:
        """Score one cell and return what the answer means."""
        return ADAPTER.read(binding_of(scorer), self.answer(case, scorer, base_url, wiring=wiring)["result"], ())


def job_for(
    case: EvalCase,
    binding: Binding,
    base_url: str,
    *,
    timeout: float = 60,
    model: str = "any",
    wiring: Wiring = "stock",
) -> dict[str, Any]:
    return {
        "id": f"{case.id}/{binding.scorer}",
        "scorer": binding.asked_scorer,
        "inputs": dict(ADAPTER.translate(case, binding)),
        "judge": {"base_url": base_url, "model": model, "embedding_model": None, "max_output_tokens": 512},
        "wiring": wiring,
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


def prompts_of(server: JudgeServer) -> list[str]:
    return [last_user_text(request.body) for request in server.chat_requests]


def prompts_by_step(server: JudgeServer) -> dict[str, str]:
    """Return one prompt of each step: the last."""
    return {str(step_of(request)): last_user_text(request.body) for request in server.chat_requests}
