"""Thresholds: pass rates, and verdicts that differ, whatever the gap."""

from __future__ import annotations

import pytest

from evalparity.comparisons.comparing.disagreement import Limits, find_disagreements, find_unresolved
from evalparity.comparisons.comparing.summary import summarise


def judged(make, framework, score, threshold=0.8, **fields):
    verdict = None if score is None or threshold is None else "pass" if score >= threshold else "fail"
    return make.cell(framework, score, threshold=threshold, verdict=verdict, **fields)


def flag(make, *cells, limits=None):
    bindings = {cell.scorer: make.binding(cell.framework) for cell in cells}
    found = find_disagreements(cells, bindings, limits or Limits())
    return found[0] if found else None


def test_pass_rate_is_over_measured_cells_with_a_threshold(make):
    cells = [judged(make, "a", score, case=f"c{at}") for at, score in enumerate((0.8, 0.79, 1.0, None))]
    cells.append(judged(make, "a", 1.0, case="c4", flags=("vacuous",)))
    (row,) = summarise(cells)
    assert (row.threshold, row.measured, row.pass_rate) == (0.8, 3, pytest.approx(2 / 3))
    assert summarise([make.cell("a", 0.5)])[0].pass_rate is None
    assert summarise([make.cell("a", 0.5)])[0].threshold is None
    (nothing,) = summarise([judged(make, "a", None)])
    assert (nothing.threshold, nothing.pass_rate) == (0.8, None)


def test_a_flip_is_flagged_however_small_the_gap(make):
    one = flag(make, judged(make, "a", 0.75), judged(make, "b", 0.85))
    assert (one.flipped, one.gap) == (True, 0.1)
    (cause,) = one.causes
    assert (cause.name, cause.grade) == ("near_threshold", "consistent")
    assert cause.evidence == "a 0.75 against 0.80: fail; b 0.85 against 0.80: pass; the scores are 0.10 apart"


def test_without_thresholds_there_is_no_flip_and_no_flag(make):
    assert flag(make, make.cell("a", 0.75), make.cell("b", 0.85)) is None
    assert flag(make, make.cell("a", 0.2), make.cell("b", 0.9)).flipped is None
    assert flag(make, judged(make, "a", 0.2), make.cell("b", 0.9)).flipped is None


def test_equal_verdicts_are_no_flip(make):
    assert flag(make, judged(make, "a", 0.85), judged(make, "b", 0.95)) is None
    one = flag(make, judged(make, "a", 0.1), judged(make, "b", 0.7))
    assert (one.flipped, one.gap) == (False, 0.6)


def test_a_flip_by_the_thresholds_alone(make):
    one = flag(make, judged(make, "a", 0.6, 0.5), judged(make, "b", 0.6, 0.7))
    assert (one.flipped, one.gap) == (True, 0.0)
    (cause,) = one.causes
    assert (cause.name, cause.grade) == ("different_thresholds", "confirmed")
    assert cause.evidence.endswith("b 0.60 against 0.70: fail; at one threshold for all they agree")


def test_different_thresholds_that_do_not_explain_the_flip(make):
    # At 0.5 both pass, at 0.7 they differ.
    (cause,) = flag(make, judged(make, "a", 0.75, 0.5), judged(make, "b", 0.6, 0.7)).causes
    assert cause.name == "near_threshold"


def test_a_wide_gap_keeps_its_causes_and_gains_the_thresholds_where_they_explain_the_flip(make):
    cells = (judged(make, "a", 0.0, verdicts="uu"), judged(make, "b", 1.0, verdicts="yy"))
    assert [cause.name for cause in flag(make, *cells).causes] == ["unexplained"]
    # At 0.4 both pass, at 0.95 both fail.
    cells = (judged(make, "a", 0.5, 0.4), judged(make, "b", 0.9, 0.95))
    assert [cause.name for cause in flag(make, *cells).causes] == ["different_thresholds", "unexplained"]


def test_a_cause_of_the_gap_is_told_beside_a_flip(make):
    cells = (judged(make, "a", 0.75, verdicts="yyyu"), judged(make, "b", 1.0, verdicts="yyyu"))
    bindings = {
        "a:faithfulness": make.binding("a", unclear_passes=False),
        "b:faithfulness": make.binding("b", unclear_passes=True),
    }
    (one,) = find_disagreements(cells, bindings, Limits())
    assert [cause.name for cause in one.causes] == ["near_threshold", "ambiguous_claims"]
    assert one.causes[1].grade == "confirmed"


def test_what_does_not_count_flips_nothing(make):
    assert flag(make, judged(make, "a", 0.75), judged(make, "b", 0.85, closeness="proxy")) is None
    one = flag(make, judged(make, "a", 0.75), judged(make, "b", 1.0, flags=("vacuous",)))
    assert (one.flipped, one.gap) == (None, None)


def test_a_flip_within_the_weight_of_one_item_is_flagged_and_not_unresolved(make):
    cells = (judged(make, "a", 0.5, verdicts="yn"), judged(make, "b", 0.9, verdicts="yy"))
    bindings = {cell.scorer: make.binding(cell.framework) for cell in cells}
    assert len(find_disagreements(cells, bindings, Limits())) == 1
    assert find_unresolved(cells, bindings, Limits()) == ()
    plain = tuple(cell.model_copy(update={"verdict": None, "threshold": None}) for cell in cells)
    assert find_disagreements(plain, bindings, Limits()) == ()
    assert len(find_unresolved(plain, bindings, Limits())) == 1
