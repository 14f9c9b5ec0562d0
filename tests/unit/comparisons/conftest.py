"""Plain cells, bindings and one planted report; what the frameworks are called here is data."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from evalparity.adapters.base import Binding, Scale
from evalparity.comparisons.comparing.report import Report, build_report
from evalparity.comparisons.running.inputs import InputCheck
from evalparity.comparisons.running.run_info import FrameworkInfo, JudgeInfo, RunInfo, SuiteInfo
from evalparity.unified_schema.outcomes import SKIP_KINDS, Details, Item, JudgeUsage, Outcome

WORDS = {"y": "yes", "n": "no", "u": "unclear", "-": None}


def _binding(framework: str, metric: str = "faithfulness", **fields: Any) -> Binding:
    defaults = {"native_name": metric, "closeness": "similar", "differs": "-", "item": "claim"}
    return Binding(metric=metric, scorer=f"{framework}:{metric}", **(defaults | fields))


def _cell(
    framework: str,
    score: float | None = None,
    *,
    verdicts: str = "",
    case: str = "c1",
    metric: str = "faithfulness",
    **fields: Any,
) -> Outcome:
    """A cell: verdicts as letters (y, n, u, - for none); without a score it is skipped or errored by its kind."""
    items = tuple(Item(kind="claim", text=f"claim {at}", verdict=WORDS[v]) for at, v in enumerate(verdicts))
    kind = fields.get("kind", "bad_json") if score is None else None
    without_score = "skipped" if kind in SKIP_KINDS else "errored"
    status = without_score if score is None else "scored"
    defaults = {
        "case_id": case,
        "metric": metric,
        "scorer": f"{framework}:{metric}",
        "framework": framework,
        "judge_model": "lexical",
        "status": status,
        "kind": kind,
        "raw": score,
        "score": score,
        "closeness": "similar",
        "details": Details(items=items),
    }
    return Outcome.model_validate(defaults | fields)


def _run(frameworks: Sequence[str] = ("ragas", "deepeval", "promptfoo"), **fields: Any) -> RunInfo:
    versions = {"ragas": "0.4.3", "deepeval": "4.3.1", "promptfoo": "0.123.1", "builtin": "0.1.0"}
    judge = JudgeInfo(
        kind="lexical",
        model="lexical",
        embedding_model="lexical",
        temperature=0.0,
        seed=0,
        max_output_tokens=4096,
    )
    defaults = {
        "id": "20260601-120000",
        "created_at": datetime(2026, 6, 1, 12, tzinfo=UTC),
        "suite": SuiteInfo(name="refund-policy", path="suite.yaml", sha256="0" * 64, cases=10),
        "judge": judge,
        "frameworks": {name: FrameworkInfo(name=name, version=versions.get(name)) for name in frameworks},
        "complete": True,
    }
    return RunInfo.model_validate(defaults | fields)


CASES = (
    "correct-answer",
    "drops-the-condition",
    "contradicts",
    "neither-supported-nor-denied",
    "right-refusal",
    "wrong-refusal",
    "chinese-answer",
    "duplicate-chunks",
    "long-answer-eight-facts",
    "braces-and-templates",
)

PLANTED = {
    ("ragas", "faithfulness"): "yyyy yynn nnn ynnn . n yyy yy yyyyyyyn yn",
    ("deepeval", "faithfulness"): "yyyy yyun nnn yuuu . u yyy yy yyyyyyyu y-",
    ("promptfoo", "faithfulness"): "yyyy yynn nnn ynnn n n yyy yy yyyyyyyn !",
    ("ragas", "context_recall"): "yy yn yy yyy y n yy yy yyyn y",
    ("deepeval", "context_recall"): "yy yn yy yyy y n yn yy yyyn y",
    ("promptfoo", "context_recall"): "yy yn yy yyn y n nn yy yyyn y",
}
COSINES = (0.91, 0.83, 0.88, 0.72, 0.0, 0.0, 0.64, 0.9, 0.79, 0.31)


def _planted_cells() -> list[Outcome]:
    cells = [
        _planted(framework, metric, case, verdicts)
        for (framework, metric), column in PLANTED.items()
        for case, verdicts in zip(CASES, column.split(), strict=True)
    ]
    for at, case in enumerate(CASES):
        for framework, shift in (("ragas", 0.0), ("promptfoo", -0.05)):
            score = max(COSINES[at] + shift, 0.0)
            values = tuple(Item(kind="question", text="?", value=score) for _ in range(3))
            cells.append(
                _cell(
                    framework,
                    score,
                    case=case,
                    metric="answer_relevancy",
                    details=Details(items=values),
                    judge=_usage(3, 1, 1),
                )
            )
        cells.append(
            _cell(
                "deepeval",
                1.0 if at not in {4, 5} else 0.5,
                verdicts="yy" if at not in {4, 5} else "yn",
                case=case,
                metric="answer_relevancy",
                judge=_usage(3, 0, 2),
            )
        )
        cells.append(
            _cell("builtin", float(at == 0), case=case, metric="exact_match", judge_model=None)
            if at != 4
            else _cell(
                "builtin",
                case=case,
                metric="exact_match",
                kind="missing_field",
                reason="exact_match needs reference, missing or blank in this case",
            )
        )
    return cells


def _planted(framework: str, metric: str, case: str, verdicts: str) -> Outcome:
    usage = {"case": case, "metric": metric, "judge": _usage(3, 0, len(verdicts))}
    if verdicts == ".":
        if framework == "deepeval":
            return _cell(framework, 1.0, flags=("vacuous",), **usage)
        return _cell(framework, kind="no_claims", reason="the judge found no statements in the output", **usage)
    if verdicts == "!":
        reason = "the judge's reply is not JSON: 'Sure! Here are the verdicts {{'"
        return _cell(framework, kind="bad_json", reason=reason, **usage)
    judged = verdicts.replace("-", "")
    passing = judged.count("y") + (judged.count("u") if framework == "deepeval" else 0)
    flags = ("degraded",) if "-" in verdicts else ()
    return _cell(framework, passing / len(judged), verdicts=verdicts, flags=flags, **usage)


def _usage(calls: int, embeddings: int, size: int) -> JudgeUsage:
    return JudgeUsage(
        calls=calls,
        billed_calls=calls,
        attempts=calls,
        embedding_calls=embeddings,
        input_tokens=700 * calls + 10 * size,
        output_tokens=60 * calls,
        cost_usd=None,
        at_least_usd=0.0,
        unpriced_calls=calls + embeddings,
        requested_usd=None,
        seconds=0.004 * calls,
    )


def _planted_bindings() -> dict[str, Binding]:
    bindings = [
        _binding("ragas", item="statement"),
        _binding("deepeval", empty_score=1.0, unclear_passes=True),
        _binding("promptfoo", item="statement"),
        *(_binding(name, "context_recall", item="sentence") for name in ("ragas", "deepeval", "promptfoo")),
        _binding("ragas", "answer_relevancy", item="question", scale=Scale(cosine=True)),
        _binding("deepeval", "answer_relevancy", item="statement", empty_score=1.0, unclear_passes=True),
        _binding("promptfoo", "answer_relevancy", item="question", scale=Scale(cosine=True)),
        _binding("builtin", "exact_match", item=None, closeness="same"),
    ]
    return {binding.scorer: binding for binding in bindings}


def _planted_report(**fields: Any) -> Report:
    cells = _planted_cells()
    checks = [
        InputCheck(
            case_id=cell.case_id,
            metric=cell.metric,
            scorer=cell.scorer,
            framework=cell.framework,
            rewritten=("output",) if (cell.framework, cell.case_id) == ("promptfoo", CASES[-1]) else (),
        )
        for cell in cells
        if cell.judge.calls and cell.status == "scored"
    ]
    run = _run(("ragas", "deepeval", "promptfoo", "builtin"), **fields)
    return build_report(run, cells, _planted_bindings(), checks, case_order=CASES)


@pytest.fixture
def make() -> SimpleNamespace:
    """Builders: `make.cell`, `make.binding`, `make.run`, `make.planted`, `make.planted_cells`."""
    builders: dict[str, Callable[..., Any]] = {
        "cell": _cell,
        "binding": _binding,
        "run": _run,
        "planted": _planted_report,
        "planted_cells": _planted_cells,
        "planted_bindings": _planted_bindings,
    }
    return SimpleNamespace(**builders, cases=CASES)
