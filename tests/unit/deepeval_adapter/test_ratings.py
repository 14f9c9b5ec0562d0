"""GEval through the real framework: what it is told, what it makes of a rating, and what of anything else."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from evalparity.adapters.deepeval_adapter.adapter import ADAPTER, error_kind
from evalparity.adapters.deepeval_adapter.rubrics import RATINGS
from evalparity.comparisons.running.normalise import to_score
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.outcomes import Item
from evalparity.unified_schema.rubrics import RUBRICS
from support.deepeval_worker import DeepEvalWorker, binding_of, prompts_of
from support.judge_server import JudgeServer

Scripted = Callable[..., JudgeServer]

NAMES = tuple(rating.name for rating in RATINGS.values())
TEN = "g_eval_answer_correctness"
FIVE = "answer_correctness_rubric"


def reply(score: object) -> str:
    return json.dumps({"reason": "because", "score": score})


def step_of(scorer: str) -> str:
    return f"GEval({scorer}).ReasonScore"


@pytest.mark.parametrize("scorer", NAMES)
def test_the_judge_is_told_the_rubric_word_for_word_and_the_scale_in_one_call(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str
) -> None:
    rating, rubric = RATINGS[f"deepeval:{scorer}"], RUBRICS[binding_of(scorer).metric]
    with scripted() as server:
        worker.answer(case, scorer, server.url)
        (prompt,) = prompts_of(server)

    assert f"Evaluation Steps:\n1. {rubric.question}\n2. " in prompt
    assert f"an integer between {rating.low} and {rating.high}, " in prompt
    levels = "\n".join(f"{number}: {text}" for number, text in rubric.levels.items())
    if rating.levels:
        assert (rating.low, rating.high) == (rubric.low, rubric.high)
        assert f"\n\nRubric:\n{levels}\n\nTest Case:\n" in prompt
    else:
        assert "Rubric" not in prompt
        assert all(text in prompt for text in rubric.levels.values())


# Scorer, what the judge says, and the score that DeepEval makes of it.
GOOD = [
    (TEN, 0, 0.0),
    (TEN, 7, 0.7),
    (TEN, 10, 1.0),
    (TEN, 1, 0.1),
    (TEN, "8", 0.8),
    (TEN, 8.0, 0.8),
    (FIVE, 1, 0.0),
    (FIVE, 2, 0.25),
    (FIVE, 5, 1.0),
    (FIVE, "4", 0.75),
    ("answer_relevancy_rubric", 3, 0.5),
    ("context_utilisation_rubric", 4, 0.75),
]


@pytest.mark.parametrize(("scorer", "said", "score"), GOOD)
def test_a_rating_is_put_on_the_scale_of_0_to_1(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str, said: object, score: float
) -> None:
    with scripted({step_of(scorer): reply(said)}) as server:
        reading = worker.reading(case, scorer, server.url)

    native = said if isinstance(said, str) else json.dumps(said)
    assert (reading.raw, reading.kind, reading.flags, reading.reason) == (score, None, (), "because")
    assert reading.details.items == (Item(kind="rating", value=score, native_verdict=native, reason="because"),)
    assert reading.details.notes == ()


@pytest.mark.parametrize(("scorer", "said", "score"), [(TEN, 7.5, 0.75), (TEN, "6.5", 0.65), (FIVE, 3.5, 0.625)])
def test_a_rating_between_whole_numbers_counts_and_is_noted(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str, said: object, score: float
) -> None:
    with scripted({step_of(scorer): reply(said)}) as server:
        reading = worker.reading(case, scorer, server.url)

    assert (reading.raw, reading.kind, reading.flags) == (score, None, ())
    assert f"rated {said} where it was asked for a whole number" in reading.details.notes[0]


# What DeepEval makes of it without a word is the third; each would pass for a score or nearly so.
OFF_SCALE = [
    (TEN, 85, 8.5, "out_of_range"),
    (TEN, -1, -0.1, "out_of_range"),
    (TEN, 0.95, 0.095, "bad_schema"),
    (TEN, "0.8", 0.08, "bad_schema"),
    (TEN, True, 0.1, "bad_schema"),
    (FIVE, 0, -0.25, "out_of_range"),
    (FIVE, 8, 1.75, "out_of_range"),
    (FIVE, 0.95, -0.0125, "bad_schema"),
    (FIVE, True, 0.0, "bad_schema"),
]


@pytest.mark.parametrize(("scorer", "said", "score", "kind"), OFF_SCALE)
def test_a_rating_on_another_scale_is_kept_and_never_accepted(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str, said: object, score: float, kind: str
) -> None:
    with scripted({step_of(scorer): reply(said)}) as server:
        reading = worker.reading(case, scorer, server.url)

    assert reading.raw == pytest.approx(score, abs=1e-12)
    assert reading.raw is not None
    assert (reading.kind or to_score(reading.raw, binding_of(scorer).scale).kind) == kind
    assert reading.details.items[0].native_verdict == (said if isinstance(said, str) else json.dumps(said))
    assert "inconsistent" not in reading.flags


@pytest.mark.parametrize("said", ["NaN", "Infinity", "-Infinity", '"nan"', '"inf"', "1e999"])
@pytest.mark.parametrize("scorer", [TEN, FIVE])
def test_a_rating_that_is_no_finite_number_is_no_score(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str, said: str
) -> None:
    with scripted({step_of(scorer): f'{{"reason": "because", "score": {said}}}'}) as server:
        reading = worker.reading(case, scorer, server.url)

    assert (reading.raw, reading.kind) == (None, "out_of_range")
    assert reading.details.items[0].value is None


# Seen with DeepEval 4.3.1.
MISSHAPEN = [
    ("I would rate this a solid 8.", "bad_json"),
    ("[]", "bad_json"),
    ('{"reason": "cut o', "bad_json"),
    ("{}", "bad_schema"),
    ('{"score": 8}', "bad_schema"),
    ('{"reason": "because"}', "bad_schema"),
    (reply(None), "bad_schema"),
    (reply("8/10"), "bad_schema"),
    (reply("eight"), "bad_schema"),
    (reply(""), "bad_schema"),
    (reply([8]), "bad_schema"),
    (reply({"value": 8}), "bad_schema"),
    (f'{{"reason": "because", "score": 1{"0" * 400}}}', "bad_schema"),
    (f'{{"reason": "because", "score": 1{"0" * 5000}}}', "bad_json"),
]


@pytest.mark.parametrize(("said", "kind"), MISSHAPEN, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("scorer", [TEN, FIVE])
def test_a_reply_of_another_shape_ends_in_its_kind_after_one_call(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, scorer: str, said: str, kind: str
) -> None:
    with scripted({step_of(scorer): said}) as server:
        error = worker.answer(case, scorer, server.url)["error"]
        calls = len(server.chat_requests)

    assert (error_kind(error["type"], error["message"]), calls) == (kind, 1)


@pytest.mark.parametrize("said", ['```json\n{"reason": "because", "score": 4}\n```', '{"reason": null, "score": 4,}'])
def test_what_deepeval_reads_leniently_is_a_score(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase, said: str
) -> None:
    with scripted({step_of(FIVE): said}) as server:
        reading = worker.reading(case, FIVE, server.url)

    assert (reading.raw, reading.kind, reading.flags) == (0.75, None, ())


def test_a_score_that_its_rating_does_not_give_is_inconsistent(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    with scripted() as server:
        result = worker.answer(case, TEN, server.url)["result"]

    assert ADAPTER.read(binding_of(TEN), result, ()).flags == ()
    assert ADAPTER.read(binding_of(TEN), result | {"score": 0.8}, ()).flags == ("inconsistent",)
