"""What is written as a table or as lines is read as the same cases, and what cannot be held is told."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from evalparity.unified_schema import EvalSuite, SuiteError, load_suite
from evalparity.unified_schema.table_writing import TABLE_WRITERS, TEXT_COLUMNS
from support.suites import SUITES

WRITERS = {writer.name: writer for writer in TABLE_WRITERS}
HOSTILE = [
    "=cmd|' /C calc'!A0", "@SUM(1)", "+1+1", "-2+3", "#N/A", "#REF!", "{{ 7*7 }}", "${HOME}", "file:///etc/passwd",
    "a\0b", "x\u2028y", "it's \"so\"", "😀\ue000\u200b", "_x000D_", "a\rb", "a\r\nb", " x ", "nan", "None", "TRUE",
    "007", "1e5", "['a', 'b']", '["a"]', "a || b", "a|b\nc;d", "\ufeffx", "\ufffe", "1,5", '{"a": 1}',
]  # fmt: skip


def suite_of(**fields: object) -> EvalSuite:
    return EvalSuite.model_validate({"name": "s", "cases": [{"id": "a", "input": "q", **fields}]})


@pytest.mark.parametrize("kind", WRITERS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(suite=SUITES)
def test_every_suite_comes_back(kind, suite):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"suite{WRITERS[kind].endings[0]}"
        losses = WRITERS[kind].write(suite, path)
        lost = {(loss.case, loss.field) for loss in losses if "empty text" in loss.message}
        if any(field == "input" for _, field in lost):
            with pytest.raises(SuiteError):
                load_suite(path)
            return
        back = load_suite(path).suite
    kept = [case.model_copy(update={field: None for name, field in lost if name == case.id}) for case in suite.cases]
    assert list(back.cases) == kept
    assert all(loss.field in TEXT_COLUMNS for loss in losses)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_come_back_from_every_place(tmp_path, kind, text):
    suite = suite_of(
        id=text,
        input=text,
        output=text,
        reference=text,
        category=text,
        reference_contexts=[text, "x"],
        retrieved_contexts=[text],
        relevance={text: 1},
        metadata={text: text},
        conversation=[{"role": "user", "content": text}],
    )
    path = tmp_path / f"s{WRITERS[kind].endings[0]}"
    WRITERS[kind].write(suite, path)
    assert load_suite(path).suite.cases == suite.cases


def test_a_spreadsheet_holds_no_formula(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    WRITERS["xlsx"].write(suite_of(output="=1+1", reference="#REF!"), tmp_path / "s.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "s.xlsx").active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row if cell.value is not None} == {"s"}


def test_what_cannot_be_held_is_told(tmp_path):
    suite = EvalSuite.model_validate(
        {
            "name": "other",
            "corpus": "c.jsonl",
            "label_scales": {"f": {"low": 1, "high": 4}},
            "defaults": {"category": "x"},
            "cases": [{"id": "a", "input": "q", "output": "=1", "reference": ""}, {"id": "b", "input": "y" * 40_000}],
        }
    )
    told = {
        kind: [(one.case, one.field) for one in WRITERS[kind].write(suite, tmp_path / f"s.{kind}")] for kind in WRITERS
    }
    whole = [(None, "name"), (None, "defaults"), (None, "corpus"), (None, "label_scales")]
    assert told["jsonl"] == whole
    assert told["csv"] == [*whole, ("a", "reference"), ("a", "output")]
    assert told["xlsx"] == [*whole, ("a", "reference"), ("b", "input")]
    assert told["parquet"] == [*whole, ("a", "reference")]


def test_texts_that_need_no_json_are_easy_to_read(tmp_path):
    WRITERS["csv"].write(
        suite_of(retrieved_contexts=["a, b", "c"], relevant=["c1"], labels={"f": 1}), tmp_path / "s.csv"
    )
    assert (tmp_path / "s.csv").read_text() == (
        "id,input,retrieved_contexts,relevance,labels\n"
        'a,q,"[""a, b"", ""c""]","{""c1"": 1.0}","{""f"": [{""value"": 1.0}]}"\n'
    )
