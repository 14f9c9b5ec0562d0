"""What the gateway costs: added latency and highest rate, against bare aiohttp servers in the same run.

    python benchmarks/gateway.py

Four processes: an upstream that answers at once; the gateway with its ledger; a bare aiohttp proxy that forwards
and does nothing else; and this one, which makes the load. Every target is measured in turn, twice, so that a
slow moment of the machine does not fall on one of them alone. Takes under a minute.
"""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import statistics
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import aiohttp
from aiohttp import web

from evalparity.adapters.base import Sent
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.budget import Budget, BudgetLimits
from evalparity.adapters.judge.cache import Cache, CacheSettings
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.ledger import Ledger
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.upstream import HttpUpstream

CALLS_PER_SECOND = 100
WORKERS = 32
SECONDS = 3.5
ROUNDS = 2
PROMPT = "Decide for each statement whether the context supports it. " * 40
REPLY = {
    "id": "x",
    "object": "chat.completion",
    "model": "instant",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "yes " * 100}}],
    "usage": {"prompt_tokens": 500, "completion_tokens": 100, "total_tokens": 600},
}
BODY = {"model": "m", "temperature": 0.1, "messages": [{"role": "user", "content": PROMPT}]}

Serve = Callable[[Connection, str], Awaitable[None]]


@dataclass(slots=True)
class Measured:
    """What one target did: seconds of each call at the fixed rate, calls per second at full load, CPU shares."""

    latencies: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    server_cpu: list[float] = field(default_factory=list)
    load_cpu: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Target:
    """A server in a process of its own, and the pipe that tells its CPU time."""

    url: str
    pipe: Connection

    def cpu_seconds(self) -> float:
        """Return the CPU time that the process has used."""
        self.pipe.send("cpu")
        seconds: float = self.pipe.recv()
        return seconds


async def serve_instantly(pipe: Connection, _upstream: str) -> None:
    """Answer every request at once: the upstream, and the bare server to compare with."""

    async def answer(request: web.Request) -> web.Response:
        await request.json()
        return web.json_response(REPLY)

    await serve_app(pipe, answer)


async def serve_as_proxy(pipe: Connection, upstream: str) -> None:
    """Forward every request and its answer as they are."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def forward(request: web.Request) -> web.Response:
            async with session.post(f"{upstream}/chat/completions", data=await request.read()) as response:
                return web.Response(body=await response.read(), content_type="application/json")

        await serve_app(pipe, forward)


async def serve_as_gateway(pipe: Connection, upstream: str) -> None:
    """Be the gateway as a run has it: with ledger and cache, a budget to hold, and an input proof to make."""
    settings = JudgeSettings(model="m", url=upstream, embedding_model=None, concurrency=WORKERS)
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger(Path(folder, "ledger.sqlite"))
        cache = Cache(CacheSettings(file=Path(folder, "answers.sqlite")), print)
        sources = Sources(ledger=ledger, cache=cache, budget=Budget(BudgetLimits(calls=10**9)))
        gateway = Gateway(settings, upstream=HttpUpstream(upstream), embedder=None, steps={}, sources=sources)
        async with gateway:
            url = gateway.open_cell(
                cell="cell",
                framework="ragas",
                metric="faithfulness",
                texts={"output": "never there, so looked for in every call"},
                sent=(Sent(field="output"),),
            )
            await answer_pipe(pipe, url)
        ledger.close()
        cache.close()


async def serve_app(pipe: Connection, handler: Callable[[web.Request], Awaitable[web.Response]]) -> None:
    """Serve one handler until the pipe says stop."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await answer_pipe(pipe, f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
    await runner.cleanup()


async def answer_pipe(pipe: Connection, url: str) -> None:
    """Tell the URL, then the CPU time whenever asked, until told to stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def tell() -> None:
        while pipe.recv() == "cpu":
            pipe.send(time.process_time())
        loop.call_soon_threadsafe(stop.set)

    pipe.send(url)
    threading.Thread(target=tell, daemon=True).start()
    await stop.wait()


def run_server(serve: Serve, pipe: Connection, upstream: str) -> None:
    """Run in a process of its own."""
    asyncio.run(serve(pipe, upstream))  # type: ignore[arg-type]


@contextmanager
def started(serve: Serve, upstream: str = "") -> Iterator[Target]:
    """Start a server's process; stop it at the end."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=run_server, args=(serve, theirs, upstream))
    process.start()
    try:
        yield Target(url=ours.recv(), pipe=ours)
    finally:
        ours.send("stop")
        process.join(10)
        process.kill()


async def call(session: aiohttp.ClientSession, target: Target) -> None:
    """Make one call and read its answer."""
    async with session.post(f"{target.url}/chat/completions", json=BODY) as response:
        await response.read()
        assert response.status == 200


async def measure_latency(session: aiohttp.ClientSession, target: Target, measured: Measured) -> None:
    """Start calls at fixed moments, whether earlier ones have ended or not (an open loop)."""

    async def timed(due: float) -> None:
        await asyncio.sleep(due - time.perf_counter())
        begun = time.perf_counter()
        await call(session, target)
        measured.latencies.append(time.perf_counter() - begun)

    start = time.perf_counter() + 0.1
    moments = (start + n / CALLS_PER_SECOND for n in range(int(SECONDS * CALLS_PER_SECOND)))
    await asyncio.gather(*map(timed, moments))


async def measure_rate(session: aiohttp.ClientSession, target: Target, measured: Measured) -> None:
    """Keep as many calls in flight as there are workers."""
    calls = itertools.count()
    begun, end = time.perf_counter(), time.perf_counter() + SECONDS
    cpu_before, own_before = target.cpu_seconds(), time.process_time()

    async def work() -> None:
        while time.perf_counter() < end:
            await call(session, target)
            next(calls)

    await asyncio.gather(*(work() for _ in range(WORKERS)))
    seconds = time.perf_counter() - begun
    measured.rates.append(next(calls) / seconds)
    measured.server_cpu.append((target.cpu_seconds() - cpu_before) / seconds)
    measured.load_cpu.append((time.process_time() - own_before) / seconds)


async def measure_all(targets: dict[str, Target]) -> dict[str, Measured]:
    """Measure every target in turn, round by round."""
    measured = {name: Measured() for name in targets}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        for target in targets.values():
            await asyncio.gather(*(call(session, target) for _ in range(WORKERS)))  # connections, caches
        for _ in range(ROUNDS):
            for name, target in targets.items():
                await measure_latency(session, target, measured[name])
                await measure_rate(session, target, measured[name])
    return measured


def show(measured: dict[str, Measured]) -> None:
    """Print the table and what limits the rate."""
    direct, proxy, gateway = (measured[name] for name in ("bare server", "bare proxy", "gateway"))
    print(f"{'':12} {'median ms':>10} {'p95 ms':>8} {'calls/s':>8} {'its CPU':>8} {'CPU ms/call':>12} {'load CPU':>9}")
    for name, found in measured.items():
        print(
            f"{name:12} {median_ms(found):10.2f} {p95_ms(found):8.2f} {rate(found):8.0f}"
            f" {statistics.mean(found.server_cpu):8.0%} {cpu_ms(found):12.2f} {statistics.mean(found.load_cpu):9.0%}"
        )
    print(
        f"\nat {CALLS_PER_SECOND} calls/s the gateway adds {median_ms(gateway) - median_ms(direct):.2f} ms (median)"
        f" and {p95_ms(gateway) - p95_ms(direct):.2f} ms (p95) to a bare server"
        f"\nhighest rate: {rate(gateway) / rate(direct):.2f} of the bare server's,"
        f" {rate(gateway) / rate(proxy):.2f} of the bare proxy's"
        f"\nCPU a call: {cpu_ms(gateway) / cpu_ms(proxy):.2f} of the bare proxy's,"
        f" {cpu_ms(gateway) / cpu_ms(direct):.2f} of the bare server's (no matter what else the machine does)"
    )
    busy = statistics.mean(gateway.server_cpu)
    limit = "its own CPU time (one event loop, one core)" if busy > 0.85 else "CPU that others took meanwhile"
    print(f"the gateway was limited by {limit}; at {1000 / cpu_ms(gateway):.0f} calls/s it would fill one core")


def median_ms(found: Measured) -> float:
    """Return the median latency in milliseconds."""
    return statistics.median(found.latencies) * 1000


def p95_ms(found: Measured) -> float:
    """Return the 95th percentile of the latency in milliseconds."""
    return statistics.quantiles(found.latencies, n=20)[-1] * 1000


def cpu_ms(found: Measured) -> float:
    """Return the CPU time of the server's process for one call in milliseconds."""
    return statistics.mean(found.server_cpu) * 1000 / rate(found)


def rate(found: Measured) -> float:
    """Return the mean rate in calls a second."""
    return statistics.mean(found.rates)


def main() -> None:
    """Measure and print."""
    with (
        started(serve_instantly) as upstream,
        started(serve_as_proxy, upstream.url) as proxy,
        started(serve_as_gateway, upstream.url) as gateway,
    ):
        targets = {"bare server": upstream, "bare proxy": proxy, "gateway": gateway}
        show(asyncio.run(measure_all(targets)))


if __name__ == "__main__":
    main()
