"""What becomes of a judge that fails: the kind, the attempts, the message, the bill."""

import asyncio
import email.utils
import socket
import sys
import time
from contextlib import ExitStack

import pytest

from evalparity.adapters.judge.failures import retry_after_seconds, status_error
from evalparity.adapters.judge.retries import pause_after
from evalparity.adapters.judge.usage import usage_of
from evalparity.unified_schema.outcomes import ERROR_KINDS
from support.gateways import ask, gateway_to, open_cell
from support.judge_faults import (
    DISCONNECT,
    FAULTS,
    SERVER_ERROR,
    WRONG_TYPE,
    Fault,
    cut_off,
    failing,
    rate_limited,
    without_usage,
)
from support.judge_server import JudgeServer

KINDS = {
    "401": "auth",
    "429": "rate_limited",
    "500": "http_5xx",
    "502 with HTML": "http_5xx",
    "hang": "timeout",
    "disconnect": "connect",
    "truncated JSON": "bad_reply",
    "HTML with 200": "bad_reply",
    "empty choices": "bad_reply",
    "null content": "bad_reply",
    "refusal": "refusal",
    "content filter": "refusal",
    "cut off": "truncated",
}


def one_call(answer, *, path="chat/completions", **settings):
    """Make one call through a gateway; returns the status, the body, the call and the server."""

    async def go(server):
        async with gateway_to(server, **settings) as gateway:
            status, body = await ask(open_cell(gateway), path=path)
            return status, body, (await gateway.close_cell("cell")).calls[0]

    faulty = answer if callable(answer) else lambda _request, _n: answer
    with JudgeServer(faulty, embedding_fault=faulty) as server:
        return *asyncio.run(go(server)), server


def _patience(fault: str) -> float:
    """Only a server that hangs is waited for in vain; the others answer, on a busy machine a little later."""
    return 0.3 if "hang" in fault else 20.0


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_has_its_kind_and_ends_as_502(name):
    status, body, call, server = one_call(FAULTS[name], attempts=1, request_timeout=_patience(name))
    assert status == 502
    assert call.error_kind == body["error"]["code"] == KINDS[name]
    assert call.error_kind in ERROR_KINDS
    assert call.reply is None
    assert "judge 'the-judge' at 127.0.0.1" in call.error
    assert len(server.requests) == call.attempts == 1


@pytest.mark.parametrize("name", ["429", "500", "502 with HTML", "disconnect"])
def test_transient_faults_are_tried_again(name):
    status, _, call, server = one_call(lambda _request, n: "fine" if n else FAULTS[name], attempts=2)
    assert (status, call.error_kind, call.reply) == (200, None, "fine")
    assert len(server.requests) == call.attempts == 2


@pytest.mark.parametrize("name", ["401", "truncated JSON", "empty choices", "refusal", "cut off"])
def test_other_faults_are_never_tried_again(name):
    _, _, call, server = one_call(FAULTS[name], attempts=4)
    assert len(server.requests) == call.attempts == 1


@pytest.mark.parametrize(
    ("status", "kind", "transient"),
    [
        (400, "http_4xx", False),
        (401, "auth", False),
        (403, "auth", False),
        (404, "http_4xx", False),
        (408, "timeout", True),
        (409, "http_4xx", True),
        (422, "http_4xx", False),
        (429, "rate_limited", True),
        (500, "http_5xx", True),
        (503, "http_5xx", True),
        (529, "http_5xx", True),
        (307, "bad_reply", False),
    ],
)
def test_kind_and_retry_of_each_status(status, kind, transient):
    error = status_error(status, {}, "planted")
    assert (error.kind, error.transient) == (kind, transient)
    assert str(status) in str(error)


def test_an_empty_account_is_not_waited_for():
    error = status_error(429, {"Retry-After": "1"}, '{"error": {"code": "insufficient_quota", "message": "no credit"}}')
    assert (error.kind, error.transient) == ("rate_limited", False)
    assert '"no credit"' in str(error)


def test_attempts_end_at_their_number():
    _, _, call, server = one_call(SERVER_ERROR, attempts=2)
    assert (call.error_kind, call.attempts, len(server.requests)) == ("http_5xx", 2, 2)
    assert "after attempt 2" in call.error


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_honoured(form):
    def answer(_request, n):
        # A date has whole seconds: two ahead is between one and two away.
        after = "1" if form == "seconds" else email.utils.formatdate(time.time() + 2, usegmt=True)
        return "fine" if n else rate_limited(after)

    _, _, call, server = one_call(answer)
    first, second = server.requests
    assert call.reply == "fine"
    assert 0.9 <= second.at - first.at <= 4


def test_a_wait_beyond_the_deadline_is_not_begun():
    started = time.monotonic()
    _, _, call, server = one_call(rate_limited(600), deadline=5)
    assert time.monotonic() - started < 5
    assert (call.error_kind, len(server.requests)) == ("rate_limited", 1)
    assert "5 s of waits" in call.error


def test_waits_together_end_at_the_deadline():
    _, _, call, server = one_call(rate_limited(0.8), deadline=1.5, attempts=9)
    # A wait is 0.8 to 1.3 s: one fits into 1.5 s, two never do.
    assert (call.error_kind, len(server.requests)) == ("rate_limited", 2)
    assert "1.5 s of waits" in call.error


def test_our_own_time_out_is_not_tried_again_as_the_server_is_still_at_it():
    _, _, call, server = one_call(FAULTS["hang"], request_timeout=0.3, attempts=4)
    assert (call.error_kind, call.attempts, len(server.requests)) == ("timeout", 1, 1)
    assert "0.3 s" in call.error
    assert "--judge-timeout" in call.error


def test_the_deadline_cuts_no_answer_short():
    def slow(_request, _n):
        time.sleep(0.5)  # the server's own slowness, in its own thread
        return "fine"

    _, _, call, _ = one_call(slow, deadline=0.1)
    assert call.reply == "fine"


def test_retry_after_in_every_form():
    now = time.time()
    assert retry_after_seconds("2.5") == 2.5
    assert retry_after_seconds("-3") == 0
    assert retry_after_seconds(email.utils.formatdate(now + 60, usegmt=True)) == pytest.approx(60, abs=2)
    assert retry_after_seconds(email.utils.formatdate(now - 60, usegmt=True)) == 0
    for unreadable in ("soon", "", "nan", "inf"):
        assert retry_after_seconds(unreadable) is None
    assert status_error(429, {"retry-after-ms": "250", "Retry-After": "9"}, "").retry_after == 0.25


def test_pauses_are_full_jitter_within_their_bounds():
    for made, longest in ((1, 0.5), (2, 1.0), (3, 2.0), (50, 30.0)):
        pauses = [pause_after(made, None) for _ in range(300)]
        assert 0 <= min(pauses) < longest * 0.1
        assert longest * 0.9 < max(pauses) <= longest
    assert all(2 <= pause_after(1, 2.0) <= 2.5 for _ in range(100))


def test_a_server_that_is_not_there_is_a_connect_error():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        _, _, call, _ = one_call("never", url=f"http://127.0.0.1:{port}/v1", attempts=2)
    assert (call.error_kind, call.attempts) == ("connect", 2)
    assert "check the URL" in call.error


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse what a full queue cannot take")
def test_a_host_that_does_not_take_the_connection_is_not_waited_for_as_a_slow_judge_is(monkeypatch):
    monkeypatch.setattr("evalparity.adapters.judge.upstream._CONNECT_SECONDS", 0.3)
    with socket.socket() as listener, ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        port = listener.getsockname()[1]
        for _ in range(4):  # more than the queue of connections holds, and none is accepted
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", port))
        _, _, call, _ = one_call("never", url=f"http://127.0.0.1:{port}/v1", attempts=1)
    assert (call.error_kind, call.attempts, call.billable) == ("connect", 1, 0)


def test_a_reply_that_failed_but_was_paid_for_is_billed():
    _, _, call, server = one_call(cut_off("one two three"))
    usage = usage_of([call])
    assert (usage.calls, usage.billed_calls, usage.failed_calls) == (1, 1, 1)
    assert (usage.input_tokens, usage.output_tokens) == (server.input_tokens, server.output_tokens) == (1, 3)


def test_unknown_usage_is_unknown_and_not_zero():
    _, _, call, _ = one_call(without_usage("fine"))
    usage = usage_of([call])
    assert (call.reply, usage.billed_calls) == ("fine", 1)
    assert usage.input_tokens is usage.output_tokens is usage.cached_tokens is usage.cost_usd is None


@pytest.mark.parametrize("name", ["401", "429", "500", "502 with HTML", "disconnect"])
def test_a_call_that_was_refused_is_not_billed_and_spoils_no_sum(name):
    _, _, failed, _ = one_call(FAULTS[name], attempts=1)
    _, _, fine, _ = one_call("three words here")
    usage = usage_of([failed, fine])
    assert (usage.calls, usage.billed_calls, usage.failed_calls, usage.attempts) == (2, 1, 1, 2)
    assert (usage.input_tokens, usage.output_tokens) == (1, 3)


MAY_BE_BILLED = {
    "hang": FAULTS["hang"],
    "truncated JSON": FAULTS["truncated JSON"],
    "HTML with 200": FAULTS["HTML with 200"],
    "an answer lost on its way": Fault(body=b"no gzip", headers={"Content-Encoding": "gzip"}),
    "refusal without usage": Fault(edit=lambda reply: FAULTS["refusal"].edit(reply) | {"usage": None}),
}


@pytest.mark.parametrize("name", MAY_BE_BILLED)
def test_a_call_that_may_be_billed_makes_its_tokens_unknown(name):
    _, _, failed, _ = one_call(MAY_BE_BILLED[name], attempts=1, request_timeout=_patience(name))
    _, _, fine, _ = one_call("three words here")
    usage = usage_of([failed, fine])
    assert failed.error_kind is not None
    assert (usage.billed_calls, usage.failed_calls) == (2, 1)
    assert usage.input_tokens is usage.cached_tokens is usage.reasoning_tokens is usage.output_tokens is None


def test_a_first_attempt_that_may_be_billed_is_not_forgotten_when_the_second_succeeds():
    lost = MAY_BE_BILLED["an answer lost on its way"]
    _, _, call, _ = one_call(lambda _request, n: "fine" if n else lost, attempts=2)
    usage = usage_of([call])
    assert (call.reply, call.attempts, usage.billed_calls) == ("fine", 2, 1)
    assert (call.input_tokens, usage.input_tokens) == (1, None)


def test_counts_beyond_all_measure_are_unknown():
    huge = Fault(text="fine", edit=lambda reply: reply | {"usage": {"prompt_tokens": 10**30, "completion_tokens": 3}})
    _, _, call, _ = one_call(huge)
    assert (call.reply, call.input_tokens, call.output_tokens) == ("fine", None, 3)


def test_seconds_are_the_judges_and_waiting_is_kept_apart():
    def answer(_request, n):
        return "fine" if n else rate_limited(0.5)

    _, _, call, _ = one_call(answer)
    assert call.attempts == 2
    assert call.seconds < 0.4
    assert call.waited >= 0.5


def test_a_wrong_content_type_does_no_harm():
    assert one_call(WRONG_TYPE)[0] == 200


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (failing(401), "auth"),
        (failing(404), "http_4xx"),
        (SERVER_ERROR, "http_5xx"),
        (DISCONNECT, "connect"),
        (Fault(body=b"[]"), "bad_reply"),
        (Fault(edit=lambda reply: reply | {"data": []}), "bad_reply"),
        (Fault(edit=lambda reply: reply | {"data": [{"index": 0, "embedding": [float("nan")]}]}), "bad_reply"),
        (Fault(edit=lambda reply: reply | {"data": [{"index": 4, "embedding": [0.1]}]}), "bad_reply"),
        (Fault(edit=lambda reply: reply | {"data": [{"index": [0], "embedding": [0.1]}]}), "bad_reply"),
    ],
)
def test_embedding_calls_fail_with_the_same_kinds(fault, kind):
    status, body, call, _ = one_call(fault, path="embeddings", attempts=1)
    assert (status, body["error"]["code"], call.error_kind, call.kind) == (502, kind, kind, "embedding")
    assert "embedding model 'the-embedder' at 127.0.0.1" in call.error


def test_a_redirect_is_not_followed_as_the_key_would_go_along():
    with JudgeServer() as other:
        moved = Fault(status=307, body=b"", headers={"Location": f"{other.url}/chat/completions"})
        _, _, call, _ = one_call(moved)
        assert call.error_kind == "bad_reply"
        assert other.requests == []


def test_an_error_page_is_quoted_short_on_one_line_without_mark_up():
    page = "<html><h1>Bad\n gateway</h1>\x1b[31m" + "x" * 5000
    _, _, call, _ = one_call(Fault(status=502, body=page.encode()), attempts=1)
    assert "Bad gateway" in call.error
    assert len(call.error) < 500
    assert call.error.isprintable()
