"""What the lexical judge says where a prompt asks for a rating instead of single verdicts.

Every rating is a share of claims or contexts that the judge has looked at one by one, so that it can be explained.
"""

from __future__ import annotations

from collections.abc import Sequence

from evalparity.adapters.judge.lexical import LexicalJudge


def supported_share(judge: LexicalJudge, text: str, premises: Sequence[str]) -> float:
    """Return the share of a text's claims that the premises support, 0..1; 0 for a text without claims."""
    claims = judge.split_claims(text)
    if not claims:
        return 0.0
    return sum(judge.judge_claim(claim, premises).label == "supported" for claim in claims) / len(claims)


def correctness(judge: LexicalJudge, output: str, reference: str) -> float:
    """Return how far an output states what the reference states, 0..1.

    It is the harmonic mean (F1) of the share of the output's claims that the reference supports and the share of the
    reference's claims that the output supports; 0 where either is 0.
    """
    precision = supported_share(judge, output, [reference])
    recall = supported_share(judge, reference, [output])
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


def relevance(judge: LexicalJudge, output: str, question: str) -> float:
    """Return the share of an output's sentences that address a question, 0..1; unclear ones count half."""
    sentences = judge.split_sentences(output)
    if not sentences or judge.is_noncommittal(output):
        return 0.0
    worth = {"yes": 1.0, "unclear": 0.5, "no": 0.0}
    return sum(worth[judge.judge_relevance(sentence, question).label] for sentence in sentences) / len(sentences)


def is_useful(judge: LexicalJudge, context: str, answer: str) -> bool:
    """Say whether a context supports at least one claim of an answer."""
    return any(judge.judge_claim(claim, [context]).label == "supported" for claim in judge.split_claims(answer))


def utilisation(judge: LexicalJudge, output: str, contexts: Sequence[str]) -> float:
    """Return the share of contexts that support a claim of the output, 0..1; 0 without contexts."""
    if not contexts:
        return 0.0
    return sum(is_useful(judge, context, output) for context in contexts) / len(contexts)


def on_scale(share: float, low: int, high: int) -> int:
    """Return a share of 0..1 as a whole number of a scale, halves rounded up: 0 is `low` and 1 is `high`."""
    return low + int(share * (high - low) + 0.5)
