"""Verdicts find their statements by the text that they repeat."""

from __future__ import annotations

import pytest

from evalparity.adapters.ragas_adapter.pairing import pair_verdicts


@pytest.mark.parametrize(
    ("statements", "repeated", "expected"),
    [
        pytest.param(["a", "b"], ["a", "b"], ((0, 1), ()), id="in order"),
        pytest.param(["a", "b"], ["b", "a"], ((1, 0), ()), id="other order"),
        pytest.param(["It is so."], ["  it is SO"], ((0,), ()), id="case, white space, punctuation"),
        pytest.param(["a", "b", "c"], ["a", "c"], ((0, None, 1), ()), id="one missing, found by text"),
        pytest.param(["a", "b"], ["a", "b", "x"], ((0, 1), (2,)), id="one of its own making"),
        pytest.param(["a", "b"], ["a", "a"], ((0, None), (1,)), id="one judged twice, one not at all"),
        pytest.param(["a", "a"], ["a", "a"], ((0, 1), ()), id="the same statement twice"),
        pytest.param(["a", "b", "c"], ["a", "beta", "c"], ((0, 1, 2), ()), id="one in other words"),
        pytest.param(["a", "b", "c"], ["c", "x", "y"], ((1, 2, 0), ()), id="two in other words, in order"),
        pytest.param(["a", "b", "c"], ["a", "x"], ((0, None, None), (1,)), id="cannot be told"),
        pytest.param(["款项", "退货"], ["退货。", "款项"], ((1, 0), ()), id="Chinese"),
        pytest.param(["😀", "!!"], ["!!", "😀"], ((1, 0), ()), id="no letters at all"),
        pytest.param(["a"], [], ((None,), ()), id="nothing came back"),
    ],
)
def test_pairs(statements: list[str], repeated: list[str], expected: object) -> None:
    assert pair_verdicts(statements, repeated) == expected
