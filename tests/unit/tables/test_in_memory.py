"""Parquet files, and rows that stand in memory: DataFrames, tables, objects of the frameworks."""

from __future__ import annotations

from collections import namedtuple
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pytest

from evalparity.unified_schema import SuiteError, UsageError, load_cases, load_suite
from evalparity.unified_schema.exchange import ReadOptions

ROWS = [
    {"id": "007", "question": "q", "contexts": ["a", "b|c"], "answer": "nan", "labels.f": 3.5, "topic": None},
    {"id": "1e5", "question": "q", "contexts": None, "answer": None, "labels.f": None, "topic": "x"},
]
EXPECTED = [
    {
        "id": "007",
        "input": "q",
        "output": "nan",
        "retrieved_contexts": ({"id": "c1", "text": "a"}, {"id": "c2", "text": "b|c"}),
        "labels": {"f": ({"value": 3.5},)},
    },
    {"id": "1e5", "input": "q", "metadata": {"topic": "x"}},
]


def cases(loaded):
    return [case.model_dump(exclude_defaults=True) for case in loaded.suite.cases]


def test_lists_of_mappings():
    loaded = load_cases(ROWS, name="mine v1.2")
    assert cases(loaded) == EXPECTED
    assert loaded.suite.name == "mine v1.2"
    assert any("question is read as input" in str(note) for note in loaded.notes)


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    before = frame.copy(deep=True)
    assert cases(load_cases(frame)) == EXPECTED
    pandas.testing.assert_frame_equal(frame, before)
    ids = pandas.DataFrame({"id": [1.0, 2.0], "input": ["q", "r"], "output": [pandas.NA, "x"], "t": [pandas.NaT, 1]})
    assert [case.id for case in load_cases(ids).suite.cases] == ["1", "2"]
    assert [case.output for case in load_cases(ids).suite.cases] == [None, "x"]


def test_arrays_numbers_and_gaps_of_numpy():
    row = {
        "id": np.int64(7),
        "input": np.str_("q"),
        "contexts": np.array(["a", None, "b"], dtype=object),
        "labels.f": np.float64("nan"),
    }
    assert cases(load_cases([row])) == [
        {"id": "7", "input": "q", "retrieved_contexts": ({"id": "c1", "text": "a"}, {"id": "c3", "text": "b"})}
    ]


def test_arrow_and_datasets():
    pyarrow = pytest.importorskip("pyarrow")
    assert cases(load_cases(pyarrow.Table.from_pylist(ROWS))) == EXPECTED


@pytest.mark.slow  # DeepEval's import
def test_objects_of_the_frameworks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # DeepEval leaves a folder where it is imported
    test_case = pytest.importorskip("deepeval.test_case").LLMTestCase
    one = test_case(input="q", actual_output="a", context=["ideal"], retrieval_context=["got"], name="n")
    (case,) = load_cases([one]).suite.cases
    assert (case.input, case.output, case.reference_contexts) == ("q", "a", ("ideal",))
    assert [chunk.text for chunk in case.retrieved_contexts] == ["got"]
    assert case.metadata == {"name": "n"}


def test_other_objects():
    @dataclass
    class Sample:
        id: str
        user_input: str

    class Plain:
        def __init__(self):
            self.id, self.input = "c", "q"

    pair = namedtuple("pair", "id question")
    loaded = load_cases([Sample("a", "q"), pair("b", "q"), {"id": "c", "query": "q"}])
    assert [case.id for case in loaded.suite.cases] == ["a", "b", "c"]
    assert [case.id for case in load_cases([Plain()]).suite.cases] == ["c"]


def test_what_is_no_case_is_told_by_number():
    with pytest.raises(SuiteError) as caught:
        load_cases([{"id": "a", "input": "q"}, "text", {"id": "b"}])
    assert [(one.line, one.case) for one in caught.value.problems] == [(2, "#2"), (3, "b")]
    loaded = load_cases([{"id": "a", "input": "q"}, 7], options=ReadOptions(skip_bad_rows=True))
    assert (len(loaded.suite.cases), len(loaded.skipped)) == (1, 1)
    for wrong in ("text", {"id": "a"}, 7, None):
        with pytest.raises(UsageError, match="is no list of cases"):
            load_cases(wrong)


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(ROWS), tmp_path / "s.parquet")
    assert cases(load_suite(tmp_path / "s.parquet")) == EXPECTED
    assert cases(load_suite((tmp_path / "s.parquet").rename(tmp_path / "s"))) == EXPECTED
    whole = (tmp_path / "s").read_bytes()
    for place in range(4, len(whole), 61):
        (tmp_path / "s").write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with suppress(SuiteError):  # and nothing else
            assert load_suite(tmp_path / "s").suite.cases


def test_packages_that_are_missing_are_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "s.parquet").write_bytes(b"PAR1")
    with pytest.raises(UsageError, match=r"pyarrow is needed .*`pip install 'evalparity\[tables\]'`"):
        load_suite(tmp_path / "s.parquet")
