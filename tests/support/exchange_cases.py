"""Cases whose texts would do harm if any tool on the way took them for more than text."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from evalparity.unified_schema import EvalSuite
from evalparity.unified_schema.exchange import Shapes
from evalparity.unified_schema.loading import shaped
from evalparity.unified_schema.records import Record, Source
from evalparity.unified_schema.validation import LoadedSuite, validate

HOSTILE = (
    "{{ 7 * 7 }} ${HOME} {% x %}",
    "file:///etc/passwd",
    '=cmd|"/c calc"!A1',
    "a\u2028b\u2029c\x85d",
    "nul \x00 bell \x07",
    "'single' \"double\" \\back",
    "line\nbreak\ttab",
    "семь 七 🙂👨‍👩‍👧",
    "['not', 'a list']",
    "nan",
    "None",
    "007",
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from([*HOSTILE, "a|b", "", " x "])
IDS = TEXT.filter(lambda text: bool(text.strip()))


def hostile_suite() -> EvalSuite:
    """Return a suite with each hostile text in every field of a case."""
    cases = [
        {
            "id": f"{number}-{text}",
            "input": text,
            "output": f"{text} out",
            "reference": f"{text} ref",
            "retrieved_contexts": [{"id": f"d{number}", "text": f"{text} one"}, {"id": "other", "text": "two"}],
            "reference_contexts": [f"{text} ideal", "more"],
            "relevance": {f"d{number}": 1.0, f"{text} id": 1.0},
            "metadata": {"note": text, text: [1, None, {"x": True}]},
        }
        for number, text in enumerate((*HOSTILE, "a|b"))
    ]
    return EvalSuite.model_validate({"name": "hostile", "cases": cases})


def load_table(path: Path, shapes: Shapes) -> LoadedSuite:
    """Return the suite in a CSV file, whose cells a shape gets as texts, empty ones as missing."""
    with path.open(encoding="utf-8", newline="") as content:
        rows = [{name: cell or None for name, cell in row.items()} for row in csv.DictReader(content)]
    return load_rows(rows, shapes, path.stem)


def load_rows(rows: list[Any], shapes: Shapes, name: str = "rows") -> LoadedSuite:
    """Return the suite that rows are by the first shape that recognises them."""
    records = (Record(number=rank, data=row, locate=lambda _path: None) for rank, row in enumerate(rows, start=1))
    problems: list[Any] = []
    source = Source(
        file=name,
        name=name,
        header=None,
        locate=lambda _path: None,
        records=shaped(records, shapes),
        problems=problems,
    )
    return validate(source)


def run_real(script: Path, folder: Path) -> Any:
    """Run a script with a framework of its own, in a folder of its own, and return the JSON that it leaves there."""
    answer = folder / "answer.json"
    env = {
        **os.environ,
        "HOME": str(folder),
        "RAGAS_DO_NOT_TRACK": "true",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
        "DEEPEVAL_DISABLE_DOTENV": "1",
        "DEEPEVAL_NO_INSPECT_PROMPT": "1",
        "PYTHONUTF8": "1",
    }
    ended = subprocess.run(  # the whole start of a framework takes seconds, minutes on a busy machine
        [sys.executable, str(script), str(folder)],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(answer.read_text("utf-8"))
