"""The README's commands run as they are written, and it names everything that there is."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from evalparity.comparisons.cli import adapters, cli
from evalparity.unified_schema.metrics import METRICS
from support.commands import COMMAND, ROOT, environment
from support.judge_server import JudgeServer
from support.replies import reply_to

README = (ROOT / "README.md").read_text(encoding="utf-8")
SERVERS = ("http://localhost:11434/v1", "https://api.openai.com/v1")
"""Addresses in the README that a test cannot call; a server on this machine answers in their place."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    return [line for line in lines if line.startswith("evalparity ")]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples, and the suite that the README shows."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "examples", folder / "examples")
    (suite,) = blocks("yaml")
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_every_command_of_the_readme_runs(place: Path) -> None:
    assert len(commands()) >= 8
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        for command in commands():
            line = command
            for address in SERVERS:
                line = line.replace(address, server.url)
            done = subprocess.run(
                [str(COMMAND), *shlex.split(line)[1:]],
                cwd=place,
                env=environment(EVALPARITY_JUDGE_API_KEY="any-key-will-do-here"),
                capture_output=True,
                text=True,
                timeout=200,
                check=False,
            )
            # The stand-in judge gives two verdicts to everything, which is too many for some references.
            assert done.returncode in ({0, 3} if "--judge " in command else {0}), (command, done.stderr)
            assert done.stdout, command
            assert "Traceback" not in done.stderr, command


def test_make_demo_is_the_command_whose_output_is_shown() -> None:
    planned = subprocess.run(["make", "-n", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "evalparity run examples/refund_policy/suite.yaml --out runs/demo" in planned
    assert blocks("console")[0] == "$ make demo\n"


def test_every_command_is_in_the_readme() -> None:
    names = [name for name in cli.commands if name != "adapters"] + [f"adapters {name}" for name in adapters.commands]
    for name in [*names, "adapters"]:
        assert f"`evalparity {name}" in README, name


PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")))]


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_metric_is_explained_by_the_table() -> None:
    table = subprocess.run(
        [str(COMMAND), "adapters", "--table"], env=environment(), capture_output=True, text=True, check=True
    )
    for metric in METRICS.values():
        assert f"{metric.name}: {metric.definition[:40]}" in table.stdout
    assert max(map(len, table.stdout.splitlines())) <= 100
