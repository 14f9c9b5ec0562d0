"""The lexical judge's side of DeepEval's prompts, over the prompts that the real framework sends."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from evalparity.adapters.deepeval_adapter.prompts import STEPS
from evalparity.adapters.judge.lexical import ClaimJudgement, RelevanceJudgement
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.errors import JudgeError
from support.deepeval_worker import ASKING, DeepEvalWorker, prompts_by_step
from support.judge_server import JudgeServer

ANSWERS = {step.name: step.answer for step in STEPS}


@dataclass
class Spy:
    """Keeps what it is asked, so that the cut of a prompt can be compared with what went into it."""

    asked: list[Any] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)

    def split_claims(self, text: str) -> list[str]:
        self.asked.append(text)
        return ["one claim", "another"]

    def split_sentences(self, text: str) -> list[str]:
        self.asked.append(text)
        return ["a  sentence\n\nin two", "two"]

    def judge_claim(self, claim: str, premises: Sequence[str]) -> ClaimJudgement:
        self.asked.append((claim, list(premises)))
        label: Any = self.labels.pop(0) if self.labels else "supported"
        return ClaimJudgement(label=label, reason=f"reason for {label}", premise=None)

    def judge_relevance(self, statement: str, question: str) -> RelevanceJudgement:
        self.asked.append((statement, question))
        label: Any = self.labels.pop(0) if self.labels else "yes"
        return RelevanceJudgement(label=label, reason=f"reason for {label}")

    def is_noncommittal(self, answer: str) -> bool:
        self.asked.append(answer)
        return False

    def question_for(self, answer: str) -> str:
        raise AssertionError(answer)

    def embed(self, text: str) -> list[float]:
        raise AssertionError(text)

    def count_tokens(self, text: str) -> int:
        raise AssertionError(text)


HEADINGS = (
    "**\n\nText:\n**\n\nAI Output:\n**\n\nInput:\nx\n\nClaims:\n['a']\n\nStatements:\n['a']\n\nRetrieval Context:\n"
    "['a']\n\nExpected Output:\nx\n\nContradictions:\n[]\n\nUnsupportive Reasons:\n[]\n\nJSON:\n\nJSON:"
)
# No heading of DeepEval's between two plain texts stands in it; see test_lexical_answers.
TEXT = f"{{{{ x }}}} 'quoted' \"twice\" \\n 退货👩‍👧\u2028 {HEADINGS}"

REPLIES = {
    "FaithfulnessMetric.Truths": json.dumps({"truths": [f"T1 {TEXT}", "T2"]}),
    "FaithfulnessMetric.Claims": json.dumps({"claims": [f"C1 {TEXT}", "C2"]}),
    "FaithfulnessMetric.Verdicts": json.dumps({"verdicts": [{"verdict": "no", "reason": TEXT}, {"verdict": "no"}]}),
    **dict.fromkeys(
        ("ContextualRecallMetric.Verdicts", "ContextualPrecisionMetric.Verdicts"),
        json.dumps({"verdicts": [{"verdict": "no", "reason": TEXT}, {"verdict": "yes", "reason": TEXT}]}),
    ),
    "ContextualRelevancyMetric.ContextualRelevancyVerdicts": json.dumps(
        {"verdicts": [{"statement": TEXT, "verdict": "no", "reason": TEXT}, {"statement": TEXT, "verdict": "yes"}]}
    ),
    "AnswerRelevancyMetric.Statements": json.dumps({"statements": [f"S1 {TEXT}", "S2"]}),
    "AnswerRelevancyMetric.Verdicts": json.dumps(
        {"verdicts": [{"verdict": "no", "reason": TEXT}, {"verdict": "borderline"}]}
    ),
}


@pytest.fixture
def hostile() -> EvalCase:
    return EvalCase.model_validate(
        {
            "id": "h",
            "input": f"IN {TEXT}",
            "output": f"OUT {TEXT}",
            "reference": f"REF {TEXT}",
            "retrieved_contexts": [f"ONE {TEXT}", f"TWO {TEXT}"],
        }
    )


@pytest.fixture
def prompts(worker: DeepEvalWorker, scripted: Callable[..., JudgeServer], hostile: EvalCase) -> dict[str, str]:
    """A prompt of every step as DeepEval wrote it, around texts full of its own headings."""
    with scripted(REPLIES) as server:
        for scorer in ASKING:
            assert "result" in worker.answer(hostile, scorer, server.url)
        return prompts_by_step(server)


def test_every_text_is_cut_out_exactly(prompts: dict[str, str], hostile: EvalCase) -> None:
    contexts = list(hostile.context_texts("retrieved_contexts"))
    truths = [f"T1 {TEXT}", "T2"]
    wanted = {
        "FaithfulnessMetric.Truths": ["\n\n".join(contexts)],
        "FaithfulnessMetric.Claims": [hostile.output],
        "FaithfulnessMetric.Verdicts": [(claim, "\n\n".join(truths).split("\n\n")) for claim in (f"C1 {TEXT}", "C2")],
        "ContextualRecallMetric.Verdicts": [
            hostile.reference,
            ("a  sentence\n\nin two", contexts),
            ("two", contexts),
        ],
        "ContextualPrecisionMetric.Verdicts": [
            question for context in contexts for question in (hostile.reference, ("one claim", [context]))
        ],
        "ContextualRelevancyMetric.ContextualRelevancyVerdicts": [
            contexts[-1],
            ("a  sentence\n\nin two", hostile.input),
            ("two", hostile.input),
        ],
        "AnswerRelevancyMetric.Statements": [hostile.output],
        "AnswerRelevancyMetric.Verdicts": [(f"S1 {TEXT}", hostile.input), ("S2", hostile.input)],
    }
    for step, asked in wanted.items():
        spy = Spy()
        ANSWERS[step](prompts[step], spy)
        assert spy.asked == asked, step


@pytest.mark.parametrize(
    ("step", "labels", "verdicts"),
    [
        (
            "FaithfulnessMetric.Verdicts",
            ["contradicted", "unsupported"],
            [("no", "reason for contradicted"), ("borderline", "reason for unsupported")],
        ),
        ("FaithfulnessMetric.Verdicts", ["supported", "supported"], [("yes", None), ("yes", None)]),
        (
            "ContextualRecallMetric.Verdicts",
            ["supported", "unsupported"],
            [("yes", "reason for supported"), ("no", "reason for unsupported")],
        ),
        (
            "ContextualRecallMetric.Verdicts",
            ["contradicted", "supported"],
            [("no", "reason for contradicted"), ("yes", "reason for supported")],
        ),
        (
            "ContextualPrecisionMetric.Verdicts",
            ["contradicted", "unsupported", "unsupported", "supported"],
            [
                ("no", "It supports no claim of the expected output."),
                ("yes", "It supports a claim of the expected output."),
            ],
        ),
        (
            "ContextualRelevancyMetric.ContextualRelevancyVerdicts",
            ["yes", "unclear"],
            [("yes", None), ("no", "reason for unclear")],
        ),
        ("AnswerRelevancyMetric.Verdicts", ["yes", "unclear"], [("yes", None), ("borderline", "reason for unclear")]),
        ("AnswerRelevancyMetric.Verdicts", ["no", "yes"], [("no", "reason for no"), ("yes", None)]),
    ],
)
def test_judgements_become_the_words_that_the_prompt_asks_for(
    prompts: dict[str, str], step: str, labels: list[str], verdicts: list[tuple[str, str | None]]
) -> None:
    reply = json.loads(ANSWERS[step](prompts[step], Spy(labels=labels)))

    assert [(one["verdict"], one.get("reason")) for one in reply["verdicts"]] == verdicts


@pytest.mark.parametrize(
    ("step", "start"),
    [
        ("FaithfulnessMetric.FaithfulnessScoreReason", "The score is 0.00: "),
        ("ContextualRecallMetric.ContextualRecallScoreReason", "The score is 0.50: "),
        ("AnswerRelevancyMetric.AnswerRelevancyScoreReason", "The score is 0.50: "),
        ("ContextualPrecisionMetric.ContextualPrecisionScoreReason", "The score is 0.50: "),
    ],
)
def test_reasons_name_the_score_and_what_speaks_against_it(prompts: dict[str, str], step: str, start: str) -> None:
    assert json.loads(ANSWERS[step](prompts[step], Spy())) == {"reason": start + TEXT}


def test_the_reason_of_context_relevancy_names_what_speaks_against_every_context(prompts: dict[str, str]) -> None:
    step = "ContextualRelevancyMetric.ContextualRelevancyScoreReason"

    assert json.loads(ANSWERS[step](prompts[step], Spy())) == {"reason": f"The score is 0.50: {TEXT} {TEXT}"}


RATED = {
    "GEval(g_eval_answer_correctness).ReasonScore": (10, ("output", "reference")),
    "GEval(answer_correctness_rubric).ReasonScore": (5, ("output", "reference")),
    "GEval(answer_relevancy_rubric).ReasonScore": (5, ("output", "input")),
    "GEval(context_utilisation_rubric).ReasonScore": (5, ("output", "retrieved_contexts")),
}
"""By step: the highest rating, and the fields that the lexical rating rests on."""


@pytest.mark.parametrize("step", RATED)
def test_a_rating_rests_on_the_texts_under_their_headings_and_uses_the_whole_scale(
    prompts: dict[str, str], hostile: EvalCase, step: str
) -> None:
    high, fields = RATED[step]
    spy = Spy()
    reply = json.loads(ANSWERS[step](prompts[step], spy))
    worst = json.loads(ANSWERS[step](prompts[step], Spy(labels=["no"] * 8)))

    for name in fields:
        held = getattr(hostile, name)
        for text in [held] if isinstance(held, str) else hostile.context_texts(name):
            assert repr(text) in repr(spy.asked), name
    assert (reply["score"], worst["score"]) == (high, 0 if high == 10 else 1)
    assert "100%" in reply["reason"]


def test_truths_are_single_lines_so_that_the_next_prompt_can_be_cut(prompts: dict[str, str]) -> None:
    step = "FaithfulnessMetric.Truths"

    assert json.loads(ANSWERS[step](prompts[step], Spy()))["truths"] == ["a sentence in two", "two"]


@pytest.mark.parametrize("step", ANSWERS)
@pytest.mark.parametrize("change", ["nothing", "a heading", "the end", "the list"])
def test_another_prompt_is_an_error_that_names_the_step_and_never_a_guess(
    prompts: dict[str, str], step: str, change: str
) -> None:
    changed = {
        "nothing": "",
        "a heading": prompts[step].replace("**", "--").replace("Test Case:", "The case:"),
        "the end": prompts[step] + "\n\nThink step by step.",
        "the list": "**\n\nJSON:",
    }[change]

    with pytest.raises(JudgeError) as caught:
        ANSWERS[step](changed, Spy())

    assert caught.value.kind == "unknown_step"
    assert step in str(caught.value)
