"""Whatever stands in the files of Ragas and DeepEval, what comes out is a suite, scores, or problems."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalparity.adapters.deepeval_adapter.files import FILES as DEEPEVAL
from evalparity.adapters.deepeval_adapter.files_names import CAMEL, OF_RUN, SEVERAL, SINGLE, USAGE
from evalparity.adapters.ragas_adapter.files import FILES as RAGAS
from evalparity.adapters.ragas_adapter.files_columns import OLD_SAMPLE, SAMPLE
from evalparity.adapters.reading import load_any
from evalparity.unified_schema import SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from support.exchange_cases import load_rows

FILES = {"ragas": RAGAS, "deepeval": DEEPEVAL}
NAMES = sorted(
    {*SAMPLE, *OLD_SAMPLE, *SINGLE, *SEVERAL, *CAMEL, *OF_RUN, *USAGE, "input", "turns", "context", "metadata", "name"}
    | {"faithfulness", "id", "testCases", "testRunData", "test_results", "metricsData", "data", "samples", "cases"}
    | {"role", "content", "type", "retrieval_context", "score", "evolution_type", "order", "chunks", "evalparity"}
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
LEAVES |= st.sampled_from(["user", "human", "ai", "a|b", "[", "['a'", '["a"]', "{'a': 1}", "[" * 200, "[{", "1e999"])
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=15,
)
KINDS = st.sampled_from(
    [
        ("user_input", "retrieved_contexts", "retrieved_context_ids"),
        ("user_input", "faithfulness"),
        ("question", "contexts", "evolution_type"),
        ("input", "actual_output", "retrieval_context", "context"),
        ("input", "additional_metadata", "token_cost"),
        ("scenario", "turns", "expected_outcome"),
        ("name", "input", "metricsData", "success"),
    ]
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"content": st.just("x") | JUNK}, optional={"type": LEAVES, "role": LEAVES, "tool_calls": JUNK}
    ),
    min_size=1,
    max_size=4,
)
OWN = st.fixed_dictionaries({"id": LEAVES, "chunks": st.lists(st.dictionaries(st.just("id"), LEAVES), max_size=2)})
VALUES = JUNK | MESSAGES | st.builds(dict, evalparity=OWN)
METRICS = st.lists(
    st.dictionaries(st.sampled_from(["name", "score", "error", "strictMode", "threshold", "reason"]), LEAVES),
    max_size=2,
)
ROW = KINDS.flatmap(
    lambda names: st.builds(
        lambda more, own: {**more, **own},
        st.dictionaries(st.sampled_from(NAMES), JUNK, max_size=4),
        st.fixed_dictionaries({name: METRICS if name == "metricsData" else VALUES for name in names}),
    )
)
ROWS = st.lists(ROW, min_size=1, max_size=2)
RUNS = st.builds(lambda rows: {"testCases": rows}, ROWS) | st.builds(lambda rows: {"test_results": rows}, ROWS)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(FILES)), ROWS)
def test_any_row_is_a_case_or_a_problem(framework, rows):
    with contextlib.suppress(SuiteError):  # any other exception is a traceback for a user's mistake
        assert load_rows(rows, FILES[framework].shapes).suite.cases


@settings(max_examples=150, deadline=None)
@given(JUNK | ROWS | RUNS)
def test_any_document_is_recognised_or_not_and_then_a_suite_or_a_problem(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file.json")
        path.write_text(json.dumps(data), "utf-8")
        with contextlib.suppress(SuiteError):
            assert load_any(path).suite.cases
        read_results(path)


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([".json", ".jsonl", ".csv"]),
    st.binary(max_size=60) | st.text(max_size=60).map(lambda text: f"user_input,faithfulness\n{text}".encode()),
)
def test_any_bytes_are_results_or_not(ending, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"file{ending}")
        path.write_bytes(content)
        read_results(path)


def read_results(path: Path) -> None:
    opened = Opened(path=path, file=str(path), options=ReadOptions())
    for files in FILES.values():
        for reader in files.results:
            if reader.recognises(opened):
                with contextlib.suppress(SuiteError):
                    for results in reader.read(opened):
                        assert all((score.raw is None) == (score.kind is not None) for score in results.scores)


@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv"])
def test_what_is_no_file_holds_no_results(tmp_path, ending):
    for files in FILES.values():
        for reader in files.results:
            for path in (tmp_path / f"missing{ending}", tmp_path):
                assert not reader.recognises(Opened(path=path, file=str(path), options=ReadOptions()))
