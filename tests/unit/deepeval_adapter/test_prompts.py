"""The lexical judge's side of DeepEval's prompts, over the prompts that the real framework sends."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from evalparity.adapters.deepeval_adapter.adapter import ADAPTER
from evalparity.adapters.deepeval_adapter.prompts import STEPS
from evalparity.adapters.judge.lexical import ClaimJudgement, RelevanceJudgement
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.errors import JudgeError
from support.deepeval_worker import DeepEvalWorker, prompts_by_step, step_of
from support.judge_server import JudgeServer, last_user_text

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
        raise AssertionError(answer)

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
TEXT = f"{{{{ x }}}} 'quoted' \"twice\" \\n 退货👩‍👧\u2028 {HEADINGS}"

REPLIES = {
    "FaithfulnessMetric.Truths": json.dumps({"truths": [f"T1 {TEXT}", "T2"]}),
    "FaithfulnessMetric.Claims": json.dumps({"claims": [f"C1 {TEXT}", "C2"]}),
    "FaithfulnessMetric.Verdicts": json.dumps({"verdicts": [{"verdict": "no", "reason": TEXT}, {"verdict": "no"}]}),
    "ContextualRecallMetric.Verdicts": json.dumps(
        {"verdicts": [{"verdict": "no", "reason": TEXT}, {"verdict": "yes", "reason": TEXT}]}
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
    """All prompts of the three metrics as DeepEval wrote them, around texts full of its own headings."""
    with scripted(REPLIES) as server:
        for metric in ADAPTER.bindings:
            assert "result" in worker.answer(hostile, metric, server.url)
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
    ],
)
def test_reasons_name_the_score_and_what_speaks_against_it(prompts: dict[str, str], step: str, start: str) -> None:
    assert json.loads(ANSWERS[step](prompts[step], Spy())) == {"reason": start + TEXT}


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
        "a heading": prompts[step].replace("**", "--"),
        "the end": prompts[step] + "\n\nThink step by step.",
        "the list": "**\n\nJSON:",
    }[change]

    with pytest.raises(JudgeError) as caught:
        ANSWERS[step](changed, Spy())

    assert caught.value.kind == "unknown_step"
    assert step in str(caught.value)


def test_the_whole_way_with_the_lexical_judge(worker: DeepEvalWorker, case: EvalCase) -> None:
    lexical = pytest.importorskip("evalparity.adapters.judge.lexical.judge").LEXICAL_JUDGE
    server = JudgeServer(
        lambda request, _n: ANSWERS[str(step_of(server.requests[-1]))](last_user_text(request), lexical)
    )
    with server:
        answers = {metric: worker.answer(case, metric, server.url) for metric in ADAPTER.bindings}

    for metric, answer in answers.items():
        reading = ADAPTER.read(ADAPTER.binding(metric), answer["result"], ())
        assert (reading.kind, set(reading.flags) & {"degraded", "inconsistent"}) == (None, set()), metric
        assert reading.details.items
