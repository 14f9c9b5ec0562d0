"""Never overspend: nothing is sent once a limit is reached, and what no server tells counts as the most it can be."""

from __future__ import annotations

import asyncio

import pytest

from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.budget import Budget, BudgetLimits
from evalparity.adapters.judge.cache import Cache, CacheSettings
from evalparity.adapters.judge.ledger import SentCalls
from support.gateways import ask, gateway_to, open_cell
from support.judge_faults import HANG, SERVER_ERROR, without_usage
from support.judge_server import JudgeServer

FLIGHT = 3
"""Calls in flight."""


def ask_many(server: JudgeServer, budget: Budget, number: int = 20, *, cache: Cache | None = None, **settings):
    """Ask many different questions at once; return the error kinds of those that were not answered."""

    async def go():
        sources = Sources(budget=budget, cache=cache)
        async with gateway_to(server, sources=sources, concurrency=FLIGHT, **settings) as gateway:
            url = open_cell(gateway)
            await asyncio.gather(*(ask(url, f"question {n}") for n in range(number)))
            return await gateway.close_cell("cell")

    traffic = asyncio.run(go())
    return [call.error_kind for call in traffic.calls if call.error_kind is not None]


def test_no_more_requests_than_allowed_are_sent():
    budget = Budget(BudgetLimits(calls=7))
    with JudgeServer() as server:
        assert ask_many(server, budget) == ["budget"] * 13
        assert len(server.requests) == 7
    assert "--max-calls 7 was reached: 7 requests were sent" in str(budget.stop.cause)
    assert "--resume" in str(budget.stop.cause)


def test_retries_are_requests():
    with JudgeServer(lambda _request, _n: SERVER_ERROR) as server:
        kinds = ask_many(server, Budget(BudgetLimits(calls=4)), 2, attempts=4)
        assert len(server.requests) == 4
    assert set(kinds) <= {"budget", "http_5xx"}


def test_at_most_the_calls_in_flight_exceed_a_limit_of_tokens():
    with JudgeServer() as server:  # each call is 2 tokens in, 1 out
        kinds = ask_many(server, Budget(BudgetLimits(tokens=12)))
        assert 4 <= len(server.requests) <= 4 + FLIGHT - 1
        assert kinds == ["budget"] * (20 - len(server.requests))


def test_a_server_that_tells_no_tokens_cannot_make_a_run_overspend():
    with JudgeServer(lambda _request, _n: without_usage("ok")) as server:
        ask_many(server, Budget(BudgetLimits(tokens=100)), max_output_tokens=60)
        assert len(server.requests) <= 1 + FLIGHT  # each may have used 60 and more


def test_a_call_that_timed_out_counts_as_the_most_that_it_can_have_used():
    with JudgeServer(lambda _request, _n: HANG) as server:
        kinds = ask_many(server, Budget(BudgetLimits(tokens=100)), request_timeout=0.3, max_output_tokens=200)
        assert len(server.requests) == FLIGHT
    assert kinds.count("timeout") == FLIGHT


def test_what_comes_from_the_cache_is_free(tmp_path):
    with JudgeServer() as server:
        for _ in range(2):
            cache = Cache(CacheSettings(file=tmp_path / "a.sqlite"), pytest.fail)
            assert ask_many(server, Budget(BudgetLimits(calls=20)), cache=cache) == []
            cache.close()
        assert len(server.requests) == 20


def test_what_earlier_sessions_spent_counts():
    spent = SentCalls(requests=5, tokens=50, cost_usd=0.5)
    assert Budget(BudgetLimits(tokens=50), spent).stop.cause is not None
    assert Budget(BudgetLimits(cost=0.5), spent).stop.cause is not None
    assert Budget(BudgetLimits(calls=6, tokens=51, cost=0.51), spent).stop.cause is None
    with JudgeServer() as server:
        ask_many(server, Budget(BudgetLimits(calls=6), spent))
        assert len(server.requests) == 1


def test_without_limits_nothing_ends():
    with JudgeServer() as server:
        assert ask_many(server, Budget(BudgetLimits())) == []
        assert len(server.requests) == 20
