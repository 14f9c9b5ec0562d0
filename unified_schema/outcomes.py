"""What became of each planned cell: exactly one outcome, never a NaN, never a silent zero."""

from __future__ import annotations

import math
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["scored", "skipped", "errored"]
Closeness = Literal["same", "similar", "proxy"]
Verdict = Literal["pass", "fail"]
ItemVerdict = Literal["yes", "no", "unclear"]
ItemKind = Literal["claim", "statement", "sentence", "question", "context", "rating"]

FLAGS = MappingProxyType(
    {
        "degraded": "a step of the score is incomplete, for example fewer verdicts than claims",
        "vacuous": "the judge found nothing to check; the number is the framework's convention, not a measurement",
        "inconsistent": "the framework's own steps do not give the framework's score",
        "input_rewritten": "the framework changed a text on its way to the judge",
        "input_missing": "a text that the framework should send never reached the judge",
        "below_range": "a cosine below 0 counts as 0",
        "reasoning_removed": "the judge wrote its reasoning into a reply or beside it; no framework was shown it",
        "fence_removed": "the judge put a reply's JSON into a fence; every framework got it without",
    }
)

ERROR_KINDS = MappingProxyType(
    {
        "auth": "the judge refused the key (HTTP 401 or 403)",
        "rate_limited": "the judge kept answering 429",
        "http_4xx": "the judge refused the request",
        "http_5xx": "the judge kept failing on its side",
        "connect": "the judge could not be reached",
        "timeout": "no answer within the time limit",
        "truncated": "the judge's reply was cut off at the output limit",
        "refusal": "the judge declined to answer",
        "bad_reply": "the judge's endpoint answered something that is not a chat or embedding reply",
        "bad_json": "the judge answered text where JSON or a fixed form was asked for",
        "bad_schema": "the judge's reply has the wrong shape",
        "missing_verdicts": "the judge gave fewer verdicts than there are items to judge",
        "surplus_verdicts": "the judge gave more verdicts than there are items to judge",
        "out_of_range": "the framework's score lies outside its declared scale",
        "unknown_step": "the lexical judge does not know this prompt",
        "framework_error": "the framework raised an error of its own",
        "framework_crash": "the framework's process ended",
        "framework_absent": "the framework is not installed",
        "embedding": "an embedding call failed",
        "interrupted": "the run was stopped before this cell ended",
        "budget": "the budget was reached",
        "judge_down": "the judge failed so often in a row that it was not asked again",
        "not_recorded": "the cassette holds no answer to this call",
    }
)

SKIP_KINDS = MappingProxyType(
    {
        "missing_field": "the case lacks a field that the metric needs, or the field is blank",
        "unsupported": "the framework has no such metric",
        "no_claims": "the judge found nothing to check and the framework defines no score for that",
        "no_embedding_model": "the metric needs embeddings and no embedding model was named",
        "not_in_results": "the imported result files hold no score of this case",
    }
)


class Frozen(BaseModel):
    """Base settings of every record that is written to a run folder."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Item(Frozen):
    """One thing that a framework's judge looked at, in the form that all frameworks share."""

    kind: ItemKind
    """What the framework calls it: a claim of the output, a sentence of the reference, a generated question, a
    retrieved context, or a rating that the judge gave."""
    text: str | None = None
    """The text as the judge saw it; None where the framework hides it."""
    verdict: ItemVerdict | None = None
    """`yes` supports the score, `no` lowers it, `unclear` is ambiguous; None: no usable verdict was given."""
    native_verdict: str | None = None
    """The verdict word or number as the judge wrote it."""
    reason: str | None = None
    """The judge's explanation of this verdict."""
    value: float | None = None
    """A number instead of a verdict: the cosine of a generated question, or a rating on a scale of 0..1."""


class Details(Frozen):
    """The steps behind a score, in one form for all frameworks."""

    items: tuple[Item, ...] = ()
    """Claims, statements, sentences or questions with what the judge said of each."""
    premises: tuple[str, ...] = ()
    """Facts that the framework drew from the contexts before it judged, where it does."""
    notes: tuple[str, ...] = ()
    """What a reader must know about this cell, one sentence each."""


class JudgeUsage(Frozen):
    """What a cell asked of the judge, as the gateway counted it; unknown is None, never 0."""

    calls: int = 0
    """Chat calls that the framework requested."""
    billed_calls: int = 0
    """Chat calls that the upstream bills or may bill: it answered, or was still at it when they were given up."""
    failed_calls: int = 0
    """Chat and embedding calls that ended in an error after all attempts."""
    attempts: int = 0
    """Requests sent upstream, retries included."""
    embedding_calls: int = 0
    """Embedding requests that the framework made."""
    input_tokens: int | None = 0
    cached_tokens: int | None = 0
    reasoning_tokens: int | None = 0
    output_tokens: int | None = 0
    embedding_tokens: int | None = 0
    """Tokens of the embedding calls; those above are of chat calls."""
    cost_usd: float | None = 0.0
    """US dollars that the upstream bills for chat and embedding calls; None when the price of any is unknown."""
    at_least_usd: float = 0.0
    """The same without the calls whose price is unknown."""
    unpriced_calls: int = 0
    """Billed calls whose price is unknown."""
    requested_usd: float | None = 0.0
    """US dollars for what the framework asked for: each answered call once, whatever it took to get the answer, and
    wherever that came from."""
    reused_calls: int = 0
    """Chat and embedding calls that were answered from the cache or a cassette, and cost nothing."""
    shared_calls: int = 0
    """Those that an equal call of another cell answered, which was on its way and is billed to that cell."""
    seconds: float = 0.0
    """Time that the calls' requests were on their way, added up; calls run side by side, so a cell may take less."""


class Outcome(Frozen):
    """The one outcome of a planned cell (case, metric, scorer, framework, judge, repeat)."""

    case_id: str
    metric: str
    """Canonical metric name, such as `faithfulness`."""
    scorer: str
    """Framework and native scorer, such as `ragas:faithfulness`."""
    framework: str
    judge_model: str | None = None
    repeat: int = 0
    status: Status
    raw: float | None = None
    """The framework's own number on its own scale; kept even where it is not accepted as a score."""
    score: float | None = Field(default=None, ge=0.0, le=1.0)
    """0..1, higher is better; present exactly when the status is `scored`."""
    threshold: float | None = None
    verdict: Verdict | None = None
    """Score against threshold; None when no threshold was set."""
    closeness: Closeness
    """How closely the scorer matches the canonical definition."""
    flags: tuple[str, ...] = ()
    """Names out of `FLAGS`."""
    kind: str | None = None
    """Why it is errored (`ERROR_KINDS`) or skipped (`SKIP_KINDS`); None when scored."""
    reason: str | None = None
    """The framework's explanation of a score, or what happened and what to do."""
    details: Details = Details()
    judge: JudgeUsage = JudgeUsage()

    def model_post_init(self, context: Any) -> None:  # noqa: ANN401, ARG002 - pydantic's signature
        """Hold the promises that every reader of an outcome relies on."""
        if (self.status == "scored") != (self.score is not None):
            raise ValueError(f"status {self.status} and score {self.score} contradict each other")
        if (self.status == "scored") != (self.kind is None):
            raise ValueError(f"status {self.status} and kind {self.kind} contradict each other")


def add_counts(counts: Iterable[int | None]) -> int | None:
    """Return the sum, or None when any part is unknown."""
    total = 0
    for count in counts:
        if count is None:
            return None
        total += count
    return total


def add_amounts(amounts: Iterable[float | None]) -> float | None:
    """Return the sum, or None when any part is unknown."""
    known = []
    for amount in amounts:
        if amount is None:
            return None
        known.append(amount)
    return math.fsum(known)
