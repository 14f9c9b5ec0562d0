"""A file that is damaged anywhere is refused with a message or read, never a traceback."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalparity.adapters.inspectorraget.results import READER
from evalparity.adapters.reading import load_any
from evalparity.unified_schema import SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from support.cases import HOSTILE_TEXTS

VIEWER = {
    "name": "viewer",
    "models": [{"model_id": "m", "name": "M", "owner": "o"}],
    "metrics": [
        {"name": "h", "author": "human", "type": "categorical", "values": [{"value": "a", "numeric_value": 1}]},
        {"name": "rl_f", "author": "algorithm", "type": "numerical", "range": [0, 1, 0.1]},
    ],
    "documents": [{"document_id": "d", "text": "t"}],
    "tasks": [
        {
            "task_id": "t",
            "task_type": "rag",
            "input": [{"speaker": "user", "text": "q"}],
            "contexts": [{"document_id": "d"}],
            "targets": [{"text": "r"}],
            "Answerability": ["ANSWERABLE"],
        }
    ],
    "evaluations": [
        {
            "task_id": "t",
            "model_id": "m",
            "model_response": "a",
            "annotations": {"h": {"r": {"value": "a"}}, "rl_f": {"c": {"value": 1}}},
        }
    ],
}
EVALPORT = {
    "version": "1.0.0",
    "id": "s",
    "test_cases": [
        {
            "id": "a",
            "input": ["q", "r"],
            "context": ["c"],
            "expected_output": "e",
            "graders": ["g"],
            "metadata": {"category": "c"},
            "tags": ["t"],
        }
    ],
}
ODD = st.sampled_from(
    [None, True, 0, -1.5, float("nan"), 10**30, "", " ", [], {}, [None], [[]], {"": None}, {"text": 3}, {"value": []}]
) | st.sampled_from(list(HOSTILE_TEXTS.values()))


def places(data: Any, path: tuple = ()) -> Iterator[tuple]:
    """Yield the path of every value in a document."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def replaced(data: Any, path: tuple, value: object) -> Any:
    changed = copy.deepcopy(data)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


@pytest.mark.parametrize("whole", [VIEWER, EVALPORT], ids=["inspectorraget", "evalport"])
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_any_value_may_be_another(tmp_path, whole, data):
    damaged = replaced(whole, data.draw(st.sampled_from(list(places(whole)))), data.draw(ODD))
    path = tmp_path / "file.json"
    path.write_text(json.dumps(damaged), encoding="utf-8")
    for options in (ReadOptions(), ReadOptions(skip_bad_rows=True)):
        with contextlib.suppress(SuiteError):
            assert load_any(path, options).suite.cases
    opened = Opened(path=path, file="file.json", options=ReadOptions())
    if READER.recognises(opened):
        with contextlib.suppress(SuiteError):
            results = READER.read(opened)
            assert all(score.raw is not None or score.reason for one in results for score in one.scores)
