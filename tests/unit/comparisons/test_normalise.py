import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalparity.adapters.base import Scale
from evalparity.comparisons.running.normalise import to_score

SCALES = st.builds(
    lambda low, width, higher: Scale(low=low, high=low + width, higher_is_better=higher),
    st.sampled_from([0.0, 1.0, -1.0, 10.0]),
    st.sampled_from([1.0, 4.0, 100.0]),
    st.booleans(),
)
SHARES = st.floats(0, 1)


def at(scale: Scale, share: float) -> float:
    return scale.low + share * (scale.high - scale.low)


@given(SCALES)
def test_ends_map_to_the_ends(scale):
    low, high = to_score(scale.low, scale).score, to_score(scale.high, scale).score
    assert (low, high) == ((0.0, 1.0) if scale.higher_is_better else (1.0, 0.0))


@given(SCALES, SHARES, SHARES)
def test_order_is_kept_in_the_declared_direction(scale, one, other):
    worse, better = sorted([to_score(at(scale, one), scale).score, to_score(at(scale, other), scale).score])
    low, high = sorted([one, other])
    first, last = (low, high) if scale.higher_is_better else (high, low)
    assert to_score(at(scale, first), scale).score == pytest.approx(worse, abs=1e-5)
    assert to_score(at(scale, last), scale).score == pytest.approx(better, abs=1e-5)


@given(SCALES, SHARES)
def test_every_number_on_the_scale_gets_a_plain_score(scale, share):
    result = to_score(at(scale, share), scale)
    assert 0.0 <= result.score <= 1.0
    assert (result.flags, result.kind, result.reason) == ((), None, None)


@given(st.floats(), SCALES)
def test_a_result_is_a_score_or_a_refusal_never_both(raw, scale):
    result = to_score(raw, scale)
    assert (result.score is None) == (result.kind == "out_of_range") == (result.reason is not None)


@pytest.mark.parametrize(("raw", "score"), [(1.0000000000000002, 1.0), (0.9999999999, 1.0), (-1e-10, 0.0), (3e-7, 0.0)])
def test_float_dust_at_the_ends_is_rounded(raw, score):
    assert to_score(raw, Scale()).score == score


@pytest.mark.parametrize("raw", [0.999, 0.001, 0.5])
def test_numbers_off_the_ends_are_not_rounded(raw):
    assert to_score(raw, Scale()).score == raw


@pytest.mark.parametrize("raw", [9.81, 1.001, -0.86, math.nan, math.inf, -math.inf])
def test_what_lies_off_the_scale_is_refused_and_not_clipped(raw):
    result = to_score(raw, Scale())
    assert (result.score, result.kind) == (None, "out_of_range")
    assert "0 to 1" in result.reason


@pytest.mark.parametrize("raw", [-0.86, -1.0, -1.0000001])
def test_a_cosine_below_zero_scores_zero_and_says_so(raw):
    result = to_score(raw, Scale(cosine=True))
    assert (result.score, result.flags) == (0.0, ("below_range",))


@pytest.mark.parametrize("raw", [-5.0, 1.5, math.nan, -math.inf])
def test_no_cosine_is_below_minus_one_or_above_one(raw):
    assert to_score(raw, Scale(cosine=True)).kind == "out_of_range"


def test_dust_below_zero_is_no_negative_cosine():
    assert to_score(-1e-9, Scale(cosine=True)).flags == ()
