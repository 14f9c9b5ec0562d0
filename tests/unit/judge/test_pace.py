"""No burst above a limit in any window, in the order of the turns; and a pause that one call is told holds for all."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

from evalparity.adapters.judge.pace import Pace, Window
from support.gateways import ask, gateway_to, open_cell
from support.judge_faults import rate_limited
from support.judge_server import JudgeServer

SECOND = 0.5
"""What counts as a minute here."""


def most_in_any_window(times: list[float], seconds: float) -> int:
    return max(sum(start <= at < start + seconds for at in times) for start in times)


def test_no_window_ever_holds_more_requests_than_allowed():
    async def go() -> list[float]:
        window = Window(5, SECOND)
        taken = await asyncio.gather(*(window.take(1) for _ in range(18)))
        return [one.at for one in taken]

    sent = asyncio.run(go())
    assert most_in_any_window(sent, SECOND) == 5
    assert sent[-1] - sent[0] >= 3 * SECOND * 0.99  # 5, 5, 5 and 3


def test_those_that_wait_go_in_the_order_in_which_they_came():
    async def go() -> list[int]:
        window, order = Window(2, SECOND / 5), []

        async def one(number: int) -> None:
            await window.take(1)
            order.append(number)

        await asyncio.gather(*map(one, range(8)))
        return order

    assert asyncio.run(go()) == list(range(8))


def test_tokens_are_estimated_before_and_corrected_after():
    async def go() -> tuple[float, float]:
        pace = Pace(tokens=100, seconds=SECOND)
        first = await pace.keep(80)
        pace.used(first, tokens=10, written=4)
        begun = time.monotonic()
        await pace.keep(80)  # 10 and 84 fit
        at_once = time.monotonic() - begun
        await pace.keep(80)
        return at_once, time.monotonic() - begun

    at_once, later = asyncio.run(go())
    assert at_once < SECOND * 0.8
    assert later >= SECOND * 0.9


def test_more_than_the_limit_goes_alone_and_does_not_wait_for_ever():
    async def go() -> float:
        window, begun = Window(10, SECOND), time.monotonic()
        await window.take(50)
        await window.take(50)
        return time.monotonic() - begun

    assert asyncio.run(go()) >= SECOND * 0.9


def test_without_limits_nothing_waits():
    async def go() -> float:
        pace, begun = Pace(), time.monotonic()
        for _ in range(1000):
            await pace.keep(10**9)
        return time.monotonic() - begun

    assert asyncio.run(go()) < 1


def test_the_gateway_keeps_the_limit_for_all_frameworks_together():
    async def go(server: JudgeServer) -> None:
        async with gateway_to(server, requests_per_minute=6, concurrency=20) as gateway:
            urls = [open_cell(gateway, name, name) for name in ("ragas", "deepeval", "promptfoo")]
            asked = [asyncio.create_task(ask(url, f"{n}")) for n in range(4) for url in urls]
            for _ in range(200):
                await asyncio.sleep(0.05)
                if len(server.requests) == 6:
                    break
            await asyncio.sleep(0.5)
            for task in asked:
                task.cancel()

    with JudgeServer() as server:
        asyncio.run(go(server))
        assert len(server.requests) == 6  # the rest would wait a minute


def test_what_one_call_is_told_to_wait_the_others_wait_too():
    async def go(server: JudgeServer) -> None:
        async with gateway_to(server, concurrency=1) as gateway:
            url = open_cell(gateway)
            await asyncio.gather(*(ask(url, f"{n}") for n in range(4)))

    with JudgeServer(lambda _request, n: rate_limited(after=1) if n == 0 else "ok") as server:
        asyncio.run(go(server))
        times = [received.at for received in server.requests]
    assert len(times) == 5  # no other call ran into the limit
    assert times[1] - times[0] >= 0.95
    assert all(later >= earlier for earlier, later in pairwise(times))
