"""Layers hold, and the test that says so can fail."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.layers import LAYERS, violations

ROOT = Path(__file__).parents[2]


def test_no_import_breaks_a_rule() -> None:
    assert violations(ROOT) == []


@pytest.mark.parametrize(
    ("file", "line", "expected"),
    [
        ("comparisons/running/plan.py", "import ragas", "ragas may be imported below adapters/ragas_adapter only"),
        ("comparisons/cli.py", "def f():\n    from deepeval import metrics", "deepeval may be imported below"),
        ("adapters/ragas_adapter/adapter.py", "import deepeval", "deepeval may be imported below"),
        ("adapters/base.py", "from evalparity.comparisons import running", "adapters imports comparisons"),
        ("unified_schema/cases.py", "from evalparity.adapters import base", "unified_schema imports adapters"),
        ("adapters/base.py", "from . import registry", "relative import"),
        ("comparisons/running/plan.py", "from adapters import base", "bare import of adapters"),
        (
            "comparisons/running/plan.py",
            "from evalparity.comparisons.comparing.report import Report",
            "running imports comparing, which stands above it",
        ),
        ("comparisons/recording/journal.py", "from evalparity.comparisons import cli", "recording imports cli"),
        ("unified_schema/cases.py", "import click", "click may be imported below comparisons only"),
    ],
)
def test_a_planted_import_is_found(tmp_path: Path, file: str, line: str, expected: str) -> None:
    for layer in LAYERS:
        shutil.copytree(ROOT / layer, tmp_path / layer, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{line}\n")

    found = violations(tmp_path)

    assert len(found) == 1
    assert found[0].startswith(file)
    assert expected in found[0]
