"""DeepEval in its own process: the only module that imports it.

Every cell gets a metric of its own, because a metric keeps its last case's values after an error, and a judge
of its own over one shared client. The judge hands DeepEval the raw reply, as a judge that DeepEval does not know
by name would. DeepEval's parser drops verdict words that it does not know without telling, which is why the raw
verdicts go into the result beside the counted ones.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import deepeval
import openai
from deepeval.metrics import AnswerRelevancyMetric, ContextualRecallMetric, FaithfulnessMetric
from deepeval.metrics.base_metric import YES_NO, YES_NO_BORDERLINE
from deepeval.metrics.utils import normalize_qag_verdict, trimAndLoadJson
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase
from openai import AsyncOpenAI

FRAMEWORK = "deepeval"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scorer:
    """A metric class, its options, and the verdict words that it counts."""

    metric: type[Any]
    words: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)


_SCORERS: Mapping[str, _Scorer] = MappingProxyType(
    {
        "deepeval:faithfulness": _Scorer(
            metric=FaithfulnessMetric,
            words=YES_NO_BORDERLINE,
            options=MappingProxyType({"penalize_ambiguous_claims": False}),
        ),
        "deepeval:contextual_recall": _Scorer(metric=ContextualRecallMetric, words=YES_NO),
        "deepeval:answer_relevancy": _Scorer(metric=AnswerRelevancyMetric, words=YES_NO_BORDERLINE),
    }
)

# Passed although they are defaults: the environment could otherwise switch the evaluation mode.
_STOCK: Mapping[str, Any] = MappingProxyType(
    {"include_reason": True, "strict_mode": False, "eval_mode": "llm", "async_mode": True}
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
        score and reason as DeepEval gave them; truths, claims and statements, each None where the metric has
        none; verdicts, one for each in the judge's reply, as {said, verdict, reason} with verdict None where
        DeepEval dropped it; counted, the verdict words that DeepEval's score rests on.

    Raises:
        JudgeCallError: the judge gave no usable reply.
        Exception: whatever DeepEval raises, mostly on a reply of the wrong shape.
    """
    scorer = _SCORERS[job["scorer"]]
    judge = _Judge(scorer.metric.__name__, job["judge"])
    metric = scorer.metric(model=judge, **_STOCK, **scorer.options)
    try:
        await metric.a_measure(_test_case(job["inputs"]), _show_indicator=False)
    finally:
        await judge.drain()
    return _result(metric, scorer, judge.replies.get("Verdicts"))


def _test_case(inputs: Mapping[str, Any]) -> Any:  # noqa: ANN401 - DeepEval's type is not known to mypy
    case = LLMTestCase(**inputs)
    # DeepEval takes `[DEEPEVAL:IMAGE:path]` inside any text for an attachment; off, the text is sent as it is.
    case.multimodal = False
    return case


def _result(metric: Any, scorer: _Scorer, reply: str | None) -> dict[str, Any]:  # noqa: ANN401 - as above
    return {
        "score": metric.score,
        "reason": metric.reason,
        "truths": getattr(metric, "truths", None),
        "claims": getattr(metric, "claims", None),
        "statements": getattr(metric, "statements", None),
        "verdicts": [_verdict(item, scorer.words) for item in _raw_verdicts(reply)],
        "counted": [str(verdict.verdict) for verdict in metric.verdicts],
    }


def _raw_verdicts(reply: str | None) -> list[dict[str, Any]]:
    return [] if reply is None else trimAndLoadJson(reply).get("verdicts") or []


def _verdict(item: dict[str, Any], words: tuple[Any, ...]) -> dict[str, Any]:
    word = normalize_qag_verdict(item.get("verdict"), words)
    return {
        "said": item.get("verdict"),
        "verdict": None if word is None else str(word),
        "reason": item.get("reason"),
    }


@functools.cache
def _client() -> AsyncOpenAI:
    """One connection pool for all cells; the gateway retries and the worker limits the time."""
    return AsyncOpenAI(api_key="unused", base_url="http://127.0.0.1:9", max_retries=0, timeout=None)


class _Judge(DeepEvalBaseLLM):  # type: ignore[misc] # DeepEval only takes judges of this class, untyped for mypy
    """The judge of one cell, as DeepEval asks for it."""

    def __init__(self, metric: str, settings: Mapping[str, Any]) -> None:
        self._metric = metric
        self._settings = settings
        self._tasks: set[asyncio.Task[Any]] = set()
        self.replies: dict[str, str] = {}
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
        self.replies[schema.__name__] = reply = await self._ask(prompt, f"{self._metric}.{schema.__name__}")
        return reply

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
