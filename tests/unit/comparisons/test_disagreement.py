import pytest

from evalparity.comparisons.comparing.disagreement import Limits, find_disagreements, find_unresolved


def find(make, *cells, **limits):
    bindings = {cell.scorer: make.binding(cell.framework) for cell in cells}
    return find_disagreements(cells, bindings, Limits(**limits)), find_unresolved(cells, bindings, Limits(**limits))


def gap_of(make, a, b, verdicts_a="", verdicts_b="", **limits):
    cells = (make.cell("ragas", a, verdicts=verdicts_a), make.cell("deepeval", b, verdicts=verdicts_b))
    found, _ = find(make, *cells, **limits)
    return found[0].gap if found else None


@pytest.mark.parametrize(("a", "b", "gap"), [(0.7, 1.0, 0.3), (1.0, 0.7, 0.3), (0.71, 1.0, None), (0.5, 0.5, None)])
def test_a_gap_is_flagged_from_the_limit_on(make, a, b, gap):
    assert gap_of(make, a, b) == (pytest.approx(gap) if gap else None)


def test_the_limit_is_settable(make):
    assert gap_of(make, 0.9, 1.0, min_gap=0.1) == pytest.approx(0.1)
    assert gap_of(make, 0.0, 0.9, min_gap=0.95) is None


@pytest.mark.parametrize(
    ("a", "b", "verdicts_a", "verdicts_b", "flagged"),
    [
        (0.5, 1.0, "yn", "yy", False),  # one verdict of two: exactly one item's weight
        (0.5, 1.0, "yyyyynnnnn", "yy", False),  # the scorer with the fewest items decides
        (0.5, 1.0, "yyyyynnnnn", "yyyyyyyyyy", True),
        (1 / 3, 1.0, "ynn", "yyy", True),
        (2 / 3, 1.0, "yyn", "yyy", False),
        (0.0, 1.0, "n", "y", True),  # the whole scale: no gap could be larger
        (0.0, 0.9, "n", "", False),
    ],
)
def test_a_gap_must_be_more_than_one_items_weight(make, a, b, verdicts_a, verdicts_b, flagged):
    assert (gap_of(make, a, b, verdicts_a, verdicts_b) is not None) is flagged


def test_a_gap_within_one_items_weight_is_reported_as_unresolved(make):
    cells = (make.cell("ragas", 0.5, verdicts="yn"), make.cell("deepeval", 1.0, verdicts="yy"))
    found, (unresolved,) = find(make, *cells)
    assert found == ()
    assert (unresolved.gap, unresolved.item_weight) == (0.5, 0.5)
    assert find(make, *cells, min_items=0.5)[1] == ()


def test_the_widest_pair_makes_the_gap_and_all_scores_are_shown(make):
    cells = (make.cell("ragas", 0.2), make.cell("deepeval", 0.9), make.cell("promptfoo", 0.3))
    (one,), _ = find(make, *cells)
    assert one.gap == pytest.approx(0.7)
    assert one.scores == {"ragas:faithfulness": 0.2, "deepeval:faithfulness": 0.9, "promptfoo:faithfulness": 0.3}
    assert (one.unmeasured, one.flipped) == ({}, None)


def test_a_score_on_one_side_only_is_flagged_without_a_gap(make):
    (one,), _ = find(make, make.cell("ragas", 0.5), make.cell("deepeval", 0.6), make.cell("promptfoo", kind="bad_json"))
    assert (one.gap, one.unmeasured) == (None, {"promptfoo:faithfulness": "bad_json"})
    assert one.scores["promptfoo:faithfulness"] is None
    assert [cause.name for cause in one.causes] == ["not_measured"]


def test_no_claims_against_the_convention_is_flagged_in_every_column(make):
    """The refusal that one framework scores 1, one not at all: neither counts as measured."""
    (one,), _ = find(make, make.cell("ragas", kind="no_claims"), make.cell("deepeval", 1.0, flags=("vacuous",)))
    assert one.gap is None
    assert one.unmeasured == {"ragas:faithfulness": "no_claims", "deepeval:faithfulness": "vacuous"}
    assert [cause.name for cause in one.causes] == ["no_claims_convention"]


@pytest.mark.parametrize("flag", ["vacuous", "degraded", "input_missing"])
def test_a_number_that_does_not_count_makes_no_gap(make, flag):
    (one,), _ = find(make, make.cell("ragas", 0.0), make.cell("deepeval", 1.0, flags=(flag,)))
    assert (one.gap, one.unmeasured) == (None, {"deepeval:faithfulness": flag})
    assert one.causes


def test_no_claims_against_a_measured_score_is_flagged(make):
    (one,), _ = find(make, make.cell("ragas", kind="no_claims"), make.cell("promptfoo", 0.0, verdicts="n"))
    assert one.unmeasured == {"ragas:faithfulness": "no_claims"}


def test_all_without_claims_agree(make):
    assert find(make, *(make.cell(name, kind="no_claims") for name in ("ragas", "deepeval")))[0] == ()


def test_nobody_with_a_score_is_no_disagreement(make):
    assert find(make, make.cell("ragas", kind="timeout"), make.cell("deepeval", kind="bad_json"))[0] == ()


@pytest.mark.parametrize("kind", ["framework_absent", "interrupted", "budget"])
def test_what_befalls_the_run_is_no_disagreement_of_a_case(make, kind):
    assert find(make, make.cell("ragas", 0.5), make.cell("deepeval", kind=kind))[0] == ()


@pytest.mark.parametrize("kind", ["no_embedding_model", "missing_field", "unsupported"])
def test_cells_skipped_without_a_judge_are_left_out(make, kind):
    skipped = make.cell("deepeval", kind=kind)
    assert find(make, make.cell("ragas", 0.5), skipped)[0] == ()


def test_a_proxy_makes_no_gap(make):
    assert find(make, make.cell("ragas", 0.0), make.cell("builtin", 1.0, closeness="proxy"))[0] == ()


def test_cases_metrics_and_repeats_are_not_mixed(make):
    cells = (
        make.cell("ragas", 0.0),
        make.cell("deepeval", 1.0, case="c2"),
        make.cell("deepeval", 1.0, metric="context_recall"),
        make.cell("deepeval", 1.0, repeat=1),
    )
    assert find(make, *cells)[0] == ()
