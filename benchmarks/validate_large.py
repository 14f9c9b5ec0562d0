"""How long a large suite takes to validate, beside `json.loads` of the same lines, and how much memory it takes.

    python benchmarks/validate_large.py [--cases 100000]

Cases have three contexts of 400 characters. The two are timed in turns, several times, in one process; memory is the
most that a process of its own held while it ran `evalparity validate`.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from evalparity.unified_schema.loading import check_suite

ROUNDS = 5


def write_suite(path: Path, cases: int) -> None:
    """Write made-up cases, always the same ones."""
    pick = random.Random(20261201)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(pick.choices(letters, k=pick.randint(2, 10))) for _ in range(5000)]

    def text(length: int) -> str:
        return " ".join(pick.choices(words, k=length // 3))[:length]

    with path.open("w", encoding="utf-8") as file:
        for number in range(cases):
            chunks = [{"id": f"d{number}-{rank}", "text": text(400)} for rank in range(3)]
            case = {"id": f"case-{number}", "input": text(60), "output": text(150), "reference": text(120)}
            file.write(json.dumps({**case, "retrieved_contexts": chunks}) + "\n")


def loads(path: Path) -> None:
    """Read every line as JSON."""
    with path.open("rb") as lines:
        for line in lines:
            json.loads(line)


def seconds(of: Callable[[], object]) -> float:
    """Return how long a call takes."""
    begun = time.perf_counter()
    of()
    return time.perf_counter() - begun


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Validate a large suite.")
    parser.add_argument("--cases", type=int, default=100_000)
    cases = parser.parse_args().cases
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "suite.jsonl")
        write_suite(path, cases)
        pairs = [(seconds(lambda: loads(path)), seconds(lambda: check_suite(path))) for _ in range(ROUNDS)]
        command = [sys.executable, "-m", "evalparity.comparisons", "validate", str(path)]
        whole = seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        ratios = [check / load for load, check in pairs]
        print(f"{cases:,} cases, {path.stat().st_size / 2**20:,.0f} MiB")
        print(f"json.loads {min(load for load, _ in pairs):.2f} s, check {min(check for _, check in pairs):.2f} s")
        print(
            f"ratio, median of {ROUNDS} rounds: {statistics.median(ratios):.2f} ({min(ratios):.2f}..{max(ratios):.2f})"
        )
        print(f"evalparity validate: {whole:.2f} s with its start-up, {most:,.0f} MiB at most")


if __name__ == "__main__":
    main()
