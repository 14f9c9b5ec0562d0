"""DeepEval in its own process: the only module that imports it.

Every cell gets a metric of its own, because a metric keeps its last case's values after an error, and a judge
of its own over one shared client. The judge hands DeepEval the raw reply, as a judge that DeepEval does not know
by name would. DeepEval's parser drops verdict words that it does not know without telling, which is why the raw
verdicts go into the result beside the counted ones.
"""

from __future__ import annotations

import asyncio
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import deepeval
import openai
from deepeval.metrics import (
    AnswerRelevancyMetric,
    ContextualPrecisionMetric,
    ContextualRecallMetric,
    ContextualRelevancyMetric,
    ExactMatchMetric,
    FaithfulnessMetric,
    GEval,
)
from deepeval.metrics.base_metric import YES_NO, YES_NO_BORDERLINE
from deepeval.metrics.g_eval import Rubric
from deepeval.metrics.utils import normalize_qag_verdict, trimAndLoadJson
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase, SingleTurnParams
from openai import AsyncOpenAI

from evalparity.adapters.deepeval_adapter.rubrics import RATINGS, Rating

FRAMEWORK = "deepeval"


_STOCK: Mapping[str, Any] = MappingProxyType({"strict_mode": False, "eval_mode": "llm", "async_mode": True})
"""Passed although they are defaults: the environment could otherwise switch the evaluation mode."""

_PARAMS: Mapping[str, Any] = MappingProxyType(
    {
        "input": SingleTurnParams.INPUT,
        "output": SingleTurnParams.ACTUAL_OUTPUT,
        "reference": SingleTurnParams.EXPECTED_OUTPUT,
        "retrieved_contexts": SingleTurnParams.RETRIEVAL_CONTEXT,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scorer:
    """A metric, and what to look for in its replies.

    Attributes:
        make: from the judge, and whether `reasons` are wanted, to a fresh metric.
        step: how the names of its prompts begin.
        verdicts: schema of the replies that hold verdicts; None where it asks for none.
        words: verdict words that it counts.
    """

    make: Callable[..., Any]
    step: str
    verdicts: str | None = None
    words: tuple[Any, ...] = ()


def _verdict_scorer(
    metric: type[Any], words: tuple[Any, ...], verdicts: str = "Verdicts", **options: object
) -> _Scorer:
    def make(judge: Any, *, reasons: bool) -> Any:  # noqa: ANN401 - DeepEval's types are not known to mypy
        return metric(model=judge, include_reason=reasons, **_STOCK, **options)

    return _Scorer(make=make, step=metric.__name__, words=words, verdicts=verdicts)


def _rating_scorer(rating: Rating) -> _Scorer:
    levels = [Rubric(score_range=(at, at), expected_outcome=text) for at, text in rating.levels.items()]

    # Score and reason are one reply, so nothing is saved without a reason.
    def make(judge: Any, **_options: object) -> Any:  # noqa: ANN401 - as above
        return GEval(
            name=rating.name,
            model=judge,
            evaluation_params=[_PARAMS[name] for name in rating.fields],
            evaluation_steps=list(rating.steps),
            rubric=levels or None,
            strict_mode=False,
            async_mode=True,
        )

    return _Scorer(make=make, step=rating.step_of)


_SCORERS: Mapping[str, _Scorer] = MappingProxyType(
    {
        "deepeval:faithfulness": _verdict_scorer(
            FaithfulnessMetric, YES_NO_BORDERLINE, penalize_ambiguous_claims=False
        ),
        "deepeval:contextual_precision": _verdict_scorer(ContextualPrecisionMetric, YES_NO),
        "deepeval:contextual_recall": _verdict_scorer(ContextualRecallMetric, YES_NO),
        "deepeval:contextual_relevancy": _verdict_scorer(
            ContextualRelevancyMetric, YES_NO, "ContextualRelevancyVerdicts"
        ),
        "deepeval:answer_relevancy": _verdict_scorer(AnswerRelevancyMetric, YES_NO_BORDERLINE),
        "deepeval:exact_match": _Scorer(make=lambda _judge, **_options: ExactMatchMetric(), step="ExactMatchMetric"),
        **{name: _rating_scorer(rating) for name, rating in RATINGS.items()},
    }
)

_FAILURES: tuple[tuple[type[Exception], str], ...] = (
    (openai.AuthenticationError, "auth"),
    (openai.PermissionDeniedError, "auth"),
    (openai.RateLimitError, "rate_limited"),
    (openai.InternalServerError, "http_5xx"),
    (openai.APITimeoutError, "timeout"),
    (openai.APIConnectionError, "connect"),
    (openai.APIStatusError, "http_4xx"),
)
"""First match counts; anything else is a reply that cannot be read."""


class JudgeCallError(RuntimeError):
    """Raised when the judge gave no usable reply; the message begins with the error kind and a colon.

    Never a TypeError or AttributeError: DeepEval answers those by asking the judge a second time.
    """


def version() -> str:
    """Return the version of DeepEval that is running."""
    return str(deepeval.__version__)


async def score(job: Mapping[str, Any]) -> dict[str, Any]:
    """Score one cell with a fresh metric and return its number and the steps behind it.

    Returns:
        score (None where it is no finite number) and reason as DeepEval gave them; truths, claims, statements and
        contexts, each None where the metric has none; verdicts, one for each in the judge's replies, as {said,
        verdict, reason, statement} with verdict None where DeepEval dropped it; replied, for each reply that should
        hold verdicts how many it holds, None where there is no list of them; counted, the verdict words that
        DeepEval's score rests on; rating, the number that the judge was asked for, as it wrote it.

    Raises:
        JudgeCallError: the judge gave no usable reply.
        Exception: whatever DeepEval raises, mostly on a reply of the wrong shape.
    """
    scorer = _SCORERS[job["scorer"]]
    judge = _Judge(scorer.step, job["judge"])
    metric = scorer.make(judge, reasons=job.get("wiring", "stock") == "stock")
    try:
        await metric.a_measure(_test_case(job["inputs"]), _show_indicator=False)
    finally:
        await judge.drain()
    return _result(metric, scorer, judge, job["inputs"])


def _test_case(inputs: Mapping[str, Any]) -> Any:  # noqa: ANN401 - DeepEval's type is not known to mypy
    # Every test case must have an input, even for metrics that never read it.
    case = LLMTestCase(**{"input": "", **inputs})
    # DeepEval takes `[DEEPEVAL:IMAGE:path]` inside any text for an attachment; off, the text is sent as it is.
    case.multimodal = False
    return case


def _result(metric: Any, scorer: _Scorer, judge: _Judge, inputs: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - as above
    replies = judge.replies.get(scorer.verdicts, ()) if scorer.verdicts else ()
    lists = [_read(reply, "verdicts") for reply in replies]
    return {
        "score": _finite(metric.score),
        "reason": metric.reason,
        "truths": getattr(metric, "truths", None),
        "claims": getattr(metric, "claims", None),
        "statements": getattr(metric, "statements", None),
        "contexts": inputs.get("retrieval_context"),
        "verdicts": [_verdict(item, scorer.words) for said in lists for item in said or ()],
        "replied": [len(said) if isinstance(said, list) else None for said in lists],
        "counted": [str(verdict.verdict) for verdict in _counted(metric)],
        "rating": _rating(judge.replies.get("ReasonScore", ())),
    }


def _read(reply: str, key: str) -> Any:  # noqa: ANN401 - the judge may have written anything
    """Return a value out of a reply that DeepEval has accepted, as DeepEval reads it."""
    return trimAndLoadJson(reply).get(key)


def _verdict(item: dict[str, Any], words: tuple[Any, ...]) -> dict[str, Any]:
    word = normalize_qag_verdict(item.get("verdict"), words)
    return {
        "said": item.get("verdict"),
        "verdict": None if word is None else str(word),
        "reason": item.get("reason"),
        "statement": item.get("statement"),
    }


def _counted(metric: Any) -> list[Any]:  # noqa: ANN401 - as above
    """Return the verdicts that DeepEval kept; it holds a list for each context where each is judged alone."""
    if hasattr(metric, "verdicts_list"):
        return [verdict for held in metric.verdicts_list for verdict in held.verdicts]
    return list(getattr(metric, "verdicts", ()))


def _rating(replies: Sequence[str]) -> Any:  # noqa: ANN401 - as above
    said = _read(replies[0], "score") if replies else None
    return said if _finite(said) is not None or not isinstance(said, float) else str(said)


def _finite(number: Any) -> Any:  # noqa: ANN401 - as above
    """Return anything but a NaN or an infinity, which JSON does not know."""
    return None if isinstance(number, float) and not math.isfinite(number) else number


@functools.cache
def _client() -> AsyncOpenAI:
    """One connection pool for all cells; the gateway retries and the worker limits the time."""
    return AsyncOpenAI(api_key="unused", base_url="http://127.0.0.1:9", max_retries=0, timeout=None)


class _Judge(DeepEvalBaseLLM):  # type: ignore[misc] # DeepEval only takes judges of this class, untyped for mypy
    """The judge of one cell, as DeepEval asks for it."""

    def __init__(self, step: str, settings: Mapping[str, Any]) -> None:
        self._step = step
        self._settings = settings
        self._tasks: set[asyncio.Task[Any]] = set()
        self.replies: dict[str, list[str]] = {}
        super().__init__(settings["model"])

    def load_model(self) -> AsyncOpenAI:
        return _client().with_options(base_url=self._settings["base_url"])

    def get_model_name(self) -> str:
        return str(self._settings["model"])

    def generate(self, _prompt: str, **_options: object) -> str:
        raise JudgeCallError("framework_error: DeepEval asked for a blocking call, which is not offered.")

    async def a_generate(self, prompt: str, schema: type[Any]) -> str:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
        replies = self.replies.setdefault(schema.__name__, [])
        # Calls side by side are kept in the order in which they were asked, which is that of the contexts.
        place = len(replies)
        replies.append("")
        replies[place] = await self._ask(prompt, f"{self._step}.{schema.__name__}")
        return replies[place]

    async def _ask(self, prompt: str, step: str) -> str:
        try:
            completion = await self.model.chat.completions.create(
                model=self._settings["model"],
                messages=[{"role": "user", "content": prompt}],
                temperature=0,
                extra_headers={"X-Evalparity-Step": step},
            )
            return _text_of(completion.choices[0])
        except JudgeCallError:
            raise
        except Exception as error:  # a reply of any shape can break the client in any way
            raise JudgeCallError(f"{_kind_of(error)}: {type(error).__name__}: {error!s:.300}") from error

    async def drain(self) -> None:
        """Wait for calls that DeepEval left behind: when one of two side by side fails, the other goes on."""
        await asyncio.gather(*(self._tasks - {asyncio.current_task()}), return_exceptions=True)


def _kind_of(error: Exception) -> str:
    return next((kind for cls, kind in _FAILURES if isinstance(error, cls)), "bad_reply")


def _text_of(choice: Any) -> str:  # noqa: ANN401 - a server may answer anything
    if choice.finish_reason == "length":
        raise JudgeCallError("truncated: the judge's reply was cut off at the output limit.")
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise JudgeCallError(f"refusal: {choice.message.refusal or 'the judge declined to answer.'}")
    if not isinstance(choice.message.content, str):
        raise JudgeCallError("bad_reply: the judge's reply holds no text.")
    return choice.message.content
