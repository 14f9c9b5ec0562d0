"""What becomes of every place for a score in a result file: a cell with its state, or a line that says why not."""

from __future__ import annotations

from collections import Counter

import pytest

from evalparity.adapters.exchange import NativeResults, NativeScore
from evalparity.adapters.registry import adapter_names, load_adapter
from evalparity.comparisons.importing.gathering import FileOfScores, gather
from evalparity.comparisons.importing.joining import joiner
from evalparity.comparisons.importing.settling import import_cells, judges_of
from support.cases import case, suite

BINDINGS = {binding.scorer: binding for name in adapter_names() for binding in load_adapter(name).scorers()}
SUITE = suite(case("a"), case("b"), case("c"))


def score(case_id: str = "a", raw: float | None = None, scorer: str = "ragas:faithfulness", **fields) -> NativeScore:
    place = fields.pop("place", f"row of {case_id}")
    return NativeScore(place=place, case={"id": case_id}, metric="faithfulness", scorer=scorer, raw=raw, **fields)


def gathered(*files: tuple[NativeScore, ...]):
    read = [
        FileOfScores(file=f"file{number}", results=(NativeResults(framework="ragas", version="0.1.9", scores=scores),))
        for number, scores in enumerate(files)
    ]
    return gather(read, joiner(SUITE), BINDINGS)


def outcomes(*files: tuple[NativeScore, ...]):
    return [one.settled.outcome for one in import_cells(gathered(*files), SUITE)]


@pytest.mark.parametrize(
    ("given", "status", "kind", "raw", "number"),
    [
        (score(raw=0.5), "scored", None, 0.5, 0.5),
        (score(raw=0.0), "scored", None, 0.0, 0.0),
        (score(raw=4, scorer="ragas:answer_correctness_rubric"), "scored", None, 4, 0.75),
        (score(raw=-0.2, scorer="ragas:semantic_similarity"), "scored", None, -0.2, 0.0),
        (score(raw=1.0000000001), "scored", None, 1.0000000001, 1.0),
        (score(raw=1.5), "errored", "out_of_range", 1.5, None),
        (score(raw=-1), "errored", "out_of_range", -1, None),
        (score(raw=0.5, scorer="ragas:answer_correctness_rubric"), "errored", "out_of_range", 0.5, None),
        (score(raw=float("nan")), "errored", "framework_error", None, None),
        (score(raw=float("inf")), "errored", "framework_error", None, None),
        (score(), "errored", "framework_error", None, None),
        (score(raw=float("nan"), kind="no_claims", reason="none"), "skipped", "no_claims", None, None),
        (score(kind="timeout", reason="late"), "errored", "timeout", None, None),
        (score(kind="made up", reason="odd"), "errored", "framework_error", None, None),
    ],
)
def test_a_score_is_put_on_the_scale_of_its_scorer_and_a_missing_one_is_never_0(given, status, kind, raw, number):
    found = outcomes((given,))[0]
    assert (found.status, found.kind, found.raw, found.score) == (status, kind, raw, number)
    assert found.reason or kind is None
    assert "read from file0, row of a" in found.details.notes
    assert found.judge.cost_usd is None
    assert found.judge.input_tokens is None


def test_a_case_without_a_row_is_planned_and_says_so():
    found = outcomes((score("a", 0.5),))
    assert [(one.case_id, one.status, one.kind) for one in found] == [
        ("a", "scored", None),
        ("b", "skipped", "not_in_results"),
        ("c", "skipped", "not_in_results"),
    ]
    assert "file0" in found[1].reason


def test_every_place_becomes_a_cell_or_a_line():
    scores = (
        score("a", 0.5),
        score("b", 0.5, place="first"),
        score("b", 0.5, place="again"),
        score("c", 0.2),
        score("c", 0.9),
        score("nobody", 1.0),
        score("a", 0.1, scorer="inspectorraget:RougeL"),
        score("a", None, scorer="ragas:made_up"),
    )
    found = gathered(scores)
    assert Counter(one.why for one in found.unused) == {
        "repeated": 1,
        "contradicting": 2,
        "no_case": 1,
        "unknown_scorer": 2,
    }
    cells = {one.settled.outcome.case_id: one.settled.outcome for one in import_cells(found, SUITE)}
    assert (cells["a"].score, cells["b"].score, cells["c"].score) == (0.5, 0.5, None)
    assert "0.2" in cells["c"].reason
    assert "0.9" in cells["c"].reason
    assert all(one.file == "file0" and one.told for one in found.unused)


def test_files_with_one_scorer_are_its_repeats_in_the_order_given():
    found = outcomes((score("a", 0.5),), (score("a", 0.7), score("b", 0.1)))
    assert [(one.repeat, one.score) for one in found if one.case_id == "a"] == [(0, 0.5), (1, 0.7)]


@pytest.mark.parametrize(
    ("named", "judges"),
    [
        ((None,), ("unknown",)),
        (("gpt",), ("gpt",)),
        (("gpt", None), ("gpt",)),
        (("gpt", "qwen"), ("gpt", "qwen")),
        (("gpt", "qwen", None), ("gpt", "qwen", "unknown")),
    ],
)
def test_judges_are_told_apart_only_where_the_files_do(named, judges):
    files = [(score("a", 0.5, judge_model=name),) for name in named]
    found = gathered(*files)
    assert judges_of(found) == judges
    assert {one.settled.outcome.judge_model for one in import_cells(found, SUITE)} == set(judges)


def test_a_scorer_that_asks_no_judge_has_none():
    (first, *_) = outcomes((score("a", 1.0, scorer="ragas:exact_match", judge_model="gpt"),))
    assert first.judge_model is None


def test_thresholds_are_those_of_the_file_on_the_common_scale():
    found = outcomes((score("a", 4, scorer="ragas:answer_correctness_rubric", threshold=3),))
    assert [(one.threshold, one.verdict) for one in found] == [(0.5, "pass"), (0.5, None), (0.5, None)]
