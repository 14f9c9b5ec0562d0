"""How a plan is shown: numbers to three digits, what is unknown, and what must be known to read it."""

from __future__ import annotations

from typing import Any

import pytest

from evalparity.comparisons.planning.expected import CallRange, ExpectedRow, total_use
from evalparity.comparisons.planning.plan_report import PlanInfo, PlanReport, RefusedCell, RehearsalInfo
from evalparity.comparisons.planning.rehearsal import FailedCell
from evalparity.comparisons.render.plan_terminal import render_plan
from evalparity.comparisons.render.plan_words import about, calls
from evalparity.comparisons.running.run_info import FrameworkInfo, JudgeInfo, PriceInfo, SuiteInfo

JUDGE = JudgeInfo(kind="endpoint", model="m", url="http://x/v1", temperature=0, seed=0, max_output_tokens=9)


def row(**fields: Any) -> ExpectedRow:
    defaults = {
        "framework": "ragas",
        "metric": "faithfulness",
        "scorer": "ragas:faithfulness",
        "closeness": "same",
        "judge": "m",
        "cells": 10,
        "runs": 10,
        "skipped": 0,
        "errored": 0,
        "rehearsed": 5,
        "calls": CallRange(low=10, high=20),
        "input_tokens": 9000,
        "first_input_tokens": 4500,
        "output_tokens": 1000,
        "margin_tokens": 500,
        "cost_usd": 0.5,
        "at_least_usd": 0.5,
    }
    return ExpectedRow.model_validate(defaults | fields)


def shown(*rows: ExpectedRow, width: int = 100, colour: bool = False, **fields: Any) -> str:
    info: dict[str, Any] = {
        "wiring": "stock",
        "repeats": 1,
        "suite": SuiteInfo(name="s", path="s.yaml", sha256="0", cases=10),
        "judges": (JUDGE,),
        "frameworks": {"ragas": FrameworkInfo(name="ragas", version="0.4.3")},
        "prices": PriceInfo(table="t"),
    }
    defaults: dict[str, Any] = {"rehearsal": RehearsalInfo(cases=5, cells=5, waiting={}), "refused": ()}
    info |= {name: fields.pop(name) for name in info if name in fields}
    report = PlanReport(
        plan=PlanInfo.model_validate(info), rows=rows, totals=(), total=total_use(rows), **(defaults | fields)
    )
    return " ".join(render_plan(report, width=width, colour=colour).split())


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (0, "0"),
        (7, "7"),
        (999, "999"),
        (1000, "1k"),
        (1049, "1.05k"),
        (9996, "10k"),
        (12_345, "12.3k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (1_234_567, "1.23M"),
        (5_000_000_000, "5G"),
        (7_654_000_000_000, "7,654G"),
        (None, "unknown"),
    ],
)
def test_tokens_have_three_digits(tokens: int | None, text: str) -> None:
    assert about(tokens).plain == text


def test_calls_are_a_number_or_a_range() -> None:
    assert calls(CallRange(low=1200, high=1200)).plain == "1,200"
    assert calls(CallRange(low=0, high=1200)).plain == "0-1,200"


def test_how_sure_the_tokens_are() -> None:
    text = shown(row())
    assert "a rehearsal of 5 cells (5 of 10 cases)" in text
    assert "+-15 % as every model counts in its own way, +-5 % as not every cell was rehearsed" in text
    assert "50 % of the tokens in belong to first prompts" in text
    assert "as not every cell" not in shown(row(margin_tokens=0))
    assert "not counting how far the cells that were not rehearsed differ" in shown(row(margin_tokens=None))


def test_the_lexical_judge_counts_for_itself() -> None:
    lexical = JUDGE.model_copy(update={"kind": "lexical", "url": None})
    text = shown(row(margin_tokens=0), judges=(lexical,))
    assert "It is this plan's judge: a run uses as many." in text
    assert "+-" not in text


def test_unknown_prices_show_the_least_it_costs() -> None:
    text = shown(
        row(), row(scorer="ragas:b", cost_usd=None, at_least_usd=0.25, unpriced_calls=CallRange(low=3, high=4))
    )
    assert "at least 0.7500" in text
    assert "3-4 calls unpriced: no price is known for this model at this server" in text


def test_what_could_not_be_rehearsed_is_named() -> None:
    failed = FailedCell(case_id="c7", scorer="ragas:faithfulness", kind="unknown_step", reason="a prompt of its own")
    rehearsal = RehearsalInfo(cases=5, cells=5, failed=(failed, failed), waiting={"promptfoo": "fetched on first use"})
    text = shown(row(), rehearsal=rehearsal)
    assert (
        "2 cells could not be rehearsed and are no part of the estimate, such as ragas:faithfulness on case c7" in text
    )
    assert "a prompt of its own" in text
    assert (
        "promptfoo was not rehearsed: it is fetched on first use (`evalparity adapters install` does it now)." in text
    )


def test_tokens_that_nobody_counted_are_unknown_in_every_sum() -> None:
    blind = dict.fromkeys(("input_tokens", "first_input_tokens", "output_tokens", "margin_tokens", "cost_usd"))
    text = shown(row(), row(scorer="ragas:b", **blind, at_least_usd=0, unpriced_calls=CallRange(low=1, high=1)))
    assert "all 20/20 20-40 0 unknown unknown at least 0.5000" in text
    assert "1 calls unpriced: their tokens, or the prices" in text


def test_several_judges_have_a_table_each() -> None:
    judges = (JUDGE.model_copy(update={"name": "small"}), JUDGE.model_copy(update={"name": "big"}))
    text = shown(row(judge="small"), row(judge="big"), row(judge=None, scorer="x:y"), judges=judges, repeats=3)
    first, _, second = text.partition("EXPECTED BY big")
    assert "EXPECTED BY small" in first
    assert "x:y" in first
    assert "x:y" not in second
    assert "3 repeats" in first


def test_many_cases_of_one_reason_are_counted() -> None:
    refused = tuple(
        RefusedCell(
            case_id=f"c{at}",
            metric="context_recall",
            scorer="ragas:context_recall",
            framework="ragas",
            judge="m",
            status="skipped",
            kind="missing_field",
            reason="context_recall needs reference, missing or blank in this case",
        )
        for at in range(40)
    )
    text = shown(row(), refused=refused)
    assert "WILL NOT RUN 40 cells" in text
    assert (
        "40 missing field needs reference, missing or blank in this case context_recall: 40 cases, such as c0" in text
    )
    assert "c39" not in text


def test_colour_is_only_written_where_it_is_asked_for() -> None:
    assert "\x1b[" in shown(row(), colour=True)
    assert "\x1b[" not in shown(row())
