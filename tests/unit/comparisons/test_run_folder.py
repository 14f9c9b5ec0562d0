"""Run folders: with repeats and judges, and those of older versions."""

from __future__ import annotations

import dataclasses
import shutil
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.comparing.disagreement import Limits
from evalparity.comparisons.render.terminal import render_terminal
from evalparity.comparisons.run_description import judge_info
from evalparity.comparisons.run_folder import (
    RunFolder,
    RunRecord,
    check_run_folder,
    make_run_folder,
    planned_lines,
    read_report,
    read_settled,
    reopen_run_folder,
)
from evalparity.comparisons.running.plan import Plan, PlannedCell, PlanOptions, choose_adapters, make_plan
from evalparity.comparisons.running.scorer import cell_name
from evalparity.comparisons.running.settle import Failure, settle
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.unified_schema.errors import UsageError
from support.cases import case, suite

OLD = Path(__file__).parents[2] / "data" / "run_of_0_1_0"


def plan(repeats: int = 1) -> Plan:
    adapters, versions = choose_adapters(("ragas", "builtin"))
    return make_plan(
        suite(case("a"), case("b")),
        adapters=adapters,
        versions=versions,
        metrics=("faithfulness", "exact_match"),
        has_embeddings=True,
        options=PlanOptions(repeats=repeats, thresholds={"faithfulness": 0.5}, scorers=("ragas:faithfulness",)),
    )


@pytest.fixture
def folder(make, tmp_path) -> tuple[RunFolder, tuple[JudgePlan, ...]]:
    """The folder of a run with two judges and two repeats, before anything has ended."""
    judges = tuple(JudgeSettings(label=name) for name in ("mild", "strict"))
    both = plan(2)
    judged = dataclasses.replace(both, cells=tuple(cell for cell in both.cells if cell.binding.asks_judge))
    plans = (JudgePlan(judge=judges[0], plan=both), JudgePlan(judge=judges[1], plan=judged))
    first, second = (judge_info(judge) for judge in judges)
    info = make.run(("ragas", "builtin"), judge=first, other_judges=(second,), repeats=2, created_at=datetime.now(UTC))
    limits = Limits(min_gap=0.1, min_items=0)
    record = RunRecord(info=info, planned=planned_lines(plans), limits=limits)
    return make_run_folder(tmp_path / "run", record), plans


def test_every_planned_cell_is_reported_whenever_the_run_stopped(folder):
    run, plans = folder
    judged = [(one, cell) for one in plans for cell in one.plan.cells if cell.binding.asks_judge]
    with run.outcomes() as append:
        for one, cell in judged[:3]:
            append(settle(cell, Failure(kind="timeout", reason="r"), None, one.judge.name))
    report = read_report(run.path)
    assert report == run.finish(complete=False)
    keys = [(cell.case_id, cell.scorer, cell.judge_model, cell.repeat) for cell in report.cells]
    planned = sum(len(one.plan.cells) for one in plans)
    assert len(keys) == len(set(keys)) == planned
    kinds = [cell.kind for cell in report.cells]
    assert (kinds.count("timeout"), kinds.count("interrupted")) == (3, planned - 3)
    assert {cell.judge_model for cell in report.cells} == {"mild", "strict", None}
    assert {cell.threshold for cell in report.cells if cell.scorer == "ragas:faithfulness"} == {0.5}
    assert (report.limits.min_gap, report.limits.min_items) == (0.1, 0.0)
    assert "strict" in render_terminal(report)


def test_a_run_of_an_older_version_can_be_read():
    report = read_report(OLD)
    assert (report.run.other_judges, report.run.repeats, report.judge_effects) == ((), 1, ())
    assert [row.judge for row in report.summary] == [None] * len(report.summary)
    assert "faithfulness" in render_terminal(report)


def test_an_unfinished_run_of_an_older_version_can_be_read(tmp_path):
    for name in ("run.json", "outcomes.jsonl"):
        shutil.copy(OLD / name, tmp_path)
    whole = read_report(tmp_path)
    assert whole.cells == read_report(OLD).cells
    assert whole.run.complete
    lines = (tmp_path / "outcomes.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "outcomes.jsonl").write_bytes(b"".join(lines[:-2]))
    part = read_report(tmp_path)
    assert len(part.cells) == len(whole.cells)
    assert sum(cell.kind == "interrupted" for cell in part.cells) == 2
    assert not part.run.complete


def test_no_two_cells_share_a_name_in_the_ledger():
    (binding, *_) = choose_adapters(("ragas",))[0]["ragas"].scorers()
    ids = ("a", "a#1", "#1 a", "@strict a", "a @strict", "1 a", " a", "a repeat 1", "ragas:faithfulness a")
    names = {
        cell_name(
            PlannedCell(case=case(case_id), binding=binding, framework="ragas", repeat=repeat),
            JudgeSettings(label=label),
        )
        for case_id, repeat, label in product(ids, range(12), (None, "strict", "1", "strict#1"))
    }
    assert len(names) == len(ids) * 12 * 4
    assert f"{binding.scorer} a" in names
    assert f"{binding.scorer}#1@strict a" in names


@pytest.mark.parametrize("end", [b'{"outcome": {"case', b"\0" * 500, b"\0" * 500 + b"\n", b'{"a": 1\n\xff\xfe\n', b""])
def test_what_a_loss_of_power_leaves_at_the_end_is_no_cell(folder, end):
    run, plans = folder
    cells = [(one, cell) for one in plans for cell in one.plan.cells][:2]
    with run.outcomes() as append:
        for one, cell in cells:
            append(settle(cell, Failure(kind="timeout", reason="r"), None, one.judge.name))
    file = run.path / "outcomes.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + end)
    assert len(read_settled(run.path)) == 2
    reopen_run_folder(run.path, run.record)
    assert file.read_bytes() == whole


def test_damage_before_the_end_is_told(folder):
    run, plans = folder
    with run.outcomes() as append:
        for cell in plans[0].plan.cells[:2]:
            append(settle(cell, Failure(kind="timeout", reason="r"), None, plans[0].judge.name))
    file = run.path / "outcomes.jsonl"
    file.write_bytes(b'{"outcome": \n' + file.read_bytes())
    with pytest.raises(UsageError, match=r"outcomes\.jsonl:1: the line is damaged"):
        read_settled(run.path)


def test_a_folder_that_cannot_be_is_known_before_anything_is_spent(tmp_path):
    check_run_folder(tmp_path / "new" / "deeper")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    for taken in (tmp_path, tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="--out"):
            check_run_folder(taken)
