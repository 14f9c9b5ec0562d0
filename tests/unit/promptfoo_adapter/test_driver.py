"""The driver asks the real Promptfoo, sends what the bindings say, and survives what the judge does."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER, command
from evalparity.unified_schema.cases import EvalCase
from support.cases import HOSTILE_TEXTS, case, hostile_case
from support.judge_faults import (
    BAD_GATEWAY_HTML,
    DISCONNECT,
    EMPTY_CHOICES,
    HANG,
    NULL_CONTENT,
    SERVER_ERROR,
    TRUNCATED_JSON,
    UNAUTHORISED,
    Fault,
    failing,
    rate_limited,
)
from support.judge_server import JudgeServer, last_user_text

Scripted = Callable[..., JudgeServer]

SCORERS = {binding.scorer: binding for binding in ADAPTER.scorers()}
JUDGED = [scorer for scorer, binding in SCORERS.items() if binding.asks_judge]
UNJUDGED = ["promptfoo:equals", "promptfoo:contains", "promptfoo:bleu"]
FAITHFULNESS, RELEVANCE = SCORERS["promptfoo:context_faithfulness"], SCORERS["promptfoo:answer_relevance"]

CALLS = {
    "promptfoo:context_faithfulness": Counter({"chat": 2}),
    "promptfoo:context_recall": Counter({"chat": 1}),
    "promptfoo:context_relevance": Counter({"chat": 1}),
    "promptfoo:answer_relevance": Counter({"chat": 3, "embedding": 4}),
    "promptfoo:answer_relevancy_rubric": Counter({"chat": 1}),
    "promptfoo:context_utilisation_rubric": Counter({"chat": 1}),
    "promptfoo:answer_correctness_rubric": Counter({"chat": 1}),
    "promptfoo:factuality": Counter({"chat": 1}),
    "promptfoo:similar": Counter({"embedding": 2}),
    **{scorer: Counter() for scorer in UNJUDGED},
}
ROLES = {"factuality": ["system", "user"], "llm-rubric": ["system", "user"]}
TEXTS = {
    "input": lambda case: case.input,
    "output": lambda case: case.output,
    "reference": lambda case: case.reference,
    "prompt_contexts": lambda case: "\n\n".join(case.context_texts("prompt_contexts")),
    "retrieved_contexts": lambda case: "\n\n".join(case.context_texts("retrieved_contexts")),
}


def test_it_reports_the_locked_version(driver: Any) -> None:
    assert driver.ready == {"ready": {"framework": "promptfoo", "version": "0.123.1"}}


def test_every_scorer_is_in_the_table() -> None:
    assert set(CALLS) == set(SCORERS)
    assert set(SCORERS) - set(JUDGED) == set(UNJUDGED)


@pytest.mark.parametrize("scorer", SCORERS)
def test_a_cell_makes_the_declared_calls(driver: Any, scripted: Scripted, scorer: str) -> None:
    binding = SCORERS[scorer]
    with scripted() as server:
        answer = driver.ask(case(), scorer, server.url)
        made = Counter(request.kind for request in server.requests)

    assert "score" in answer["result"]
    assert made == CALLS[scorer]
    assert binding.calls.low <= made["chat"] <= binding.calls.high
    assert binding.embedding_calls.low == made["embedding"] == binding.embedding_calls.high


@pytest.mark.parametrize("scorer", JUDGED)
def test_requests_hold_nothing_beyond_what_was_asked_for(driver: Any, scripted: Scripted, scorer: str) -> None:
    binding = SCORERS[scorer]
    with scripted() as server:
        driver.ask(case(), scorer, server.url)

    for request in server.chat_requests:
        assert {**request.body, "messages": None} == {
            "model": "evalparity-judge",  # not `o3`, which would drop temperature and limit
            "messages": None,
            "max_tokens": 512,
            "temperature": 0,
        }
        roles = [message["role"] for message in request.body["messages"]]
        assert roles == ROLES.get(binding.native_name, ["user"])
    for request in server.embedding_requests:
        assert set(request.body) == {"model", "input"}
    headers = {request.headers["X-Evalparity-Assertion"] for request in server.requests}
    assert headers == {binding.native_name}


@pytest.mark.parametrize("scorer", JUDGED)
@pytest.mark.parametrize("name", list(HOSTILE_TEXTS))
def test_hostile_texts_arrive_whole_in_the_declared_layout(
    driver: Any, scripted: Scripted, scorer: str, name: str
) -> None:
    hostile = hostile_case(name, HOSTILE_TEXTS[name])
    with scripted() as server:
        answer = driver.ask(hostile, scorer, server.url)

    assert "result" in answer, answer
    assert [sent.field for sent in missing(hostile, scorer, server)] == []


def missing(hostile: EvalCase, scorer: str, server: JudgeServer) -> list[Any]:
    """Return the declared texts that no request holds, in the declared layout, embeddings as a whole."""
    prompts = [last_user_text(request.body) for request in server.chat_requests]
    embedded = [request.body["input"] for request in server.embedding_requests]
    absent = []
    for sent in SCORERS[scorer].sent:
        for text in hostile.context_texts(sent.field) if sent.each else [TEXTS[sent.field](hostile)]:
            wanted = sent.layout.replace("{text}", text)
            found = wanted in embedded if sent.embedded else any(wanted in prompt for prompt in prompts)
            absent += [] if found else [sent]
    return absent


def test_a_planted_change_of_text_would_be_seen(driver: Any, scripted: Scripted) -> None:
    with scripted() as server:
        driver.ask(case(output="One answer."), "faithfulness", server.url)

    other = case(output="One  answer.")
    assert [sent.field for sent in missing(other, FAITHFULNESS.scorer, server)] == ["output"]


@pytest.mark.parametrize(
    ("text", "arrives"),
    [
        ("1.0", "1"),
        ('{"a": 1,  "b": [1, 2]}', '{"a":1,"b":[1,2]}'),
        ("[1, 2]", "1,2"),
        ('"quoted"', "quoted"),
        ("12345678901234567890", "12345678901234567000"),
        ("\n7\n", "7"),
        ("9" * 5000, "Infinity"),
        ("NaN", "NaN"),
        ("{'a': 1}", "{'a': 1}"),
        ("1.0 ", "1"),
        ("01", "01"),
        ("1,000", "1,000"),
    ],
)
def test_answers_that_parse_as_json_are_known_to_be_rewritten(
    driver: Any, scripted: Scripted, text: str, arrives: str
) -> None:
    sent = next(sent for sent in FAITHFULNESS.sent if sent.field == "output")
    assert sent.may_rewrite is not None
    with scripted() as server:
        driver.ask(case(output=text), "faithfulness", server.url)

    assert sent.layout.replace("{text}", arrives) in last_user_text(server.chat_requests[0].body)
    if arrives != text:
        assert sent.may_rewrite(text)
    else:
        assert not sent.may_rewrite(text)


def test_many_cells_are_asked_at_once(driver: Any) -> None:
    wanted = 24
    all_there = threading.Event()

    def answer(_request: object, n: int) -> str:
        if n == wanted - 1:
            all_there.set()
        return "1. A. So [Attributed]"

    with JudgeServer(answer) as server:
        server.hold()
        jobs = [driver.job(case(f"c{n}"), "context_recall", server.url) for n in range(wanted)]
        for job in jobs:
            driver.send(job)
        in_flight = all_there.wait(30)  # every request has arrived and none is answered
        server.release()
        answers = [driver.receive() for _ in jobs]

    assert in_flight
    assert {answer["id"] for answer in answers} == {job["id"] for job in jobs}
    assert {answer["result"]["score"] for answer in answers} == {1}


FAULTS: dict[str, tuple[Fault, str]] = {
    "401": (UNAUTHORISED, "auth"),
    "429": (rate_limited(after=1), "rate_limited"),
    "500": (SERVER_ERROR, "http_5xx"),
    "418": (failing(418), "http_4xx"),
    "502 with HTML": (BAD_GATEWAY_HTML, "bad_reply"),
    "disconnect": (DISCONNECT, "connect"),
    "truncated JSON": (TRUNCATED_JSON, "bad_reply"),
    "empty choices": (EMPTY_CHOICES, "bad_reply"),
    "null content": (NULL_CONTENT, "bad_reply"),
}
EMBEDDING_FAULTS: dict[str, tuple[Fault, str]] = {
    **{name: FAULTS[name] for name in FAULTS if name not in {"empty choices", "null content"}},
    "no vector": (Fault(edit=lambda reply: {**reply, "data": []}), "embedding"),
    "null vector": (Fault(edit=lambda reply: {**reply, "data": [{"index": 0, "embedding": None}]}), "embedding"),
}


@pytest.mark.parametrize("scorer", [scorer for scorer in JUDGED if CALLS[scorer]["chat"]])
@pytest.mark.parametrize("name", FAULTS)
def test_a_failed_call_is_never_a_score_and_never_repeated(driver: Any, scorer: str, name: str) -> None:
    fault, kind = FAULTS[name]
    with JudgeServer(lambda _request, _n: fault) as server:
        answer = driver.ask(case(), scorer, server.url)

    reading = ADAPTER.read(SCORERS[scorer], answer["result"], [])
    assert (reading.raw, reading.kind) == (None, kind), answer
    assert len(server.requests) == 1


@pytest.mark.parametrize("name", EMBEDDING_FAULTS)
def test_a_failed_embedding_is_never_a_similarity_and_never_repeated(driver: Any, name: str) -> None:
    fault, kind = EMBEDDING_FAULTS[name]
    with JudgeServer(embedding_fault=lambda _request, _n: fault) as server:
        answer = driver.ask(case(), "promptfoo:similar", server.url)

    reading = ADAPTER.read(SCORERS["promptfoo:similar"], answer["result"], [])
    assert (reading.raw, reading.kind) == (None, kind), answer
    assert len(server.requests) == 2  # one for each text, at the same time


def test_a_failed_embedding_is_an_error(driver: Any) -> None:
    with JudgeServer(lambda _request, _n: "Why?", embedding_fault=lambda _request, _n: SERVER_ERROR) as server:
        answer = driver.ask(case(), "answer_relevancy", server.url)

    reading = ADAPTER.read(RELEVANCE, answer["result"], [])
    assert (reading.raw, reading.kind) == (None, "http_5xx")


def test_vectors_of_different_lengths_are_an_embedding_error(driver: Any) -> None:
    short = Fault(edit=lambda reply: {**reply, "data": [{**reply["data"][0], "embedding": [1.0, 0.0]}]})
    with JudgeServer(
        lambda _request, _n: "Why?", embedding_fault=lambda _request, n: short if n == 2 else None
    ) as server:
        answer = driver.ask(case(), "answer_relevancy", server.url)

    assert ADAPTER.error_kind is not None
    assert ADAPTER.error_kind(answer["error"]["type"], answer["error"]["message"]) == "embedding"


def test_a_judge_that_cannot_be_reached_is_an_error(driver: Any) -> None:
    answer = driver.ask(case(), "context_recall", "http://127.0.0.1:9/v1")

    assert ADAPTER.read(SCORERS["promptfoo:context_recall"], answer["result"], []).kind == "connect"


def test_a_time_limit_ends_one_cell_and_no_other(driver: Any, scripted: Scripted) -> None:
    with JudgeServer(lambda _request, _n: HANG) as silent, scripted() as server:
        slow = driver.job(case(), "context_recall", silent.url, timeout=0.5)
        good = driver.job(case(), "context_recall", server.url)
        answers = driver.ask_all([slow, good])

    assert answers[slow["id"]]["error"] == {"type": "TimeoutError", "message": "no score within 0.5 s"}
    assert answers[good["id"]]["result"]["score"] == 0.5
    assert ADAPTER.error_kind is not None
    assert ADAPTER.error_kind("TimeoutError", "no score within 0.5 s") == "timeout"


def test_work_that_is_late_asks_the_judge_no_more(driver: Any, scripted: Scripted) -> None:
    with scripted() as server:
        server.hold()
        late = driver.ask(case("late"), "answer_relevancy", server.url, timeout=0.5)
        server.release()
        driver.ask(case("good"), "answer_relevancy", server.url)
        made = Counter(request.kind for request in server.requests)

    assert late["error"]["type"] == "TimeoutError"
    assert made == CALLS[RELEVANCE.scorer] + Counter({"chat": 1})  # the one that was under way


def test_work_that_is_late_asks_for_no_more_vectors(driver: Any) -> None:
    def answer(_request: object, n: int) -> str:
        if n == 2:
            server.hold()  # from the first embedding on
        return "Why?"

    with JudgeServer(answer) as server:
        late = driver.ask(case("late"), "answer_relevancy", server.url, timeout=2)
        server.release()
        driver.ask(case("good"), "answer_relevancy", server.url)
        made = Counter(request.kind for request in server.requests)

    assert late["error"]["type"] == "TimeoutError"
    assert made == CALLS[RELEVANCE.scorer] + Counter({"chat": 3, "embedding": 1})


def test_half_a_character_crosses_as_text_both_ways(driver: Any, scripted: Scripted) -> None:
    half = "half a smile: \ud83d"
    with scripted({"context-recall": f"1. {half}. So [Attributed]"}) as server:
        job = driver.job(case(), "context_recall", server.url)
        assert driver.process.stdin is not None
        driver.process.stdin.write(json.dumps(job | {"inputs": {**job["inputs"], "reference": half}}).encode() + b"\n")
        driver.process.stdin.flush()
        raw = driver.process.stdout.readline()

    assert half in json.loads(raw.decode("utf-8"))["result"]["metadata"]["sentenceAttributions"][0]["sentence"]
    assert half in last_user_text(server.chat_requests[0].body)


def test_a_job_it_cannot_do_is_an_error_of_that_job(driver: Any, scripted: Scripted) -> None:
    with scripted() as server:
        odd = driver.job(case(), "context_recall", server.url) | {"scorer": "promptfoo:toString"}
        empty = driver.job(case(), "faithfulness", server.url)
        empty["inputs"]["context"] = []
        answers = driver.ask_all([odd, empty])
        requests = len(server.requests)

    assert answers[odd["id"]]["error"]["message"] == "unknown scorer promptfoo:toString"
    assert "Context is required" in answers[empty["id"]]["error"]["message"]
    assert requests == 0


def test_it_finishes_what_it_was_given_and_ends_with_its_input(
    start_driver: Callable[..., Any], scripted: Scripted
) -> None:
    own = start_driver()
    with scripted() as server:
        for n in range(5):
            own.send(own.job(case(f"c{n}"), "context_recall", server.url))
        rest, _ = own.process.communicate(timeout=60)

    assert len(rest.splitlines()) == 5
    assert own.process.returncode == 0


def test_standard_output_is_for_answers_whatever_promptfoo_logs(
    start_driver: Callable[..., Any], scripted: Scripted
) -> None:
    talkative = start_driver(LOG_LEVEL="debug")
    with scripted() as server:
        answer = talkative.ask(case(), "faithfulness", server.url)
    talkative.end()

    assert answer["result"]["score"] == 0.5
    assert "Api Request" in (talkative.folder / "log").read_text()


def test_what_promptfoo_writes_stays_in_its_folder(start_driver: Callable[..., Any], scripted: Scripted) -> None:
    own = start_driver()
    with scripted() as server:
        own.ask(case(), "answer_relevancy", server.url)
    own.end()

    written = {path.relative_to(own.folder).parts[0] for path in own.folder.rglob("*") if path.is_file()}
    assert written <= {"log", "promptfoo"}


def test_a_missing_tree_is_said_on_standard_error(tree: None, tmp_path: Path) -> None:
    node, script, _ = command(tmp_path).argv
    ended = subprocess.run(
        [node, script, str(tmp_path / "nowhere")],
        input=b"",
        capture_output=True,
        env=scrubbed_environment(tmp_path, {}),
        timeout=60,
        check=False,
    )

    assert ended.returncode != 0
    assert b"promptfoo" in ended.stderr
    assert ended.stdout == b""


def test_lines_end_at_line_feeds_alone(driver: Any, scripted: Scripted) -> None:
    text = "one\u2028two\u2029three\x85four\x0cfive"
    with scripted() as server:
        driver.ask(case(output=text), "faithfulness", server.url)

    assert f"\nanswer: {text}\nstatements:\n" in last_user_text(server.chat_requests[0].body)
