"""What the real framework asks of the judge: which steps, how often, in which form, and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

import pytest

from evalparity.adapters.base import Wiring
from evalparity.adapters.deepeval_adapter.prompts import STEPS
from evalparity.unified_schema.cases import EvalCase
from support.deepeval_worker import (
    ASKING,
    GOOD_REPLIES,
    DeepEvalWorker,
    binding_of,
    job_for,
    step_of,
    steps_of,
)
from support.judge_server import JudgeServer

Scripted = Callable[..., JudgeServer]

STEPS_OF = {
    "faithfulness": [
        "FaithfulnessMetric.Truths",
        "FaithfulnessMetric.Claims",
        "FaithfulnessMetric.Verdicts",
        "FaithfulnessMetric.FaithfulnessScoreReason",
    ],
    "contextual_precision": [
        "ContextualPrecisionMetric.Verdicts",
        "ContextualPrecisionMetric.ContextualPrecisionScoreReason",
    ],
    "contextual_recall": ["ContextualRecallMetric.Verdicts", "ContextualRecallMetric.ContextualRecallScoreReason"],
    "contextual_relevancy": [
        "ContextualRelevancyMetric.ContextualRelevancyVerdicts",
        "ContextualRelevancyMetric.ContextualRelevancyVerdicts",
        "ContextualRelevancyMetric.ContextualRelevancyScoreReason",
    ],
    "answer_relevancy": [
        "AnswerRelevancyMetric.Statements",
        "AnswerRelevancyMetric.Verdicts",
        "AnswerRelevancyMetric.AnswerRelevancyScoreReason",
    ],
    "answer_relevancy_rubric": ["GEval(answer_relevancy_rubric).ReasonScore"],
    "context_utilisation_rubric": ["GEval(context_utilisation_rubric).ReasonScore"],
    "g_eval_answer_correctness": ["GEval(g_eval_answer_correctness).ReasonScore"],
    "answer_correctness_rubric": ["GEval(answer_correctness_rubric).ReasonScore"],
}
"""Every step of every scorer for a case with two contexts; the last one is the reason, where there is one."""

CONTEXTS = 2


def test_the_process_reports_the_pinned_version(worker: DeepEvalWorker) -> None:
    assert worker.ready == {"framework": "deepeval", "version": "4.3.1"}


@pytest.mark.parametrize("scorer", STEPS_OF)
def test_each_step_is_asked_as_often_as_declared_and_named(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str
) -> None:
    with scripted() as server:
        reading = worker.reading(case, scorer, server.url)
        steps = steps_of(server)

    assert Counter(steps) == Counter(STEPS_OF[scorer])
    assert len(steps) == binding_of(scorer).calls.of(CONTEXTS).high
    assert (reading.kind, reading.flags) == (None, ())
    assert reading.reason


@pytest.mark.parametrize("scorer", STEPS_OF)
def test_lean_wiring_leaves_out_the_reason_and_gives_the_same_score_from_the_same_judge(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str
) -> None:
    binding = binding_of(scorer)
    with scripted() as server:
        stock = worker.reading(case, scorer, server.url)
        before = len(server.chat_requests)
        lean = worker.reading(case, scorer, server.url, wiring="lean")
        steps = steps_of(server)[before:]

    assert (lean.raw, lean.kind, lean.flags) == (stock.raw, stock.kind, stock.flags)
    assert lean.details == stock.details
    assert len(steps) == binding.calls_in("lean").of(CONTEXTS).high
    if binding.lean_calls is None:
        assert (Counter(steps), lean.reason) == (Counter(STEPS_OF[scorer]), stock.reason)
    else:
        assert (Counter(steps), lean.reason) == (Counter(STEPS_OF[scorer][:-1]), None)
        assert len(steps) == before - 1


def test_every_scorer_and_every_declared_step_is_asked_here() -> None:
    assert set(STEPS_OF) == set(ASKING)
    assert {step.name for step in STEPS} == {step for steps in STEPS_OF.values() for step in steps} == set(GOOD_REPLIES)


@pytest.mark.parametrize("wiring", ["stock", "lean"])
@pytest.mark.parametrize(
    ("scorer", "step", "reply"),
    [
        ("faithfulness", "FaithfulnessMetric.Claims", '{"claims": []}'),
        ("answer_relevancy", "AnswerRelevancyMetric.Statements", '{"statements": []}'),
    ],
)
def test_nothing_to_check_saves_a_call_and_scores_the_declared_convention(
    worker: DeepEvalWorker,
    scripted: Scripted,
    case: EvalCase,
    scorer: str,
    step: str,
    reply: str,
    wiring: Wiring,
) -> None:
    binding = binding_of(scorer)
    with scripted({step: reply}) as server:
        reading = worker.reading(case, scorer, server.url, wiring=wiring)
        calls = len(server.chat_requests)

    assert calls == binding.calls_in(wiring).low
    assert (reading.raw, reading.flags) == (binding.empty_score, ("vacuous",))


def test_recall_without_verdicts_scores_the_declared_convention(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    with scripted({"ContextualRecallMetric.Verdicts": '{"verdicts": []}'}) as server:
        answer = worker.answer(case, "contextual_recall", server.url)

    assert answer["result"]["score"] == binding_of("contextual_recall").empty_score


@pytest.mark.parametrize(("scorer", "items"), [("faithfulness", "claims"), ("answer_relevancy", "statements")])
def test_borderline_passes_as_declared(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str, items: str
) -> None:
    binding = binding_of(scorer)
    name = binding.native_name
    replies = {
        f"{name}.{items.capitalize()}": json.dumps({items: ["A"]}),
        f"{name}.Verdicts": '{"verdicts": [{"verdict": "borderline", "reason": "x"}]}',
    }
    with scripted(replies) as server:
        answer = worker.answer(case, scorer, server.url)

    assert answer["result"]["score"] == 1.0
    assert binding.unclear_passes is True


def test_a_call_holds_one_user_message_and_no_more_than_a_stock_judge_would_send(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    with scripted() as server:
        for scorer in ASKING:
            worker.send(job_for(case, binding_of(scorer), server.url, model="some/model"))
            worker.receive()
        bodies = [request.body for request in server.chat_requests]

    assert bodies
    for body in bodies:
        assert set(body) == {"model", "messages", "temperature"}
        assert (body["model"], body["temperature"]) == ("some/model", 0)
        assert [message["role"] for message in body["messages"]] == ["user"]


def test_many_cells_at_once_keep_to_their_own_base_url(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    binding = binding_of("answer_relevancy")
    with scripted() as one, scripted() as other:
        urls = [one.url, other.url] * 20
        for number, url in enumerate(urls):
            cell = case.model_copy(update={"id": str(number), "input": f"{url}#{number}"})
            worker.send(job_for(cell, binding, url))
        answers = [worker.receive() for _ in urls]
        asked = {server.url: list(server.chat_requests) for server in (one, other)}

    assert all(answer["result"]["score"] == 0.5 for answer in answers)
    assert len({answer["id"] for answer in answers}) == len(urls)
    for url, requests in asked.items():
        assert len(requests) == 3 * len(urls) / 2
        questions = [request for request in requests if "Verdicts" in str(step_of(request))]
        assert all(url in request.body["messages"][0]["content"] for request in questions)
