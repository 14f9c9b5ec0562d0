"""What the judge can do wrong, through the real framework: each ends in a kind, none in an accepted score."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from evalparity.adapters.deepeval_adapter.adapter import ADAPTER, error_kind
from evalparity.unified_schema.cases import EvalCase
from support import judge_faults
from support.deepeval_worker import ASKING, DeepEvalWorker, binding_of, prompts_of
from support.judge_faults import Fault
from support.judge_server import JudgeServer

Scripted = Callable[..., JudgeServer]

SCORER_OF = {
    "FaithfulnessMetric": "faithfulness",
    "ContextualPrecisionMetric": "contextual_precision",
    "ContextualRecallMetric": "contextual_recall",
    "ContextualRelevancyMetric": "contextual_relevancy",
    "AnswerRelevancyMetric": "answer_relevancy",
}

TRUTHS, CLAIMS = "FaithfulnessMetric.Truths", "FaithfulnessMetric.Claims"
VERDICTS, REASON = "FaithfulnessMetric.Verdicts", "FaithfulnessMetric.FaithfulnessScoreReason"
RECALL, STATEMENTS = "ContextualRecallMetric.Verdicts", "AnswerRelevancyMetric.Statements"
PRECISION, PRECISION_REASON = (
    "ContextualPrecisionMetric.Verdicts",
    "ContextualPrecisionMetric.ContextualPrecisionScoreReason",
)
RELEVANCY, RELEVANCY_REASON = (
    "ContextualRelevancyMetric.ContextualRelevancyVerdicts",
    "ContextualRelevancyMetric.ContextualRelevancyScoreReason",
)


def one(verdict: str, **fields: str) -> dict[str, str]:
    return {"verdict": verdict, "reason": "r", **fields}


def listed(*verdicts: object) -> str:
    return json.dumps({"verdicts": verdicts})


# Step, its reply, and the kind of the cell; seen with DeepEval 4.3.1.
BAD_REPLIES = [
    (TRUTHS, "I would rather not.", "bad_json"),
    (TRUTHS, '{"truths": ["cut o', "bad_json"),
    (TRUTHS, "[]", "bad_json"),
    (TRUTHS, '{"facts": ["T"]}', "bad_schema"),
    (TRUTHS, '{"truths": null}', "bad_schema"),
    (TRUTHS, '{"truths": [1]}', "bad_schema"),
    (TRUTHS, '{"truths": "T"}', "bad_schema"),
    (CLAIMS, '{"facts": []}', "bad_schema"),
    (CLAIMS, '{"claims": null}', "bad_schema"),
    (CLAIMS, '{"claims": 5}', "bad_schema"),
    (CLAIMS, '{"claims": "C"}', "bad_schema"),
    (CLAIMS, '{"claims": [{"claim": "C"}]}', "bad_schema"),
    (VERDICTS, '{"a":' * 5000, "bad_json"),
    (VERDICTS, '{"verdicts": ["yes", "yes", "yes", "yes"]}', "bad_schema"),
    (VERDICTS, '{"verdicts": 4}', "bad_schema"),
    (VERDICTS, '{"verdicts": [null]}', "bad_schema"),
    (VERDICTS, '{"verdicts": [{"verdict": "no", "reason": 3}]}', "bad_schema"),
    (VERDICTS, '{"verdicts": null}', "missing_verdicts"),
    (VERDICTS, '{"verdicts": []}', "missing_verdicts"),
    (VERDICTS, '{"verdicts": [{"verdict": "yes"}]}', "missing_verdicts"),
    (VERDICTS, '{"verdicts": [' + ", ".join(['{"verdict": "oui"}'] * 4) + "]}", "missing_verdicts"),
    (VERDICTS, '{"verdicts": [' + ", ".join(['{"verdict": "yes"}'] * 5) + "]}", "surplus_verdicts"),
    (REASON, "well done", "bad_json"),
    (REASON, "{}", "bad_schema"),
    (RECALL, "well done", "bad_json"),
    (RECALL, '{"verdicts": []}', "bad_schema"),
    (RECALL, '{"verdicts": [{"verdict": "yes"}]}', "bad_schema"),
    (RECALL, '{"verdicts": [{"verdict": "borderline", "reason": "x"}]}', "missing_verdicts"),
    (STATEMENTS, '{"statements": null}', "bad_schema"),
    (STATEMENTS, '{"statements": "S"}', "bad_schema"),
    (STATEMENTS, '{"statements": [1, 2]}', "bad_schema"),
    (STATEMENTS, "{}", "bad_schema"),
    (PRECISION, "well done", "bad_json"),
    (PRECISION, "{}", "missing_verdicts"),
    (PRECISION, listed(), "missing_verdicts"),
    (PRECISION, listed(one("yes")), "missing_verdicts"),
    (PRECISION, listed(one("maybe"), one("yes")), "missing_verdicts"),
    (PRECISION, listed(one("borderline"), one("yes")), "missing_verdicts"),
    (PRECISION, listed(one("yes"), one("no"), one("yes")), "surplus_verdicts"),
    (PRECISION, listed(one("maybe"), one("yes"), one("no")), "surplus_verdicts"),
    (PRECISION, listed("yes", "no"), "bad_schema"),
    (PRECISION, listed({"verdict": "yes"}, one("no")), "bad_schema"),
    (PRECISION, '{"verdicts": 2}', "bad_schema"),
    (PRECISION_REASON, "well done", "bad_json"),
    (PRECISION_REASON, "{}", "bad_schema"),
    (RELEVANCY, "well done", "bad_json"),
    (RELEVANCY, "{}", "bad_schema"),
    (RELEVANCY, '{"verdicts": null}', "bad_schema"),
    (RELEVANCY, '{"verdicts": {}}', "bad_schema"),
    (RELEVANCY, '{"verdicts": {"a": 1}}', "bad_schema"),
    (RELEVANCY, listed("yes"), "bad_schema"),
    (RELEVANCY, listed(None), "bad_schema"),
    (RELEVANCY, listed(one("yes")), "bad_schema"),
    (RELEVANCY, '{"verdicts": [{"statement": 5, "verdict": "yes"}]}', "bad_schema"),
    (RELEVANCY, listed(one("relevant", statement="S")), "missing_verdicts"),
    (RELEVANCY, listed(one("yes", statement="S"), one("borderline", statement="S")), "missing_verdicts"),
    (RELEVANCY_REASON, "well done", "bad_json"),
    (RELEVANCY_REASON, "{}", "bad_schema"),
]


@pytest.mark.parametrize(("step", "reply", "kind"), BAD_REPLIES, ids=lambda value: str(value)[:60])
def test_a_bad_reply_ends_in_its_kind(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, step: str, reply: str, kind: str
) -> None:
    scorer = SCORER_OF[step.partition(".")[0]]
    with scripted({step: reply}) as server:
        answer = worker.answer(case, scorer, server.url)

    if "error" in answer:
        assert error_kind(answer["error"]["type"], answer["error"]["message"]) == kind
    else:
        reading = ADAPTER.read(binding_of(scorer), answer["result"], ())
        assert (reading.kind, reading.raw) == (kind, answer["result"]["score"])
        assert ("degraded" in reading.flags) == (kind != "bad_schema")


FAULTS = [
    ("UNAUTHORISED", "auth"),
    ("SERVER_ERROR", "http_5xx"),
    ("BAD_GATEWAY_HTML", "http_5xx"),
    ("DISCONNECT", "connect"),
    ("TRUNCATED_JSON", "bad_reply"),
    ("HTML", "bad_reply"),
    ("EMPTY_CHOICES", "bad_reply"),
    ("NULL_CONTENT", "bad_reply"),
    ("REFUSAL", "refusal"),
    ("FILTERED", "refusal"),
]


@pytest.mark.parametrize("scorer", ASKING)
@pytest.mark.parametrize(("name", "kind"), FAULTS)
def test_a_failing_judge_is_asked_each_prompt_once_and_ends_in_its_kind(
    worker: DeepEvalWorker, case: EvalCase, scorer: str, name: str, kind: str
) -> None:
    with JudgeServer(lambda _request, _n: getattr(judge_faults, name)) as server:
        answer = worker.answer(case, scorer, server.url)
        prompts = prompts_of(server)

    assert answer["error"]["type"] == "JudgeCallError"
    assert error_kind(answer["error"]["type"], answer["error"]["message"]) == kind
    # Two steps, or the two contexts, are asked for side by side.
    assert len(prompts) == len(set(prompts)) == (2 if scorer in {"faithfulness", "contextual_relevancy"} else 1)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (judge_faults.rate_limited(after=0), "rate_limited"),
        (judge_faults.failing(400), "http_4xx"),
        (judge_faults.failing(400, "context_length_exceeded"), "http_4xx"),
        (judge_faults.cut_off('{"statements": ["S1", "S2"]}'), "truncated"),
    ],
)
def test_other_failures_end_in_their_kind(worker: DeepEvalWorker, case: EvalCase, fault: Fault, kind: str) -> None:
    with JudgeServer(lambda _request, _n: fault) as server:
        error = worker.answer(case, "answer_relevancy", server.url)["error"]

    assert error_kind(error["type"], error["message"]) == kind
    assert len(server.requests) == 1


def test_an_unreachable_judge_ends_in_connect(worker: DeepEvalWorker, case: EvalCase) -> None:
    with JudgeServer() as server:
        url = server.url

    error = worker.answer(case, "contextual_recall", url)["error"]

    assert error_kind(error["type"], error["message"]) == "connect"


def test_a_cell_does_not_end_before_the_call_beside_a_failed_one(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    """DeepEval lets the other of two concurrent calls run on when one fails; it must not be lost from sight."""
    replies = {CLAIMS: judge_faults.SERVER_ERROR, TRUTHS: Fault(hang=True)}
    with scripted(replies) as server:
        error = worker.answer(case, "faithfulness", server.url, timeout=1)["error"]

    assert error["type"] == "TimeoutError"
    assert error_kind(error["type"], error["message"]) == "timeout"


def test_a_failed_cell_leaves_nothing_behind_for_the_next(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    with scripted({VERDICTS: "prose"}) as server:
        assert "error" in worker.answer(case, "faithfulness", server.url)
    with scripted() as server:
        assert worker.answer(case, "faithfulness", server.url)["result"]["score"] == 0.75


@pytest.mark.parametrize(
    ("type_name", "message"),
    [
        ("KeyError", "'something else'"),
        ("TypeError", "score() got an unexpected keyword argument 'x'"),
        ("ValueError", "another value"),
        ("MissingTestCaseParamsError", "'actual_output' cannot be empty"),
        ("JudgeCallError", "without a kind"),
    ],
)
def test_an_unknown_exception_is_the_frameworks_own(type_name: str, message: str) -> None:
    assert error_kind(type_name, message) == "framework_error"
