"""Several judges and several repeats: never mixed in one comparison, all of them counted."""

from __future__ import annotations

import random
from itertools import product

import pytest

from evalparity.comparisons.comparing.agreement import measure_agreement
from evalparity.comparisons.comparing.judges_effect import judge_effects
from evalparity.comparisons.comparing.report import build_report
from evalparity.comparisons.comparing.summary import summarise
from evalparity.comparisons.running.run_info import JudgeInfo

JUDGES = ("mild", "strict")


def judge_info(name: str) -> JudgeInfo:
    return JudgeInfo(kind="endpoint", name=name, model="m", temperature=0.0, seed=0, max_output_tokens=9)


@pytest.fixture
def run(make):
    """What a report says of a run with two judges."""
    return make.run(judge=judge_info("mild"), other_judges=(judge_info("strict"),))


def crossed(make, scores: dict[tuple[str, str], str], **fields):
    """Cells by framework and judge: one digit of tenths for each case, `-` for an error."""
    return [
        make.cell(framework, None if digit == "-" else int(digit) / 10, case=f"c{at}", judge_model=judge, **fields)
        for (framework, judge), digits in scores.items()
        for at, digit in enumerate(digits)
    ]


def test_a_pair_is_of_one_judge(make, run):
    cells = crossed(make, {("a", "mild"): "025", ("b", "mild"): "025", ("a", "strict"): "025", ("b", "strict"): "520"})
    report = build_report(run, cells, {}, [], case_order=["c0", "c1", "c2"])
    assert [(one.metric, one.judge) for one in report.agreement] == [
        ("faithfulness", "mild"), ("faithfulness", "strict"),
    ]  # fmt: skip
    mild, strict = (one.pairs for one in report.agreement)
    assert [(pair.a, pair.b, pair.n, pair.spearman) for pair in mild] == [("a:faithfulness", "b:faithfulness", 3, 1.0)]
    assert [(pair.n, pair.spearman) for pair in strict] == [(3, -1.0)]
    assert mild[0].mean_abs_difference == 0.0
    assert strict[0].mean_abs_difference == pytest.approx(1.0 / 3)
    assert {(one.case_id, one.judge, one.gap) for one in report.disagreements} == {
        ("c0", "strict", 0.5), ("c2", "strict", 0.5),
    }  # fmt: skip


def test_summary_and_cost_have_a_row_for_each_judge(make, run):
    cells = crossed(make, {("a", "mild"): "24", ("a", "strict"): "6-"})
    report = build_report(run, cells, {}, [], case_order=["c0", "c1"])
    assert [(row.judge, row.planned, row.measured, row.mean) for row in report.summary] == [
        ("mild", 2, 2, pytest.approx(0.3)), ("strict", 2, 1, pytest.approx(0.6)),
    ]  # fmt: skip
    assert [row.judge for row in report.cost] == ["mild", "strict"]


def test_a_scorer_without_judge_stands_once_and_beside_every_judge(make, run):
    cells = crossed(make, {("a", "mild"): "05", ("a", "strict"): "95"})
    cells += [make.cell("free", 0.5, case=f"c{at}", judge_model=None, closeness="same") for at in range(2)]
    cells += [make.cell(f, 1.0, metric="exact_match", judge_model=None) for f in ("x", "y")]
    report = build_report(run, cells, {}, [], case_order=["c0", "c1"])
    assert [(row.scorer, row.judge) for row in report.summary if row.framework == "free"] == [
        ("free:faithfulness", None)
    ]
    assert [(one.metric, one.judge, one.pairs[0].n) for one in report.agreement] == [
        ("faithfulness", "mild", 2), ("faithfulness", "strict", 2), ("exact_match", None, 1),
    ]  # fmt: skip
    assert [(one.judge, one.gap) for one in report.disagreements] == [("mild", 0.5), ("strict", 0.4)]


def test_a_run_with_one_judge_names_no_judge(make):
    cells = crossed(make, {("a", "lexical"): "09", ("b", "lexical"): "99"})
    report = build_report(make.run(), cells, {}, [], case_order=[])
    rows = (*report.summary, *report.agreement, *report.disagreements, *report.cost)
    assert {row.judge for row in rows} == {None}
    assert report.judge_effects == ()


def test_the_order_in_which_cells_ended_changes_nothing(make, run):
    cells = [
        make.cell(f, at / 10, case=f"c{at}", judge_model=judge, repeat=repeat)
        for f, at, judge, repeat in product("ab", range(4), JUDGES, range(2))
    ]
    shuffled = random.Random(1).sample(cells, len(cells))
    one, other = (build_report(run, some, {}, [], case_order=[f"c{n}" for n in range(4)]) for some in (cells, shuffled))
    assert one == other
    assert [(cell.judge_model, cell.repeat) for cell in one.cells[:4]] == [
        ("mild", 0), ("mild", 1), ("strict", 0), ("strict", 1),
    ]  # fmt: skip


# --- repeats


def test_pairs_and_gaps_are_within_one_repeat(make):
    cells = [make.cell("a", score, repeat=n) for n, score in enumerate((0.0, 1.0))]
    cells += [make.cell("b", score, repeat=n) for n, score in enumerate((0.0, 0.2))]
    report = build_report(make.run(repeats=2), cells, {}, [], case_order=["c1"])
    assert [(one.repeat, one.gap) for one in report.disagreements] == [(1, 0.8)]
    (pair,) = report.agreement[0].pairs
    assert (pair.n, pair.mean_abs_difference) == (2, pytest.approx(0.4))


def test_repeats_of_two_cases_make_no_rank_correlation(make):
    cells = [make.cell(f, at / 2, case=f"c{at}", repeat=n) for f, at, n in product("ab", range(2), range(3))]
    (pair,) = measure_agreement(cells)[0].pairs
    assert (pair.n, pair.spearman) == (6, None)
    assert pair.reasons == ("no rank correlation: 2 cases measured by both, 3 are needed",)


def test_the_spread_over_repeats_is_pooled_within_cases(make):
    # c1: 0.2 and 0.4, s^2 = 0.02, 1 degree of freedom; c2: 0.5, 0.5, 0.8, s^2 = 0.03, 2 degrees; c3: once, none.
    scores = {"c1": (0.2, 0.4), "c2": (0.5, 0.5, 0.8), "c3": (0.9,)}
    cells = [make.cell("a", score, case=case, repeat=n) for case, own in scores.items() for n, score in enumerate(own)]
    cells += [make.cell("a", None, case="c1", repeat=2), make.cell("a", 0.0, case="c3", repeat=1, flags=("vacuous",))]
    (row,) = summarise(cells)
    assert row.repeat_sd == pytest.approx(((1 * 0.02 + 2 * 0.03) / 3) ** 0.5)
    assert (row.planned, row.measured) == (8, 6)


def test_without_a_second_measurement_there_is_no_spread(make):
    assert summarise([make.cell("a", 0.5), make.cell("a", None, repeat=1)])[0].repeat_sd is None
    assert summarise([make.cell("a", 0.5), make.cell("a", 0.5, repeat=1)])[0].repeat_sd == 0.0


# --- what the judge changes


def test_differences_and_shares_by_hand(make):
    # Two cases, two scorers, two judges: x = m + case + framework + judge, without interaction.
    #            a mild  a strict  b mild  b strict      means: case 0.4, 0.6; framework 0.4, 0.6; judge 0.55, 0.45
    #   c0         0.35    0.25      0.55    0.45
    #   c1         0.55    0.45      0.75    0.65
    cells = [
        make.cell(f, round(0.25 + 0.2 * case + 0.2 * (f == "b") + 0.1 * (judge == "mild"), 2), case=f"c{case}",
                  judge_model=judge)
        for case, f, judge in product(range(2), "ab", JUDGES)
    ]  # fmt: skip
    (effect,) = judge_effects(cells, JUDGES)
    assert (effect.n, effect.left_out, effect.scorers) == (2, 0, ("a:faithfulness", "b:faithfulness"))
    assert effect.between_judges == pytest.approx(0.1)
    assert effect.between_frameworks == pytest.approx(0.2)
    # Sums of squares: case 8 x 0.1^2 = 0.08, framework 0.08, judge 8 x 0.05^2 = 0.02, together 0.18.
    shares = effect.shares
    assert (shares.case, shares.framework, shares.judge) == pytest.approx((4 / 9, 4 / 9, 1 / 9))
    assert (shares.left, shares.case_by_framework, shares.case_by_judge) == pytest.approx((0, 0, 0), abs=1e-9)


def test_judges_that_differ_on_one_case_only(make):
    # The strict judge fails c1 alone, for both scorers: case means 1, 0.5; judge means 1, 0.5; grand mean 0.75.
    # SS: total 8 x 0.1875 = 1.5; case 8 x 0.0625 = 0.5; judge 0.5; case by judge 1.5 - 1 = 0.5; framework 0.
    cells = crossed(make, {("a", "mild"): "99", ("a", "strict"): "90", ("b", "mild"): "99", ("b", "strict"): "90"})
    (effect,) = judge_effects(cells, JUDGES)
    third = pytest.approx(1 / 3)
    shares = effect.shares
    assert (shares.case, shares.judge, shares.left, shares.case_by_judge) == (third, third, third, third)
    assert (shares.framework, shares.case_by_framework) == (0.0, 0.0)
    assert effect.between_judges == pytest.approx(0.45)
    assert effect.between_frameworks == 0.0


def test_shares_add_up_and_agree_with_an_oracle(make):
    numpy = pytest.importorskip("numpy")
    draw = random.Random(7)
    judges = ("x", "y", "z")
    cells = [
        make.cell(f, draw.random(), case=f"c{case}", judge_model=judge)
        for case, f, judge in product(range(6), "abcd", judges)
    ]
    shares = judge_effects(cells, judges)[0].shares
    x = numpy.array([cell.score for cell in cells]).reshape(6, 4, 3)
    centred = x - x.mean()
    total = (centred**2).sum()
    case, framework, judge = (
        (centred.mean(axis=axes) ** 2).sum() * size / total for axes, size in (((1, 2), 12), ((0, 2), 18), ((0, 1), 24))
    )
    both = x.mean(axis=1) - x.mean(axis=(1, 2))[:, None] - x.mean(axis=(0, 1))[None, :] + x.mean()
    assert (shares.case, shares.framework, shares.judge) == pytest.approx((case, framework, judge))
    assert shares.case_by_judge == pytest.approx((both**2).sum() * 4 / total)
    assert shares.case + shares.framework + shares.judge + shares.left == pytest.approx(1)
    assert shares.case_by_framework + shares.case_by_judge <= shares.left + 1e-9


def test_only_cases_measured_by_all_count_and_the_others_are_told(make):
    digits = {("a", "mild"): "257", ("a", "strict"): "2-7", ("b", "mild"): "257", ("b", "strict"): "257"}
    cells = crossed(make, digits)
    cells += [make.cell("a", 1.0, case="c3", judge_model=judge, flags=("vacuous",)) for judge in JUDGES]
    (effect,) = judge_effects(cells, JUDGES)
    assert (effect.n, effect.left_out) == (2, 2)
    assert effect.between_judges == 0.0
    assert effect.shares.case == pytest.approx(1)


def test_a_scorer_that_measured_nothing_is_left_out_and_named(make):
    digits = {("a", "mild"): "25", ("a", "strict"): "25", ("b", "mild"): "--", ("b", "strict"): "--"}
    (effect,) = judge_effects(crossed(make, digits), JUDGES)
    assert (effect.scorers, effect.n) == (("a:faithfulness",), 2)
    assert effect.reasons == ("b:faithfulness measured no case and is left out",)
    assert effect.between_frameworks is None
    assert (effect.shares.framework, effect.shares.case_by_framework) == (None, None)
    assert effect.shares.case + effect.shares.judge + effect.shares.left == pytest.approx(1)


@pytest.mark.parametrize(
    ("digits", "n", "told"),
    [
        ({("a", "mild"): "2", ("a", "strict"): "5"}, 1, "1 cases measured by all, 2 are needed"),
        ({("a", "mild"): "55", ("a", "strict"): "55"}, 2, "all scores of the 2 cases are alike"),
        ({("a", "mild"): "55", ("a", "strict"): "--"}, 0, "0 cases measured by all"),
        ({("a", "mild"): "--", ("a", "strict"): "--"}, 0, "0 cases measured by all"),
    ],
)
def test_what_is_not_defined_is_none_and_says_why(make, digits, n, told):
    (effect,) = judge_effects(crossed(make, digits), JUDGES)
    assert (effect.n, effect.shares) == (n, None)
    assert (effect.between_judges is None) == (n == 0)
    assert told in effect.reasons[-1]


def test_repeats_are_averaged_and_none_may_be_missing(make):
    cells = [
        make.cell("a", score, case=case, judge_model=judge, repeat=n)
        for case, judge, own in (
            ("c0", "mild", (0.2, 0.4)), ("c0", "strict", (0.5, 0.5)), ("c1", "mild", (0.1, None)),
            ("c1", "strict", (0.1, 0.1)),
        )
        for n, score in enumerate(own)
    ]  # fmt: skip
    (effect,) = judge_effects(cells, JUDGES)
    assert (effect.n, effect.left_out) == (1, 1)
    assert effect.between_judges == pytest.approx(0.2)


def test_proxies_and_scorers_without_a_judge_take_no_part(make):
    cells = crossed(make, {("a", "mild"): "25", ("a", "strict"): "25"})
    cells += crossed(make, {("p", "mild"): "90", ("p", "strict"): "09"}, closeness="proxy")
    cells += [make.cell("free", 0.9, case=f"c{at}", judge_model=None) for at in range(2)]
    (effect,) = judge_effects(cells, JUDGES)
    assert effect.scorers == ("a:faithfulness",)
    assert effect.between_judges == 0.0
