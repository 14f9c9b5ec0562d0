"""The lexical judge as it stands, over the prompts that the real framework sends."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from evalparity.adapters.deepeval_adapter.prompts import STEPS
from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.errors import JudgeError
from support.deepeval_worker import ASKING, DeepEvalWorker, prompts_by_step, step_of
from support.judge_server import JudgeServer, last_user_text

Scripted = Callable[..., JudgeServer]

ANSWERS = {step.name: step.answer for step in STEPS}


WHOLE_WAY = {
    "faithfulness": 1.0,  # one claim supported, one neither supported nor denied
    "answer_relevancy": 0.5,  # one of two sentences says who pays
    "answer_relevancy_rubric": 0.5,  # the same, as 3 of 1 to 5
    "contextual_precision": 1.0,  # the one useful context stands first
    "contextual_recall": 0.5,  # "Always." stands in no context
    "contextual_relevancy": 0.5,  # one of two statements says who pays
    "context_utilisation_rubric": 0.5,  # one of two contexts supports a claim of the output
    "g_eval_answer_correctness": 0.5,  # one claim of two on either side is shared
    "answer_correctness_rubric": 0.5,
}


def test_the_whole_way_with_the_lexical_judge(worker: DeepEvalWorker, case: EvalCase) -> None:
    server = JudgeServer(
        lambda request, _n: ANSWERS[str(step_of(server.requests[-1]))](last_user_text(request), LEXICAL_JUDGE)
    )
    with server:
        readings = {scorer: worker.reading(case, scorer, server.url) for scorer in ASKING}

    for scorer, reading in readings.items():
        assert (reading.kind, reading.flags) == (None, ()), scorer
        assert reading.details.items
    assert {scorer: reading.raw for scorer, reading in readings.items()} == WHOLE_WAY


def test_a_context_without_sentences_is_answered_as_the_prompt_asks(
    worker: DeepEvalWorker, scripted: Scripted, case: EvalCase
) -> None:
    bare = EvalCase.model_validate({"id": "b", "input": case.input, "retrieved_contexts": ["…"]})
    step = "ContextualRelevancyMetric.ContextualRelevancyVerdicts"
    with scripted() as server:
        worker.answer(bare, "contextual_relevancy", server.url)
        prompt = prompts_by_step(server)[step]

    told = "No statements found in provided context."
    assert told in prompt
    assert json.loads(ANSWERS[step](prompt, LEXICAL_JUDGE)) == {
        "verdicts": [{"statement": "…", "reason": told, "verdict": "no"}]
    }


@pytest.mark.parametrize(
    ("scorer", "name", "heading"),
    [
        ("contextual_precision", "input", "\n\nExpected output:\n"),
        ("contextual_precision", "reference", "\n\nExpected output:\n"),
        ("contextual_relevancy", "input", "\n\nContext:\n"),
        ("g_eval_answer_correctness", "input", " \n\nActual Output:\n"),
        ("answer_correctness_rubric", "reference", " \n\nExpected Output:\n"),
        ("answer_relevancy_rubric", "output", " \n\nActual Output:\n"),
        ("context_utilisation_rubric", "output", " \n\nActual Output:\n"),
    ],
)
def test_a_text_that_holds_the_heading_before_the_next_text_is_refused_and_never_cut_by_guess(
    worker: DeepEvalWorker,
    scripted: Scripted,
    case: EvalCase,
    scorer: str,
    name: str,
    heading: str,
) -> None:
    doubled = case.model_copy(update={name: f"one{heading}another"})
    with scripted() as server:
        worker.answer(doubled, scorer, server.url)
        step, prompt = next(iter(prompts_by_step(server).items()))

    with pytest.raises(JudgeError, match="cannot be told apart") as caught:
        ANSWERS[step](prompt, LEXICAL_JUDGE)

    assert caught.value.kind == "unknown_step"
