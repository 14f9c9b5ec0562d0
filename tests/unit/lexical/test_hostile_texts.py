"""Texts of a data set may be anything: no exception, no run-away regular expression, no heavy import."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE

HALF_A_MEGABYTE = 500_000
PIECES = {
    "dots": ".", "spaces": " ", "letters": "a", "digits": "1", "thousands": "1,", "dates": "1-1-", "months": "may ",
    "numerals": "一", "spelt numbers": "two ", "negations": "not ", "refusals": "i don't ", "list marks": "- ",
    "hyphens": "a-", "initials": "U.", "joints": "a; ", "clauses": "it has, and it has ",
    "braces": "{{7*7}}{% x %}${a}",
    "quotes": "\"'|\\", "emoji": "\U0001f469\u200d\U0001f467\U0001f600",
    "zero width": "a\u200b", "line separators": "a\u2028",
    "chinese": "退货运费由商家承担",
    "chinese commas": "，", "lone surrogates": "\ud800", "combining": "a\u0301", "full width": "１２３，ＡＢＣ。",
}  # fmt: skip
PREMISE = "The refund is paid within 7 days, unless the item was used."
SHORT = st.text(max_size=120)


def use_everything(text: str) -> None:
    LEXICAL_JUDGE.split_claims(text)
    LEXICAL_JUDGE.split_sentences(text)
    LEXICAL_JUDGE.judge_claim(text, [PREMISE])
    LEXICAL_JUDGE.judge_claim("The refund is paid in 8 days.", [text])
    LEXICAL_JUDGE.judge_relevance(text, "Who pays?")
    LEXICAL_JUDGE.judge_relevance("The merchant pays.", text)
    LEXICAL_JUDGE.is_noncommittal(text)
    LEXICAL_JUDGE.question_for(text)
    LEXICAL_JUDGE.embed(text)
    LEXICAL_JUDGE.count_tokens(text)


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
def test_large_text_of_one_kind_takes_seconds_at_most(piece: str) -> None:
    text = piece * (HALF_A_MEGABYTE // len(piece))
    start = time.process_time()
    use_everything(text)
    # Linear work takes one to five seconds here; anything quadratic takes hours.
    assert time.process_time() - start < 60


@given(SHORT)
def test_no_text_raises(text: str) -> None:
    use_everything(text)


@given(SHORT, st.lists(SHORT, max_size=3))
def test_judgement_is_well_formed_and_repeatable(claim: str, premises: list[str]) -> None:
    judgement = LEXICAL_JUDGE.judge_claim(claim, premises)
    assert judgement == LEXICAL_JUDGE.judge_claim(claim, premises)
    assert judgement.premise is None or premises[judgement.premise]
    assert judgement.reason.isprintable() or "\n" not in judgement.reason


@given(SHORT)
def test_sentences_are_parts_of_the_text_in_order(text: str) -> None:
    place = 0
    for sentence in LEXICAL_JUDGE.split_sentences(text):
        place = text.index(sentence, place) + len(sentence)


def test_template_syntax_is_data() -> None:
    claim = "The code is {{7*7}} and ${HOME}."
    assert LEXICAL_JUDGE.judge_claim(claim, [claim]).label == "supported"
    assert "49" not in LEXICAL_JUDGE.judge_claim(claim, [claim]).reason


def test_import_loads_no_framework_and_no_dictionary() -> None:
    program = (
        "import sys, evalparity.adapters.judge.lexical.judge\n"
        "print(sorted({'rjieba', 'ragas', 'deepeval', 'pandas', 'numpy', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
