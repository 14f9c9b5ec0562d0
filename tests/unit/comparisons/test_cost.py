import pytest

from evalparity.comparisons.comparing.cost import total_cost
from evalparity.unified_schema.outcomes import JudgeUsage, add_amounts, add_counts


def usage(**fields):
    return JudgeUsage(
        **({"calls": 2, "billed_calls": 2, "input_tokens": 10, "output_tokens": 3, "cost_usd": 0.5} | fields)
    )


def test_sums_stand_per_framework_metric_and_scorer(make):
    cells = [
        make.cell("ragas", 0.5, case="c1", judge=usage(seconds=0.25, embedding_calls=1)),
        make.cell("ragas", case="c2", judge=usage(seconds=0.5, failed_calls=1)),
        make.cell("ragas", 0.5, metric="context_recall", judge=usage()),
        make.cell("deepeval", 0.5, judge=usage(calls=7)),
    ]
    first, *others = total_cost(cells)
    assert (first.calls, first.billed_calls, first.failed_calls, first.embedding_calls) == (4, 4, 1, 1)
    assert (first.input_tokens, first.output_tokens, first.cost_usd, first.seconds) == (20, 6, 1.0, 0.75)
    assert [(row.framework, row.metric, row.calls) for row in others] == [
        ("ragas", "context_recall", 2),
        ("deepeval", "faithfulness", 7),
    ]


@pytest.mark.parametrize("field", ["cost_usd", "input_tokens", "output_tokens"])
def test_one_unknown_part_makes_the_sum_unknown_and_no_other(make, field):
    cells = [
        make.cell("ragas", 0.5, case="c1", judge=usage()),
        make.cell("ragas", 0.5, case="c2", judge=usage(**{field: None})),
    ]
    (row,) = total_cost(cells)
    unknown = {name for name in ("cost_usd", "input_tokens", "output_tokens") if getattr(row, name) is None}
    assert unknown == {field}


def test_a_cell_that_asked_nothing_does_not_make_the_sum_unknown(make):
    cells = [make.cell("ragas", 0.5, case="c1", judge=usage()), make.cell("ragas", case="c2", judge=JudgeUsage())]
    assert total_cost(cells)[0].cost_usd == 0.5


def test_no_call_costs_nothing(make):
    (row,) = total_cost([make.cell("builtin", 1.0)])
    assert (row.calls, row.input_tokens, row.cost_usd) == (0, 0, 0.0)


@pytest.mark.parametrize("add", [add_counts, add_amounts])
def test_unknown_is_not_zero(add):
    assert add([1, None, 2]) is None
    assert add([1, 0, 2]) == 3
    assert add([]) == 0
