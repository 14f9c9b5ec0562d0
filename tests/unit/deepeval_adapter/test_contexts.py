"""Metrics that judge contexts, with one, two and five of them, the same one twice, and a judge that leaves some out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from evalparity.adapters.base import Wiring
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.outcomes import Item
from support.deepeval_worker import DeepEvalWorker, binding_of, end_worker, start_worker
from support.judge_server import JudgeServer

Scripted = Callable[..., JudgeServer]

PRECISION = "ContextualPrecisionMetric.Verdicts"
RELEVANCY = "ContextualRelevancyMetric.ContextualRelevancyVerdicts"


def case_with(*contexts: str) -> EvalCase:
    return EvalCase.model_validate(
        {"id": "c", "input": "Who pays?", "output": "x", "reference": "The merchant.", "retrieved_contexts": contexts}
    )


def ranked(*words: str) -> str:
    return json.dumps({"verdicts": [{"verdict": word, "reason": f"r{at}"} for at, word in enumerate(words)]})


def by_context(replies: Mapping[str, str]) -> Callable[[str], str]:
    """Answer each context by its own reply; the prompt ends in the context."""
    return lambda prompt: next(reply for text, reply in replies.items() if prompt.endswith(f"\n{text}\n\nJSON:"))


def statements(*pairs: tuple[str, str]) -> str:
    return json.dumps({"verdicts": [{"statement": text, "verdict": word, "reason": "r"} for text, word in pairs]})


# Contexts, verdicts in their order, and the mean of precision@k over the ranks of the useful ones, by hand.
RANKED = [
    (["A"], ["yes"], 1.0),
    (["A"], ["no"], 0.0),
    (["A", "B"], ["no", "yes"], 1 / 2),
    (["A", "B"], ["yes", "no"], 1.0),
    (["A", "B", "A", "C", "D"], ["no", "yes", "yes", "no", "yes"], (1 / 2 + 2 / 3 + 3 / 5) / 3),
    (["A", "A", "A"], ["no", "yes", "no"], 1 / 2),
]


@pytest.mark.parametrize(("contexts", "words", "score"), RANKED)
@pytest.mark.parametrize("wiring", ["stock", "lean"])
def test_precision_of_any_number_of_contexts_in_their_order(
    worker: DeepEvalWorker, scripted: Scripted, contexts: list[str], words: list[str], score: float, wiring: Wiring
) -> None:
    binding = binding_of("contextual_precision")
    with scripted({PRECISION: ranked(*words)}) as server:
        reading = worker.reading(case_with(*contexts), "contextual_precision", server.url, wiring=wiring)
        calls = len(server.chat_requests)

    assert calls == binding.calls_in(wiring).of(len(contexts)).low == binding.calls_in(wiring).of(len(contexts)).high
    assert reading.raw == pytest.approx(score, abs=1e-12)
    assert (reading.kind, reading.flags) == (None, ())
    assert [(item.kind, item.text, item.verdict, item.reason) for item in reading.details.items] == [
        ("context", text, word, f"r{at}") for at, (text, word) in enumerate(zip(contexts, words, strict=True))
    ]


# DeepEval's own number where a verdict is missing or unknown: the ranks behind it have moved.
INCOMPLETE = [
    (["A", "B", "C"], ["yes"], 1.0, "missing_verdicts"),
    (["A", "B", "C"], ["maybe", "yes", "no"], 1.0, "missing_verdicts"),  # 1/2 in truth
    (["A", "B"], ["maybe", "oui"], 0.0, "missing_verdicts"),
    (["A", "B", "C"], ["no", "yes", "no", "yes", "no"], (1 / 2 + 2 / 4) / 2, "surplus_verdicts"),
]


@pytest.mark.parametrize(("contexts", "words", "score", "kind"), INCOMPLETE)
def test_precision_over_other_ranks_than_the_contexts_is_kept_and_not_accepted(
    worker: DeepEvalWorker, scripted: Scripted, contexts: list[str], words: list[str], score: float, kind: str
) -> None:
    with scripted({PRECISION: ranked(*words)}) as server:
        reading = worker.reading(case_with(*contexts), "contextual_precision", server.url)

    assert (reading.raw, reading.kind, reading.flags) == (score, kind, ("degraded",))
    assert len(reading.details.items) == max(len(contexts), len(words))
    known = {"yes": "yes", "no": "no"}
    assert [item.verdict for item in reading.details.items][: len(words)] == [known.get(word) for word in words]


A = statements(("A1", "yes"), ("A2", "no"))
B = statements(("B1", "no"))
C = statements(("C1", "yes"), ("C2", "yes"), ("C3", "no"))
EACH = [
    (["A"], ["A1", "A2"], 1 / 2),
    (["A", "B"], ["A1", "A2", "B1"], 1 / 3),
    (["B", "A"], ["B1", "A1", "A2"], 1 / 3),
    (["C", "A", "B", "A", "B"], ["C1", "C2", "C3", "A1", "A2", "B1", "A1", "A2", "B1"], 4 / 9),
    (["B", "B"], ["B1", "B1"], 0.0),
]


@pytest.mark.parametrize(("contexts", "texts", "score"), EACH)
@pytest.mark.parametrize("wiring", ["stock", "lean"])
def test_relevancy_asks_once_for_each_context_and_shares_over_all_statements(
    worker: DeepEvalWorker, scripted: Scripted, contexts: list[str], texts: list[str], score: float, wiring: Wiring
) -> None:
    binding = binding_of("contextual_relevancy")
    with scripted({RELEVANCY: by_context({"A": A, "B": B, "C": C})}) as server:
        reading = worker.reading(case_with(*contexts), "contextual_relevancy", server.url, wiring=wiring)
        calls = len(server.chat_requests)

    assert calls == binding.calls_in(wiring).of(len(contexts)).low == binding.calls_in(wiring).of(len(contexts)).high
    assert reading.raw == pytest.approx(score, abs=1e-12)
    assert (reading.kind, reading.flags, reading.details.notes) == (None, (), ())
    assert [item.text for item in reading.details.items] == texts
    assert reading.details.items[0] == Item(
        kind="statement",
        text=texts[0],
        verdict="no" if texts[0] == "B1" else "yes",
        native_verdict="no" if texts[0] == "B1" else "yes",
        reason="r",
    )


BACKWARDS = """
import asyncio
from evalparity.adapters.deepeval_adapter import judge
from evalparity.adapters.worker import main
ask, answered = judge._Judge._ask, []
async def ask_backwards(self, prompt, step):
    # Each waits for those that were asked after it; there are three contexts.
    mine = len(answered)
    answered.append(asyncio.Event())
    reply = await ask(self, prompt, step)
    if mine < 2:
        while len(answered) < mine + 2:
            await asyncio.sleep(0)
        await answered[mine + 1].wait()
    answered[mine].set()
    return reply
judge._Judge._ask = ask_backwards
main(judge.__name__)
"""


def test_statements_stand_in_the_order_of_the_contexts_whatever_the_order_of_the_replies(
    scripted: Scripted, tmp_path: Path
) -> None:
    process = start_worker(tmp_path, (sys.executable, "-P", "-c", BACKWARDS))
    try:
        worker = DeepEvalWorker(process, tmp_path)
        with scripted({RELEVANCY: by_context({"A": A, "B": B, "C": C})}) as server:
            reading = worker.reading(case_with("C", "A", "B"), "contextual_relevancy", server.url)
    finally:
        end_worker(process)

    assert [item.text for item in reading.details.items] == ["C1", "C2", "C3", "A1", "A2", "B1"]


EMPTY = '{"verdicts": []}'


@pytest.mark.parametrize("contexts", [["A"], ["A", "B"]])
@pytest.mark.parametrize("wiring", ["stock", "lean"])
def test_relevancy_without_any_statement_is_the_declared_convention(
    worker: DeepEvalWorker, scripted: Scripted, contexts: Sequence[str], wiring: Wiring
) -> None:
    with scripted({RELEVANCY: EMPTY}) as server:
        reading = worker.reading(case_with(*contexts), "contextual_relevancy", server.url, wiring=wiring)

    assert (reading.raw, reading.kind, reading.flags) == (0.0, None, ("vacuous",))
    assert reading.raw == binding_of("contextual_relevancy").empty_score
    assert reading.details.items == ()
    assert "0 by convention" in reading.details.notes[0]


def test_relevancy_that_leaves_out_one_context_is_kept_and_not_accepted(
    worker: DeepEvalWorker, scripted: Scripted
) -> None:
    """DeepEval divides by the statements of the others; its prompt asks for a verdict even on an empty context."""
    with scripted({RELEVANCY: by_context({"A": A, "B": EMPTY, "C": C})}) as server:
        reading = worker.reading(case_with("A", "B", "C"), "contextual_relevancy", server.url)

    assert (reading.raw, reading.kind, reading.flags) == (3 / 5, "missing_verdicts", ("degraded",))
    assert "1 of 3 contexts" in str(reading.reason)


def test_relevancy_with_a_reply_of_another_shape_among_good_ones_is_refused(
    worker: DeepEvalWorker, scripted: Scripted
) -> None:
    with scripted({RELEVANCY: by_context({"A": A, "B": '{"statements": ["B1"]}'})}) as server:
        reading = worker.reading(case_with("A", "B"), "contextual_relevancy", server.url)

    assert (reading.raw, reading.kind) == (1 / 2, "bad_schema")
