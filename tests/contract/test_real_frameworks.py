"""Rules that every adapter must keep with the real framework running, on the lexical judge and on a broken one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from evalparity.adapters.base import Binding
from evalparity.adapters.judge.ledger import read_calls
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.registry import ADAPTERS, load_adapter
from evalparity.comparisons.running.plan import ALL, Plan, make_plan
from evalparity.comparisons.running.settle import Settled
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import JudgeUsage, Outcome
from support.bench import Bench
from support.cases import HOSTILE_TEXTS, case, hostile_case, suite
from support.judge_faults import Fault, Json, failing
from support.judge_server import JudgeServer
from support.replies import reply_to
from support.runs import plan_cases, run_cases

pytestmark = pytest.mark.slow

LONG = "The quick brown fox number {} jumps over the lazy dog in the year {}. "

_LONG_TEXT = "".join(LONG.format(i, 1900 + i) for i in range(80))
CASES = [
    case("plain"),
    case("long", output=_LONG_TEXT, reference=_LONG_TEXT, retrieved_contexts=[_LONG_TEXT, _LONG_TEXT]),
    case(
        "chinese",
        input="退货期限是多久？",
        output="签收后七天内可以退货。运费由买家承担。",
        reference="签收后七天内可以退货。",
        retrieved_contexts=["签收后七天内可以无理由退货，运费由买家承担。"],
    ),
    case("blank-output", output=" \n"),
    case("no-reference", reference=None),
    case("no-contexts", retrieved_contexts=[]),
    *(hostile_case(name, text) for name, text in HOSTILE_TEXTS.items()),
]


FORMS = {"ragas": "{'type': 'json_object'}"}
"""The `response_format` that a framework sends with every chat call; the others send none."""


@pytest.fixture(scope="module", params=[name for name in ADAPTERS if load_adapter(name).command is not None])
def framework(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def ended(framework: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Settled], Path]:
    """One run of a real framework over a plain, a long, a Chinese, an incomplete and every hostile case."""
    folder = tmp_path_factory.mktemp(framework)
    return run_cases(plan_everything(CASES, framework), folder), folder


@pytest.fixture(scope="module")
def bench(framework: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """The framework in another process than the run above, for the small runs below."""
    with Bench(tmp_path_factory.mktemp(f"bench-{framework}")) as ready:
        yield ready
        assert ready.starts == [framework]


def plan_everything(cases: Sequence[EvalCase], framework: str, judge: JudgeSettings | None = None) -> Plan:
    return plan_cases(cases, frameworks=[framework], metrics=[ALL], scorers=[ALL], judge=judge)


def binding_of(outcome: Outcome) -> Binding:
    scorers = load_adapter(outcome.framework).scorers()
    return next(binding for binding in scorers if binding.scorer == outcome.scorer)


def test_every_planned_cell_ends_once(ended: tuple[list[Settled], Path], framework: str) -> None:
    keys = [(one.outcome.case_id, one.outcome.scorer) for one in ended[0]]
    assert len(keys) == len(set(keys))
    assert len(keys) == (6 + len(HOSTILE_TEXTS)) * len(load_adapter(framework).scorers())


def test_complete_cases_are_scored_between_0_and_1(ended: tuple[list[Settled], Path]) -> None:
    incomplete = {"blank-output", "no-reference", "no-contexts"}
    for one in ended[0]:
        outcome = one.outcome
        if outcome.case_id not in incomplete:
            assert outcome.status == "scored", (outcome.case_id, outcome.scorer, outcome.kind, outcome.reason)
            assert outcome.score is not None
            assert 0.0 <= outcome.score <= 1.0


def test_an_incomplete_case_names_its_field_and_asks_no_judge(
    ended: tuple[list[Settled], Path], framework: str
) -> None:
    skipped = {
        (one.outcome.case_id, one.outcome.metric): one.outcome for one in ended[0] if one.outcome.status == "skipped"
    }
    lacking = {
        "blank-output": {"output"},
        "no-reference": {"reference"},
        "no-contexts": {"prompt_contexts", "retrieved_contexts"},
    }
    assert set(skipped) == {
        (case_id, metric)
        for case_id, fields in lacking.items()
        for metric in load_adapter(framework).bindings
        if fields & set(METRICS[metric].requires)
    }
    for (_case_id, metric), outcome in skipped.items():
        assert outcome.kind == "missing_field"
        assert metric in (outcome.reason or "")
        assert outcome.judge.calls == outcome.judge.embedding_calls == 0


def test_the_judge_is_called_as_often_as_declared(ended: tuple[list[Settled], Path], framework: str) -> None:
    cells = {(cell.case.id, cell.binding.scorer): cell for cell in plan_everything(CASES, framework).cells}
    for one in ended[0]:
        if one.outcome.status != "scored":
            continue
        usage, cell = one.outcome.judge, cells[one.outcome.case_id, one.outcome.scorer]
        if cell.binding.derived_from is not None:
            assert usage == JudgeUsage()
            continue
        assert cell.calls.low <= usage.calls <= cell.calls.high, one.outcome.scorer
        embeddings = cell.binding.embedding_calls
        assert embeddings.low <= usage.embedding_calls <= embeddings.high, one.outcome.scorer
        assert usage.failed_calls == 0
        assert usage.attempts == usage.calls + usage.embedding_calls
        assert bool(usage.input_tokens) == bool(usage.output_tokens) == (usage.calls > 0)


def test_every_text_reached_the_judge_whole(ended: tuple[list[Settled], Path]) -> None:
    asking = [one for one in ended[0] if one.outcome.status == "scored" and binding_of(one.outcome).asks_judge]
    checks = [one.inputs for one in asking]
    assert checks
    for check in checks:
        assert check is not None
        assert check.missing == (), (check.case_id, check.scorer)
    # The one text that one framework is known to change is an answer that parses as JSON.
    assert {check.case_id for check in checks if check is not None and check.rewritten} <= {"hostile-json"}


def test_items_carry_verdicts_and_give_the_score(ended: tuple[list[Settled], Path], framework: str) -> None:
    for one in ended[0]:
        outcome, binding = one.outcome, binding_of(one.outcome)
        if binding.item is None:
            assert not outcome.details.items
            continue
        if outcome.status != "scored" or "vacuous" in outcome.flags:
            continue
        assert outcome.details.items, (outcome.case_id, outcome.scorer)
        assert "inconsistent" not in outcome.flags
        assert {item.kind for item in outcome.details.items} == {binding.item}
        numbers = binding.item in {"question", "rating"}
        assert all((item.value if numbers else item.verdict) is not None for item in outcome.details.items)


def test_the_ledger_holds_every_call_with_its_step(ended: tuple[list[Settled], Path], framework: str) -> None:
    steps = {step.name for step in load_adapter(framework).steps}
    for one in ended[0]:
        outcome = one.outcome
        if binding_of(outcome).derived_from is not None:
            continue
        calls = read_calls(ended[1] / "ledger.sqlite", f"{outcome.scorer} {outcome.case_id}")
        assert len(calls) == outcome.judge.calls + outcome.judge.embedding_calls
        assert {call.step for call in calls if call.kind == "chat"} <= steps


def test_the_same_run_gives_the_same_scores(
    ended: tuple[list[Settled], Path], framework: str, bench: Bench, tmp_path: Path
) -> None:
    again = bench.run_cases(plan_everything([case("plain")], framework), tmp_path)
    before = {o.outcome.scorer: o.outcome.score for o in ended[0] if o.outcome.case_id == "plain"}
    assert {o.outcome.scorer: o.outcome.score for o in again} == before


def test_a_judge_that_is_down_is_an_error_and_never_a_score(framework: str, bench: Bench, tmp_path: Path) -> None:
    down = JudgeSettings(
        model="m",
        url="http://127.0.0.1:9/v1",
        embedding_model="e",
        attempts=1,
        deadline=20,
        api_key="planted-key-1234567",
    )
    settled = bench.run_cases(plan_everything([case()], framework, judge=down), tmp_path, judge=down)
    assert len(settled) == len(load_adapter(framework).scorers())
    kinds = {one.outcome.kind for one in settled if binding_of(one.outcome).asks_judge}
    assert "connect" in kinds  # and once it is known to be down, it is not asked again
    for one in settled:
        if not binding_of(one.outcome).asks_judge:
            assert one.outcome.status == "scored"
            continue
        assert one.outcome.status == "errored"
        assert one.outcome.kind in {"connect", "judge_down"}
        assert one.outcome.score is None
        assert "127.0.0.1" in (one.outcome.reason or "")
    assert "planted-key" not in json.dumps([one.model_dump(mode="json") for one in settled])


def test_a_server_without_structured_output_serves_every_scorer_as_one_with_it(
    framework: str, bench: Bench, tmp_path: Path
) -> None:
    """Which framework asks for which form stands in docs/adr/0015; it decides which scores would be lost."""

    def answer(request: Json, _n: int) -> str | Fault:
        return failing(400, "unknown parameter") if takes_none and "response_format" in request else reply_to(request)

    scores, asked = [], []
    for takes_none in (False, True):
        with JudgeServer(answer) as server:
            judge = JudgeSettings(
                model="m", url=server.url, embedding_model="e", structured_output=() if takes_none else None
            )
            settled = bench.run_cases(plan_everything([case()], framework, judge=judge), tmp_path, judge=judge)
            asked.append({str(request.body.get("response_format")) for request in server.chat_requests})
        scores.append({one.outcome.scorer: (one.outcome.status, one.outcome.score) for one in settled})
    assert {status for status, _ in scores[0].values()} == {"scored"}
    assert scores[0] == scores[1]
    assert asked == [{FORMS.get(framework, "None")}, {"None"}]


def test_an_absent_framework_is_reported_with_the_way_to_install_it(framework: str, tmp_path: Path) -> None:
    adapter = dataclasses.replace(load_adapter(framework), installed_version=lambda: None)
    plan = make_plan(
        suite(case()),
        adapters={framework: adapter},
        versions={framework: None},
        metrics=adapter.bindings,
        has_embeddings=True,
    )
    for one in run_cases(plan, tmp_path):
        assert (one.outcome.status, one.outcome.kind) == ("errored", "framework_absent")
        assert adapter.install_hint in (one.outcome.reason or "")


def test_without_an_embedding_model_only_what_needs_one_is_skipped(
    framework: str, bench: Bench, tmp_path: Path
) -> None:
    judge = JudgeSettings(embedding_model=None)
    settled = bench.run_cases(plan_everything([case()], framework, judge=judge), tmp_path, judge=judge)
    for one in settled:
        needs = not binding_of(one.outcome).embedding_calls.none
        assert (one.outcome.kind == "no_embedding_model") == needs
        assert (one.outcome.status == "scored") == (not needs)
