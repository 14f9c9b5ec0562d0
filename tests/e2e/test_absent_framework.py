"""A framework that is not installed costs the others nothing, and its cells say how to install it."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support.commands import TEN_CASES, environment

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="links every installed package but one"),
]


@pytest.fixture
def without_deepeval(tmp_path: Path) -> list[str]:
    """Return the start of a command that runs evalparity where everything but DeepEval is installed."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("deepeval"):
            (packages / entry.name).symlink_to(entry)
    start = (
        f"import site, sys; site.addsitedir({str(packages)!r}); "
        "from evalparity.comparisons.cli import main; sys.argv[0] = 'evalparity'; main()"
    )
    return [sys.executable, "-S", "-c", start]


def run(start: list[str], *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*start, *map(str, arguments)],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_named_it_is_reported_and_the_others_run(tmp_path: Path, without_deepeval: list[str]) -> None:
    named = ["--framework", "deepeval", "--framework", "ragas", "--framework", "builtin"]
    ended = run(without_deepeval, "run", TEN_CASES, *named, "--out", "run", cwd=tmp_path)

    assert ended.returncode == 3, ended.stderr
    assert "deepeval is not installed: pip install" in ended.stderr
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["run"]["frameworks"]["deepeval"]["version"] is None
    absent = [cell for cell in report["cells"] if cell["framework"] == "deepeval" and cell["status"] != "skipped"]
    assert absent
    assert {(cell["status"], cell["kind"]) for cell in absent} == {("errored", "framework_absent")}
    assert all("pip install" in cell["reason"] for cell in absent)
    others = [cell for cell in report["cells"] if cell["framework"] != "deepeval"]
    assert {cell["status"] for cell in others} == {"scored", "skipped"}
    assert "framework absent" in ended.stdout


def test_not_named_it_is_left_out_and_said_to_be(tmp_path: Path, without_deepeval: list[str]) -> None:
    ended = run(without_deepeval, "run", TEN_CASES, "--metric", "exact_match", "--out", "run", cwd=tmp_path)

    assert ended.returncode == 0, ended.stderr
    assert "deepeval is not installed: pip install" in ended.stderr
    assert "deepeval" not in json.loads((tmp_path / "run" / "report.json").read_text())["run"]["frameworks"]


def test_the_list_of_frameworks_says_how_to_install_it(tmp_path: Path, without_deepeval: list[str]) -> None:
    ended = run(without_deepeval, "adapters", cwd=tmp_path)

    assert ended.returncode == 0
    assert "absent" in ended.stdout
    assert "deepeval is not installed: pip install" in ended.stdout
