"""How close a whole run comes to what the judge allows, beside each framework's own run on the same judge.

    python benchmarks/whole_run.py [--cases 200] [--latency 0.3] [--embedding-latency 0.3] [--in-flight 32]
        [--skip-natives] [--wiring stock]

The judge takes the same time for every call, so a run cannot be faster than calls x latency / calls in flight: the
ideal. Every run is a process of its own; its start-up is what passes until its first call. The run lasts from there
until its process has ended, reports and all. All runs follow each other within some minutes on one machine, so their
ratios mean something where their seconds do not. `--cases 20 --skip-natives` takes half a minute.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import sys
import tempfile
import time
from pathlib import Path

import aiohttp
import fixed_judge
import measured_process
from fixed_judge import Judge
from made_cases import make_cases, write_suite
from one_run import Options, Run
from run_profile import print_profile

from evalparity.adapters.boundary import scrubbed_environment
from evalparity.adapters.cache_folder import cache_root

HERE = Path(__file__).parent
OURS = "evalparity"
NATIVES = {
    "Ragas evaluate": "native_ragas.py",
    "DeepEval evaluate": "native_deepeval.py",
    "promptfoo eval": "native_promptfoo.py",
}
CEILING_SECONDS = 3.0
METRICS = ("faithfulness", "context_recall", "answer_relevancy")


def evalparity_command(options: Options, suite: Path, url: str) -> list[str]:
    """Return the command line of a user who runs all frameworks with this judge."""
    metrics = [word for metric in METRICS for word in ("--metric", metric)]
    frameworks = [word for name in ("ragas", "deepeval", "promptfoo") for word in ("--framework", name)]
    judge = ["--judge", "judge", "--judge-url", url, "--embedding-model", "embedder"]
    shape = ["--concurrency", str(options.in_flight), "--wiring", options.wiring, "--format", "json", "--out", "run"]
    alone = ["--no-cache", "--no-preflight"]  # every call of a cell is sent, and nothing else
    return [
        sys.executable,
        "-m",
        "evalparity.comparisons",
        "run",
        str(suite),
        *frameworks,
        *metrics,
        *judge,
        *shape,
        *alone,
    ]


def environment(folder: Path, *, evalparity: bool) -> dict[str, str]:
    """Return an environment with nothing of the user's, a private home, and telemetry off.

    Proxy settings, which keep processes from the network, are for evalparity alone: DeepEval makes a client for every
    call, and each would spend three times as long on reading certificates for proxies that a user has not.
    """
    quiet = {"RAGAS_DO_NOT_TRACK": "true", "DEEPEVAL_TELEMETRY_OPT_OUT": "1", "DEEPEVAL_DISABLE_DOTENV": "1"}
    shared = {"EVALPARITY_CACHE_DIR": str(cache_root()), "EVALPARITY_JUDGE_API_KEY": "any", **quiet}
    scrubbed = scrubbed_environment(folder, shared)
    return {name: value for name, value in scrubbed.items() if evalparity or not name.lower().endswith("_proxy")}


def run_one(name: str, command: list[str], judge: Judge, folder: Path) -> Run:
    """Run a command in a private folder."""
    folder.mkdir()
    before = judge.take().cpu
    variables = environment(folder, evalparity=name == OURS)
    measured = measured_process.run(command, folder=folder, environment=variables)
    taken = judge.take()
    return Run(name=name, process=measured, taken=taken, judge_cpu=taken.cpu - before)


def run_all(options: Options, judge: Judge, folder: Path) -> list[Run]:
    """Run evalparity, then each framework on its own."""
    suite = folder / "suite.json"
    write_suite(make_cases(options.cases), suite)
    runs = [run_one(OURS, evalparity_command(options, suite, judge.url), judge, folder / "evalparity")]
    print_profile(options, runs[0], folder / "evalparity" / "run")
    if options.skip_natives:
        return runs
    for name, script in NATIVES.items():
        command = [sys.executable, str(HERE / script), str(suite), judge.url, str(options.in_flight)]
        runs.append(run_one(name, command, judge, folder / script.removesuffix(".py")))
    return runs


async def ceiling(judge: Judge, bodies: list[str], workers: int) -> float:
    """Return the calls a second that the judge answers at most, asked a sample of the real prompts without latency."""
    calls, end = itertools.count(), time.perf_counter() + CEILING_SECONDS
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def work(mine: list[str]) -> None:
            for body in itertools.cycle(mine):
                if time.perf_counter() > end:
                    return
                async with session.post(f"{judge.url}/chat/completions", data=body) as response:
                    await response.read()
                    assert response.status == 200
                    next(calls)

        await asyncio.gather(*(work(bodies[n::workers] or bodies) for n in range(workers)))
    return next(calls) / CEILING_SECONDS


def print_ceiling(options: Options, judge: Judge, bodies: list[str]) -> None:
    """Print how much faster than needed the judge is."""
    judge.set_latency(0)
    most, needed = asyncio.run(ceiling(judge, bodies, options.in_flight)), options.in_flight / options.latency
    judge.take()
    print(f"the judge itself answers {most:,.0f} calls/s at most; {needed:,.0f} are enough to keep all slots busy\n")


def print_table(options: Options, runs: list[Run]) -> None:
    """Print one line per run, and the ratios."""
    heads = ("calls", "start-up s", "run s", "of it end", "ideal s", "run/ideal", "in flight", "CPU s")
    print(f"{'':18} {' '.join(f'{head:>10}' for head in heads)}")
    for run in runs:
        ideal = run.ideal(options)
        print(
            f"{run.name:18} {len(run.taken.calls):10,} {run.startup:10.1f} {run.seconds:10.1f} {run.closing:10.1f}"
            f" {ideal:10.1f} {run.seconds / ideal:10.2f} {run.taken.most_in_flight:10} {run.process.cpu:10.1f}"
        )
    ours, *natives = runs
    if natives:
        print_ratios(ours, natives)


def print_ratios(ours: Run, natives: list[Run]) -> None:
    """Print evalparity's time as a share of the others' together."""
    run, all_of_it = sum(one.seconds for one in natives), sum(one.startup + one.seconds for one in natives)
    print(
        f"\nthe three one after another: {run:.1f} s, with start-up {all_of_it:.1f} s; evalparity takes"
        f" {ours.seconds / run:.2f} of that, with start-up {(ours.startup + ours.seconds) / all_of_it:.2f}"
    )
    for one in natives:
        print(f"{one.name}: {one.process.output.strip().splitlines()[-1]}")


def read_options() -> Options:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Measure whole runs on a judge of fixed latency.")
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.3, help="seconds per judge call")
    parser.add_argument("--embedding-latency", type=float, help="seconds per embedding call; default: the same")
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--skip-natives", action="store_true", help="measure evalparity alone")
    parser.add_argument("--wiring", choices=("stock", "lean"), default="stock")
    asked = parser.parse_args()
    if asked.embedding_latency is None:
        asked.embedding_latency = asked.latency
    return Options(**vars(asked))


def main() -> None:
    """Measure and print."""
    options = read_options()
    now, load = time.strftime("%Y-%m-%d %H:%M"), ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(
        f"{options.cases} cases x {len(METRICS)} metrics x 3 frameworks, {options.latency:g} s a call"
        f" ({options.embedding_latency:g} s an embedding),"
        f" {options.in_flight} in flight; {os.cpu_count()} cores, load {load}, {now}\n"
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        fixed_judge.started(options.latency, options.embedding_latency) as judge,
    ):
        runs = run_all(options, judge, Path(folder))
        print_ceiling(options, judge, runs[0].taken.bodies)  # last, as it changes the judge
        print_table(options, runs)


if __name__ == "__main__":
    main()
