import json
import random

import jsonschema
import pytest
from pydantic import ValidationError

from evalparity.comparisons.comparing.report import build_report
from evalparity.comparisons.render.json_report import json_pieces, parse_report, render_json, render_schema
from evalparity.comparisons.running.inputs import InputCheck
from evalparity.unified_schema.errors import UsageError
from support.commands import ROOT

SCHEMA = ROOT / "comparisons" / "report.schema.json"

REFRESH = (
    "python -c 'from evalparity.comparisons.render.json_report import render_schema as s; print(s(), end=str())' "
    "> comparisons/report.schema.json"
)


@pytest.fixture
def planted(make):
    return make.planted()


def summary_of(report, scorer):
    return next(row for row in report.summary if row.scorer == scorer)


def test_the_schema_in_the_repository_is_the_schema_of_the_code():
    assert SCHEMA.read_text(encoding="utf-8") == render_schema(), f"refresh it: {REFRESH}"


def test_the_report_holds_to_its_schema(planted):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(render_json(planted)), schema)


@pytest.mark.parametrize("broken", [{"schema_version": 2}, {"extra": 1}, {"cells": None}, {"cost": [{}]}])
def test_the_schema_refuses_what_is_no_report(planted, broken):
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(render_json(planted)) | broken, schema)


def test_the_shape_is_the_promised_one(planted):
    promised = {
        "schema_version": None,
        "run": {"id", "created_at", "wiring", "suite", "judge", "frameworks"},
        "cells": {"case_id", "metric", "scorer", "framework", "judge_model", "repeat", "status", "raw", "score"}
        | {"threshold", "verdict", "closeness", "flags", "kind", "reason", "details", "judge"},
        "summary": {"metric", "scorer", "framework", "planned", "scored", "skipped", "errored", "mean"}
        | {"ci_low", "ci_high", "pass_rate"},
        "agreement": {"metric", "n", "krippendorff_alpha", "pairs"},
        "disagreements": {"case_id", "metric", "scores", "gap", "flipped", "causes"},
        "cost": {"framework", "metric", "scorer", "calls", "billed_calls", "embedding_calls", "input_tokens"}
        | {"output_tokens", "cost_usd", "seconds"},
    }
    data = json.loads(render_json(planted))
    for name, keys in promised.items():
        value = data[name][0] if isinstance(data[name], list) else data[name]
        assert keys is None or keys <= value.keys(), name
    assert {"a", "b", "n", "spearman", "kendall", "mean_abs_difference", "bias", "limits", "kappa", "ac1"} | {
        "mcnemar_p",
        "ci",
    } <= data["agreement"][0]["pairs"][0].keys()
    assert {"name", "grade", "closes", "evidence"} <= data["disagreements"][0]["causes"][0].keys()
    assert {"verified", "rewritten", "missing", "cells"} <= data["inputs"]["promptfoo"].keys()


def test_what_is_not_computed_yet_is_null(planted):
    data = json.loads(render_json(planted))
    pair, row = data["agreement"][0]["pairs"][0], data["summary"][0]
    assert [pair[key] for key in ("kendall", "limits", "kappa", "ac1", "mcnemar_p")] == [None] * 5
    assert [row["ci_low"], row["ci_high"], row["pass_rate"]] == [None] * 3
    assert data["agreement"][0]["krippendorff_alpha"] is None
    assert pair["ci"] == {}


def test_no_number_is_nan_or_infinite(planted):
    def refuse(token):
        raise AssertionError(token)

    json.loads(render_json(planted), parse_constant=refuse)
    with pytest.raises(ValidationError):
        planted.summary[0].model_validate({**planted.summary[0].model_dump(), "mean": float("nan")})


def test_reading_back_gives_the_same_report(planted):
    assert parse_report(render_json(planted), "report.json") == planted


def test_the_pieces_are_the_report_as_pydantic_writes_it_one_cell_at_a_time(make, planted):
    for report in (planted, build_report(make.run(), [], {}, [], case_order=[])):
        pieces = list(json_pieces(report))
        assert "".join(pieces) == report.model_dump_json(indent=2) + "\n"
        assert len(pieces) == len(report.cells) + 2


def test_a_text_that_looks_like_json_does_not_break_the_pieces(make):
    suite = {"name": 'x\n  "cells": []', "path": '"cells": []', "sha256": "0" * 64, "cases": 1}
    cells = [make.cell("ragas", 1.0, case='\n  "cells": []', reason="a\n    b")]
    report = build_report(make.run(suite=suite), cells, {}, [], case_order=[])
    assert parse_report(render_json(report), "report.json") == report


def test_reading_back_bytes_gives_the_same_report(planted):
    assert parse_report(render_json(planted).encode(), "report.json") == planted


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{", "the file as a whole"),
        ("{}", "run"),
        ("[]", "the file as a whole"),
        ('{"schema_version": 9}', "schema_version"),
    ],
)
def test_a_damaged_report_is_refused_with_the_place(text, place):
    with pytest.raises(UsageError, match=f"runs/x/report.json is not a report of this version, at {place}"):
        parse_report(text, "runs/x/report.json")


def test_the_order_in_which_cells_ended_changes_nothing(make, planted):
    draw = random.Random(3)
    cells = make.planted_cells()
    checks = [check for inputs in planted.inputs.values() for check in inputs.cells]
    one, other = (
        build_report(
            planted.run,
            draw.sample(cells, len(cells)),
            make.planted_bindings(),
            draw.sample(checks, len(checks)),
            case_order=make.cases,
        )
        for _ in range(2)
    )
    assert one == other
    assert one.cells == planted.cells


def test_cells_stand_by_case_then_metric_then_framework(planted, make):
    keys = [(cell.case_id, cell.metric, cell.framework) for cell in planted.cells]
    assert [case for case, _, _ in keys[:10]] == [make.cases[0]] * 10
    assert [metric for _, metric, _ in keys[:10:3]] == [
        "faithfulness",
        "answer_relevancy",
        "context_recall",
        "exact_match",
    ]
    assert [framework for _, _, framework in keys[:3]] == ["ragas", "deepeval", "promptfoo"]


def test_two_outcomes_for_one_cell_are_refused(make):
    with pytest.raises(ValueError, match="two outcomes for one cell: case c1, ragas:faithfulness"):
        build_report(make.run(), [make.cell("ragas", 0.5), make.cell("ragas", 0.6)], {}, [], case_order=["c1"])


def test_means_are_over_measured_cells_and_everything_planned_is_counted(planted):
    row = summary_of(planted, "deepeval:faithfulness")
    assert (row.planned, row.scored, row.measured, row.vacuous, row.degraded, row.errored) == (10, 10, 8, 1, 1, 0)
    assert row.mean == pytest.approx((1 + 0.75 + 0 + 1 + 1 + 1 + 1 + 1) / 8)
    row = summary_of(planted, "promptfoo:faithfulness")
    assert (row.planned, row.scored, row.measured, row.errored) == (10, 9, 9, 1)
    row = summary_of(planted, "builtin:exact_match")
    assert (row.planned, row.skipped, row.measured, row.mean) == (10, 1, 9, pytest.approx(1 / 9))
    for row in planted.summary:
        assert row.planned == row.scored + row.skipped + row.errored


def test_a_failed_cell_is_not_zero_and_raises_no_mean(make):
    cells = [make.cell("ragas", 1.0, case="c1"), make.cell("ragas", case="c2")]
    cells += [make.cell("deepeval", case="c1"), make.cell("deepeval", case="c2")]
    ragas, deepeval = build_report(make.run(), cells, {}, [], case_order=["c1", "c2"]).summary
    assert (ragas.mean, ragas.measured, ragas.planned) == (1.0, 1, 2)
    assert (deepeval.mean, deepeval.measured, deepeval.planned) == (None, 0, 2)


def test_every_scored_cell_is_measured_or_counted_under_one_reason(make):
    flags = [(), ("vacuous",), ("degraded",), ("input_missing",), ("vacuous", "input_missing"), ("input_rewritten",)]
    cells = [make.cell("ragas", at / 10, case=f"c{at}", flags=own) for at, own in enumerate(flags)]
    (row,) = build_report(make.run(), cells, {}, [], case_order=[]).summary
    assert (row.measured, row.vacuous, row.degraded, row.input_missing) == (2, 2, 1, 1)
    assert row.measured + row.vacuous + row.degraded + row.input_missing == row.scored == len(flags)
    assert row.mean == pytest.approx((0.0 + 0.5) / 2)


def test_inputs_are_counted_once_per_cell_and_named_where_not_verified(make):
    def check(case, **fields):
        return InputCheck(case_id=case, metric="faithfulness", scorer="ragas:faithfulness", framework="ragas", **fields)

    checks = [
        check("c3", missing=("reference",), rewritten=("output",)),
        check("c2", rewritten=("output",)),
        check("c1"),
    ]
    report = build_report(make.run(), [make.cell("ragas", 1.0)], {}, checks, case_order=["c1", "c2", "c3"])
    inputs = report.inputs["ragas"]
    assert (inputs.checked, inputs.verified, inputs.rewritten, inputs.missing) == (3, 1, 1, 1)
    assert [one.case_id for one in inputs.cells] == ["c2", "c3"]
    assert report.inputs["promptfoo"].checked == 0
