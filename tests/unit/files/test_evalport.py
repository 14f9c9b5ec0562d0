"""EvalPort suites, there and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings

from evalparity.adapters.reading import load_any
from evalparity.unified_schema import SuiteError
from support.exchange import HOSTILE, SUITES, differences, there_and_back


def suite_file() -> dict:
    return {
        "version": "1.0.0",
        "id": "suite-1",
        "name": "Returns",
        "graders": [{"id": "g", "type": "exact_match"}],
        "config": {"provider": {"model": "m", "api_key_env": "HOME"}},
        "test_cases": [
            {
                "id": "007",
                "input": ["Hello", "How long?"],
                "expected_output": "Seven days.",
                "context": ["Given to the model."],
                "graders": ["g"],
                "metadata": {"category": "policy", "page": 3},
                "tags": ["rag"],
            },
            {"id": "b", "input": "Who pays?", "context": ["x"], "retrieval_context": ["y"], "graders": ["g"]},
        ],
    }


def write(path, data):
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_suite_is_read_by_the_meaning_that_the_format_gives_its_fields(tmp_path):
    loaded = load_any(write(tmp_path / "suite.json", suite_file()))
    first, second = loaded.suite.cases
    assert (loaded.suite.name, first.id, first.input, first.reference) == (
        "Returns", "007", "How long?", "Seven days.",
    )  # fmt: skip
    assert [turn.content for turn in first.conversation] == ["Hello"]
    assert [chunk.text for chunk in first.retrieved_contexts] == ["Given to the model."]
    assert (first.category, first.metadata) == ("policy", {"tags": ["rag"], "page": 3})
    assert [chunk.text for chunk in second.retrieved_contexts] == ["y"]
    assert second.reference_contexts == ()
    assert second.metadata == {"context": ["x"]}
    told = " ".join(map(str, loaded.notes))
    assert "EvalPort's meaning" in told
    assert "graders, config" in told


def test_test_cases_as_json_lines_are_read_in_the_same_way(tmp_path):
    lines = "".join(json.dumps(one) + "\n" for one in suite_file()["test_cases"])
    (tmp_path / "cases.jsonl").write_text(lines, encoding="utf-8")
    whole = load_any(write(tmp_path / "suite.json", suite_file())).suite
    assert load_any(tmp_path / "cases.jsonl").suite.cases == whole.cases


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"version": "2.0.0"}, "version '2.0.0' of EvalPort"),
        ({"test_cases": None, "test_cases_file": "/etc/passwd"}, "stand in another file"),
        ({"test_cases": [3]}, "must be a mapping"),
        ({"test_cases": []}, "no cases"),
        ({"test_cases": [{"id": "a", "graders": []}]}, "input"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path, change, told):
    with pytest.raises(SuiteError, match=told):
        load_any(write(tmp_path / "suite.json", suite_file() | change))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(SUITES)
def test_whatever_is_not_said_to_be_lost_comes_back(tmp_path, suite):
    back, losses = there_and_back(suite, "evalport", tmp_path / "back.json")
    assert differences(suite, back, losses) == []


def test_hostile_texts_come_back_as_they_are(tmp_path):
    back, losses = there_and_back(HOSTILE, "evalport", tmp_path / "back.json")
    assert differences(HOSTILE, back, losses) == []
    assert {loss.field for loss in losses} == {"output"}


def test_every_test_case_has_what_the_format_requires(tmp_path):
    there_and_back(HOSTILE, "evalport", tmp_path / "back.json")
    written = json.loads((tmp_path / "back.json").read_text("utf-8"))
    known = {grader["id"] for grader in written["graders"]}
    assert {"version", "id", "test_cases"} <= written.keys()
    for one in written["test_cases"]:
        assert {"id", "input", "graders"} <= one.keys()
        assert set(one["graders"]) <= known
