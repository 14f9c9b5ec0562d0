"""What the lexical judge makes of real answers: its faithfulness against the raters of MTRAG.

Run from the project's root: `python benchmarks/lexical_mtrag.py`. It reads `../shared/data/mtrag_human_100.json`,
which is not part of the project, and says so when it is not there. Nothing is gated on the result.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from scipy import stats

from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE

DATA = Path(__file__).parents[2] / "shared" / "data" / "mtrag_human_100.json"
ANSWERS = 100
GOOD = 3.0
"""Mean rating, on the scale 1..4, from which an answer counts as faithful."""

Record = dict[str, Any]


def main() -> int:
    """Print the numbers; 0 also when the data is missing, because there is nothing to fail."""
    if not DATA.is_file():
        print(f"skipped: {DATA.name} is not there; put the shared data folder beside the project")
        return 0
    data = json.loads(DATA.read_text(encoding="utf-8"))
    for title, evaluations in (
        (f"first {ANSWERS} answers", data["evaluations"][:ANSWERS]),
        (f"all {len(data['evaluations'])} answers", data["evaluations"]),
    ):
        report(title, evaluations, data)
    return 0


def report(title: str, evaluations: list[Record], data: Record) -> None:
    """Print one block of numbers for these answers."""
    texts = {document["document_id"]: document["text"] for document in data["documents"]}
    tasks = {task["task_id"]: task for task in data["tasks"]}
    start = time.perf_counter()
    scored: list[tuple[float, float]] = []
    recorded: list[tuple[float, float]] = []
    no_claims: list[float] = []
    for evaluation in evaluations:
        human = human_mean(evaluation)
        contexts = [texts[context["document_id"]] for context in tasks[evaluation["task_id"]]["contexts"]]
        score = faithfulness(evaluation["model_response"], contexts)
        if score is None:
            no_claims.append(human)
        else:
            scored.append((score, human))
            recorded.append((recorded_ragas(evaluation), human))
    seconds = time.perf_counter() - start
    print(f"{title}: {len(scored)} scored, {len(no_claims)} without claims (their mean rating {mean(no_claims)})")
    print_agreement("lexical judge", scored)
    print_agreement("recorded Ragas faithfulness of the data set, same answers", recorded)
    print(f"  {seconds:.1f} s")


def print_agreement(name: str, scored: list[tuple[float, float]]) -> None:
    """Print rank correlation and AUROC of pairs (score, mean human rating)."""
    print(f"  {name}")
    scores, ratings = [pair[0] for pair in scored], [pair[1] for pair in scored]
    good = [score for score, rating in scored if rating >= GOOD]
    poor = [score for score, rating in scored if rating < GOOD]
    correlation = stats.spearmanr(scores, ratings)
    print(f"    Spearman {correlation.statistic:.3f} (p {correlation.pvalue:.2g}), mean score {mean(scores)}")
    if good and poor:
        auroc = stats.mannwhitneyu(good, poor).statistic / (len(good) * len(poor))
        print(f"    AUROC for a mean rating >= {GOOD:g}: {auroc:.3f} ({len(good)} faithful, {len(poor)} not)")
    else:
        print("    AUROC: one of the two classes is empty")


def faithfulness(answer: str, contexts: list[str]) -> float | None:
    """Return the share of an answer's claims that the contexts support; None when it claims nothing."""
    claims = LEXICAL_JUDGE.split_claims(answer)
    supported = [LEXICAL_JUDGE.judge_claim(claim, contexts).label == "supported" for claim in claims]
    return sum(supported) / len(supported) if supported else None


def recorded_ragas(evaluation: Record) -> float:
    """Return the Ragas faithfulness that the data set recorded, by a judge of its own."""
    return float(evaluation["annotations"]["rl_f"]["composite"]["value"])


def human_mean(evaluation: Record) -> float:
    """Return the mean of the raters' values for faithfulness."""
    ratings = evaluation["annotations"]["faithfulness"].values()
    return sum(float(rating["value"]) for rating in ratings) / len(ratings)


def mean(values: list[float]) -> str:
    """Return the mean with two decimals, or a dash when there is nothing."""
    return f"{sum(values) / len(values):.2f}" if values else "-"


if __name__ == "__main__":
    sys.exit(main())
