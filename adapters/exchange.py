"""A framework's own files: the contracts by which an adapter reads and writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.exchange import Opened, Shapes, Writer
from evalparity.unified_schema.outcomes import Details

NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeScore:
    """One score that a framework wrote down by itself, or the place where one is missing.

    Attributes:
        place: where it stands in the file, as in `row 3`, for messages.
        case: what the file says of the case, under our names: `id` where it has one, and the texts by which a case of a
            suite is found (`input`, `output`, `reference`, `retrieved_contexts` as texts).
        metric: canonical metric; None: evalparity knows none for it.
        scorer: `framework:name`; one of the adapter's bindings where it is one of them.
        raw: the framework's number on its own scale; None where the file has none.
        kind: why there is none: a name out of `ERROR_KINDS` or `SKIP_KINDS`.
        reason: the framework's explanation, or what the file says went wrong.
        threshold: as the file has it.
        judge_model: as the file names it.
        details: steps that the file shows.
    """

    place: str
    case: Mapping[str, Any]
    metric: str | None
    scorer: str
    raw: float | None = None
    kind: str | None = None
    reason: str | None = None
    threshold: float | None = None
    judge_model: str | None = None
    details: Details = field(default_factory=Details)


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeResults:
    """What a result file holds.

    Attributes:
        framework: whose scores they are.
        version: of the framework, where the file says it.
        scores: every score of every row, also the missing ones.
        labels: human ratings by the case they belong to, as pairs of what is known of the case and its labels.
        remarks: what was left out or assumed, one sentence each.
    """

    framework: str
    version: str | None = None
    scores: tuple[NativeScore, ...] = ()
    labels: tuple[tuple[Mapping[str, Any], Mapping[str, Any]], ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultReader:
    """A kind of result file.

    Attributes:
        name: for notes and messages, as `Ragas result CSV`.
        recognises: from the file to whether it is this; must not raise, whatever stands there.
        read: to its scores. Raises SuiteError with every problem where it is damaged.
    """

    name: str
    recognises: Callable[[Opened], bool]
    read: Callable[[Opened], tuple[NativeResults, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameworkFiles:
    """The files of one framework.

    Attributes:
        shapes: what becomes a suite.
        results: what becomes scores.
        writers: what a suite can be written to, so that the framework itself reads it.
    """

    shapes: Shapes = field(default_factory=Shapes)
    results: tuple[ResultReader, ...] = ()
    writers: tuple[Writer, ...] = ()
