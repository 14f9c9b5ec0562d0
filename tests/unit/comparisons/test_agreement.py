import random
from itertools import permutations

import pytest
from scipy import stats

from evalparity.comparisons.comparing.agreement import measure_agreement


def columns(make, scores, **fields):
    """Cells of scorers by name; None is an errored cell."""
    return [
        make.cell(framework, score, case=f"c{at}", **fields.get(framework, {}))
        for framework, column in scores.items()
        for at, score in enumerate(column)
    ]


def only_pair(make, scores, **fields):
    (agreement,) = measure_agreement(columns(make, scores, **fields))
    (pair,) = agreement.pairs
    return agreement, pair


def test_numbers_of_a_pair(make):
    agreement, pair = only_pair(make, {"ragas": [0.0, 0.5, 1.0, 0.2], "deepeval": [0.1, 0.6, 0.9, 0.0]})
    assert (pair.a, pair.b, pair.n, pair.unpaired, agreement.n) == (
        "ragas:faithfulness",
        "deepeval:faithfulness",
        4,
        0,
        4,
    )
    assert pair.mean_abs_difference == pytest.approx(0.125)
    assert pair.bias == pytest.approx(0.025)
    assert pair.spearman == pytest.approx(0.8)


def test_equal_columns_agree_fully(make):
    _, pair = only_pair(make, {"ragas": [0.0, 0.5, 1.0], "deepeval": [0.0, 0.5, 1.0]})
    assert (pair.spearman, pair.mean_abs_difference, pair.bias) == (1.0, 0.0, 0.0)


def test_missing_cells_are_counted_and_never_filled_in(make):
    _, pair = only_pair(make, {"ragas": [0.0, 0.5, 1.0, None], "deepeval": [0.0, None, 1.0, None]})
    assert (pair.n, pair.unpaired) == (2, 2)
    assert pair.mean_abs_difference == 0.0


@pytest.mark.parametrize("flag", ["vacuous", "degraded", "input_missing"])
def test_a_number_that_is_no_measurement_is_left_out(make, flag):
    cells = columns(make, {"ragas": [0.0, 0.5, 1.0, 0.0], "deepeval": [0.0, 0.5, 1.0]})
    cells.append(make.cell("deepeval", 1.0, case="c3", flags=(flag,)))
    (agreement,) = measure_agreement(cells)
    assert (agreement.n, agreement.pairs[0].n, agreement.pairs[0].mean_abs_difference) == (3, 3, 0.0)


def test_two_cases_give_no_rank_correlation_and_the_reason(make):
    _, pair = only_pair(make, {"ragas": [0.0, 1.0], "deepeval": [0.0, 1.0]})
    assert pair.spearman is None
    assert pair.reasons == ("no rank correlation: 2 cases measured by both, 3 are needed",)


def test_a_constant_column_gives_no_rank_correlation_and_the_reason(make):
    _, pair = only_pair(make, {"ragas": [1.0, 1.0, 1.0], "deepeval": [0.0, 0.5, 1.0]})
    assert pair.spearman is None
    assert pair.reasons == ("no rank correlation: ragas:faithfulness scored 1.00 in all 3 cases",)
    assert pair.mean_abs_difference == pytest.approx(0.5)


def test_nothing_measured_gives_nothing_but_reasons(make):
    _, pair = only_pair(make, {"ragas": [None, None], "deepeval": [0.0, 1.0]})
    assert (pair.n, pair.spearman, pair.mean_abs_difference, pair.bias) == (0, None, None, None)
    assert len(pair.reasons) == 2


def test_a_proxy_is_compared_by_rank_only(make):
    proxy = {"deepeval": {"closeness": "proxy"}}
    _, pair = only_pair(make, {"ragas": [0.0, 0.5, 1.0], "deepeval": [0.0, 0.1, 0.2]}, **proxy)
    assert (pair.spearman, pair.mean_abs_difference, pair.bias) == (1.0, None, None)
    assert "by rank only" in pair.reasons[0]


def test_a_metric_with_one_scorer_has_no_agreement(make):
    assert measure_agreement(columns(make, {"ragas": [0.0, 1.0]})) == ()


def test_what_a_framework_cannot_score_is_no_missing_cell(make):
    cells = columns(make, {"ragas": [0.0, 0.5, 1.0], "deepeval": [0.0, 0.5, 1.0]})
    cells += [make.cell("promptfoo", case=f"c{at}", kind="unsupported") for at in range(3)]
    (agreement,) = measure_agreement(cells)
    assert (agreement.n, len(agreement.pairs)) == (3, 1)


def test_spearman_equals_scipy_and_does_not_depend_on_the_order_of_cases(make):
    draw = random.Random(7)
    a, b = ([draw.choice([0.0, 0.25, 0.5, 1.0]) for _ in range(12)] for _ in range(2))
    _, pair = only_pair(make, {"ragas": a, "deepeval": b})
    assert pair.spearman == pytest.approx(stats.spearmanr(a, b).statistic)
    order = draw.sample(range(12), 12)
    _, shuffled = only_pair(make, {"ragas": [a[i] for i in order], "deepeval": [b[i] for i in order]})
    assert shuffled.spearman == pytest.approx(pair.spearman)
    assert shuffled.bias == pytest.approx(pair.bias)


def test_every_pair_of_three_stands_once(make):
    scores = [0.0, 0.5, 1.0]
    (agreement,) = measure_agreement(columns(make, {"ragas": scores, "deepeval": scores, "promptfoo": scores}))
    named = {(pair.a.split(":")[0], pair.b.split(":")[0]) for pair in agreement.pairs}
    assert len(named) == 3
    assert named < set(permutations(("ragas", "deepeval", "promptfoo"), 2))
