"""The prompts of DeepEval's metrics, and how the lexical judge answers each in the form that it asks for.

A prompt is a fixed text, then sections under fixed headings, then `JSON:`. Texts of a suite stand in the sections
and may hold the same headings. What makes the cut certain all the same: the fixed text ends before the first
heading, and lists are Python literals, which never hold a line break, so that the last heading before a list is
DeepEval's own.
"""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evalparity.adapters.base import PromptStep
from evalparity.adapters.judge.lexical import ClaimJudgement, LexicalJudge
from evalparity.unified_schema.errors import JudgeError

_END = "\n\nJSON:"

_FAITHFULNESS_WORDS: Mapping[str, str] = MappingProxyType(
    {"supported": "yes", "contradicted": "no", "unsupported": "borderline"}
)
_RELEVANCE_WORDS: Mapping[str, str] = MappingProxyType({"yes": "yes", "no": "no", "unclear": "borderline"})


def _answer_truths(prompt: str, judge: LexicalJudge) -> str:
    contexts = _after(_body(prompt), "**\n\nText:\n")
    return _json(truths=[" ".join(sentence.split()) for sentence in judge.split_sentences(contexts)])


def _answer_claims(prompt: str, judge: LexicalJudge) -> str:
    return _json(claims=judge.split_claims(_after(_body(prompt), "**\n\nAI Output:\n")))


def _answer_claim_verdicts(prompt: str, judge: LexicalJudge) -> str:
    truths, claims = _text_and_list(prompt, "**\n\nRetrieval Contexts:\n", "\n\nClaims:\n")
    judged = [judge.judge_claim(claim, truths.split("\n\n")) for claim in claims]
    return _json(verdicts=[_verdict(_FAITHFULNESS_WORDS[one.label], one.reason) for one in judged])


def _answer_sentence_verdicts(prompt: str, judge: LexicalJudge) -> str:
    reference, contexts = _text_and_list(prompt, "**\n\nExpected Output:\n", "\n\nRetrieval Context:\n")
    judged = [judge.judge_claim(one, contexts) for one in judge.split_sentences(reference) or [reference]]
    return _json(verdicts=[_attribution(one) for one in judged])


def _attribution(judged: ClaimJudgement) -> dict[str, str]:
    return {"reason": judged.reason, "verdict": "yes" if judged.label == "supported" else "no"}


def _answer_statements(prompt: str, judge: LexicalJudge) -> str:
    return _json(statements=judge.split_sentences(_after(_body(prompt), "**\n\nText:\n")))


def _answer_statement_verdicts(prompt: str, judge: LexicalJudge) -> str:
    question, statements = _text_and_list(prompt, "**          \n\nInput:\n", "\n\nStatements:\n")
    judged = [judge.judge_relevance(statement, question) for statement in statements]
    return _json(verdicts=[_verdict(_RELEVANCE_WORDS[one.label], one.reason) for one in judged])


def _verdict(word: str, reason: str) -> dict[str, str]:
    """DeepEval asks for a reason only where the verdict is not `yes`."""
    return {"verdict": word} if word == "yes" else {"reason": reason, "verdict": word}


def _answer_faithfulness_reason(prompt: str, _judge: LexicalJudge) -> str:
    return _reason(*_text_and_list(prompt, "**\n\nFaithfulness Score:\n", "\n\nContradictions:\n"))


def _answer_recall_reason(prompt: str, _judge: LexicalJudge) -> str:
    return _reason(*_text_and_list(prompt, "**\n\nContextual Recall Score:\n", "\n\nUnsupportive Reasons:\n"))


def _answer_relevancy_reason(prompt: str, _judge: LexicalJudge) -> str:
    body = _after(_body(prompt), "**\n\n\nAnswer Relevancy Score:\n")
    return _reason(body, _list(_after(body, "in the actual output:\n").partition("\n")[0]))


def _reason(text: str, against: Sequence[object]) -> str:
    """`text` begins with the score; `against` may hold None, for a verdict without a reason."""
    score, reasons = text.partition("\n")[0], [one for one in against if isinstance(one, str)]
    return _json(reason=f"The score is {score}: {' '.join(reasons) or 'no reason speaks against it.'}")


class _UnknownLayoutError(Exception):
    """Raised when a prompt does not stand as DeepEval 4.3.1 writes it."""


def _body(prompt: str) -> str:
    if not prompt.endswith(_END):
        raise _UnknownLayoutError(f"it does not end in {_END.strip()!r}")
    return prompt.removesuffix(_END)


def _after(text: str, heading: str) -> str:
    _, found, rest = text.partition(heading)
    if not found:
        raise _UnknownLayoutError(f"it has no {heading.strip()!r}")
    return rest


def _text_and_list(prompt: str, heading: str, list_heading: str) -> tuple[str, list[Any]]:
    text, found, literal = _after(_body(prompt), heading).rpartition(list_heading)
    if not found:
        raise _UnknownLayoutError(f"it has no {list_heading.strip()!r}")
    return text, _list(literal)


def _list(literal: str) -> list[Any]:
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError) as error:
        raise _UnknownLayoutError("it holds no Python list where one is expected") from error
    if not isinstance(value, list):
        raise _UnknownLayoutError("it holds no Python list where one is expected")
    return value


def _json(**content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


_Answer = Callable[[str, LexicalJudge], str]

_ANSWERS: Mapping[str, _Answer] = MappingProxyType(
    {
        "FaithfulnessMetric.Truths": _answer_truths,
        "FaithfulnessMetric.Claims": _answer_claims,
        "FaithfulnessMetric.Verdicts": _answer_claim_verdicts,
        "FaithfulnessMetric.FaithfulnessScoreReason": _answer_faithfulness_reason,
        "ContextualRecallMetric.Verdicts": _answer_sentence_verdicts,
        "ContextualRecallMetric.ContextualRecallScoreReason": _answer_recall_reason,
        "AnswerRelevancyMetric.Statements": _answer_statements,
        "AnswerRelevancyMetric.Verdicts": _answer_statement_verdicts,
        "AnswerRelevancyMetric.AnswerRelevancyScoreReason": _answer_relevancy_reason,
    }
)
"""By metric class and reply schema, as the worker names each call."""


def _answer_known(name: str, answer: _Answer, prompt: str, judge: LexicalJudge) -> str:
    try:
        return answer(prompt, judge)
    except _UnknownLayoutError as error:
        raise JudgeError(
            "unknown_step",
            f"The lexical judge does not know this prompt of DeepEval's {name}: {error}. It knows version 4.3.1; "
            "install that one or name a judge model.",
        ) from error


STEPS: tuple[PromptStep, ...] = tuple(
    PromptStep(name=name, answer=functools.partial(_answer_known, name, answer)) for name, answer in _ANSWERS.items()
)
"""Every prompt of the bound metrics, reasons included."""
