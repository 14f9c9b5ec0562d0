"""Ratings of the lexical judge, each value counted by hand."""

from __future__ import annotations

import pytest

from evalparity.adapters.judge.lexical import ratings
from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE as JUDGE

SEVEN = "Goods can be returned within 7 days."
SHIPPING = "The customer pays the shipping."


def test_correctness_is_the_f1_of_both_directions():
    assert ratings.correctness(JUDGE, f"{SEVEN} {SHIPPING}", f"{SEVEN} {SHIPPING}") == 1.0
    # precision 1 of 1, recall 1 of 2
    assert ratings.correctness(JUDGE, SEVEN, f"{SEVEN} {SHIPPING}") == pytest.approx(2 / 3)
    assert ratings.correctness(JUDGE, "Goods can be returned within 30 days.", SEVEN) == 0.0


def test_utilisation_counts_the_contexts_that_support_the_output():
    contexts = [SEVEN, "The shop opens at nine.", SHIPPING]
    assert ratings.utilisation(JUDGE, f"{SEVEN} {SHIPPING}", contexts) == pytest.approx(2 / 3)
    assert ratings.utilisation(JUDGE, SEVEN, []) == 0.0


def test_a_refusal_is_not_relevant_and_supports_nothing():
    assert ratings.relevance(JUDGE, "I don't know.", "How long is the return period?") == 0.0
    assert ratings.supported_share(JUDGE, "I don't know.", [SEVEN]) == 0.0


@pytest.mark.parametrize(
    ("share", "rating"), [(0.0, 1), (0.12, 1), (0.125, 2), (0.5, 3), (0.87, 4), (0.88, 5), (1.0, 5)]
)
def test_a_share_is_a_whole_number_of_the_scale(share: float, rating: int):
    assert ratings.on_scale(share, 1, 5) == rating
