"""Whatever text a suite holds, it comes back from every format code point for code point."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalparity.unified_schema import Chunk, EvalSuite, SuiteError, load_suite
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES
from evalparity.unified_schema.short_forms import CASE_KEYS
from support.suites import SUITES


def written(suite: EvalSuite) -> dict[str, str]:
    data = suite.model_dump(mode="json")
    return {
        "suite.yaml": yaml.safe_dump(data, sort_keys=False),
        "suite.yml": yaml.safe_dump(suite.model_dump(mode="json", exclude_defaults=True), default_flow_style=True),
        "suite.json": json.dumps(data, ensure_ascii=False, indent=1),
        "suite.jsonl": "\n".join(json.dumps(case, ensure_ascii=False) for case in data["cases"]),
        "suite.ndjson": "".join(json.dumps(case) + "\r\n" for case in data["cases"]),
    }


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(SUITES)
def test_a_suite_comes_back_the_same_from_every_format(suite):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in written(suite).items():
            path = Path(folder, name)
            path.write_bytes(text.encode())
            assert load_suite(path).suite == suite


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([".yaml", ".json", ".jsonl"]),
    st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace")),
)
def test_whatever_bytes_there_are_a_suite_or_problems_come_out(ending, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"suite{ending}")
        path.write_bytes(content)
        with contextlib.suppress(SuiteError):  # any other exception is a traceback for a user's mistake
            assert load_suite(path).suite.cases


KEYS = st.sampled_from(
    sorted({*CASE_KEYS, *FOREIGN_NAMES, *Chunk.model_fields, "value", "rater", "any_of", "ids", "zzz"})
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["", "c1", "d1", "2026-01-01"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(KEYS, JUNK, max_size=6), JUNK, JUNK)
def test_wrong_shapes_anywhere_are_problems_with_a_line(case, defaults, label_scales):
    data = {"defaults": defaults, "label_scales": label_scales, "cases": [{"id": "a", "input": "q", **case}, case]}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"s.json": json.dumps(data, indent=1), "s.yaml": yaml.safe_dump(data)}.items():
            path = Path(folder, name)
            path.write_text(text, encoding="utf-8")
            with pytest.raises(SuiteError) as caught:  # the two ids are equal, or one is missing
                load_suite(path)
            assert all(problem.line is not None for problem in caught.value.problems)
