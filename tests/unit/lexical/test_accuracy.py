"""The judge against pairs written by hand; the numbers that docs/lexical-judge.md tells are checked here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE

PROJECT = Path(__file__).parents[3]
PAIRS = yaml.safe_load((PROJECT / "tests/data/entailment_pairs.yaml").read_text(encoding="utf-8"))
LABELS = ("supported", "contradicted", "unsupported")
CATEGORIES = {
    "negation", "numbers", "dates", "units", "paraphrase", "unsupported", "contradiction", "chinese", "mixed"
}  # fmt: skip


GATED = ("tune", "held_out")
SPLITS = sorted({pair["split"] for pair in PAIRS})


def verdicts(*splits: str) -> list[tuple[str, str]]:
    chosen = [pair for pair in PAIRS if pair["split"] in splits]
    return [(pair["label"], LEXICAL_JUDGE.judge_claim(pair["claim"], pair["contexts"]).label) for pair in chosen]


def balanced_accuracy(pairs: list[tuple[str, str]]) -> float:
    shares = [
        [(said == "supported") is wanted for label, said in pairs if (label == "supported") is wanted]
        for wanted in (True, False)
    ]
    return sum(sum(share) / len(share) for share in shares) / 2


def test_pairs_are_many_balanced_and_half_held_out() -> None:
    splits = Counter(pair["split"] for pair in PAIRS)
    labels = Counter(pair["label"] == "supported" for pair in PAIRS)
    assert splits["tune"] == splits["held_out"] >= 30
    assert {pair["category"] for pair in PAIRS} == CATEGORIES
    assert {pair["label"] for pair in PAIRS} == set(LABELS)
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS)
    assert min(labels.values()) >= 0.4 * len(PAIRS)


def test_balanced_accuracy_is_at_least_nine_tenths_half_of_it_held_out(
    record_property: Callable[[str, object], None],
) -> None:
    for split in SPLITS:
        record_property(f"balanced accuracy, {split}", round(balanced_accuracy(verdicts(split)), 3))
    confusion = Counter(pair for pair in verdicts(*SPLITS) if "supported" not in pair)
    record_property("contradicted against unsupported (label, said)", str(dict(confusion)))
    assert balanced_accuracy(verdicts(*GATED)) >= 0.9
    assert balanced_accuracy(verdicts("held_out")) >= 0.85


def test_harder_pairs_stay_above_their_floor() -> None:
    assert balanced_accuracy(verdicts(*SPLITS)) >= 0.85


@pytest.mark.parametrize("split", SPLITS)
def test_documented_numbers_are_the_measured_ones(split: str) -> None:
    page = (PROJECT / "docs/lexical-judge.md").read_text(encoding="utf-8")
    pairs = verdicts(split)
    exact = sum(label == said for label, said in pairs) / len(pairs)
    assert f"| `{split}` | {len(pairs)} | {balanced_accuracy(pairs):.3f} | {exact:.3f} |" in page
