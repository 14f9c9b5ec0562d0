"""A judge that is down is not asked a thousand times."""

from __future__ import annotations

import asyncio

import pytest

from evalparity.adapters.judge.breaker import MOST_IN_A_ROW, Breaker
from evalparity.unified_schema.errors import JudgeError
from support.gateways import ask, gateway_to, open_cell
from support.judge_faults import REFUSAL, SERVER_ERROR, UNAUTHORISED, rate_limited
from support.judge_server import JudgeServer


def ask_in_turn(server: JudgeServer, number: int):
    """Ask so many questions one after the other; return the error kinds and why the gateway stopped."""

    async def go():
        async with gateway_to(server, attempts=1) as gateway:
            url = open_cell(gateway)
            for n in range(number):
                await ask(url, f"question {n}")
            stopped = gateway.stopped
            traffic = await gateway.close_cell("cell")
            return [call.error_kind for call in traffic.calls], stopped

    return asyncio.run(go())


@pytest.mark.parametrize(("fault", "kind"), [(SERVER_ERROR, "http_5xx"), (UNAUTHORISED, "auth")])
def test_a_server_that_answers_nobody_is_not_asked_again(fault, kind):
    with JudgeServer(lambda _request, _n: fault) as server:
        kinds, stopped = ask_in_turn(server, MOST_IN_A_ROW + 20)
        assert len(server.requests) == MOST_IN_A_ROW
    assert kinds == [kind] * MOST_IN_A_ROW + ["judge_down"] * 20
    assert stopped is not None
    assert stopped.kind == "judge_down"
    assert "failed 10 calls in a row" in str(stopped)
    assert "--resume" in str(stopped)


@pytest.mark.parametrize("fault", [REFUSAL, rate_limited(after=0)])
def test_a_server_that_refuses_or_limits_is_up(fault):
    with JudgeServer(lambda _request, _n: fault) as server:
        kinds, stopped = ask_in_turn(server, MOST_IN_A_ROW + 5)
        assert len(server.requests) == MOST_IN_A_ROW + 5
    assert "judge_down" not in kinds
    assert stopped is None


def test_one_answer_shows_that_it_is_up():
    with JudgeServer(lambda _request, n: "ok" if n % MOST_IN_A_ROW == 0 else SERVER_ERROR) as server:
        _, stopped = ask_in_turn(server, 3 * MOST_IN_A_ROW)
    assert stopped is None


def test_the_first_cause_stays():
    breaker = Breaker("at host", most=1)
    breaker.failed(JudgeError("connect", "first"))
    breaker.failed(JudgeError("connect", "second"))
    assert "first" in str(breaker.stop.cause)
