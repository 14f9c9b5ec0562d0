"""How the lexical judge answers the prompts of Ragas 0.4.3, each in the schema that it asks for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.lexical import LexicalJudge, ratings

_INPUT = "\ninput: "
_CONTEXT_JOIN = "\n"

Answer = Callable[[dict[str, Any], LexicalJudge], dict[str, Any]]


def prompt_input(prompt: str) -> dict[str, Any]:
    """Return the fields that a Ragas prompt asks about, as they stand in the JSON at its end.

    Texts of a case cannot forge the mark before it: inside JSON their line breaks are escaped.

    Raises:
        ValueError: the prompt does not end in the form of Ragas 0.4.3.
    """
    _, mark, tail = prompt.rpartition(_INPUT)
    if not mark:
        raise ValueError("it has no input in the form of Ragas 0.4.3")
    fields, _ = json.JSONDecoder().raw_decode(tail)
    return dict(fields)


def _statements(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    return {"statements": judge.split_claims(fields["answer"])}


def _verdicts(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    return {"statements": _judged(fields["statements"], fields["context"], "verdict", judge)}


def _classifications(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    sentences = judge.split_sentences(fields["answer"]) or [fields["answer"]]
    return {"classifications": _judged(sentences, fields["context"], "attributed", judge)}


def _judged(statements: list[str], context: str, key: str, judge: LexicalJudge) -> list[dict[str, Any]]:
    premises = context.split(_CONTEXT_JOIN)
    judgements = [(text, judge.judge_claim(text, premises)) for text in statements]
    return [
        {"statement": text, "reason": judgement.reason, key: int(judgement.label == "supported")}
        for text, judgement in judgements
    ]


def _question(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    response = fields["response"]
    return {"question": judge.question_for(response), "noncommittal": int(judge.is_noncommittal(response))}


def _usefulness(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    useful = ratings.is_useful(judge, fields["context"], fields["answer"])
    reason = "It supports a claim of the answer." if useful else "It supports no claim of the answer."
    return {"reason": reason, "verdict": int(useful)}


def _context_rating(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    passages = judge.split_sentences(fields["context"]) or [fields["context"]]
    found = {judge.judge_relevance(passage, fields["user_input"]).label for passage in passages}
    return {"rating": 2 if "yes" in found else int("unclear" in found)}


def _claims(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    return {"claims": judge.split_claims(fields["response"])}


def _classes(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    answer, truth = fields["answer"], fields["ground_truth"]
    held = [(text, judge.judge_claim(text, truth)) for text in answer]
    missed = [(text, judge.judge_claim(text, answer)) for text in truth]
    return {
        "TP": [{"statement": t, "reason": found.reason} for t, found in held if found.label == "supported"],
        "FP": [{"statement": t, "reason": found.reason} for t, found in held if found.label != "supported"],
        "FN": [{"statement": t, "reason": found.reason} for t, found in missed if found.label != "supported"],
    }


def _rubric(fields: dict[str, Any], judge: LexicalJudge) -> dict[str, Any]:
    """Rate by what the rubric shows: a reference, contexts, or the question alone."""
    output = fields["response"]
    if "reference" in fields:
        share, what = ratings.correctness(judge, output, fields["reference"]), "F1 of claims"
    elif "retrieved_contexts" in fields:
        share, what = ratings.utilisation(judge, output, fields["retrieved_contexts"]), "share of contexts used"
    else:
        share, what = ratings.relevance(judge, output, fields["user_input"]), "share of sentences on the question"
    return {"feedback": f"{what}: {share:.2f}", "score": ratings.on_scale(share, 1, 5)}


def _step(name: str, answer: Answer) -> PromptStep:
    def reply(prompt: str, judge: LexicalJudge) -> str:
        return json.dumps(answer(prompt_input(prompt), judge), ensure_ascii=False)

    return PromptStep(name=name, answer=reply)


STEPS = (
    _step("StatementGeneratorOutput", _statements),
    _step("NLIStatementOutput", _verdicts),
    _step("ContextRecallOutput", _classifications),
    _step("AnswerRelevanceOutput", _question),
    _step("ContextPrecisionOutput", _usefulness),
    _step("ContextRelevanceOutput", _context_rating),
    _step("ClaimDecompositionOutput", _claims),
    _step("ClassificationWithReason", _classes),
    _step("RubricScoreOutput", _rubric),
)
"""The prompts of the bound metrics, by the name of the schema that Ragas asks for."""
