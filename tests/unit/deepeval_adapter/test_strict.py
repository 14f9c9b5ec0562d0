"""The strict reading of faithfulness, held to the real metric with the option that does the same."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator

import pytest

from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.unified_schema.cases import EvalCase
from support.deepeval_worker import DeepEvalWorker, binding_of, end_worker, start_worker
from support.judge_server import JudgeServer

Scripted = Callable[..., JudgeServer]

PENALISING = """
from evalparity.adapters.deepeval_adapter import judge
from evalparity.adapters.worker import main
scorer = judge._verdict_scorer(judge.FaithfulnessMetric, judge.YES_NO_BORDERLINE, penalize_ambiguous_claims=True)
judge._SCORERS = {"deepeval:faithfulness": scorer}
main(judge.__name__)
"""


@pytest.fixture(scope="module")
def penalising(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeepEvalWorker]:
    """A process whose faithfulness is DeepEval's with `penalize_ambiguous_claims=True`, all else the same."""
    folder = tmp_path_factory.mktemp("penalising")
    process = start_worker(folder, (sys.executable, "-P", "-c", PENALISING))
    try:
        yield DeepEvalWorker(process, folder)
    finally:
        end_worker(process)


WORDS = {
    "mixed": (["yes", "no", "borderline", "idk"], 1 / 4),
    "all supported": (["yes", "Yes, clearly"], 1.0),
    "none told": (["borderline", "borderline", "borderline"], 0.0),
    "one told": (["borderline", "yes", "Borderline: not told"], 1 / 3),
    "all contradicted": (["no", "no"], 0.0),
    "nothing to check": ([], 1.0),
}


def replies(words: list[str]) -> dict[str, str]:
    return {
        "FaithfulnessMetric.Claims": json.dumps({"claims": [f"claim {at}" for at, _ in enumerate(words)]}),
        "FaithfulnessMetric.Verdicts": json.dumps({"verdicts": [{"verdict": word, "reason": "r"} for word in words]}),
    }


@pytest.mark.parametrize("name", WORDS)
def test_it_gives_the_number_of_the_real_metric_that_penalises_ambiguous_claims(
    worker: DeepEvalWorker, penalising: DeepEvalWorker, scripted: Scripted, case: EvalCase, name: str
) -> None:
    words, score = WORDS[name]
    with scripted(replies(words)) as server:
        strict = worker.reading(case, "faithfulness_strict", server.url)
        native = penalising.answer(case, "faithfulness", server.url)["result"]["score"]

    assert strict.raw == native == score
    assert (strict.kind, strict.flags) == (None, () if words else ("vacuous",))


def test_it_shows_whose_verdicts_it_reads_and_not_the_explanation_of_another_number(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    with scripted() as server:
        result = worker.answer(case, "faithfulness", server.url)["result"]
        calls = len(server.chat_requests)
    lenient = ADAPTER.read(binding_of("faithfulness"), result, ())
    strict = ADAPTER.read(binding_of("faithfulness_strict"), result, ())

    assert calls == binding_of("faithfulness").calls.high
    assert (lenient.raw, strict.raw) == (3 / 4, 2 / 4)
    assert strict.details.items == lenient.details.items
    assert strict.details.premises == lenient.details.premises
    assert (lenient.reason, strict.reason) == ("faithfulness reason", None)
    assert "deepeval:faithfulness" in strict.details.notes[0]


@pytest.mark.parametrize("reply", ['{"verdicts": [{"verdict": "yes"}]}', '{"verdicts": null}'])
def test_it_accepts_nothing_that_the_other_does_not(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, reply: str
) -> None:
    with scripted({"FaithfulnessMetric.Verdicts": reply}) as server:
        result = worker.answer(case, "faithfulness", server.url)["result"]
    lenient, strict = (ADAPTER.read(binding_of(name), result, ()) for name in ("faithfulness", "faithfulness_strict"))

    assert strict.kind == lenient.kind == "missing_verdicts"
    assert strict.flags == lenient.flags == ("degraded",)


def test_a_number_that_the_verdicts_do_not_give_is_inconsistent_in_both_readings(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    with scripted() as server:
        result = worker.answer(case, "faithfulness", server.url)["result"] | {"score": 0.5}

    for name in ("faithfulness", "faithfulness_strict"):
        assert ADAPTER.read(binding_of(name), result, ()).flags == ("inconsistent",)
