"""Whatever a judge does wrong, every cell of every framework ends in one outcome with a kind, never in a 0."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.unified_schema.outcomes import Outcome
from support.bench import Bench
from support.cases import case
from support.judge_faults import (
    DECLINED,
    DISCONNECT,
    EMPTY_CHOICES,
    HTML,
    NULL_CONTENT,
    PROSE,
    REFUSAL,
    SERVER_ERROR,
    TRUNCATED_JSON,
    UNAUTHORISED,
    Fault,
    Json,
    cut_off,
    rate_limited,
    reasoning_beside,
)
from support.judge_server import JudgeServer
from support.replies import TWO_GOOD, reply_to
from support.runs import FRAMEWORKS, plan_cases, run_cases

pytestmark = pytest.mark.slow

FAULTS: dict[str, tuple[str | Fault, set[str]]] = {
    "unauthorised": (UNAUTHORISED, {"auth"}),
    "rate-limited": (rate_limited(after=0.01), {"rate_limited"}),
    "server-error": (SERVER_ERROR, {"http_5xx"}),
    "disconnect": (DISCONNECT, {"connect"}),
    "truncated-json": (TRUNCATED_JSON, {"bad_reply"}),
    "html": (HTML, {"bad_reply"}),
    "empty-choices": (EMPTY_CHOICES, {"bad_reply"}),
    "null-content": (NULL_CONTENT, {"bad_reply"}),
    "refusal": (REFUSAL, {"refusal"}),
    "refusal-in-words": (DECLINED, {"refusal"}),
    "only-reasoning": ('<think>Is it {"verdict": "no"}? Or', {"bad_reply"}),
    "cut-off": (cut_off('{"verdicts": [{"verdict": "yes"}, {"verd'), {"truncated"}),
    "prose": (PROSE, {"bad_json", "bad_schema", "missing_verdicts"}),
}
"""By the marker that every text of the case holds: what the judge answers, and the kinds that may follow."""

RETRIED = {"rate-limited", "server-error", "disconnect"}

THREE = "The first claim stands here. The second claim stands here. The third claim stands here."

SHORT_LISTS: tuple[tuple[str, str], ...] = (
    # A mark of the prompt, and a reply that judges one item of three.
    ("StatementGeneratorOutput", '{"statements": ["First.", "Second.", "Third."]}'),
    ("NLIStatementOutput", '{"statements": [{"statement": "First.", "reason": "r", "verdict": 1}]}'),
    ("ContextRecallOutput", '{"classifications": [{"statement": "First.", "reason": "r", "attributed": 1}]}'),
    ('with the "truths" key', '{"truths": ["A truth."]}'),
    ('with the "claims" key', '{"claims": ["First.", "Second.", "Third."]}'),
    ('with the "statements" key', '{"statements": ["First.", "Second.", "Third."]}'),
    ("with the 'verdicts' key", '{"verdicts": [{"verdict": "yes", "reason": "r"}]}'),
    ("with the 'reason' key", '{"reason": "r"}'),
    ("create one or more statements from each sentence", "First.\nSecond.\nThird."),
    ("Natural language inference", "Final verdict for each statement in order: Yes."),
    ("classify if the sentence can be attributed", "1. First. So [Attributed]"),
    ("AnswerRelevanceOutput", '{"question": "What stands here?", "noncommittal": 0}'),
    ("Generate question for the given answer", "What stands here?"),
)


def judge_at(server: JudgeServer, **settings: float) -> JudgeSettings:
    return JudgeSettings(
        model="m",
        url=server.url,
        embedding_model="e",
        api_key="planted-key-7c1d2e",
        deadline=30,
        attempts=2,
        **settings,
    )  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Outcome], JudgeServer]:
    """One run of all three frameworks in which each case meets a fault of its own."""

    def answer(request: Json, _n: int) -> str | Fault:
        text = json.dumps(request["messages"])
        return next(fault for name, (fault, _) in FAULTS.items() if f"MARK-{name}." in text)

    cases = [
        case(
            name,
            input=f"What holds MARK-{name}.?",
            output=f"It holds MARK-{name}. {THREE}",
            reference=f"It holds MARK-{name}. {THREE}",
            retrieved_contexts=[f"A chunk with MARK-{name}.", THREE],
        )
        for name in FAULTS
    ]
    folder = tmp_path_factory.mktemp("faulty")
    with JudgeServer(answer) as server:
        judge = judge_at(server)
        settled = run_cases(plan_cases(cases, judge=judge), folder, judge=judge)
    assert all("Traceback" not in log.read_text() for log in (folder / "logs").iterdir())
    return [one.outcome for one in settled], server


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_fault_ends_in_an_error_with_its_kind(
    faulty: tuple[list[Outcome], JudgeServer], framework: str, name: str
) -> None:
    own = [o for o in faulty[0] if o.framework == framework and o.case_id == name]
    assert {o.metric for o in own} == {"faithfulness", "context_recall", "answer_relevancy"}
    for outcome in own:
        assert outcome.status == "errored", (outcome.scorer, outcome.score, outcome.reason)
        assert outcome.kind in FAULTS[name][1], (outcome.scorer, outcome.kind, outcome.reason)
        assert outcome.score is None
        assert outcome.reason
        assert "Traceback" not in outcome.reason
        assert "planted-key" not in outcome.model_dump_json()


@pytest.mark.parametrize("name", FAULTS)
def test_only_what_may_pass_is_tried_again(faulty: tuple[list[Outcome], JudgeServer], name: str) -> None:
    for outcome in (o for o in faulty[0] if o.case_id == name and o.judge.calls):
        expected = outcome.judge.calls * (2 if name in RETRIED else 1) + outcome.judge.embedding_calls
        assert outcome.judge.attempts == expected, outcome.scorer


def test_the_gateway_counts_what_the_server_served(faulty: tuple[list[Outcome], JudgeServer]) -> None:
    assert sum(outcome.judge.attempts for outcome in faulty[0]) == len(faulty[1].requests)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The frameworks for the runs below: what is wrong there is a reply, and the processes last from run to run."""
    with Bench(tmp_path_factory.mktemp("bench")) as ready:
        yield ready
        assert sorted(ready.starts) == sorted(set(ready.starts)), "no reply may end a framework"


def test_a_verdict_list_that_is_too_short_is_no_measurement(tmp_path: Path, bench: Bench) -> None:
    three = case(output=THREE, reference=THREE, retrieved_contexts=[THREE])
    with JudgeServer(lambda request, _n: reply_to(request, SHORT_LISTS)) as server:
        judge = judge_at(server)
        settled = bench.run_cases(plan_cases([three], judge=judge), tmp_path, judge=judge)
    # Relevancy by questions has no verdicts; DeepEval's by statements has.
    by_questions = {"ragas:answer_relevancy", "promptfoo:answer_relevance"}
    judged = [one.outcome for one in settled if one.outcome.scorer not in by_questions]
    assert len(judged) == 7
    for outcome in judged:
        assert outcome.status == "errored", (outcome.scorer, outcome.score)
        assert outcome.kind == "missing_verdicts", (outcome.scorer, outcome.kind, outcome.reason)
        assert "degraded" in outcome.flags
        assert outcome.raw is not None, "what the framework made of it is kept"


WRAPPINGS: dict[str, tuple[Callable[[str], str | Fault], set[str]]] = {
    "plain": (str, set()),
    "reasoning": (lambda reply: f'<think>Is it {{"verdict": "no"}}?\nNo.</think>\n\n{reply}', {"reasoning_removed"}),
    "reasoning-unopened": (lambda reply: f"Is it [Not Attributed]?\n</think>\n\n{reply}", {"reasoning_removed"}),
    "reasoning-beside": (reasoning_beside, {"reasoning_removed"}),
    "fence": (lambda reply: f"```json\n{reply}\n```" if reply.startswith("{") else reply, {"fence_removed"}),
}
"""What a judge writes around each of its replies, and what the cells that read them are marked with."""


@pytest.fixture(scope="module")
def wrapped(tmp_path_factory: pytest.TempPathFactory, bench: Bench) -> dict[str, list[Outcome]]:
    """One run of all three frameworks for each wrapping, with the same case and the same replies inside."""

    def run_with(name: str) -> list[Outcome]:
        wrap, _ = WRAPPINGS[name]
        with JudgeServer(lambda request, _n: wrap(reply_to(request))) as server:
            judge = judge_at(server)
            settled = bench.run_cases(plan_cases([case()], judge=judge), tmp_path_factory.mktemp(name), judge=judge)
        return sorted((one.outcome for one in settled), key=lambda outcome: outcome.scorer)

    return {name: run_with(name) for name in WRAPPINGS}


@pytest.mark.parametrize("name", WRAPPINGS)
def test_what_a_judge_writes_around_its_replies_changes_no_score_and_is_marked(
    wrapped: dict[str, list[Outcome]], name: str
) -> None:
    plain, outcomes = wrapped["plain"], wrapped[name]
    assert [(one.scorer, one.status, one.score) for one in outcomes] == [
        (one.scorer, one.status, one.score) for one in plain
    ]
    assert {one.framework for one in outcomes if one.status == "scored"} == set(FRAMEWORKS)
    texts_only = {"promptfoo:context_faithfulness", "promptfoo:context_recall", "promptfoo:answer_relevance"}
    for one, bare in zip(outcomes, plain, strict=True):
        unfenced = name == "fence" and one.scorer in texts_only  # they ask for no JSON
        assert set(one.flags) - set(bare.flags) == (set() if unfenced else WRAPPINGS[name][1]), one.scorer


def test_a_judge_that_is_not_at_its_path(tmp_path: Path, bench: Bench) -> None:
    # One where nobody listens: tests/contract/test_real_frameworks.py, with every scorer.
    with JudgeServer() as server:
        judge = JudgeSettings(model="m", url=f"{server.url}/wrong", embedding_model="e", attempts=1)
        settled = bench.run_cases(plan_cases([case()], judge=judge), tmp_path, judge=judge)
    assert len(settled) == 9
    assert {(one.outcome.status, one.outcome.kind) for one in settled} == {("errored", "http_4xx")}


def test_a_judge_that_hangs_is_given_up_after_the_deadline(tmp_path: Path, bench: Bench) -> None:
    with JudgeServer(lambda _request, _n: Fault(hang=True)) as server:
        judge = JudgeSettings(
            model="m", url=server.url, embedding_model="e", attempts=2, request_timeout=0.5, deadline=2.0
        )
        settled = bench.run_cases(plan_cases([case()], judge=judge), tmp_path, judge=judge)
    assert {(one.outcome.status, one.outcome.kind) for one in settled} == {("errored", "timeout")}


def test_an_embedding_without_direction_is_an_error_for_all(tmp_path: Path, bench: Bench) -> None:
    zeros = Fault(edit=lambda reply: reply | {"data": [entry | {"embedding": [0.0] * 8} for entry in reply["data"]]})
    with JudgeServer(lambda request, _n: reply_to(request), embedding_fault=lambda _request, _n: zeros) as server:
        judge = judge_at(server)
        plan = plan_cases([case()], frameworks=["ragas", "promptfoo"], metrics=["answer_relevancy"], judge=judge)
        settled = bench.run_cases(plan, tmp_path, judge=judge)
    assert {(one.outcome.status, one.outcome.kind) for one in settled} == {("errored", "embedding")}


def test_half_an_emoji_in_a_reply_stops_nothing(tmp_path: Path, bench: Bench) -> None:
    half = tuple((mark, reply.replace('"r"', '"half \\ud83d"')) for mark, reply in TWO_GOOD)
    with JudgeServer(lambda request, _n: reply_to(request, half)) as server:
        judge = judge_at(server)
        settled = bench.run_cases(plan_cases([case()], metrics=["faithfulness"], judge=judge), tmp_path, judge=judge)
    # Ragas' own parser refuses such JSON; the other two read it, and what is recorded can be written down.
    assert {(one.outcome.framework, one.outcome.kind) for one in settled} == {
        ("ragas", "bad_json"),
        ("deepeval", None),
        ("promptfoo", None),
    }
    assert any("\ufffd" in one.model_dump_json() for one in settled)
