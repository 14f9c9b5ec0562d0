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
    """Return the lines of an excerpt that the output does not have at that place; a line of `…` leaves lines out.

    An excerpt that neither begins nor ends with `…` is the output from its first line to its last.
    """
    lines, at, lost = printed.splitlines(), 0, []
    free = False
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
    return lost if free else [*lost, *lines[at:]]


def test_an_excerpt_that_is_not_printed_is_found() -> None:
    printed = "one\ntwo\nthree\nfour\n"
    assert missing_lines("one\ntwo\n…\nfour\n", printed) == []
    assert missing_lines("…\ntwo\nthree\n…\n", printed) == []
    assert missing_lines("one\nthree\n…\n", printed) == ["three"]
    assert missing_lines("…\ntwo\n…\none\n…\n", printed) == ["one"]
    assert missing_lines("two\n…\n", printed) == ["two"]
    assert missing_lines("…\ntwo\nthree\n", printed) == ["four"]


def test_every_command_of_the_page_is_one_of_these() -> None:
    assert len(BLOCKS) == PAGE.count("```console") == len(re.findall(r"^\$ ", PAGE, re.MULTILINE))
    assert len(BLOCKS) > 10


def test_the_run_prints_what_the_page_shows(run: tuple[Path, str]) -> None:
    assert missing_lines(BLOCKS[0][1], run[1]) == []


@pytest.mark.parametrize(("command", "shown"), BLOCKS[1:], ids=[command.split()[-1] for command, _ in BLOCKS[1:]])
def test_a_case_prints_what_the_page_shows(run: tuple[Path, str], command: str, shown: str) -> None:
    ended = evalparity(*in_place(command, run[0]))
    assert ended.returncode == 0, ended.stderr
    assert missing_lines(shown, ended.stdout) == []


FAITHFULNESS = ("ragas:faithfulness", "promptfoo:context_faithfulness", "deepeval:faithfulness")
RECALL = ("ragas:context_recall", "deepeval:contextual_recall", "promptfoo:context_recall")
CORRECTNESS = ("ragas:answer_correctness", "deepeval:g_eval_answer_correctness", "promptfoo:factuality")
RELEVANCY = ("ragas:answer_relevancy", "deepeval:answer_relevancy", "promptfoo:answer_relevance")


def given(scorers: tuple[str, ...], *scores: float | None) -> dict[str, float | None]:
    """Return these scores by scorer; one for all where there is only one."""
    return dict(zip(scorers, scores if len(scores) > 1 else scores * len(scorers), strict=True))


CLAIMS = [
    ("made-up-answer", given(FAITHFULNESS, 0, 0, 1)),
    ("made-up-answer", given(RECALL, None)),
    ("asks-back", {**given(FAITHFULNESS, None, None, 1), "builtin:sentence_overlap": 0}),
    ("retrieval-miss", given(RECALL, 0)),
    ("retrieval-miss", given(FAITHFULNESS, None, None, 1)),
    ("retrieval-miss", given(RELEVANCY, 0, 1, 0.89)),
    ("retrieval-miss", {"ragas:answer_correctness": 0.95}),
    ("right-passage-last", {"ragas:context_precision": 0.25, "deepeval:contextual_precision": 0.25}),
    ("right-passage-last", {**given(RECALL, 1), **given(FAITHFULNESS, 1), **given(CORRECTNESS, 1)}),
    ("cut-before-the-prompt", {**given(RECALL, 1), **given(FAITHFULNESS, 1), **given(CORRECTNESS, 0.68, 0.7, 1)}),
    ("dropped-as-duplicate", {**given(RECALL, 1), **given(FAITHFULNESS, 1)}),
    ("dropped-condition", {**given(RECALL, 0), **given(FAITHFULNESS, 1), **given(CORRECTNESS, 0.55, 0, 1)}),
    ("wrong-refusal", {**given(RECALL, 1), **given(RELEVANCY, 0, 0, 0.02)}),
    ("right-refusal", given(RELEVANCY, 0, 0, 0.07)),
    ("another-question", given(RELEVANCY, 0.32, 1, 0.32)),
    ("duplicate-chunks", {"ragas:answer_relevancy": 0.27, **given(CORRECTNESS, 1)}),
    ("right-from-memory", {**given(CORRECTNESS, 1), **given(FAITHFULNESS, 0, 0, 1), **given(RECALL, 0)}),
    ("broken-chain", {**given(FAITHFULNESS, 1), **given(RECALL, 0), **given(CORRECTNESS, 0.53, 0, 0)}),
    ("talks-to-the-judge", {**given(FAITHFULNESS, 0, 0, 0.5), **given(RECALL, 1)}),
    ("outdated-version", {**given(FAITHFULNESS, 1), **given(RECALL, 0), **given(CORRECTNESS, 0.22, 0, 0)}),
    ("other-tenants-passage", given(FAITHFULNESS, 1)),
    ("over-budget", {**given(FAITHFULNESS, 1), **given(RECALL, 1), **given(CORRECTNESS, 1)}),
]


@pytest.mark.parametrize(("case", "scores"), CLAIMS)
def test_the_numbers_that_the_page_speaks_of(run: tuple[Path, str], case: str, scores: dict[str, float | None]) -> None:
    assert f"`{case}`" in PAGE or f"--case {case}" in PAGE
    found = {cell["scorer"]: cell["score"] for cell in cells(run[0], case)}
    without = {scorer for scorer, score in scores.items() if score is None}
    assert {scorer for scorer in scores if found[scorer] is None} == without
    numbers = {scorer: score for scorer, score in scores.items() if score is not None}
    assert {scorer: found[scorer] for scorer in numbers} == pytest.approx(numbers, abs=0.005)


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


def test_a_path_that_cannot_be_looked_at_costs_the_texts_only(run: tuple[Path, str], tmp_path: Path) -> None:
    report = json.loads((run[0] / "report.json").read_text(encoding="utf-8"))
    report["run"]["suite"]["path"] = "x" * 5000 + ".yaml"
    (tmp_path / "report.json").write_text(json.dumps(report), encoding="utf-8")
    ended = evalparity("report", tmp_path, "--case", "over-budget")
    assert ended.returncode == 0, ended.stderr
    assert "its texts are not shown: a path that cannot be opened (File name too long):\nx" in ended.stdout
    assert "ragas:faithfulness" in ended.stdout
