"""Whether the gateway's memory stays flat: 100,000 different calls in 5,000 cells, with ledger, cache and budget.

    python benchmarks/gateway_memory.py [CALLS]

The upstream answers at once, from a process of its own. Takes two to four minutes on two cores.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import aiohttp
from gateway import BODY, PROMPT, serve_instantly

from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.budget import Budget, BudgetLimits
from evalparity.adapters.judge.cache import Cache, CacheSettings
from evalparity.adapters.judge.gateway import Gateway
from evalparity.adapters.judge.ledger import Ledger
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.upstream import HttpUpstream

CALLS_A_CELL = 20
AT_ONCE = 8
"""Cells."""
LOOKS = 10


def resident_mib() -> float:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


async def ask_cell(gateway: Gateway, session: aiohttp.ClientSession, number: int) -> None:
    """Open a cell, ask its calls one after the other, close it."""
    name = f"cell {number}"
    url = gateway.open_cell(cell=name, framework="ragas", metric="faithfulness", texts={}, sent=())
    for n in range(CALLS_A_CELL):
        body = BODY | {"messages": [{"role": "user", "content": f"{number} {n} {PROMPT}"}]}
        async with session.post(f"{url}/chat/completions", json=body) as response:
            assert response.status == 200
            await response.read()
    traffic = await gateway.close_cell(name)
    assert len(traffic.calls) == CALLS_A_CELL


def measure(upstream: str, calls: int) -> None:
    """Ask all calls, and print the memory along the way and the size of the files."""
    with tempfile.TemporaryDirectory() as folder:
        ledger, answers = Path(folder, "ledger.sqlite"), Path(folder, "answers.sqlite")
        with closing(Ledger(ledger)) as kept, closing(Cache(CacheSettings(file=answers), print)) as cache:
            sources = Sources(ledger=kept, cache=cache, budget=Budget(BudgetLimits(tokens=10**12)))
            asyncio.run(ask_all(upstream, calls, sources))
        print(f"ledger {ledger.stat().st_size / 2**20:.0f} MiB, cache {answers.stat().st_size / 2**20:.0f} MiB")


async def ask_all(upstream: str, calls: int, sources: Sources) -> None:
    """Ask all calls, and print the memory along the way."""
    settings = JudgeSettings(model="m", url=upstream, embedding_model=None, concurrency=AT_ONCE)
    cells = iter(range(calls // CALLS_A_CELL))
    gateway = Gateway(settings, upstream=HttpUpstream(upstream), embedder=None, steps={}, sources=sources)
    async with gateway, aiohttp.ClientSession() as session:

        async def work(until: int) -> None:
            for number in cells:
                await ask_cell(gateway, session, number)
                if number >= until:
                    return

        for look in range(1, LOOKS + 1):
            begun = time.perf_counter()
            await asyncio.gather(*(work(look * calls // CALLS_A_CELL // LOOKS - 1) for _ in range(AT_ONCE)))
            rate = calls / LOOKS / (time.perf_counter() - begun)
            print(f"{look * calls // LOOKS:>8,} calls  {resident_mib():7.1f} MiB  {rate:6.0f} calls/s")


def main() -> None:
    """Start the upstream and measure."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    measure(ours.recv(), int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
    ours.send("stop")
    server.join(10)


def _serve(pipe: multiprocessing.connection.Connection) -> None:
    asyncio.run(serve_instantly(pipe, ""))


if __name__ == "__main__":
    main()
