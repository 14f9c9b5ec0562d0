"""What a run takes whose answers are all in the cache, beside what the frameworks alone need for it.

    python benchmarks/warm_rerun.py

The example suite is run once with a judge on loopback, and then again, with every answer in the cache. What the
frameworks need is the processor time of their own processes in that very run, start-up included: no run can be shorter
than what the busiest of them needs, nor than what all of them need divided by the cores. Takes a minute or two.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

import measured_process
from measured_process import Measured
from whole_run import environment

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # for the judge of the tests, which answers every prompt of the frameworks

from support.judge_server import JudgeServer  # noqa: E402 - after the path to it
from support.replies import reply_to  # noqa: E402 - as above

EXAMPLE = ROOT / "examples" / "refund_policy" / "suite.yaml"
FRAMEWORKS = {"ragas": "ragas_adapter", "deepeval": "deepeval_adapter", "promptfoo": "node"}
"""What the command line of each one's process holds."""
RERUNS = 3


def run(judge: JudgeServer, folder: Path, name: str) -> tuple[Measured, int]:
    """Run the example with the cache in this folder; return the process and how many calls the judge got."""
    home = folder / name
    home.mkdir()
    frameworks = [word for framework in FRAMEWORKS for word in ("--framework", framework)]
    command = [
        sys.executable, "-m", "evalparity.comparisons", "run", str(EXAMPLE), *frameworks, "--judge", "judge",
        "--judge-url", judge.url, "--embedding-model", "embedder", "--cache-file", str(folder / "answers.sqlite"),
        "--out", "run", "--format", "json",
    ]  # fmt: skip
    judge.requests.clear()
    measured = measured_process.run(
        command, folder=home, environment=environment(home, evalparity=True), pause=0.05, codes=(0, 3)
    )
    return measured, len(judge.requests)


def cpu_by_framework(measured: Measured) -> dict[str, float]:
    """Return the seconds of CPU of each framework's processes."""
    used = dict.fromkeys(FRAMEWORKS, 0.0)
    for pid, seconds in measured.cpu_of.items():
        for framework, mark in FRAMEWORKS.items():
            used[framework] += seconds if mark in measured.commands[pid] else 0.0
    return used


def main() -> None:
    """Run, run again, and print."""
    cores = len(os.sched_getaffinity(0))
    with JudgeServer(lambda request, _n: reply_to(request)) as judge, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first, calls = run(judge, folder, "cold")
        print(f"cold: {first.ended - first.begun:5.1f} s, {calls:,} calls")
        ratios = []
        for number in range(1, RERUNS + 1):
            again, calls = run(judge, folder, f"warm{number}")
            used = cpu_by_framework(again)
            need = max(*used.values(), sum(used.values()) / cores)
            seconds = again.ended - again.begun
            ratios.append(seconds / need)
            each = ", ".join(f"{framework} {own:.1f}" for framework, own in used.items())
            print(
                f"warm: {seconds:5.1f} s, {calls:,} calls; CPU of the frameworks {each} s, of all processes "
                f"{again.cpu:.1f} s; needed on {cores} cores {need:.1f} s, so {seconds / need:.2f} times that"
            )
    print(f"median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
