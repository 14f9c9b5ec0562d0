"""Run the installed command as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "refund_policy" / "suite.yaml"
TEN_CASES = ROOT / "tests" / "data" / "ten_cases.yaml"
FOUR_METRICS = tuple(
    part
    for metric in ("faithfulness", "context_recall", "answer_relevancy", "exact_match")
    for part in ("--metric", metric)
)
"""Options of a run with the ten cases: 140 cells, 90 of which ask the judge."""
COMMAND = Path(sys.executable).with_name("evalparity")
LIMIT = 280


def environment(**variables: str) -> dict[str, str]:
    """Return the environment without judge settings of the machine, with the given variables added.

    The cache of answers is off unless a test asks for one of its own: servers of tests share their ports over time.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVALPARITY_") or "CACHE" in name}
    kept.pop("OPENAI_API_KEY", None)
    return {**kept, "EVALPARITY_NO_CACHE": "1", "NO_COLOR": "1", "COLUMNS": "100", **variables}


def evalparity(*arguments: str | Path, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `evalparity` with these arguments and environment variables and return how it ended."""
    return subprocess.run(
        [str(COMMAND), *map(str, arguments)],
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def start_evalparity(*arguments: str | Path, cwd: Path, **variables: str) -> subprocess.Popen[str]:
    """Start `evalparity` and return the running process, alone in its group so that signals reach it alone."""
    return subprocess.Popen(
        [str(COMMAND), *map(str, arguments)],
        cwd=cwd,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
