"""The quick way to check a case says no more than the ordinary way does."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from evalparity.unified_schema import SuiteError, load_suite
from evalparity.unified_schema.loading import check_suite
from evalparity.unified_schema.plain_cases import plain_id

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["", " ", "\u200b", "\x00", "a", "é", "e\u0301", "c1"]
)
VALUES = TEXTS | st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.just([]) | st.just({})
MOSTLY = st.one_of(TEXTS, TEXTS, TEXTS, VALUES)
CHUNKS = st.lists(
    st.fixed_dictionaries({}, optional={"id": MOSTLY, "text": MOSTLY, "score": VALUES, "tenant": TEXTS}) | TEXTS,
    max_size=3,
)
CASES = st.fixed_dictionaries(
    {},
    optional={
        "id": MOSTLY,
        "input": MOSTLY,
        "output": MOSTLY,
        "reference": MOSTLY,
        "category": MOSTLY,
        "answerable": st.booleans() | VALUES,
        "retrieved_contexts": CHUNKS | VALUES,
        "question": TEXTS,
        "stages": VALUES,
    },
)
PLAIN = {"id": "a", "input": "q", "output": "o", "retrieved_contexts": [{"id": "d1", "text": "t", "score": 0.5}]}


def written(folder: str, cases: list[object], name: str = "s.jsonl") -> Path:
    path = Path(folder, name)
    path.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    return path


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CASES)
def test_a_plain_case_is_valid_and_gives_no_note(case):
    case_id = plain_id(case)
    event(f"plain: {case_id is not None}")
    if case_id is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        loaded = load_suite(written(folder, [case]))
    assert loaded.notes == ()
    assert loaded.suite.cases[0].id == case_id


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CASES | st.just(PLAIN) | VALUES, max_size=4))
def test_checking_finds_what_loading_finds(cases):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, cases)
        assert found_by_checking(path) == found_by_loading(path)


def found_by_loading(path: Path) -> object:
    try:
        loaded = load_suite(path)
    except SuiteError as refused:
        return refused.problems
    return len(loaded.suite.cases), loaded.notes


def found_by_checking(path: Path) -> object:
    try:
        checked = check_suite(path)
    except SuiteError as refused:
        return refused.problems
    return checked.cases, checked.notes


def test_the_usual_case_is_plain():
    assert plain_id(PLAIN) == "a"
    assert plain_id({"id": "a", "input": "q"}) == "a"


NOT_PLAIN = [
    {"id": "a", "question": "q"},
    {"id": 7, "input": "q"},
    {"id": "é", "input": "q"},
    {"id": " ", "input": "q"},
    {"input": "q"},
    {"id": "a", "input": "q", "output": None},
    {"id": "a", "input": "q", "retrieved_contexts": ["t"]},
    {"id": "a", "input": "q", "retrieved_contexts": [{"id": "d", "text": "t"}, {"id": "d", "text": "u"}]},
    {"id": "a", "input": "q", "retrieved_contexts": [{"id": "d", "text": "t"}, {"id": "e", "text": "t"}]},
    {"id": "a", "input": "q", "retrieved_contexts": [{"id": "d", "text": "t", "score": float("nan")}]},
    {"id": "a", "input": "q", "answerable": "yes"},
]


@pytest.mark.parametrize("case", NOT_PLAIN)
def test_what_needs_a_second_look_is_not_plain(case):
    assert plain_id(case) is None


LINES = [
    b'{"id": "a", "input": "q"}\n{"id": "b", "input": "q", "input": "r"}\n',  # a key twice
    b'{"id": "a", "input": "q"}\n{"id": "b", "input": "\\ud800"}\n',  # half a character
    b'{"id": "a", "input": "q"}\n{"id": "b", "input": "q"} x\n',
    b'{"id": "a", "input": "q"}\n{"id": "b", "input": "\xff"}\n',
    b'{"id": "a", "input": "q"}\n{"id": "a", "input": "q"}\n',
    b'{"id": "a", "input": "q"}\n{"id": "b", "input": ' + b"[" * 5000 + b"\n",
    b'{"id": "a", "input": "q"}\n{"id": "b", "input": ' + b"9" * 5000 + b"}\n",
    b'{"id": "a", "input": "q"}\n\xef\xbb\xbf{"id": "b", "input": "q"}\n',
    b'{"id": "a", "input": "q"}\r\n\r\n  {"id": "b", "input": "\xe2\x80\xa8"}  \r\n{"id": "c", "input": "q"}',
    b"",
]


@pytest.mark.parametrize("content", LINES)
def test_lines_that_need_a_second_look_get_it(tmp_path, content):
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    assert found_by_checking(path) == found_by_loading(path)
