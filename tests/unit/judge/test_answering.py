"""Never pay twice: what is asked again is answered from what is there, and nothing bad is ever kept."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.cache import Cache, CacheSettings
from evalparity.adapters.judge.cassette import Cassette
from evalparity.adapters.judge.ledger import Ledger, read_answers
from evalparity.adapters.judge.usage import usage_of
from support.gateways import ask, gateway_to, open_cell
from support.judge_faults import REFUSAL, SERVER_ERROR, UNAUTHORISED, Fault, cut_off
from support.judge_server import JudgeServer, last_user_text

BAD = {"refusal": REFUSAL, "truncated": cut_off("ok"), "auth": UNAUTHORISED, "http_5xx": SERVER_ERROR}


def numbered(request, n):
    return f"{n}: {last_user_text(request)}"


@pytest.fixture
def cache(tmp_path):
    told = []
    kept = Cache(CacheSettings(file=tmp_path / "answers.sqlite"), told.append)
    yield kept
    kept.close()
    assert told == []


def run(server: JudgeServer, asking, sources: Sources, **settings):
    """Give a coroutine function a gateway and return what it returns."""

    async def go():
        async with gateway_to(server, sources=sources, **settings) as gateway:
            return await asking(gateway)

    return asyncio.run(go())


async def cell_of(gateway, name: str, *texts: str, path: str = "chat/completions", repeat: int = 0):
    """Ask texts one after the other in a cell of its own; return the replies and the traffic."""
    url = open_cell(gateway, name, repeat=repeat)
    replies = [await ask(url, text, path=path) for text in texts]
    return replies, await gateway.close_cell(name)


def test_an_equal_question_of_another_cell_costs_nothing(cache):
    async def go(gateway):
        return await cell_of(gateway, "a", "x"), await cell_of(gateway, "b", "x")

    with JudgeServer(numbered) as server:
        (first, paid), (second, free) = run(server, go, Sources(cache=cache))
        assert len(server.requests) == 1
    assert first[0][1]["choices"] == second[0][1]["choices"]
    assert [call.served for call in (*paid.calls, *free.calls)] == ["upstream", "cache"]
    usage = usage_of(free.calls)
    assert (usage.calls, usage.billed_calls, usage.reused_calls, usage.attempts) == (1, 0, 1, 0)
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd, usage.unpriced_calls) == (0, 0, 0.0, 0)
    assert free.calls[0].input_tokens == paid.calls[0].input_tokens  # what was asked for, beside what is billed


def test_a_second_run_asks_nothing(tmp_path):
    async def go(gateway):
        await cell_of(gateway, "a", "x", "y")
        await cell_of(gateway, "e", "x", path="embeddings")

    with JudgeServer(numbered) as server:
        for _ in range(2):
            with closing(Cache(CacheSettings(file=tmp_path / "answers.sqlite"), pytest.fail)) as kept:
                run(server, go, Sources(cache=kept))
        assert len(server.requests) == 3


@pytest.mark.parametrize(
    "other", [{"model": "another"}, {"temperature": 0.5}, {"seed": 1}, {"max_output_tokens": 7}, {"url": "localhost"}]
)
def test_whatever_changes_an_answer_is_part_of_its_address(cache, other):
    async def go(gateway):
        await cell_of(gateway, "a", "x")

    with JudgeServer(numbered) as server:
        run(server, go, Sources(cache=cache))
        if "url" in other:
            other = {"url": server.url.replace("127.0.0.1", "localhost")}
        run(server, go, Sources(cache=cache), **other)
        assert len(server.requests) == 2


def test_what_is_asked_three_times_in_one_cell_gets_three_answers_and_the_same_ones_again(cache):
    async def go(gateway):
        return await cell_of(gateway, "a", "x", "x", "y", "x"), await cell_of(gateway, "b", "x", "x", "y", "x")

    with JudgeServer(numbered) as server:
        (first, _), (second, again) = run(server, go, Sources(cache=cache))
        assert len(server.requests) == 4
    texts = [[body["choices"][0]["message"]["content"] for _, body in replies] for replies in (first, second)]
    assert texts[0] == texts[1] == ["0: x", "1: x", "2: y", "3: x"]
    assert {call.served for call in again.calls} == {"cache"}


def test_a_repeat_is_a_question_of_its_own_even_where_a_server_ignores_the_seed(cache):
    async def go(gateway):
        for repeat in (0, 1, 0):
            await cell_of(gateway, f"a{len(server.requests)}-{repeat}", "x", repeat=repeat)

    with JudgeServer(numbered) as server:
        run(server, go, Sources(cache=cache))
        assert len(server.requests) == 2


def test_equal_calls_on_their_way_are_one(cache):
    async def go(gateway):
        urls = [open_cell(gateway, name) for name in "abc"]
        server.hold()
        asked = [asyncio.create_task(ask(url, "x")) for url in urls]
        await asyncio.sleep(0.3)
        server.release()
        await asyncio.gather(*asked)
        return [await gateway.close_cell(name) for name in "abc"]

    with JudgeServer(numbered) as server:
        traffics = run(server, go, Sources(cache=cache))
        assert len(server.requests) == 1
    usages = [usage_of(traffic.calls) for traffic in traffics]
    assert sorted(usage.billed_calls for usage in usages) == [0, 0, 1]
    assert sorted(usage.shared_calls for usage in usages) == [0, 1, 1]
    assert len({traffic.calls[0].reply for traffic in traffics}) == 1


def test_when_the_first_of_equal_calls_fails_the_next_asks_for_itself(cache):
    async def go(gateway):
        urls = [open_cell(gateway, name) for name in "ab"]
        asked = [asyncio.create_task(ask(url, "x")) for url in urls]
        replies = await asyncio.gather(*asked)
        return replies, [await gateway.close_cell(name) for name in "ab"]

    with JudgeServer(lambda request, n: REFUSAL if n == 0 else numbered(request, n)) as server:
        replies, traffics = run(server, go, Sources(cache=cache))
        assert len(server.requests) == 2
    assert sorted(status for status, _ in replies) == [200, 502]
    assert sorted(str(traffic.calls[0].error_kind) for traffic in traffics) == ["None", "refusal"]


def test_when_the_cell_that_asked_first_is_closed_the_next_asks_for_itself(cache):
    async def go(gateway):
        urls = [open_cell(gateway, name) for name in "ab"]
        server.hold()
        first = asyncio.create_task(ask(urls[0], "x"))
        await asyncio.sleep(0.2)
        second = asyncio.create_task(ask(urls[1], "x"))
        await asyncio.sleep(0.2)
        await gateway.close_cell("a")
        server.release()
        await first
        return await second

    with JudgeServer(numbered) as server:
        status, _ = run(server, go, Sources(cache=cache), grace=0.1)
        assert status == 200
        assert len(server.requests) == 2


@pytest.mark.parametrize("kind", BAD)
def test_no_failure_is_ever_kept(cache, tmp_path, kind):
    async def go(gateway):
        return (await cell_of(gateway, "a", "x"))[1]

    with closing(Ledger(tmp_path / "l.sqlite")) as ledger, JudgeServer(lambda _request, _n: BAD[kind]) as server:
        for _ in range(2):
            traffic = run(server, go, Sources(cache=cache, ledger=ledger), attempts=1)
            assert traffic.calls[0].error_kind == kind
            assert traffic.calls[0].served == "upstream"
        assert len(server.requests) == 2


def test_a_vector_that_is_no_vector_is_not_kept(cache):
    async def go(gateway):
        await cell_of(gateway, "a", "x", path="embeddings")

    def zeros(_request, n):
        return Fault(edit=lambda body: body | {"data": [{"index": 0, "embedding": [0.0]}]}) if n == 0 else None

    with JudgeServer(numbered, embedding_fault=zeros) as server:
        for _ in range(3):
            run(server, go, Sources(cache=cache))
        assert len(server.requests) == 2


def test_a_cassette_answers_alone(tmp_path):
    async def go(gateway):
        return await cell_of(gateway, "a", "x", "new")

    with JudgeServer(numbered) as server, closing(Ledger(tmp_path / "l.sqlite")) as ledger:
        run(server, lambda gateway: cell_of(gateway, "a", "x"), Sources(ledger=ledger))
        cassette = Cassette(path=Path("c"), judges=(), answers=read_answers(tmp_path / "l.sqlite"))
        replies, traffic = run(server, go, Sources(cassette=cassette))
        assert len(server.requests) == 1
    assert [status for status, _ in replies] == [200, 502]
    assert traffic.calls[0].served == "cassette"
    assert traffic.calls[1].error_kind == "not_recorded"
    assert "record it anew" in (traffic.calls[1].error or "")
    assert usage_of(traffic.calls).attempts == 0


def test_a_later_session_goes_on_with_what_the_earlier_one_was_answered_and_its_bill(tmp_path):
    async def go(gateway):
        return (await cell_of(gateway, "a", "x", "y"))[1]

    with JudgeServer(lambda request, n: SERVER_ERROR if n == 0 else numbered(request, n)) as server:
        with closing(Ledger(tmp_path / "l.sqlite")) as ledger:
            paid = run(server, go, Sources(ledger=ledger))
        with closing(Ledger(tmp_path / "l.sqlite")) as ledger:
            again = run(server, go, Sources(ledger=ledger))
            other = run(server, lambda gateway: cell_of(gateway, "b", "x"), Sources(ledger=ledger))[1]
            assert ledger.sent().requests == len(server.requests)
        assert len(server.requests) == 4
    assert usage_of(again.calls) == usage_of(paid.calls)
    assert [call.served for call in again.calls] == ["earlier", "earlier"]
    assert [call.served for call in other.calls] == ["upstream"]  # another cell's answer is the cache's business
