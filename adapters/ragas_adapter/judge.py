"""Inside Ragas' process: one fresh Ragas metric per cell, wired to the cell's own judge URL, nothing patched.

The only module that imports Ragas; it runs under `evalparity.adapters.worker`.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version as package_version
from types import MappingProxyType
from typing import Any

os.environ["RAGAS_DO_NOT_TRACK"] = "true"  # the one spelling that Ragas heeds; it posts to a server otherwise

from instructor.core.exceptions import InstructorRetryException
from openai import AsyncOpenAI, OpenAI
from ragas.embeddings.base import BaseRagasEmbedding
from ragas.llms.base import InstructorBaseRagasLLM, llm_factory
from ragas.metrics.collections import (
    AnswerCorrectness,
    AnswerRelevancy,
    BleuScore,
    ContextPrecisionWithReference,
    ContextRecall,
    ContextRelevance,
    ContextUtilization,
    DomainSpecificRubrics,
    ExactMatch,
    FactualCorrectness,
    Faithfulness,
    NonLLMStringSimilarity,
    RougeScore,
    SemanticSimilarity,
    StringPresence,
)

from evalparity.adapters.judge.steps import STEP_HEADER
from evalparity.unified_schema.rubrics import RUBRICS

FRAMEWORK = "ragas"

_Vector = list[float]


def version() -> str:
    """Return the version of Ragas that runs here."""
    return package_version("ragas")


@cache
def _root_client() -> AsyncOpenAI:
    """Return the client whose connections all cells share.

    It has no time limit: the gateway may retry for minutes, and the worker ends the cell at the job's limit.
    """
    return AsyncOpenAI(base_url="http://127.0.0.1:9", api_key="dummy", max_retries=0, timeout=None)


# Ragas accepts only subclasses of its own class, and its types are not ours to check.
class Recorder(InstructorBaseRagasLLM):  # type: ignore[misc] # untyped for mypy
    """Ragas' own stock model object, with each step's output kept and its name told to the gateway.

    Attributes:
        steps: step name and output of every answered call, in order.
        failures: type and message of what ended the others; some metrics go on as if nothing had happened.
    """

    is_async = True

    def __init__(self, client: AsyncOpenAI, model: str) -> None:
        self.steps: list[dict[str, Any]] = []
        self.failures: list[dict[str, str]] = []
        self._client, self._model = client, model

    def generate(self, prompt: str, response_model: type[Any]) -> Any:  # noqa: ANN401 - Ragas' signature
        """Refuse: the metrics bound here ask asynchronously."""
        raise NotImplementedError(f"{response_model.__name__} was asked for synchronously: {prompt[:80]!r}")

    async def agenerate(self, prompt: str, response_model: type[Any]) -> Any:  # noqa: ANN401 - Ragas' signature
        """Ask the judge once; instructor's own repeats are off."""
        step = response_model.__name__
        model = llm_factory(self._model, client=self._client, max_retries=0, extra_headers={STEP_HEADER: step})
        try:
            output = await model.agenerate(prompt, response_model)
        except InstructorRetryException as error:
            # instructor wraps every failure in this one; what happened is its cause.
            cause = error.__cause__ or error
            self.failures.append({"type": type(cause).__name__, "message": str(cause)})
            raise cause from None
        except Exception as error:
            self.failures.append({"type": type(error).__name__, "message": str(error)})
            raise
        self.steps.append({"step": step, "output": output.model_dump()})
        return output


# As above: a subclass because Ragas checks for one.
class Embedder(BaseRagasEmbedding):  # type: ignore[misc] # untyped for mypy
    """Embeddings for Ragas that serve synchronous and asynchronous metrics, which Ragas' own do not.

    Attributes:
        batches: the vectors of each request, in order.
    """

    def __init__(self, client: AsyncOpenAI, model: str, *, timeout: float) -> None:
        super().__init__()
        self.batches: list[list[_Vector]] = []
        self._client, self._model, self._timeout = client, model, timeout

    def embed_text(self, text: str, **_options: object) -> _Vector:
        """Embed one text; blocks the process, so it carries the job's time limit itself."""
        client = OpenAI(base_url=self._client.base_url, api_key="dummy", max_retries=0, timeout=self._timeout)
        with client:
            reply = client.embeddings.create(input=text, model=self._model, encoding_format="float")
        return self._keep(reply)[0]

    async def aembed_text(self, text: str, **_options: object) -> _Vector:
        """Embed one text."""
        return (await self.aembed_texts([text]))[0]

    async def aembed_texts(self, texts: list[str], **_options: object) -> list[_Vector]:
        """Embed several texts in one request."""
        reply = await self._client.embeddings.create(input=texts, model=self._model, encoding_format="float")
        return self._keep(reply)

    def _keep(self, reply: Any) -> list[_Vector]:  # noqa: ANN401 - openai's types are not followed here
        vectors = [item.embedding for item in sorted(reply.data, key=lambda item: item.index)]
        self.batches.append(vectors)
        return vectors

    def cosines(self) -> list[float | None]:
        """Return the cosine of the first embedded text with each text of the last request; None for zeros."""
        if len(self.batches) < 2:  # noqa: PLR2004 - a cosine takes two
            return []
        return [_cosine(self.batches[0][0], other) for other in self.batches[-1]]


def _cosine(one: _Vector, other: _Vector) -> float | None:
    lengths = math.hypot(*one) * math.hypot(*other)
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return _finite(product / lengths) if lengths else None


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _rubric(metric: str) -> Callable[[Recorder, Embedder], Any]:
    levels = {f"score{score}_description": text for score, text in RUBRICS[metric].levels.items()}
    return lambda llm, _embeddings: DomainSpecificRubrics(llm=llm, rubrics=levels)


_METRICS: Mapping[str, Callable[[Recorder, Embedder], Any]] = MappingProxyType(
    {
        "ragas:faithfulness": lambda llm, _embeddings: Faithfulness(llm=llm),
        "ragas:answer_relevancy": lambda llm, embeddings: AnswerRelevancy(llm=llm, embeddings=embeddings),
        "ragas:answer_relevancy_rubric": _rubric("answer_relevancy"),
        "ragas:context_precision": lambda llm, _embeddings: ContextPrecisionWithReference(llm=llm),
        "ragas:context_recall": lambda llm, _embeddings: ContextRecall(llm=llm),
        # The gateway asks again where that helps; a rating that is none must not be asked for until it is one.
        "ragas:context_relevance": lambda llm, _embeddings: ContextRelevance(llm=llm, max_retries=1),
        "ragas:context_utilization": lambda llm, _embeddings: ContextUtilization(llm=llm),
        "ragas:context_utilisation_rubric": _rubric("context_utilisation"),
        "ragas:answer_correctness": lambda llm, embeddings: AnswerCorrectness(llm=llm, embeddings=embeddings),
        "ragas:factual_correctness": lambda llm, _embeddings: FactualCorrectness(llm=llm),
        "ragas:answer_correctness_rubric": _rubric("answer_correctness"),
        "ragas:semantic_similarity": lambda _llm, embeddings: SemanticSimilarity(embeddings=embeddings),
        "ragas:exact_match": lambda _llm, _embeddings: ExactMatch(),
        "ragas:string_presence": lambda _llm, _embeddings: StringPresence(),
        "ragas:rouge_score": lambda _llm, _embeddings: RougeScore(),
        "ragas:bleu_score": lambda _llm, _embeddings: BleuScore(),
        "ragas:non_llm_string_similarity": lambda _llm, _embeddings: NonLLMStringSimilarity(),
    }
)

_BLOCKING = frozenset({"ragas:semantic_similarity"})
"""They embed synchronously inside their coroutine; in this process' loop they would hold up all other cells."""


async def score(job: dict[str, Any]) -> dict[str, Any]:
    """Score one cell and return Ragas' number with the steps behind it.

    Returns:
        `value` (None for NaN), `reason`, `steps` (name and output of each answered call), `failures` (type and message
        of the others), `cosines` (of the first embedded text with those of the last request) and `contexts`.
    """
    judge = job["judge"]
    client = _root_client().with_options(base_url=judge["base_url"])
    recorder = Recorder(client, judge["model"])
    embedder = Embedder(client, judge["embedding_model"], timeout=job["timeout"])
    scoring = _METRICS[job["scorer"]](recorder, embedder).ascore(**job["inputs"])
    blocks = job["scorer"] in _BLOCKING
    result = await (asyncio.to_thread(asyncio.run, scoring) if blocks else scoring)
    return {
        "value": _finite(result.value),
        "reason": result.reason,
        "steps": recorder.steps,
        "failures": recorder.failures,
        "cosines": embedder.cosines(),
        "contexts": job["inputs"].get("retrieved_contexts", []),
    }
