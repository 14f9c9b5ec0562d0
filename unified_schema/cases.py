"""The canonical suite: one RAG test set, written once, scored by every framework."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    ValidationInfo,
    model_validator,
)

from evalparity.unified_schema.scalars import as_id

SCHEMA_VERSION: Literal[1] = 1
WRITTEN_OUT: Mapping[str, bool] = MappingProxyType({"written_out": True})
"""Validation context of a case whose short forms were written out before, with notes kept of each."""


class _Model(BaseModel):
    """Frozen, and closed: a misspelt field is an error, never silently dropped."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


Id = Annotated[str, BeforeValidator(as_id), Field(min_length=1)]
"""Text that names a case, chunk, tenant or version; `007` stays `007`, a boolean or decimal is refused."""

When = Annotated[date | datetime, Field(union_mode="left_to_right")]


class Turn(_Model):
    """One earlier turn of the conversation."""

    role: Literal["user", "assistant", "system", "tool"]
    content: str


class Chunk(_Model):
    """One passage that the retriever returned."""

    id: Id
    text: str
    score: float | None = None
    """The retriever's own score, on any scale."""
    tenant: Id | None = None
    valid_from: When | None = None
    valid_to: When | None = None
    version: Id | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


class Stage(_Model):
    """What was left of the retrieved chunks after one step on the way to the prompt, in order."""

    name: str
    ids: tuple[Id, ...]


class EvidenceUnit(_Model):
    """One thing that must be found: any of its chunks will do."""

    any_of: Annotated[tuple[Id, ...], Field(min_length=1)]
    grade: float = 1.0
    name: str | None = None


class Citation(_Model):
    """A sentence of the output and the chunk it cites, which need not have been retrieved."""

    claim: str
    id: Id


class Hop(_Model):
    """One query of a multi-hop retrieval and the ids it returned."""

    query: str
    retrieved: tuple[Id, ...] = ()


class Access(_Model):
    """Who asks."""

    tenant: Id | None = None


class Rating(_Model):
    """One human judgement."""

    value: float | bool | str
    rater: Id | None = None


class SystemUsage(_Model):
    """What the system under test spent on this case; unknown is None."""

    seconds: float | None = Field(default=None, ge=0)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    over_budget: bool | None = None


class EvalCase(_Model):
    """One thing to score: what was asked, what came back, what would have been right."""

    id: Id
    input: str
    """What was asked."""
    conversation: tuple[Turn, ...] = ()
    """Earlier turns, oldest first."""
    output: str | None = None
    """The recorded answer under test."""
    reference: str | None = None
    """The ideal answer."""
    reference_contexts: tuple[str, ...] = ()
    """Ideal passages, where they are text rather than ids."""
    retrieved_contexts: tuple[Chunk, ...] = ()
    """What the retriever returned, in rank order."""
    stages: tuple[Stage, ...] = ()
    """What became of the chunks on the way to the prompt."""
    prompt_contexts: tuple[Id, ...] | None = None
    """Ids of what reached the model; None: the last stage, else everything retrieved."""
    relevance: dict[str, float] = Field(default_factory=dict)
    """Graded judgements by chunk id: 0 is judged irrelevant, absent is unjudged."""
    evidence: tuple[EvidenceUnit, ...] = ()
    answerable: bool | None = None
    """False: the right behaviour is to refuse or to ask back."""
    citations: tuple[Citation, ...] = ()
    access: Access | None = None
    as_of: When | None = None
    """When it is asked."""
    hops: tuple[Hop, ...] = ()
    labels: dict[str, tuple[Rating, ...]] = Field(default_factory=dict)
    """Human ratings by what they rate."""
    usage: SystemUsage | None = None
    category: str | None = None
    metadata: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _accept_short_forms(cls, data: Any, info: ValidationInfo) -> Any:  # noqa: ANN401 - pydantic's signature
        from evalparity.unified_schema.short_forms import expand_case  # noqa: PLC0415 - the module imports us

        short = isinstance(data, Mapping) and info.context is not WRITTEN_OUT
        return expand_case(data) if short else data

    def prompt_chunks(self) -> tuple[Chunk, ...]:
        """Return the chunks that the model saw, in prompt order.

        `prompt_contexts` decides; without it the last stage; without stages everything retrieved.
        Ids that were never retrieved are refused when the suite is validated.
        """
        ids = self.prompt_contexts
        if ids is None and self.stages:
            ids = self.stages[-1].ids
        if ids is None:
            return self.retrieved_contexts
        by_id = {chunk.id: chunk for chunk in reversed(self.retrieved_contexts)}
        return tuple(by_id[chunk_id] for chunk_id in ids if chunk_id in by_id)

    def context_texts(self, field: str) -> tuple[str, ...]:
        """Return the non-blank texts of `prompt_contexts` or `retrieved_contexts`, in order, duplicates kept.

        Blank chunks are left out for every framework alike: by themselves some would score such a case and some
        would refuse it.
        """
        chunks = self.prompt_chunks() if field == "prompt_contexts" else self.retrieved_contexts
        return tuple(chunk.text for chunk in chunks if not is_blank(chunk.text))

    def blank_fields(self, required: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the required fields that are missing or hold nothing that can be seen."""
        return tuple(field for field in required if not self._has(field))

    def _has(self, field: str) -> bool:
        if field.endswith("_contexts"):
            return bool(self.context_texts(field))
        text: str | None = getattr(self, field)
        return text is not None and not is_blank(text)


def is_blank(text: str) -> bool:
    """Say whether a text shows nothing: white space, control characters and invisible marks only."""
    return not text.strip() or all(c.isspace() or unicodedata.category(c) in {"Cc", "Cf"} for c in text)


class LabelScale(_Model):
    """The scale of one kind of human label: its lowest and highest value."""

    low: float
    high: float


class CorpusChunk(Chunk):
    """One passage of the corpus, whether retrieved or not."""


class EvalSuite(_Model):
    """A named set of cases."""

    evalparity: Literal[1] = SCHEMA_VERSION
    """Schema version."""
    name: str = Field(min_length=1)
    defaults: dict[str, JsonValue] = Field(default_factory=dict)
    """Fields that every case takes over unless it sets them itself."""
    corpus: str | None = None
    """Path of a JSONL file with all chunks, relative to the suite."""
    label_scales: dict[str, LabelScale] = Field(default_factory=dict)
    cases: Annotated[tuple[EvalCase, ...], Field(min_length=1, strict=False)]
