"""What a plan expects, held against what the gateway then counts for every scorer of every framework that runs."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalparity.adapters.base import Wiring
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import Call, CallKind
from evalparity.adapters.registry import ADAPTERS
from evalparity.comparisons.comparing.cost import CostRow, total_cost
from evalparity.comparisons.planning.expected import CallRange, ExpectedRow, ExpectedUse, expect, total_use
from evalparity.comparisons.planning.extrapolate import estimate_total, evenly
from evalparity.comparisons.planning.rehearsal import Rehearsal, RehearsedCell, choose_sample, rehearse, size_of
from evalparity.comparisons.running.plan import ALL, Plan, PlanOptions, choose_adapters, choose_metrics, make_plan
from evalparity.comparisons.running.run import Limits, Listener
from evalparity.comparisons.running.settle import Settled
from evalparity.unified_schema.cases import EvalCase
from support.bench import Bench
from support.cases import case, suite

CHUNKS = [
    "Goods can be returned within 7 days of delivery.",
    "For returns without a reason the customer pays the shipping.",
    "Once the defect is verified the merchant pays return shipping.",
    "Vouchers are valid for 12 months and cannot be exchanged for money.",
    "The shop opens at 9 in the morning. It closes at 18 in the evening. On Sundays it is closed.",
]
CASES = (
    case("two-contexts"),
    case("one-context", retrieved_contexts=CHUNKS[:1]),
    case("five-contexts", retrieved_contexts=CHUNKS),
    case("blank-context", retrieved_contexts=[CHUNKS[0], " \n", CHUNKS[2]]),
    case(
        "one-in-the-prompt",
        retrieved_contexts=[{"id": c[:9], "text": c} for c in CHUNKS],
        prompt_contexts=["Goods can"],
    ),
    case("no-claims", output="I do not know.", reference="I cannot say."),
    case("no-words", output="?!", reference="..."),
    case("blank-output", output=" \n"),
    case("no-reference", reference=None),
    case("no-contexts", retrieved_contexts=[]),
    case(
        "chinese",
        input="退货期限是多久？",
        output="签收后七天内可以退货。运费由买家承担。",
        reference="签收后七天内可以退货。",
        retrieved_contexts=["签收后七天内可以无理由退货，运费由买家承担。", "商品应当保持完好。"],
    ),
)


def plan_all(cases: tuple[EvalCase, ...] = CASES, *, wiring: Wiring = "stock", repeats: int = 1) -> Plan:
    return plan_for(cases, frameworks=tuple(ADAPTERS), wiring=wiring, repeats=repeats)


def plan_for(
    cases: tuple[EvalCase, ...],
    *,
    frameworks: tuple[str, ...],
    metrics: tuple[str, ...] = (ALL,),
    scorers: tuple[str, ...] = (ALL,),
    wiring: Wiring = "stock",
    repeats: int = 1,
) -> Plan:
    adapters, versions = choose_adapters(frameworks)
    return make_plan(
        suite(*cases),
        adapters=adapters,
        versions=versions,
        metrics=choose_metrics(metrics, adapters),
        has_embeddings=True,
        options=PlanOptions(scorers=scorers, wiring=wiring, repeats=repeats),
    )


def free(_kind: CallKind, _into: int, _out: int) -> float | None:
    return 0.0


def unknown(_kind: CallKind, _into: int, _out: int) -> float | None:
    return None


def a_cent_a_token(_kind: CallKind, into: int, out: int) -> float | None:
    return (into + out) / 100


def chat_only(kind: CallKind, into: int, out: int) -> float | None:
    return (into + out) / 100 if kind == "chat" else None


def by_scorer(rows: tuple[ExpectedRow, ...]) -> dict[str, ExpectedRow]:
    return {row.scorer: row for row in rows}


# What really happens: every scorer of every framework, one run for each wiring.


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with Bench(tmp_path_factory.mktemp("bench")) as ready:
        yield ready


@pytest.fixture(scope="module", params=["stock", "lean"])
def ran(
    request: pytest.FixtureRequest, bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Plan, list[Settled]]:
    plan = plan_all(wiring=request.param)
    return plan, bench.run_cases(plan, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="module")
def rehearsed(ran: tuple[Plan, list[Settled]]) -> Rehearsal:
    plan, _ = ran
    return rehearse(plan, choose_sample(plan, 1000), limits=Limits(), listener=silent())


def silent() -> Listener:
    return Listener(line=lambda _line: None, ended=lambda _settled: None)


def counted(settled: list[Settled]) -> dict[str, CostRow]:
    return {row.scorer: row for row in total_cost([one.outcome for one in settled])}


@pytest.mark.slow
def test_each_cell_calls_as_often_as_the_plan_says(ran: tuple[Plan, list[Settled]]) -> None:
    plan, settled = ran
    outcomes = {(one.outcome.case_id, one.outcome.scorer): one.outcome for one in settled}
    exact = 0
    alone = {
        of_case.id: by_scorer(
            expect(replace(plan, cells=tuple(c for c in plan.cells if c.case is of_case)), JudgeSettings(), None, free)
        )
        for of_case in CASES
    }
    for cell in plan.cells:
        row = alone[cell.case.id][cell.binding.scorer]
        outcome = outcomes[cell.case.id, cell.binding.scorer]
        assert outcome.status != "errored", (outcome.case_id, outcome.scorer, outcome.reason)
        for expected, calls in ((row.calls, outcome.judge.calls), (row.embedding_calls, outcome.judge.embedding_calls)):
            assert expected.low <= calls <= expected.high, (outcome.case_id, outcome.scorer)
            exact += expected.low == expected.high
    assert exact > len(plan.cells)


@pytest.mark.slow
def test_the_totals_are_those_of_the_cost_table(ran: tuple[Plan, list[Settled]], rehearsed: Rehearsal) -> None:
    plan, settled = ran
    rows, cost = by_scorer(expect(plan, JudgeSettings(), rehearsed, free)), counted(settled)
    assert set(rows) == set(cost)
    for scorer, row in rows.items():
        assert row.calls.low <= cost[scorer].calls <= row.calls.high, scorer
        assert row.embedding_calls.low <= cost[scorer].embedding_calls <= row.embedding_calls.high, scorer
        for tokens in ("input_tokens", "output_tokens", "embedding_tokens", "cost_usd"):
            assert getattr(row, tokens) == getattr(cost[scorer], tokens), (scorer, tokens)
        assert row.margin_tokens == 0
    total = total_use(tuple(rows.values()))
    assert total.input_tokens == sum(row.input_tokens or 0 for row in cost.values())
    assert total.output_tokens == sum(row.output_tokens or 0 for row in cost.values())
    assert total.embedding_tokens == sum(row.embedding_tokens or 0 for row in cost.values())
    assert total.cells == len(plan.cells) == len(settled)
    assert total.runs == sum(one.outcome.kind != "missing_field" for one in settled)


@pytest.mark.slow
def test_first_prompts_are_part_of_all_prompts_and_hold_for_any_judge(
    ran: tuple[Plan, list[Settled]], rehearsed: Rehearsal
) -> None:
    rows = expect(ran[0], JudgeSettings(), rehearsed, free)
    asking = [row for row in rows if row.calls.high and not row.reads]
    assert asking
    for row in asking:
        assert row.first_input_tokens is not None
        assert row.input_tokens is not None
        assert 0 < row.first_input_tokens <= row.input_tokens, row.scorer
    single = [row for row in asking if row.calls.low == row.calls.high == row.runs]
    assert all(row.first_input_tokens == row.input_tokens for row in single)


@pytest.mark.slow
def test_no_cell_fails_in_the_rehearsal(rehearsed: Rehearsal) -> None:
    assert rehearsed.failed == ()
    assert rehearsed.cases == len(CASES)


# Calls, from the binding tables alone.


def test_a_scorer_that_reads_another_s_answer_pays_nothing() -> None:
    rows = by_scorer(expect(plan_all(), JudgeSettings(), None, unknown))
    readers = [row for row in rows.values() if row.reads is not None]
    assert readers
    for row in readers:
        assert row.runs == rows[row.reads].runs > 0
        assert row.calls == row.embedding_calls == row.unpriced_calls == CallRange()
        assert (row.input_tokens, row.output_tokens, row.cost_usd) == (0, 0, 0.0)


def test_alone_it_pays_for_the_answer_itself() -> None:
    both = by_scorer(expect(plan_all(), JudgeSettings(), None, unknown))
    reader = next(row for row in both.values() if row.reads is not None)
    alone = plan_for(CASES, frameworks=(reader.framework,), metrics=(reader.metric,), scorers=(reader.scorer,))
    row = by_scorer(expect(alone, JudgeSettings(), None, unknown))[reader.scorer]
    assert row.reads is None
    assert reader.reads is not None
    assert row.calls == both[reader.reads].calls
    assert row.unpriced_calls == row.calls


def test_repeats_multiply_what_asks_a_judge_and_nothing_else() -> None:
    once = by_scorer(expect(plan_all(), JudgeSettings(), None, unknown))
    for scorer, row in by_scorer(expect(plan_all(repeats=3), JudgeSettings(), None, unknown)).items():
        times = 3 if row.judge is not None else 1
        assert row.cells == times * once[scorer].cells
        assert (row.calls.low, row.calls.high) == (times * once[scorer].calls.low, times * once[scorer].calls.high)


def test_skipped_cells_are_counted_and_call_nothing() -> None:
    plan = plan_for((case("a", output=" "), case("b")), frameworks=("ragas",), metrics=("faithfulness",))
    (row,) = expect(plan, JudgeSettings(), None, free)
    assert (row.cells, row.runs, row.skipped, row.errored) == (2, 1, 1, 0)
    assert row.calls.high == plan.cells[-1].calls.high


def test_an_absent_framework_runs_nothing() -> None:
    plan = plan_for((case(),), frameworks=("ragas",), metrics=("faithfulness",))
    absent = make_plan(
        suite(case()), adapters=plan.adapters, versions={"ragas": None}, metrics=plan.metrics, has_embeddings=True
    )
    (row,) = expect(absent, JudgeSettings(), None, free)
    assert (row.runs, row.errored, row.calls) == (0, 1, CallRange())


def test_one_judge_names_the_rows_that_ask_it() -> None:
    for row in expect(plan_all(), JudgeSettings(label="ours", model="m", url="http://x/v1"), None, unknown):
        asks = row.calls.high + row.embedding_calls.high > 0 or row.reads is not None
        assert row.judge == ("ours" if asks else None)


# Tokens and prices, from a rehearsal made by hand.


def call(into: int | None, out: int | None, *, kind: CallKind = "chat", step: str | None = "s", at: int = 0) -> Call:
    return Call(cell="c", ordinal=at, kind=kind, step=step, asked={}, attempts=1, input_tokens=into, output_tokens=out)


def by_hand(*calls: tuple[Call, ...], plan: Plan) -> Rehearsal:
    """The first cells of the one scorer of a plan, with these calls."""
    cells = tuple(
        RehearsedCell(case_id=cell.case.id, size=size_of(cell.case, cell.binding), calls=own)
        for cell, own in zip(plan.cells, calls, strict=False)
    )
    return Rehearsal(cells={plan.cells[0].binding.asked_scorer: cells})


ONE = plan_for((case("a"), case("b")), frameworks=("ragas",), metrics=("answer_relevancy",), scorers=())
CALLS = (
    (call(100, 10), call(100, 10, at=1), call(60, 6, step="later", at=2), call(20, None, kind="embedding", step=None)),
    (call(200, 30), call(40, 4, step="later", at=1)),
)
MODEL = JudgeSettings(model="m", url="http://x/v1", embedding_model="e")


def test_tokens_of_a_lexical_plan_are_those_of_the_rehearsal() -> None:
    (row,) = expect(ONE, JudgeSettings(), by_hand(*CALLS, plan=ONE), free)
    assert (row.input_tokens, row.first_input_tokens, row.output_tokens, row.embedding_tokens) == (500, 400, 60, 20)
    assert (row.rehearsed, row.margin_tokens) == (2, 0)


def test_tokens_of_a_model_are_085_of_the_lexical_judge_s() -> None:
    (row,) = expect(ONE, MODEL, by_hand(*CALLS, plan=ONE), free)
    # Each call is rounded by itself: 85 + 85 + 51 + 170 + 34; 8 + 8 + 5 + 26 + 3 (8.5 and 25.5 go to the even one).
    assert (row.input_tokens, row.output_tokens, row.embedding_tokens) == (425, 50, 17)


@pytest.mark.parametrize(
    ("judge", "embeds"), [(replace(MODEL, embedding_model="lexical"), 20), (JudgeSettings(embedding_model="e"), 17)]
)
def test_judge_and_embeddings_are_counted_apart(judge: JudgeSettings, embeds: int) -> None:
    (row,) = expect(ONE, judge, by_hand(*CALLS, plan=ONE), free)
    assert row.embedding_tokens == embeds
    assert row.input_tokens == (500 if judge.model == "lexical" else 425)


def test_a_cost_is_the_sum_over_calls() -> None:
    (row,) = expect(ONE, JudgeSettings(), by_hand(*CALLS, plan=ONE), a_cent_a_token)
    assert row.at_least_usd == pytest.approx(5.80)
    assert row.cost_usd == pytest.approx(5.80)
    assert row.unpriced_calls == CallRange()


def test_an_unknown_price_is_never_0() -> None:
    (row,) = expect(ONE, JudgeSettings(), by_hand(*CALLS, plan=ONE), unknown)
    assert (row.cost_usd, row.at_least_usd) == (None, 0.0)
    assert row.unpriced_calls == CallRange(
        low=row.calls.low + row.embedding_calls.low, high=row.calls.high + row.embedding_calls.high
    )


def test_a_price_for_the_judge_alone_gives_the_least_it_costs() -> None:
    (row,) = expect(ONE, JudgeSettings(), by_hand(*CALLS, plan=ONE), chat_only)
    assert row.cost_usd is None
    assert row.at_least_usd == pytest.approx(5.60)
    assert row.unpriced_calls == row.embedding_calls


def test_what_was_not_rehearsed_has_unknown_tokens_and_cost_unless_it_is_free() -> None:
    (row,) = expect(ONE, MODEL, None, a_cent_a_token)
    assert (row.input_tokens, row.output_tokens, row.embedding_tokens, row.margin_tokens) == (None,) * 4
    assert row.cost_usd is None
    assert row.unpriced_calls.high == row.calls.high + row.embedding_calls.high
    (row,) = expect(ONE, MODEL, Rehearsal(cells={}), free)
    assert (row.input_tokens, row.cost_usd) == (None, 0.0)


def test_the_rest_is_estimated_from_a_sample() -> None:
    plan = plan_for(
        tuple(case(f"c{at}") for at in range(4)), frameworks=("ragas",), metrics=("answer_relevancy",), scorers=()
    )
    (row,) = expect(plan, JudgeSettings(), by_hand(*CALLS, plan=plan), a_cent_a_token)
    assert (row.input_tokens, row.output_tokens, row.rehearsed) == (1000, 120, 2)
    assert row.cost_usd == pytest.approx(11.60)
    assert row.margin_tokens is None  # two cells do not show how far cells differ


def test_repeats_use_what_the_first_one_does() -> None:
    plan = plan_for((case("a"), case("b")), frameworks=("ragas",), metrics=("answer_relevancy",), scorers=(), repeats=3)
    sample = choose_sample(plan, 10)
    assert {(cell.case.id, cell.repeat) for cell in sample} == {("a", 0), ("b", 0)}
    (row,) = expect(plan, JudgeSettings(), by_hand(*CALLS, plan=replace(plan, cells=sample)), free)
    assert row.input_tokens == 1500


def test_sums_with_an_unknown_part_are_unknown() -> None:
    known = by_scorer(expect(ONE, JudgeSettings(), by_hand(*CALLS, plan=ONE), a_cent_a_token))
    rows = (*known.values(), *expect(ONE, MODEL, None, a_cent_a_token))
    total = total_use(rows)
    assert (total.input_tokens, total.cost_usd) == (None, None)
    assert total.at_least_usd == pytest.approx(5.80)
    assert total.unpriced_calls.high == 2 * (3 + 2)
    assert total.runs == 4


def test_nothing_planned_costs_nothing() -> None:
    total = total_use(())
    assert ExpectedUse.model_validate(total.model_dump(include=set(ExpectedUse.model_fields))) == ExpectedUse()
    assert total.cost_usd == 0.0


# The sample.


def test_the_sample_of_each_scorer_spreads_over_short_and_long_cases() -> None:
    cases = tuple(case(f"c{at:02}", output="Yes. " * (at + 1)) for at in range(30))
    plan = plan_for(cases, frameworks=("ragas", "deepeval", "builtin"), metrics=("faithfulness", "exact_match"))
    sample = choose_sample(plan, 4)
    asking = {cell.binding.asked_scorer for cell in plan.cells if cell.binding.asks_judge}
    assert Counter(cell.binding.scorer for cell in sample) == dict.fromkeys(asking, 4)
    for _, own in itertools.groupby(sample, key=lambda cell: cell.binding.scorer):
        assert [cell.case.id for cell in own] == ["c00", "c10", "c19", "c29"]


def test_cells_that_do_not_run_are_not_rehearsed() -> None:
    cases = (case("no-reference", reference=None), case("whole"))
    plan = plan_for(cases, frameworks=("ragas",), metrics=("context_recall",))
    assert [cell.case.id for cell in choose_sample(plan, 20)] == ["whole"]


def test_a_framework_with_something_to_fetch_is_not_started() -> None:
    plan = plan_for((case(),), frameworks=("ragas", "promptfoo"), metrics=("faithfulness",))
    pending = replace(plan.adapters["promptfoo"], pending=lambda: "fetched on first use")
    waiting = replace(plan, adapters={**plan.adapters, "promptfoo": pending})
    assert {cell.framework for cell in choose_sample(waiting, 20)} == {"ragas"}


def test_a_case_s_size_counts_what_the_scorer_sends_once_and_leaves_out_blank_contexts() -> None:
    plan = plan_for(
        (case(input="one two", output="three", retrieved_contexts=["four five six", "  "]),),
        frameworks=("promptfoo",),
        metrics=("faithfulness",),
    )
    (cell,) = plan.cells
    assert size_of(cell.case, cell.binding) == 6


# From a sample to all.


def test_use_on_a_line_is_found_whole() -> None:
    estimate = estimate_total([(1, 3), (2, 5), (3, 7)], [1, 2, 3, 4, 5])
    assert estimate.total == pytest.approx(sum(1 + 2 * size for size in (1, 2, 3, 4, 5)))
    assert estimate.margin == pytest.approx(0.0)


def test_a_known_estimate_and_its_margin() -> None:
    estimate = estimate_total([(1, 2), (2, 4), (3, 3)], [1, 2, 3, 3, 3, 3])
    # slope 0.5 about (2, 3); mean size 2.5; residuals -0.5, 1, -0.5: variance 1.5 with one degree of freedom.
    assert estimate.total == pytest.approx(6 * (3 + 0.5 * 0.5))
    assert estimate.margin == pytest.approx(12.71 * 6 * (0.5 * 1.5 / 3) ** 0.5)


def test_what_was_seen_whole_is_no_estimate() -> None:
    estimate = estimate_total([(1, 9), (5, 1), (2, 2)], [1, 5, 2])
    assert (estimate.total, estimate.margin) == (12, 0.0)


@pytest.mark.parametrize(
    "sample", [[(5, 10)], [(5, 8), (9, 12)], [(5, 8), (5, 10), (5, 12)], [(1, 12), (2, 10), (3, 8)]]
)
def test_without_a_slope_each_cell_counts_as_the_mean(sample: list[tuple[int, int]]) -> None:
    assert estimate_total(sample, [1, 2, 3, 400]).total == 40


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        estimate_total([], [1, 2])


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(0, 10_000)), min_size=3, max_size=12), st.integers(1, 40))
def test_the_estimate_is_the_least_squares_line_at_the_mean_size(sample: list[tuple[int, int]], more: int) -> None:
    sizes = [size for size, _ in sample] + [7 * at for at in range(more)]
    estimate = estimate_total(sample, sizes)
    xs, ys = [x for x, _ in sample], [y for _, y in sample]
    assert estimate.margin is not None
    assert estimate.margin >= 0
    if len(set(xs)) == 1:
        return
    line = stats.linregress(xs, ys)
    slope = max(0.0, line.slope)
    expected = sum(ys) / len(ys) + slope * (sum(sizes) / len(sizes) - sum(xs) / len(xs))
    assert estimate.total == pytest.approx(max(0.0, len(sizes) * expected), rel=1e-6, abs=1e-6)


@given(st.integers(0, 200), st.integers(1, 60))
def test_places_are_spread_from_the_first_to_the_last(count: int, most: int) -> None:
    places = evenly(count, most)
    assert len(places) == len(set(places)) == min(count, most)
    assert list(places) == sorted(places)
    assert set(places) <= set(range(count))
    if count > most > 1:
        assert (places[0], places[-1]) == (0, count - 1)
        gaps = [after - before for before, after in itertools.pairwise(places)]
        assert max(gaps) - min(gaps) <= 1
