"""What passed between a framework and the judge: one record per call, as the gateway saw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

CallKind = Literal["chat", "embedding"]

Served = Literal["upstream", "shared", "cache", "cassette", "earlier"]
"""Where an answer came from: asked of the server; an equal call of another cell that was on its way; the cache; a
cassette; an earlier session of the same run, which asked the server and paid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One chat or embedding call of one cell.

    Attributes:
        cell: opaque token of the cell.
        ordinal: 0-based position among the cell's calls of the same kind.
        kind: chat or embedding.
        step: which prompt of the framework; None when unknown.
        asked: the parameters that the framework asked for and the gateway replaced, by name.
        key: address of the answer; None where answers are not kept, as of the lexical judge.
        served: where the answer came from.
        attempts: requests sent upstream, at least 1 unless refused before or answered from elsewhere.
        billable: how many of them the upstream may bill: it answered, or was still at it when they were given up.
        error_kind: None when answered, else an error kind.
        error: message of the error.
        input_tokens, cached_tokens, reasoning_tokens, output_tokens: as the upstream counted for its last answer;
            None: not told.
        cost_usd: US dollars for the last answer, whether it was billed or not; None where there was none or its price
            is unknown.
        seconds: while a request was on its way, all attempts together.
        waited: the rest of the time from the framework's request to its answer: for a turn, between attempts.
        reply: text of the reply as the framework got it; None for embeddings and errors.
        written: the text as the judge wrote it, where that is another one or no usable one.
        flags: what was taken out of it, names out of `evalparity.unified_schema.outcomes.FLAGS`.
        request: the body that was sent, as JSON; None unless requests are kept.
    """

    cell: str
    ordinal: int
    kind: CallKind
    step: str | None = None
    asked: dict[str, JsonValue]
    key: str | None = None
    served: Served = "upstream"
    attempts: int
    billable: int = 0
    error_kind: str | None = None
    error: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    waited: float = 0.0
    reply: str | None = None
    written: str | None = None
    flags: tuple[str, ...] = ()
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputProof:
    """Whether the texts of a case reached the judge whole.

    Attributes:
        missing: canonical fields that were not found in any call of the cell.
        rewritten: fields that the framework is known to have changed on their way.
    """

    missing: tuple[str, ...] = ()
    rewritten: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTraffic:
    """All calls of one cell, in the order in which they were asked, and the proof of equal inputs."""

    calls: tuple[Call, ...]
    proof: InputProof
