"""The view of one case: hostile texts stay texts, and every line fits."""

from __future__ import annotations

from typing import Literal

import pytest
from rich.cells import cell_len

from evalparity.comparisons.commands.case import ShownCase
from evalparity.comparisons.comparing.disagreement import Unresolved
from evalparity.comparisons.render.case_view import render_cases
from evalparity.comparisons.running.run_info import JudgeInfo
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.outcomes import Details, Item, Outcome

HOSTILE = "\x1b[31mred [bold]markup[/bold] \u202eback\u0000 {{ x }} " + "漢字" * 60
CASE = EvalCase.model_validate(
    {
        "id": "a\x1b[2J",
        "input": HOSTILE,
        "output": HOSTILE,
        "conversation": [{"role": "user", "content": HOSTILE}],
        "retrieved_contexts": [
            {"id": f"d\x1b{n}", "text": HOSTILE, "tenant": HOSTILE, "version": "[red]"} for n in range(3)
        ],
        "stages": [{"name": HOSTILE, "ids": ["d\x1b1"]}],
        "citations": [{"claim": HOSTILE, "id": HOSTILE}],
        "hops": [{"query": HOSTILE, "retrieved": [HOSTILE]}],
        "evidence": [[HOSTILE]],
        "labels": {HOSTILE: [{"value": HOSTILE, "rater": HOSTILE}, {"value": True}, {"value": 0.5}]},
        "access": HOSTILE,
        "usage": {"seconds": 12345.5, "over_budget": False},
    }
)
ITEMS = tuple(Item(kind="claim", text=f"{HOSTILE}{n}", verdict="no") for n in range(20))
CELLS = (
    Outcome(
        case_id="a", metric="faithfulness", scorer="x:faithfulness", framework="x", status="scored", score=0.5,
        closeness="same", flags=("degraded",), details=Details(items=ITEMS, notes=(HOSTILE,)),
    ),
    Outcome(
        case_id="a", metric="faithfulness", scorer="y:faithfulness", framework="y", status="errored", kind="bad_json",
        closeness="same", reason=HOSTILE,
    ),
)  # fmt: skip


def judge(kind: Literal["lexical", "endpoint"], model: str) -> JudgeInfo:
    return JudgeInfo(kind=kind, model=model, temperature=0, seed=0, max_output_tokens=1)


def shown(
    case: EvalCase | None = CASE,
    without: str | None = None,
    unresolved: tuple[Unresolved, ...] = (),
    judges: tuple[JudgeInfo, ...] = (judge("endpoint", HOSTILE),),
) -> ShownCase:
    return ShownCase(
        case_id=CASE.id, case=case, without_texts=without, labels=CASE.labels, scales={}, cells=CELLS,
        disagreements=(), unresolved=unresolved, judges=judges,
    )  # fmt: skip


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize("colour", [True, False])
def test_hostile_texts_stay_texts(width: int, colour: bool) -> None:
    text = render_cases([shown()], width=width, colour=colour)
    if not colour:
        assert "\x1b" not in text
        assert max(map(cell_len, text.splitlines())) <= width
    assert "\x1b[31mred" not in text
    assert "\\x1b[31mred [bold]markup[/bold] \\u202eback\\x00 {{ x }}" in " ".join(text.split())
    assert "… and 8 more in report.json" in text


def test_what_is_missing_is_said() -> None:
    text = render_cases([shown(None, "s.yaml has changed since the run")])
    assert "its texts are not shown: s.yaml has changed since the run" in text
    assert "errored, bad json:" in text


def test_why_there_are_no_texts_is_hostile_too() -> None:
    text = render_cases([shown(None, HOSTILE)])
    assert "\x1b" not in text
    assert "its texts are not shown: \\x1b[31mred [bold]markup" in text


def test_who_judged_is_said_with_the_scores() -> None:
    heads = [
        [line for line in render_cases([shown(judges=judges)]).splitlines() if line.startswith("SCORES")]
        for judges in [(judge("lexical", "lexical"),), (judge("lexical", "lexical"), judge("endpoint", "large-1"))]
    ]
    assert heads == [
        ["SCORES  step by step; judge lexical, no language model"],
        ["SCORES  step by step; judges lexical, no language model; large-1"],
    ]


def test_a_wide_gap_that_is_not_flagged_is_told_once() -> None:
    gaps = [
        Unresolved(case_id="a", metric="faithfulness", judge=judge, repeat=repeat, gap=0.4, item_weight=0.5)
        for judge in (None, "strict")
        for repeat in (0, 1)
    ]
    last = render_cases([shown(unresolved=tuple(gaps))]).splitlines()[-2:]
    assert last == [
        "DISAGREEMENTS  none flagged",
        "not flagged, within the weight of one verdict: faithfulness 0.40, faithfulness 0.40 by strict",
    ]


def test_the_fate_of_each_passage() -> None:
    case = EvalCase.model_validate(
        {
            "id": "a",
            "input": "q",
            "retrieved_contexts": [{"id": name, "text": name} for name in ("d1", "d2", "d3")],
            "stages": {"rerank": ["d1", "d2"], "budget": ["d1"]},
            "evidence": [["d9", "d8"], ["d1"]],
        }
    )
    lines = [" ".join(line.split()) for line in render_cases([shown(case)]).splitlines()]
    assert "1 d1 seen d1" in lines
    assert "2 d2 cut at budget d2" in lines
    assert "3 d3 cut at rerank d3" in lines
    assert "needed and not retrieved: d9 or d8" in lines
    assert "answer: (none recorded)" in lines
