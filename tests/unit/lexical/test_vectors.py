"""Embeddings: unit length, no negative component, the same in every process."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE
from evalparity.adapters.judge.lexical.vectors import DIMENSIONS

PROGRAM = """
import zlib
from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE
print(zlib.crc32(repr(LEXICAL_JUDGE.embed("The merchant pays 退货运费 within 7 days.")).encode()))
"""


def cosine(first: list[float], second: list[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))


@given(st.text(max_size=200))
def test_every_text_gives_a_unit_vector_without_negative_components(text: str) -> None:
    vector = LEXICAL_JUDGE.embed(text)
    assert len(vector) == DIMENSIONS
    assert min(vector) >= 0
    assert math.isclose(cosine(vector, vector), 1.0, rel_tol=1e-9)


def test_empty_texts_give_one_fixed_vector() -> None:
    assert LEXICAL_JUDGE.embed("") == LEXICAL_JUDGE.embed(" \n") == LEXICAL_JUDGE.embed("...")


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("The shop refunds the price.", "Refunds of prices by shops", "The cat sleeps on the roof."),
        ("退货运费由商家承担", "商家承担退货的运费", "图书馆周一闭馆"),
    ],
)
def test_near_texts_have_near_vectors(text: str, near: str, far: str) -> None:
    vector = LEXICAL_JUDGE.embed(text)
    assert cosine(vector, LEXICAL_JUDGE.embed(near)) > 2 * cosine(vector, LEXICAL_JUDGE.embed(far))


def test_vectors_do_not_depend_on_the_process() -> None:
    seen = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(seen) == 1
