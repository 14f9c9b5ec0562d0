"""The tutorial: its commands are run once, its output is what they print, and what it says of numbers is so."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.commands import ROOT, evalparity

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ evalparity ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)
LEFT_OUT = "…"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the first command in a folder of its own; return the run folder and what was printed."""
    folder = tmp_path_factory.mktemp("tutorial") / "run"
    command, _ = BLOCKS[0]
    ended = evalparity(*in_place(command, folder))
    assert ended.returncode == 0, ended.stderr
    return folder, ended.stdout


def in_place(command: str, folder: Path) -> list[str]:
    return [str(folder) if word == "runs/tutorial" else word for word in shlex.split(command)]


def missing_lines(shown: str, printed: str) -> list[str]:
    """Return the lines of an excerpt that the output does not have at that place; a line of `…` leaves lines out."""
    lines, at, lost = printed.splitlines(), 0, []
    free = True
    for line in shown.splitlines():
        if line == LEFT_OUT:
            free = True
            continue
        places = [n for n in range(at, len(lines)) if lines[n] == line][: 1 if free else None]
        if not places or (not free and places[0] != at):
            lost.append(line)
        else:
            at = places[0] + 1
        free = False
    return lost


def test_an_excerpt_that_is_not_printed_is_found() -> None:
    printed = "one\ntwo\nthree\nfour\n"
    assert missing_lines("one\ntwo\n…\nfour\n", printed) == []
    assert missing_lines("one\nthree\n", printed) == ["three"]
    assert missing_lines("two\n…\none\n", printed) == ["one"]


def test_the_run_prints_what_the_page_shows(run: tuple[Path, str]) -> None:
    assert missing_lines(BLOCKS[0][1], run[1]) == []


@pytest.mark.parametrize(("command", "shown"), BLOCKS[1:], ids=[command.split()[-1] for command, _ in BLOCKS[1:]])
def test_a_case_prints_what_the_page_shows(run: tuple[Path, str], command: str, shown: str) -> None:
    ended = evalparity(*in_place(command, run[0]))
    assert ended.returncode == 0, ended.stderr
    assert missing_lines(shown, ended.stdout) == []


CLAIMS = [
    ("made-up-answer", {"ragas:faithfulness": 0, "promptfoo:context_faithfulness": 0, "deepeval:faithfulness": 1}),
    ("retrieval-miss", {"ragas:context_recall": 0, "deepeval:contextual_recall": 0, "promptfoo:context_recall": 0}),
    ("retrieval-miss", {"ragas:answer_correctness": 0.95}),
    ("right-passage-last", {"ragas:context_precision": 0.25, "ragas:context_recall": 1}),
    ("cut-before-the-prompt", {"ragas:context_recall": 1, "ragas:faithfulness": 1, "promptfoo:factuality": 1}),
    ("dropped-as-duplicate", {"ragas:context_recall": 1, "ragas:faithfulness": 1}),
    ("right-from-memory", {"ragas:answer_correctness": 1, "ragas:faithfulness": 0}),
    ("broken-chain", {"ragas:faithfulness": 1, "ragas:context_recall": 0}),
    ("talks-to-the-judge", {"ragas:faithfulness": 0}),
    ("outdated-version", {"ragas:faithfulness": 1, "deepeval:faithfulness": 1, "ragas:context_recall": 0}),
    ("other-tenants-passage", {"ragas:faithfulness": 1, "deepeval:faithfulness": 1}),
    ("over-budget", {"ragas:faithfulness": 1, "ragas:answer_correctness": 1}),
]


@pytest.mark.parametrize(("case", "scores"), CLAIMS)
def test_the_numbers_that_the_page_speaks_of(run: tuple[Path, str], case: str, scores: dict[str, float]) -> None:
    assert f"`{case}`" in PAGE or f"--case {case}" in PAGE
    found = {cell["scorer"]: cell["score"] for cell in cells(run[0], case)}
    assert {scorer: found[scorer] for scorer in scores} == pytest.approx(scores, abs=0.005)


@pytest.mark.parametrize("case", ["over-budget", "citation-does-not-support"])
def test_where_no_score_sees_the_fault(run: tuple[Path, str], case: str) -> None:
    seen_by = {"faithfulness", "context_recall", "context_precision", "answer_correctness"}
    assert all(cell["score"] > 0.98 for cell in cells(run[0], case) if cell["metric"] in seen_by)


def cells(folder: Path, case: str) -> list[dict[str, Any]]:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return [cell for cell in report["cells"] if cell["case_id"] == case]


# --- the view of a case itself


def test_a_case_that_the_run_has_not(run: tuple[Path, str]) -> None:
    ended = evalparity("report", run[0], "--case", "made-up-anwser")
    assert ended.returncode == 2
    assert ended.stderr == (
        "evalparity: --case made-up-anwser: the run has no such case: did you mean made-up-answer?\n"
    )


def test_several_cases_and_json(run: tuple[Path, str]) -> None:
    two = evalparity("report", run[0], "--case", "over-budget", "--case", "chinese")
    assert re.findall(r"^case (.*)$", two.stdout, re.MULTILINE) == ["over-budget", "chinese"]
    as_json = evalparity("report", run[0], "--case", "chinese", "--format", "json")
    assert json.loads(as_json.stdout) == cells(run[0], "chinese")


@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_line_is_wider_than_the_terminal(run: tuple[Path, str], width: int) -> None:
    from rich.cells import cell_len

    shown = evalparity("report", run[0], "--case", "chinese", "--case", "templates-and-quotes", COLUMNS=str(width))
    assert max(map(cell_len, shown.stdout.splitlines())) <= width


def test_texts_are_shown_only_of_the_suite_that_was_run(run: tuple[Path, str], tmp_path: Path) -> None:
    elsewhere = evalparity("report", run[0], "--case", "over-budget", cwd=tmp_path)
    assert "its texts are not shown: there is no examples/refund_policy/suite.yaml here" in elsewhere.stdout
    assert "ragas:faithfulness" in elsewhere.stdout
    (tmp_path / "examples" / "refund_policy").mkdir(parents=True)
    (tmp_path / "examples" / "refund_policy" / "suite.yaml").write_text("evalparity: 1\n")
    changed = evalparity("report", run[0], "--case", "over-budget", cwd=tmp_path)
    assert "its texts are not shown: examples/refund_policy/suite.yaml has changed since the run" in changed.stdout
