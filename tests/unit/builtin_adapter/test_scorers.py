"""Right values by hand, other people's implementations as oracles, and what must hold for any text."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from evalparity.adapters.base import Reading
from evalparity.adapters.builtin_adapter.adapter import ADAPTER
from evalparity.adapters.builtin_adapter.words import words
from support.cases import HOSTILE_TEXTS, case

TEXT = st.text(min_size=1, max_size=60).filter(lambda text: bool(text.strip()))
WORDY = st.lists(
    st.sampled_from(["the", "cat", "Sat", "on", "mat", "3.5", "don't", "退", "货", "。"]), min_size=1, max_size=12
)
SENTENCE = WORDY.map(" ".join)
DEFAULTS = ("exact_match", "contains", "rouge_l", "bleu", "levenshtein")


def score(metric: str, output: str, reference: str) -> Reading:
    binding = ADAPTER.binding(metric)
    return ADAPTER.read(binding, ADAPTER.translate(case(output=output, reference=reference), binding), ())


def raw(metric: str, output: str, reference: str) -> float:
    number = score(metric, output, reference).raw
    assert number is not None
    return number


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("7 days", "  7 days\n", 1.0),
        ("7 days", "7 Days", 0.0),
        ("7  days", "7 days", 0.0),
    ],
)
def test_exact_match(output: str, reference: str, expected: float) -> None:
    assert raw("exact_match", output, reference) == expected


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("It is 7 days, always.", " 7 days\n", 1.0),
        ("It is 7 Days.", "7 days", 0.0),
        ("It is 17 days.", "7 days", 1.0),  # characters, not words
        ("It is 7  days.", "7 days", 0.0),
        ("七天内可以退货。", "可以退货", 1.0),
        ("a, b", "a, b, c", 0.0),
        ("literal {{ env.HOME }} (.*)", "{{ env.HOME }} (.*)", 1.0),
    ],
)
def test_contains(output: str, reference: str, expected: float) -> None:
    assert raw("contains", output, reference) == expected


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        # Lin 2004, section 3.1: against "police killed the gunman" (4 words), S2 shares "police the gunman" (3) and S3
        # shares "the gunman" (2), both of 4 words; with beta = 1 precision, recall and F are all 3/4 and 2/4.
        ("police kill the gunman", "police killed the gunman", 3 / 4),
        ("the gunman kill police", "police killed the gunman", 2 / 4),
        # 3 of 3 words found, 3 of 5 covered: 2 x 3 / (3 + 5)
        ("within seven days", "Return it within seven days.", 6 / 8),
        ("one two", "three four", 0.0),
        ("!!", "two words", 0.0),
        # 七 天 内 退 货 against 七 天 内 可 以 退 货: 5 in common, 2 x 5 / (5 + 7)
        ("七天内退货", "七天内可以退货。", 10 / 12),
        # decomposed and full-width letters are the same words
        ("cafe\u0301 ＡＢＣ１２３", "café abc123", 1.0),
        # a word in a script with vowel signs is one word
        ("नमस्ते दुनिया", "नमस्ते", 2 / 3),
    ],
)
def test_rouge_l(output: str, reference: str, expected: float) -> None:
    assert raw("rouge_l", output, reference) == pytest.approx(expected)


@pytest.mark.parametrize("metric", ["rouge_l"])
def test_texts_without_words_have_no_score(metric: str) -> None:
    reading = score(metric, "👍", "👍!")
    assert (reading.raw, reading.kind) == (None, "no_claims")


def test_bleu_without_any_token_has_no_score() -> None:
    # sacrebleu's tokenizer drops this mark of a test format.
    assert score("bleu", "<skipped>", "<skipped>").kind == "no_claims"
    assert raw("bleu", "<skipped>", "a word") == 0.0


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        # 6 words; matches 5/6, 3/5, 1/4, and 0/3, which counts 1 / (2 x 3); equally long, so no penalty
        ("the cat is on the mat", "the cat was on the mat", (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** (1 / 4)),
        # Papineni 2002, section 2.1: seven times "the" against a reference with two is clipped to 2/7; "the the"
        # is nowhere: orders 2, 3 and 4 count 1 / (2 x 6), 1 / (4 x 5) and 1 / (8 x 4); 7 words against 9
        (
            "the the the the the the the",
            "The cat is on the mat near the x",
            math.exp(1 - 9 / 7) * (2 / 7 * 1 / 12 * 1 / 20 * 1 / 32) ** (1 / 4),
        ),
        # 2 words, all found, reference of 4: orders 1 and 2 only, brevity penalty e^(1 - 4/2)
        ("seven days", "seven days after delivery", math.exp(-1)),
        ("Yes", "Yes", 1.0),
        ("alpha beta", "gamma delta", 0.0),
        # 退 货 。 against 退 货 ！: 2/3 and 1/2, and 1 / (2 x 1) for the one trigram that is not there
        ("退货。", "退货！", (2 / 3 * 1 / 2 * 1 / 2) ** (1 / 3)),
    ],
)
def test_bleu(output: str, reference: str, expected: float) -> None:
    assert raw("bleu", output, reference) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("kitten", "sitting", 1 - 3 / 7),
        ("7 days", "70 days", 1 - 1 / 7),
        ("七天", "七天内", 1 - 1 / 3),
        ("a", "b", 0.0),
        (" a", "a", 1 - 1 / 2),
    ],
)
def test_levenshtein(output: str, reference: str, expected: float) -> None:
    assert raw("levenshtein", output, reference) == pytest.approx(expected)


@pytest.mark.parametrize("metric", DEFAULTS)
@given(text=TEXT)
def test_a_text_matches_itself(metric: str, text: str) -> None:
    reading = score(metric, text, text)
    if reading.kind == "no_claims":
        assert metric in {"rouge_l", "bleu"}
        assert metric == "bleu" or not words(text)
    else:
        assert reading.raw == pytest.approx(1.0)


@pytest.mark.parametrize("metric", DEFAULTS)
@given(output=TEXT | SENTENCE, reference=TEXT | SENTENCE)
def test_scores_lie_between_0_and_1(metric: str, output: str, reference: str) -> None:
    reading = score(metric, output, reference)
    assert reading.kind == "no_claims" or -1e-9 <= (reading.raw or 0.0) <= 1 + 1e-9
    assert reading.reason


@pytest.mark.parametrize("metric", ["exact_match", "rouge_l", "levenshtein"])
@given(output=TEXT | SENTENCE, reference=TEXT | SENTENCE)
def test_some_scores_do_not_care_which_text_is_which(metric: str, output: str, reference: str) -> None:
    assert score(metric, output, reference).raw == score(metric, reference, output).raw


ASCII = st.text(alphabet=st.characters(codec="ascii"), min_size=1, max_size=80)


@given(output=ASCII, reference=ASCII)
def test_rouge_l_is_that_of_googles_implementation_for_ascii(output: str, reference: str) -> None:
    theirs = RougeScorer(["rougeL"]).score(reference, output)["rougeL"].fmeasure
    assert (score("rouge_l", output, reference).raw or 0.0) == pytest.approx(theirs)


def plain_bleu(output: list[str], reference: list[str]) -> float:
    """Papineni's formula, written out, for texts where every order has a match."""
    product = 1.0
    for n in range(1, 5):
        grams = [tuple(output[i : i + n]) for i in range(len(output) - n + 1)]
        theirs = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
        found = sum(min(grams.count(gram), theirs.count(gram)) for gram in set(grams))
        product *= found / len(grams)
    brevity = 1.0 if len(output) >= len(reference) else math.exp(1 - len(reference) / len(output))
    return float(brevity * product**0.25)


@given(
    shared=st.lists(st.sampled_from("abcde"), min_size=4, max_size=8),
    before=st.lists(st.sampled_from("abcdefg"), max_size=4),
    after=st.lists(st.sampled_from("abcdefg"), max_size=4),
)
def test_bleu_is_the_papers_where_no_order_is_without_a_match(
    shared: list[str], before: list[str], after: list[str]
) -> None:
    output, reference = before + shared, shared + after
    assert raw("bleu", " ".join(output), " ".join(reference)) == pytest.approx(plain_bleu(output, reference))


def edits(one: str, other: str) -> int:
    """Wagner and Fischer's table, row by row."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


@given(output=TEXT, reference=TEXT)
def test_levenshtein_is_that_of_the_textbook(output: str, reference: str) -> None:
    expected = 1 - edits(output, reference) / max(len(output), len(reference))
    assert raw("levenshtein", output, reference) == pytest.approx(expected)


@pytest.mark.parametrize("metric", DEFAULTS)
@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS.keys())
def test_hostile_texts_are_only_compared(metric: str, text: str) -> None:
    assert raw(metric, text, text) == pytest.approx(1.0)
    assert 0.0 <= raw(metric, f"{text} and more", f"not {text}") <= 1.0


def test_the_reason_says_how_the_number_came_about() -> None:
    output, reference = "police kill the gunman", "police killed the gunman"
    reason = score("rouge_l", output, reference).reason or ""
    assert re.search(r"4 words in the output, 4 in the reference, 3 in common.*2 x 3 / 8", reason)
    assert "2/3" not in (score("bleu", output, reference).reason or "")
    assert "3/4, 1/3, 0/2, 0/1; brevity penalty 1.000" in (score("bleu", output, reference).reason or "")
    assert "1 - 2/24" in (score("levenshtein", output, reference).reason or "")
