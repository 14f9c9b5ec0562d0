"""The built-in scorers through a whole run: no judge, no process, one outcome per cell."""

from __future__ import annotations

from pathlib import Path

from evalparity.adapters.builtin_adapter.adapter import ADAPTER
from evalparity.comparisons.running.plan import ALL
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import JudgeUsage
from support.cases import HOSTILE_TEXTS, case, hostile_case
from support.runs import plan_cases, run_cases


def test_every_case_is_scored_without_any_call(tmp_path: Path) -> None:
    long = "The quick brown fox jumps over the lazy dog. " * 2000
    cases = [
        case("plain"),
        case("long", output=long, reference=long + "No.", retrieved_contexts=[long]),
        case("chinese", output="签收后七天内可以退货。", reference="七天内可以退货。", retrieved_contexts=["签收。"]),
        case("no-words", output="👍", reference="?!"),
        case("no-reference", reference=None),
        *(hostile_case(name, text) for name, text in HOSTILE_TEXTS.items()),
    ]
    settled = run_cases(plan_cases(cases, frameworks=["builtin"], metrics=[ALL], scorers=[ALL]), tmp_path)

    assert len(settled) == len(cases) * len(ADAPTER.scorers())
    without_score = {
        (one.outcome.case_id, one.outcome.metric): one.outcome.kind for one in settled if one.outcome.status != "scored"
    }
    assert without_score == {
        ("no-words", "rouge_l"): "no_claims",
        **{
            ("no-reference", metric): "missing_field"
            for metric in ADAPTER.bindings
            if "reference" in METRICS[metric].requires
        },
    }
    for one in settled:
        assert one.outcome.judge == JudgeUsage()
        assert one.outcome.judge_model is None
        assert one.inputs is None
