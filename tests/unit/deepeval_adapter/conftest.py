"""One real DeepEval process for the tests of this folder, a scripted judge, and a case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest

from evalparity.unified_schema.cases import EvalCase
from support.deepeval_worker import GOOD_REPLIES, DeepEvalWorker, Reply, end_worker, start_worker, step_of
from support.judge_faults import Fault, Json
from support.judge_server import JudgeServer, last_user_text


@pytest.fixture(scope="session")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeepEvalWorker]:
    folder = tmp_path_factory.mktemp("deepeval")
    process = start_worker(folder)
    try:
        yield DeepEvalWorker(process, folder)
    finally:
        end_worker(process)


@pytest.fixture
def scripted() -> Callable[..., JudgeServer]:
    """From replies by step, beyond the good ones, to a judge's server."""

    def make(replies: Mapping[str, Reply] | None = None) -> JudgeServer:
        table = {**GOOD_REPLIES, **(replies or {})}

        def answer(request: Json, _n: int) -> str | Fault:
            # The step stands in a header, and the request that is being answered is the last that came.
            reply = table[str(step_of(server.requests[-1]))]
            return reply(last_user_text(request)) if callable(reply) else reply

        server = JudgeServer(answer)
        return server

    return make


@pytest.fixture
def case() -> EvalCase:
    return EvalCase.model_validate(
        {
            "id": "c1",
            "input": "Who pays?",
            "output": "The merchant pays. It is fast.",
            "reference": "The merchant pays. Always.",
            "retrieved_contexts": ["The merchant pays.", "Postage is 3 EUR."],
        }
    )
