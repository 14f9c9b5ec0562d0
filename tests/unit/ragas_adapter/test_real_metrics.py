"""What the wider metrics of Ragas 0.4.3 really do, well and badly answered, and what becomes of it here."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import Any

import pytest

from evalparity.adapters.base import Binding, Reading
from evalparity.adapters.boundary import CellError
from evalparity.adapters.ragas_adapter.adapter import ADAPTER
from evalparity.adapters.ragas_adapter.translate import translate
from evalparity.comparisons.running.normalise import to_score
from evalparity.unified_schema.cases import Chunk, EvalCase
from evalparity.unified_schema.rubrics import RUBRICS
from support.judge_faults import PROSE, SERVER_ERROR, Json
from support.judge_server import JudgeServer, embed_text, last_user_text

StartJudge = Callable[..., JudgeServer]
SCORERS = {binding.scorer: binding for binding in ADAPTER.scorers()}
STATEMENTS, CLASSES, RUBRIC = "StatementGeneratorOutput", "ClassificationWithReason", "RubricScoreOutput"


def case(contexts: int = 2, **fields: Any) -> EvalCase:
    chunks = tuple(Chunk(id=f"d{at}", text=f"Passage {at}.") for at in range(contexts))
    texts = {"input": "Who pays?", "output": "The merchant pays.", "reference": "The customer pays.", **fields}
    return EvalCase(id="c", retrieved_contexts=chunks, **texts)


def run(ragas: Any, scorer: str, server: JudgeServer, one: EvalCase) -> Reading:
    binding = SCORERS[scorer]
    return ADAPTER.read(binding, ragas.score(scorer, translate(one, binding), server.url), ())


def in_order(*replies: Any) -> JudgeServer:
    """A judge that gives one reply after the other, whatever the step."""
    return JudgeServer(lambda _request, n: replies[n] if isinstance(replies[n], str) else json.dumps(replies[n]))


def useful(number: Any) -> Json:
    return {"reason": "planted", "verdict": number}


def reasoned(*statements: str) -> list[Json]:
    return [{"statement": text, "reason": "planted"} for text in statements]


def verdicts(**numbers: Any) -> Json:
    return {"statements": [{"statement": text, "reason": "planted", "verdict": n} for text, n in numbers.items()]}


RANKED = {(1,): 1.0, (0,): 0.0, (0, 1): 0.5, (1, 0, 0, 0, 0): 1.0, (1, 0, 1): (1 + 2 / 3) / 2, (0, 0): 0.0}


@pytest.mark.parametrize("scorer", ["ragas:context_precision", "ragas:context_utilization"])
@pytest.mark.parametrize(("said", "expected"), RANKED.items())
def test_ranked_contexts(ragas: Any, scorer: str, said: tuple[int, ...], expected: float) -> None:
    with in_order(*map(useful, said)) as server:
        reading = run(ragas, scorer, server, case(len(said)))
    assert (reading.kind, reading.flags) == (None, ())
    assert reading.raw is not None
    assert to_score(reading.raw, SCORERS[scorer].scale).score == pytest.approx(expected, abs=1e-6)
    assert [item.verdict for item in reading.details.items] == ["yes" if number else "no" for number in said]
    assert [item.text for item in reading.details.items] == [f"Passage {at}." for at in range(len(said))]
    calls = SCORERS[scorer].calls.of(len(said))
    assert len(server.chat_requests) == calls.low == calls.high == len(said)


def test_average_precision_just_under_1_is_1(ragas: Any) -> None:
    with in_order(useful(1)) as server:
        reading = run(ragas, "ragas:context_precision", server, case(1))
    assert reading.raw != 1.0, "Ragas adds 1e-10 to the denominator"
    assert to_score(reading.raw or 0.0, SCORERS["ragas:context_precision"].scale).score == 1.0


def test_each_context_is_judged_alone_and_in_rank_order(ragas: Any) -> None:
    with in_order(useful(1), useful(1), useful(1)) as server:
        run(ragas, "ragas:context_precision", server, case(3))
    prompts = [last_user_text(request.body) for request in server.chat_requests]
    assert ['"Passage 0."' in prompts[0], '"Passage 1."' in prompts[1], '"Passage 2."' in prompts[2]] == [True] * 3
    assert '"Passage 1."' not in prompts[0]


@pytest.mark.parametrize("number", [2, -1])
def test_a_verdict_that_is_no_verdict_is_refused_though_ragas_counts_it(ragas: Any, number: int) -> None:
    with in_order(useful(number), useful(1)) as server:
        reading = run(ragas, "ragas:context_precision", server, case())
    assert reading.kind == "bad_schema"
    assert str(number) in (reading.reason or "")
    assert reading.raw is not None


# context relevance: two ratings


@pytest.mark.parametrize(("said", "raw"), [((2, 2), 1.0), ((0, 2), 0.5), ((1, 0), 0.25)])
def test_two_ratings_make_a_mean(ragas: Any, said: tuple[int, int], raw: float) -> None:
    with in_order(*({"rating": number} for number in said)) as server:
        reading = run(ragas, "ragas:context_relevance", server, case())
    assert (reading.raw, reading.kind, reading.flags) == (raw, None, ())
    assert [(item.native_verdict, item.value) for item in reading.details.items] == [(str(n), n / 2) for n in said]
    assert len(server.chat_requests) == SCORERS["ragas:context_relevance"].calls.high


@pytest.mark.parametrize(
    ("second", "kind"), [({"rating": 7}, "bad_schema"), ("No idea.", "bad_json"), ({"grade": 1}, "bad_schema")]
)
def test_ragas_goes_on_with_one_rating_and_we_do_not(ragas: Any, second: Any, kind: str) -> None:
    with in_order({"rating": 2}, second) as server:
        reading = run(ragas, "ragas:context_relevance", server, case())
    assert reading.raw == 1.0, "the other rating alone"
    assert (reading.kind, reading.flags) == (kind, ("degraded",))
    assert len(server.chat_requests) == 2


def test_no_rating_at_all(ragas: Any) -> None:
    with in_order("no", "idea") as server:
        reading = run(ragas, "ragas:context_relevance", server, case())
    assert (reading.raw, reading.kind) == (None, "bad_json")


def test_contexts_that_stand_in_the_question_are_a_convention(ragas: Any) -> None:
    with in_order() as server:
        reading = run(ragas, "ragas:context_relevance", server, case(1, input="See Passage 0. What does it say?"))
    assert (reading.raw, reading.kind, reading.flags) == (0.0, None, ("vacuous",))
    assert len(server.chat_requests) == SCORERS["ragas:context_relevance"].calls.low == 0


# correctness


def cosine(one: str, other: str) -> float:
    a, b = embed_text(one), embed_text(other)
    return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


def correctness_judge(judge: StartJudge, classes: Json, statements: tuple[str, ...] = ("a", "b")) -> JudgeServer:
    return judge({STATEMENTS: {"statements": list(statements)}, CLASSES: classes})


def test_answer_correctness_is_three_quarters_f1_and_a_quarter_cosine(ragas: Any, judge: StartJudge) -> None:
    server = correctness_judge(judge, {"TP": reasoned("a"), "FP": reasoned("b"), "FN": reasoned("b")})
    one = case()
    reading = run(ragas, "ragas:answer_correctness", server, one)
    assert reading.raw == pytest.approx(0.75 * 0.5 + 0.25 * cosine(one.output or "", one.reference or ""))
    assert (reading.kind, reading.flags) == (None, ())
    assert [item.verdict for item in reading.details.items] == ["yes", "no", "no"]
    binding = SCORERS["ragas:answer_correctness"]
    assert len(server.chat_requests) == binding.calls.high
    assert len(server.embedding_requests) == binding.embedding_calls.low == binding.embedding_calls.high


def test_without_statements_ragas_takes_the_facts_for_right_and_we_do_not_count_it(
    ragas: Any, judge: StartJudge
) -> None:
    server = judge({STATEMENTS: {"statements": []}})
    reading = run(ragas, "ragas:answer_correctness", server, case())
    assert reading.raw is not None
    assert reading.raw > 0.7
    assert reading.flags == ("vacuous",)
    assert len(server.chat_requests) == SCORERS["ragas:answer_correctness"].calls.low


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        ({"TP": reasoned("a"), "FP": [], "FN": []}, "missing_verdicts"),
        ({"TP": [], "FP": [], "FN": []}, "missing_verdicts"),
        ({"TP": reasoned("a", "b", "c"), "FP": [], "FN": []}, "surplus_verdicts"),
        ({"TP": reasoned("a", "b"), "FP": [], "FN": reasoned("a", "b", "c")}, "surplus_verdicts"),
    ],
)
def test_statements_that_were_not_classified_once_each(ragas: Any, judge: StartJudge, classes: Json, kind: str) -> None:
    reading = run(ragas, "ragas:answer_correctness", correctness_judge(judge, classes), case())
    assert (reading.kind, reading.flags) == (kind, ("degraded",))
    assert reading.raw is not None


def test_factual_correctness_says_what_its_recall_would_rightly_give(ragas: Any) -> None:
    own, theirs = ["a", "b", "c", "d"], ["x", "y", "z"]
    said, held = verdicts(a=1, b=1, c=1, d=0), verdicts(x=1, y=1, z=0)
    with in_order({"claims": own}, said, {"claims": theirs}, held) as server:
        reading = run(ragas, "ragas:factual_correctness", server, case())
    # Ragas: precision 3/4 and "recall" 3 / (3 + 1); rightly 3/4 and 2/3.
    assert reading.raw == 0.75
    assert (reading.kind, reading.flags) == (None, ())
    assert [item.verdict for item in reading.details.items] == ["yes"] * 3 + ["no"] + ["yes"] * 2 + ["no"]
    assert any("the F1 is 0.71" in note for note in reading.details.notes)
    assert len(server.chat_requests) == SCORERS["ragas:factual_correctness"].calls.high


def test_no_claim_in_the_output_is_a_convention(ragas: Any) -> None:
    with in_order({"claims": []}, {"claims": []}) as server:
        reading = run(ragas, "ragas:factual_correctness", server, case())
    assert (reading.raw, reading.flags) == (SCORERS["ragas:factual_correctness"].empty_score, ("vacuous",))
    assert len(server.chat_requests) == SCORERS["ragas:factual_correctness"].calls.low


def test_no_claim_in_the_reference_is_half_a_score(ragas: Any) -> None:
    with in_order({"claims": ["a"]}, verdicts(a=1), {"claims": []}) as server:
        reading = run(ragas, "ragas:factual_correctness", server, case())
    assert (reading.raw, reading.kind, reading.flags) == (1.0, None, ("degraded",))
    assert "no claim in the reference" in " ".join(reading.details.notes)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (verdicts(a=1), "missing_verdicts"),
        (verdicts(a=1, b=1, c=0), "surplus_verdicts"),
        ({"statements": []}, "missing_verdicts"),
        (verdicts(a=2, b=1), "bad_schema"),
    ],
)
def test_factual_verdicts_that_do_not_fit_the_claims(ragas: Any, said: Json, kind: str) -> None:
    with in_order({"claims": ["a", "b"]}, said, {"claims": ["x"]}, verdicts(x=1)) as server:
        reading = run(ragas, "ragas:factual_correctness", server, case())
    assert reading.kind == kind
    assert reading.raw is not None


# rubrics

RUBRIC_SCORERS = {metric: f"ragas:{metric}_rubric" for metric in RUBRICS}


@pytest.mark.parametrize(("metric", "scorer"), RUBRIC_SCORERS.items())
@pytest.mark.parametrize(("said", "score"), [(1, 0.0), (4, 0.75), (5, 1.0)])
def test_a_rubric_of_1_to_5_in_the_words_that_all_share(
    ragas: Any, judge: StartJudge, metric: str, scorer: str, said: int, score: float
) -> None:
    server = judge({RUBRIC: {"feedback": "planted", "score": said}})
    reading = run(ragas, scorer, server, case())
    assert (reading.raw, reading.reason, reading.kind) == (float(said), "planted", None)
    assert to_score(float(said), SCORERS[scorer].scale).score == score
    assert [(item.kind, item.value) for item in reading.details.items] == [("rating", score)]
    prompt = last_user_text(server.chat_requests[0].body)
    assert all(level in prompt for level in RUBRICS[metric].levels.values())
    shown = {field for field in ("input", "output", "reference") if getattr(case(), field) in prompt}
    shown |= {"retrieved_contexts"} if "Passage 1." in prompt else set()
    assert shown == set(RUBRICS[metric].fields)


@pytest.mark.parametrize("said", [0, 6, 85])
def test_a_rating_off_the_scale_is_no_score(ragas: Any, judge: StartJudge, said: int) -> None:
    server = judge({RUBRIC: {"feedback": "planted", "score": said}})
    reading = run(ragas, "ragas:answer_relevancy_rubric", server, case())
    assert reading.raw == float(said), "Ragas passes on what it gets"
    assert to_score(float(said), SCORERS["ragas:answer_relevancy_rubric"].scale).kind == "out_of_range"


RAISING = ("ragas:context_precision", "ragas:factual_correctness", "ragas:answer_correctness", *RUBRIC_SCORERS.values())


@pytest.mark.parametrize("scorer", RAISING)
@pytest.mark.parametrize("fault", [PROSE, SERVER_ERROR], ids=["prose", "500"])
def test_a_judge_that_fails_raises(ragas: Any, scorer: str, fault: Any) -> None:
    with JudgeServer(lambda _request, _n: fault) as server, pytest.raises(CellError) as caught:
        run(ragas, scorer, server, case())
    kind = ADAPTER.error_kind(caught.value.type_name, str(caught.value)) if ADAPTER.error_kind else None
    assert kind == ("bad_json" if fault is PROSE else "http_5xx")


# no judge


def alone(ragas: Any, scorer: str, output: str, reference: str) -> float | None:
    with JudgeServer(lambda _request, _n: SERVER_ERROR) as server:
        reading = run(ragas, scorer, server, case(output=output, reference=reference))
        assert not server.requests
    assert reading.kind is None
    assert reading.details.items == ()
    return reading.raw


SEVEN = "Goods can be returned within seven days."
TEXTS: dict[str, tuple[str, str, str, float]] = {
    "equal": ("ragas:exact_match", SEVEN, SEVEN, 1.0),
    "white space at the end counts": ("ragas:exact_match", SEVEN, f"{SEVEN}\n", 0.0),
    "it stands in the output": ("ragas:string_presence", f"Well. {SEVEN}", SEVEN, 1.0),
    "white space of the reference counts": ("ragas:string_presence", SEVEN, f"{SEVEN} ", 0.0),
    "letter case counts": ("ragas:string_presence", SEVEN, "goods", 0.0),
    # longest common subsequence 6 of 7 and 7 words
    "one word changed": ("ragas:rouge_score", SEVEN, SEVEN.replace("seven", "ten"), 6 / 7),
    "Chinese has no words for it": ("ragas:rouge_score", "七天内可以退货", "七天内可以退货", 0.0),
    "two edits in four letters": ("ragas:non_llm_string_similarity", "dogs", "days", 0.5),
    "a sentence as it is": ("ragas:bleu_score", SEVEN, SEVEN, 1.0),
    "two equal sentences, the first with three words": ("ragas:bleu_score", "It costs nothing. Goods go back.",
        "It costs nothing. Goods go back.", 0.0),
    "only the first sentence is compared": ("ragas:bleu_score", f"{SEVEN} Snow is white.", SEVEN[:-1], 1.0),
    "Chinese is one word": ("ragas:bleu_score", "七天内可以退货", "七天内可以退货", 0.0),
}  # fmt: skip


@pytest.mark.parametrize("what", TEXTS)
def test_text_against_text(ragas: Any, what: str) -> None:
    scorer, output, reference, expected = TEXTS[what]
    assert alone(ragas, scorer, output, reference) == pytest.approx(expected, abs=1e-6)


def test_similarity_is_the_cosine_of_two_embeddings(ragas: Any, judge: StartJudge) -> None:
    server, one = judge({}), case()
    reading = run(ragas, "ragas:semantic_similarity", server, one)
    assert reading.raw == pytest.approx(cosine(one.output or "", one.reference or ""))
    assert not server.chat_requests
    assert len(server.embedding_requests) == SCORERS["ragas:semantic_similarity"].embedding_calls.low


def test_equal_texts_are_1_whatever_the_rounding(ragas: Any, judge: StartJudge) -> None:
    reading = run(ragas, "ragas:semantic_similarity", judge({}), case(output=SEVEN, reference=SEVEN))
    assert to_score(reading.raw or 0.0, SCORERS["ragas:semantic_similarity"].scale).score == 1.0


def test_a_vector_without_direction_is_an_error(ragas: Any) -> None:
    assert to_score(-0.2, SCORERS["ragas:semantic_similarity"].scale).flags == ("below_range",)
    binding: Binding = SCORERS["ragas:semantic_similarity"]
    result = {"value": None, "reason": None, "steps": [], "failures": [], "cosines": [None]}
    assert ADAPTER.read(binding, result, ()).kind == "embedding"


def test_an_embedder_that_takes_its_time_does_not_hold_up_other_cells(ragas: Any, judge: StartJudge) -> None:
    """Ragas embeds synchronously here: in one loop the second cell would not begin before the first has its answer."""
    server, binding = judge({}), SCORERS["ragas:semantic_similarity"]
    server.hold()
    waiting = [ragas.submit(binding.scorer, translate(case(output=f"{n}"), binding), server.url) for n in range(2)]
    until = time.monotonic() + 20
    while len(server.requests) < len(waiting) and time.monotonic() < until:
        time.sleep(0.01)
    both_asked = len(server.requests)
    server.release()
    assert all(one.result()["value"] is not None for one in waiting)
    assert both_asked == len(waiting)
