"""The prompts of DeepEval's metrics, and how the lexical judge answers each in the form that it asks for."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evalparity.adapters.base import PromptStep
from evalparity.adapters.deepeval_adapter.rubrics import RATINGS, TITLES, Rating
from evalparity.adapters.deepeval_adapter.sections import (
    END,
    UnknownLayoutError,
    after,
    before_list,
    between,
    body,
    read_list,
)
from evalparity.adapters.judge.lexical import ClaimJudgement, LexicalJudge
from evalparity.adapters.judge.lexical.ratings import correctness, is_useful, on_scale, relevance, utilisation
from evalparity.unified_schema.errors import JudgeError

_FAITHFULNESS_WORDS: Mapping[str, str] = MappingProxyType(
    {"supported": "yes", "contradicted": "no", "unsupported": "borderline"}
)
_RELEVANCE_WORDS: Mapping[str, str] = MappingProxyType({"yes": "yes", "no": "no", "unclear": "borderline"})


def _answer_truths(prompt: str, judge: LexicalJudge) -> str:
    contexts = after(body(prompt), "**\n\nText:\n")
    return _json(truths=[" ".join(sentence.split()) for sentence in judge.split_sentences(contexts)])


def _answer_claims(prompt: str, judge: LexicalJudge) -> str:
    return _json(claims=judge.split_claims(after(body(prompt), "**\n\nAI Output:\n")))


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
    return _json(statements=judge.split_sentences(after(body(prompt), "**\n\nText:\n")))


def _answer_statement_verdicts(prompt: str, judge: LexicalJudge) -> str:
    question, statements = _text_and_list(prompt, "**          \n\nInput:\n", "\n\nStatements:\n")
    judged = [judge.judge_relevance(statement, question) for statement in statements]
    return _json(verdicts=[_verdict(_RELEVANCE_WORDS[one.label], one.reason) for one in judged])


def _verdict(word: str, reason: str) -> dict[str, str]:
    """DeepEval asks for a reason only where the verdict is not `yes`."""
    return {"verdict": word} if word == "yes" else {"reason": reason, "verdict": word}


_DOCUMENTS = re.compile(r"\n\nRetrieval Context  \((\d+) documents?\):\Z")


def _answer_context_verdicts(prompt: str, judge: LexicalJudge) -> str:
    text, _, literal = after(body(prompt), "**\n\nInput:\n").rpartition("\n")
    contexts, heading = read_list(literal), _DOCUMENTS.search(text)
    if heading is None or int(heading[1]) != len(contexts):
        raise UnknownLayoutError("it does not number its documents")
    _, reference = between(text[: heading.start()], ["\n\nExpected output:\n"])
    return _json(verdicts=[_usefulness(judge, context, reference) for context in contexts])


def _usefulness(judge: LexicalJudge, context: str, reference: str) -> dict[str, str]:
    if is_useful(judge, context, reference):
        return {"reason": "It supports a claim of the expected output.", "verdict": "yes"}
    return {"reason": "It supports no claim of the expected output.", "verdict": "no"}


def _answer_context_statement_verdicts(prompt: str, judge: LexicalJudge) -> str:
    question, context = between(after(body(prompt), "**\n\nInput:\n"), ["\n\nContext:\n"])
    statements = judge.split_sentences(context)
    if not statements:  # as the prompt asks
        nothing = "No statements found in provided context."
        return _json(verdicts=[{"statement": context, "reason": nothing, "verdict": "no"}])
    return _json(verdicts=[_relevance(judge, statement, question) for statement in statements])


def _relevance(judge: LexicalJudge, statement: str, question: str) -> dict[str, str]:
    judged = judge.judge_relevance(statement, question)
    return {"statement": statement, **_verdict("yes" if judged.label == "yes" else "no", judged.reason)}


def _answer_faithfulness_reason(prompt: str, _judge: LexicalJudge) -> str:
    return _reason(*_text_and_list(prompt, "**\n\nFaithfulness Score:\n", "\n\nContradictions:\n"))


def _answer_recall_reason(prompt: str, _judge: LexicalJudge) -> str:
    return _reason(*_text_and_list(prompt, "**\n\nContextual Recall Score:\n", "\n\nUnsupportive Reasons:\n"))


def _answer_relevancy_reason(prompt: str, _judge: LexicalJudge) -> str:
    text = after(body(prompt), "**\n\n\nAnswer Relevancy Score:\n")
    return _reason(text, read_list(after(text, "in the actual output:\n").partition("\n")[0]))


# DeepEval writes its verdicts as Python shows them, which is no literal.
_SHOWN_VERDICT = re.compile(r"(?<=\{'verdict': )<Verdict\.[A-Z]+: ('[a-z]+')>(?=, 'reason': )")


def _answer_precision_reason(prompt: str, _judge: LexicalJudge) -> str:
    text = _SHOWN_VERDICT.sub(r"\1", after(body(prompt), "**\n\nContextual Precision Score:\n"))
    text, verdicts = before_list(text, "\n\nRetrieval Contexts:\n")
    return _reason(text, [one["reason"] for one in verdicts if one["verdict"] == "no"])


def _answer_context_relevancy_reason(prompt: str, _judge: LexicalJudge) -> str:
    text = after(body(prompt), "**\n\n\nContextual Relevancy Score:\n")
    text, _ = before_list(text, "\n\nStatement in the retrieval context that is relevant to the input:\n")
    return _reason(*before_list(text, "\n\nReasons for why the retrieval context is irrelevant to the input:\n"))


def _reason(text: str, against: Sequence[object]) -> str:
    """`text` begins with the score; `against` may hold None, for a verdict without a reason."""
    score, reasons = text.partition("\n")[0], [one for one in against if isinstance(one, str)]
    return _json(reason=f"The score is {score}: {' '.join(reasons) or 'no reason speaks against it.'}")


_Share = Callable[[LexicalJudge, Mapping[str, Any]], float]

_SHARES: Mapping[str, tuple[_Share, str]] = MappingProxyType(
    {
        "answer_correctness": (
            lambda judge, texts: correctness(judge, texts["output"], texts["reference"]),
            "Of the claims of output and expected output, {:.0%} are shared (F1).",
        ),
        "answer_relevancy": (
            lambda judge, texts: relevance(judge, texts["output"], texts["input"]),
            "Of the output's sentences, {:.0%} address the input.",
        ),
        "context_utilisation": (
            lambda judge, texts: utilisation(judge, texts["output"], texts["retrieved_contexts"]),
            "Of the contexts, {:.0%} support a claim of the output.",
        ),
    }
)
"""By metric: what a rating rests on, and how it is put into words."""


def _answer_rating(rating: Rating, prompt: str, judge: LexicalJudge) -> str:
    share_of, words = _SHARES[rating.metric]
    share = share_of(judge, _rated_texts(rating, prompt))
    return _json(reason=words.format(share), score=on_scale(share, rating.low, rating.high))


def _rated_texts(rating: Rating, prompt: str) -> dict[str, Any]:
    """Return the texts under the headings of GEval's test case, by canonical field."""
    first, *others = (f"{TITLES[name]}:\n" for name in rating.fields)
    text = after(body(prompt, _rating_end(rating)), f"\nTest Case:\n{first}")
    headings = [f" \n\n{heading}" for heading in others]
    if not rating.fields[-1].endswith("_contexts"):
        return dict(zip(rating.fields, between(text, headings), strict=True))
    text, contexts = before_list(text, headings.pop())
    return dict(zip(rating.fields, (*between(text, headings), contexts), strict=True))


def _rating_end(rating: Rating) -> str:
    *most, last = (TITLES[name] for name in rating.fields)
    titles = f"{most[0]} and {last}" if len(most) == 1 else f"{', '.join(most)}, and {last}"
    example = f'{{\n  "reason": "your concise and informative reason here",\n  "score": {rating.low}\n}}'
    return f" \n\n\n\nParameters:\n{titles}\n\n\n---\n**Example JSON:**\n{example}{END}"


def _text_and_list(prompt: str, heading: str, list_heading: str) -> tuple[str, list[Any]]:
    return before_list(after(body(prompt), heading), list_heading)


def _json(**content: object) -> str:
    return json.dumps(content, ensure_ascii=False)


_Answer = Callable[[str, LexicalJudge], str]

_ANSWERS: Mapping[str, _Answer] = MappingProxyType(
    {
        "FaithfulnessMetric.Truths": _answer_truths,
        "FaithfulnessMetric.Claims": _answer_claims,
        "FaithfulnessMetric.Verdicts": _answer_claim_verdicts,
        "FaithfulnessMetric.FaithfulnessScoreReason": _answer_faithfulness_reason,
        "ContextualPrecisionMetric.Verdicts": _answer_context_verdicts,
        "ContextualPrecisionMetric.ContextualPrecisionScoreReason": _answer_precision_reason,
        "ContextualRecallMetric.Verdicts": _answer_sentence_verdicts,
        "ContextualRecallMetric.ContextualRecallScoreReason": _answer_recall_reason,
        "ContextualRelevancyMetric.ContextualRelevancyVerdicts": _answer_context_statement_verdicts,
        "ContextualRelevancyMetric.ContextualRelevancyScoreReason": _answer_context_relevancy_reason,
        "AnswerRelevancyMetric.Statements": _answer_statements,
        "AnswerRelevancyMetric.Verdicts": _answer_statement_verdicts,
        "AnswerRelevancyMetric.AnswerRelevancyScoreReason": _answer_relevancy_reason,
        **{f"{rating.step_of}.ReasonScore": functools.partial(_answer_rating, rating) for rating in RATINGS.values()},
    }
)
"""By metric and reply schema, as the worker names each call; uses of GEval are told apart by their names."""


def _answer_known(name: str, answer: _Answer, prompt: str, judge: LexicalJudge) -> str:
    try:
        return answer(prompt, judge)
    except UnknownLayoutError as error:
        raise JudgeError(
            "unknown_step",
            f"The lexical judge cannot read this prompt of DeepEval's {name}: {error}. "
            "It reads those of version 4.3.1; install that one or name a judge model.",
        ) from error


STEPS: tuple[PromptStep, ...] = tuple(
    PromptStep(name=name, answer=functools.partial(_answer_known, name, answer)) for name, answer in _ANSWERS.items()
)
"""Every prompt of the bound metrics, reasons included."""
