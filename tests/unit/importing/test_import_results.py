"""Scores that are there already, as a run: nothing asked, nothing dropped in silence."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import pytest
from scipy import stats

from evalparity.adapters.exchange import NativeResults, NativeScore, ResultReader
from evalparity.comparisons.commands import import_results as command
from evalparity.comparisons.commands.convert import source_and_target
from evalparity.comparisons.render.convert_view import render_imported
from evalparity.comparisons.render.terminal import render_terminal
from evalparity.comparisons.run_folder import read_report
from evalparity.unified_schema import UsageError
from evalparity.unified_schema.exchange import ReadOptions
from evalparity.unified_schema.writing import write_suite
from support.cases import HOSTILE_TEXTS, case, suite
from support.commands import evalparity

MTRAG = Path(__file__).parents[4] / "shared" / "data" / "mtrag_human_100.json"
FIGURES = (0.588, 0.488, 0.724)
"""Spearman, Kendall and Pearson between the recorded faithfulness and the mean human rating."""


def _two_columns(opened) -> tuple[NativeResults, ...]:
    """Read a file of a test: a framework in the first line, then `id score`, a judge behind the framework's name."""
    first, *rows = opened.path.read_text("utf-8").splitlines()
    framework, _, judge = first.removeprefix("scores of ").partition(" ")
    scores = tuple(
        NativeScore(
            place=f"line {number}",
            case={"id": row.split()[0]},
            metric="faithfulness",
            scorer=f"{framework}:faithfulness",
            raw=float(row.split()[1]),
            judge_model=judge or None,
        )
        for number, row in enumerate(rows, start=2)
    )
    labels = (({"id": "a"}, {"faithfulness": {"r1": 4}}), ({"id": "gone"}, {"faithfulness": [1]}))
    version = f"0.{opened.path.stem}.0" if framework == "ragas" else "0.2.0"
    return (NativeResults(framework=framework, version=version, scores=scores, labels=labels, remarks=("a remark",)),)


READER = ResultReader(name="test scores", recognises=lambda opened: opened.path.suffix == ".scores", read=_two_columns)


@pytest.fixture
def bring_in(tmp_path, monkeypatch):
    """Import texts as files, the suite being of cases a, b and c."""
    monkeypatch.setattr(command, "result_readers", lambda: (READER,))
    write_suite(suite(case("a"), case("b"), case("c")), tmp_path / "suite.yaml")

    def bring(*texts: str):
        files = []
        for number, text in enumerate(texts):
            files.append(tmp_path / f"{number}.scores")
            files[-1].write_text(text, "utf-8")
        return command.import_results(files, tmp_path / "suite.yaml", tmp_path / "run", ReadOptions())

    return bring


def test_two_frameworks_are_compared_as_in_any_run(bring_in):
    imported = bring_in("scores of ragas\na 1\nb 0.5\nc 0\n", "scores of deepeval\na 0.2\nb 0.4\nc 0.1\n")
    report = read_report(imported.path)
    assert report == imported.report
    (agreement,) = report.agreement
    assert agreement.n == 3
    assert [one.case_id for one in report.disagreements] == ["a"]
    assert {row.scorer: row.mean for row in report.summary} == {
        "ragas:faithfulness": 0.5, "deepeval:faithfulness": pytest.approx(0.7 / 3),
    }  # fmt: skip
    assert report.cost == ()
    assert report.run.complete
    assert {name: one.version for name, one in report.run.frameworks.items()} == {"ragas": "0.0.0", "deepeval": "0.2.0"}
    assert report.run.judge.kind == "unknown"


def test_the_report_says_that_scores_were_imported(bring_in):
    shown = render_terminal(bring_in("scores of ragas gpt-4\na 1\nb nan\n").report)
    assert "IMPORTED" in shown
    assert "COST" not in shown
    assert "judge gpt-4" in shown
    assert "1/3" in shown


def test_files_of_several_versions_are_told_as_such(bring_in):
    report = bring_in("scores of ragas\na 1\n", "scores of ragas\na 0.5\n").report
    assert report.run.frameworks["ragas"].version == "0.0.0 and 0.1.0"
    assert report.run.repeats == 2


def test_a_lost_report_is_made_again_from_the_folder(bring_in):
    imported = bring_in("scores of ragas\na 1\n")
    (imported.path / "report.json").unlink()
    assert read_report(imported.path) == imported.report


def test_what_was_not_used_is_told_and_listed(bring_in):
    imported = bring_in("scores of ragas\na 1\nzzz 1\na 1\nb 0.1\nb 0.2\n")
    lines = (imported.path / "unused.jsonl").read_text("utf-8").splitlines()
    listed = [(json.loads(line)["place"], json.loads(line)["why"]) for line in lines]
    assert sorted(listed) == [
        ("line 3", "no_case"), ("line 4", "repeated"), ("line 5", "contradicting"), ("line 6", "contradicting"),
    ]  # fmt: skip
    (file,) = imported.report.run.imported
    assert (file.scores, file.used, file.labels, file.kind) == (5, 1, 1, "test scores")
    told = render_imported(imported)
    for part in ("1 of 5 scores used", "a remark", "line 3", "unused.jsonl", "labels.jsonl", "none has", "unknown"):
        assert part in told


def test_human_labels_stand_beside_those_of_the_suite(bring_in):
    imported = bring_in("scores of ragas\na 1\n")
    (line,) = (imported.path / "labels.jsonl").read_text("utf-8").splitlines()
    labels = json.loads(line)
    assert labels["case_id"] == "a"
    assert labels["labels"] == {"faithfulness": [{"value": 4.0, "rater": "r1"}]}
    assert not labels["in_suite"]
    assert "'gone'" in render_imported(imported)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("scores of ragas\nzzz 1\n",), "none of the 1 scores"),
        (("scores of ragas\n",), "no score in these files"),
        (("scores of ragas\na 1\n", "scores of ragas\na 1\n"), "same content"),
    ],
)
def test_nothing_is_written_where_nothing_can_be_used(bring_in, tmp_path, texts, told):
    with pytest.raises(UsageError, match=told):
        bring_in(*texts)
    assert not (tmp_path / "run").exists()


def test_results_and_a_suite_are_asked_for(tmp_path):
    ended = evalparity("convert", "x.json", "--to", "run", cwd=tmp_path)
    assert ended.returncode == 2
    assert "--suite" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("paths", [(), ("one",), ("one", "two", "three")])
def test_a_conversion_has_one_source_and_one_target(paths):
    with pytest.raises(UsageError, match="one SOURCE and one TARGET"):
        source_and_target([Path(path) for path in paths], None, None)


def test_options_of_an_import_are_for_imports_only():
    with pytest.raises(UsageError, match="give --to run"):
        source_and_target([Path("a"), Path("b")], Path("suite.yaml"), None)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("x.json", "no such file"),
        ("nul\0.json", "no such file"),
        ("suite.yaml", "holds no scores that are known here; known are "),
        (".", "holds no scores"),
    ],
)
def test_what_holds_no_scores_is_told(tmp_path, name, told):
    write_suite(suite(case("a")), tmp_path / "suite.yaml")
    with pytest.raises(UsageError, match=told):
        command.import_results([tmp_path / name], tmp_path / "suite.yaml", None, ReadOptions())


def test_hostile_texts_are_shown_as_texts(bring_in, tmp_path, monkeypatch):
    text = HOSTILE_TEXTS["template"] + "\x1b[31m"
    reader = ResultReader(
        name="test scores",
        recognises=lambda _: True,
        read=lambda _: (
            NativeResults(
                framework="ragas",
                scores=(
                    NativeScore(place=text, case={"id": text}, metric=None, scorer=f"x:{text}", raw=1),
                    NativeScore(place=text, case={"id": text}, metric=None, scorer="ragas:faithfulness", raw=1),
                    NativeScore(
                        place=text, case={"id": "a"}, metric=None, scorer="ragas:faithfulness", raw=1, reason=text
                    ),
                ),
            ),
        ),
    )  # fmt: skip
    monkeypatch.setattr(command, "result_readers", lambda: (reader,))
    imported = bring_in("anything")
    assert "\x1b" not in render_imported(imported)
    assert "\x1b" not in render_terminal(imported.report)
    assert imported.report.cells[0].reason == text


@pytest.mark.skipif(not MTRAG.exists(), reason="the shared data folder is not beside the project")
def test_real_recorded_scores_and_ratings_come_in_as_they_are(tmp_path):
    ended = evalparity("convert", MTRAG, "--suite", MTRAG, "--to", "run", "--out", "run", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "300 of 2100 scores used" in ended.stdout
    assert "inspectorraget:RougeL" in ended.stdout
    report = read_report(tmp_path / "run")
    scores = {cell.case_id: cell.score for cell in report.cells}
    assert {cell.scorer for cell in report.cells} == {"ragas:faithfulness"}
    ratings = {}
    for line in (tmp_path / "run" / "labels.jsonl").read_text("utf-8").splitlines():
        labels = json.loads(line)
        assert labels["in_suite"]
        ratings[labels["case_id"]] = fmean(one["value"] for one in labels["labels"]["faithfulness"])
    assert scores.keys() == ratings.keys()
    mine = _figures([scores[one] for one in scores], [ratings[one] for one in scores])
    assert mine == pytest.approx(_figures(*_straight_from_the_file()), abs=1e-12)
    # As this cut of the file gives them; on the whole of it the paper's figures are 0.582, 0.489 and 0.720.
    assert mine == pytest.approx({"spearman": FIGURES[0], "kendall": FIGURES[1], "pearson": FIGURES[2]}, abs=5e-4)


def _figures(scores: list[float], ratings: list[float]) -> dict[str, float]:
    return {
        "spearman": stats.spearmanr(scores, ratings).statistic,
        "kendall": stats.kendalltau(scores, ratings).statistic,
        "pearson": stats.pearsonr(scores, ratings).statistic,
    }


def _straight_from_the_file() -> tuple[list[float], list[float]]:
    """Return recorded scores and mean ratings, read by nothing of ours."""
    pairs = defaultdict(list)
    for one in json.loads(MTRAG.read_text("utf-8"))["evaluations"]:
        given = one["annotations"]
        pairs["scores"].append(given["rl_f"]["composite"]["value"])
        pairs["ratings"].append(fmean(int(rating["value"]) for rating in given["faithfulness"].values()))
    return pairs["scores"], pairs["ratings"]


def test_labels_of_a_result_file_are_shown_with_the_case_beside_the_suites_own(bring_in, tmp_path):
    imported = bring_in("scores of ragas\na 1\nb 0.5\n")
    shown = evalparity("report", imported.path, "--case", "a").stdout
    assert "PEOPLE  human ratings of this answer\nfaithfulness  4 (r1)" in shown
    assert "PEOPLE" not in evalparity("report", imported.path, "--case", "b").stdout
    (tmp_path / "suite.yaml").unlink()
    assert "faithfulness  4 (r1)" in evalparity("report", imported.path, "--case", "a").stdout
    (lost,) = [json.loads(line) for line in (imported.path / "lost_labels.jsonl").read_text().splitlines()]
    assert "belongs to no case" in lost["told"] or "gone" in lost["told"]


def test_damaged_labels_are_told(bring_in):
    imported = bring_in("scores of ragas\na 1\n")
    (imported.path / "labels.jsonl").write_text("{oops\n")
    ended = evalparity("report", imported.path, "--case", "a")
    assert ended.returncode == 2
    assert "labels.jsonl: is damaged" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_rows_of_the_suite_that_were_left_out_are_told_and_listed_and_the_case_is_found_again(bring_in, tmp_path):
    bring_in("scores of ragas\na 1\n")
    table = tmp_path / "s.csv"
    table.write_text("id,input,output,contexts\na,q,o,x|y\nb,q,o,z\n,q,o,z,too,many\n")
    run = tmp_path / "second"
    options = ("--skip-bad-rows", "--list-separator", "|")
    only = ("--framework", "builtin", "--metric", "faithfulness", "--scorer", "all")
    ended = evalparity("run", table, *options, *only, "--out", run)
    assert ended.returncode == 0, ended.stderr
    assert "rows of the suite were left out, for 1 problems listed in skipped.jsonl" in ended.stdout
    (row,) = [json.loads(line) for line in (run / "skipped.jsonl").read_text().splitlines()]
    assert (row["line"], "cells and the header has 4" in row["message"]) == (4, True)
    shown = evalparity("report", run, "--case", "a").stdout
    assert "PASSAGES  2 retrieved" in shown
    report = json.loads((run / "report.json").read_text())
    assert report["run"]["suite"]["reading"] == {"skip_bad_rows": True, "allow_files": False, "list_separator": "|"}
