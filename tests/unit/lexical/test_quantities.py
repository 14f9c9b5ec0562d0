"""Numbers, dates and units in all the ways in which people write them."""

from __future__ import annotations

import pytest

from evalparity.adapters.judge.lexical.chinese_lexicon import SIMPLIFY
from evalparity.adapters.judge.lexical.folding import fold
from evalparity.adapters.judge.lexical.quantities import Quantity
from evalparity.adapters.judge.lexical.scanning import scan


def quantities(text: str) -> list[Quantity]:
    return [token.quantity for token in scan(fold(text)) if token.quantity is not None]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("1,000", "number", 1000),
        ("１０００", "number", 1000),
        ("one thousand", "number", 1000),
        ("two hundred and fifty thousand", "number", 250_000),
        ("1.5 million", "number", 1_500_000),
        ("1.5亿人", "number", 150_000_000),
        ("14 March 1879", "date", (1879, 3, 14)),
        ("March 14th, 1879", "date", (1879, 3, 14)),
        ("1879-03-14", "date", (1879, 3, 14)),
        ("1879年3月14日", "date", (1879, 3, 14)),
        ("一八七九年三月十四日", "date", (1879, 3, 14)),
        ("3月", "date", (0, 3, 0)),
        ("May 2020", "date", (2020, 5, 0)),
        ("5:30 p.m.", "clock", 1050),
        ("12 a.m.", "clock", 0),
        ("7 days", "days", 7),
        ("seven-day", "days", 7),
        ("七天", "days", 7),
        ("one week", "days", 7),
        ("三个工作日", "working days", 3),
        ("5 business days", "working days", 5),
        ("30%", "percent", 30),
        ("百分之三十", "percent", 30),
        ("$1.5 million", "dollars", 1_500_000),
        ("20 euros", "euros", 20),
        ("2 kg", "mass", 2000),
        ("6300公里", "length", 6_300_000),
        ("the third", "ordinal", 3),
        ("第三", "ordinal", 3),
    ],
)
def test_one_quantity(text: str, kind: str, value: object) -> None:
    (found,) = quantities(text)
    assert (found.kind, found.value) == (kind, value)


@pytest.mark.parametrize("text", ["COVID-19", "B12", "v2", "a third of them", "统一日期", "周一"])
def test_no_quantity(text: str) -> None:
    assert quantities(text) == []


def test_first_number_of_a_range_has_the_unit_of_the_second() -> None:
    assert [(found.kind, found.value) for found in quantities("3 to 5 days")] == [("days", 3), ("days", 5)]


def test_month_is_no_number_of_days() -> None:
    (month,), (days,) = quantities("1 month"), quantities("30 days")
    assert not month.agrees(days)
    assert month.rivals(days)


def test_year_agrees_with_a_date_in_it() -> None:
    (year,), (date,) = quantities("in 1879"), quantities("14 March 1879")
    assert year.agrees(date)


def test_traditional_characters_are_all_paired() -> None:
    assert all(chr(code) != value for code, value in SIMPLIFY.items() if isinstance(code, int) and code != ord("\n"))
