"""A study: which frameworks, metrics and judges score a suite, and how; so that a suite can stay as it is.

Whatever a study leaves out is None here: the command line, the environment or a default decides it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

STUDY_VERSION: Literal[1] = 1

LONGEST_SECONDS = 31_536_000
"""A year."""

MOST_REPEATS = 100

Name = Annotated[str, Field(min_length=1)]
Names = Annotated[tuple[Name, ...], Field(min_length=1)]
Seconds = Annotated[float, Field(gt=0, le=LONGEST_SECONDS)]
Unit = Annotated[float, Field(ge=0, le=1)]


class _Model(BaseModel):
    """Frozen, and closed: a misspelt setting is an error, never silently dropped."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


class StudyJudge(_Model):
    """One judge; its key stands in a file or in a variable of the environment, never here."""

    name: Name | None = None
    """What reports call it; without it, its model."""
    model: Name | None = None
    """Name of the model, or `lexical` for the one that is built in."""
    url: Name | None = None
    """Base URL of an OpenAI-compatible server, up to and including `/v1`."""
    key_file: Name | None = None
    """Path of a file that holds the key alone, relative to the study."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    seed: Annotated[int, Field(ge=0, le=2**31 - 1 - MOST_REPEATS)] | None = None
    """The number of the repeat, from 0, is added to it."""
    max_output_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    """Limit of every reply."""
    concurrency: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Calls in flight, shared fairly by the frameworks."""
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Requests to each server in any minute at most."""
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    """Tokens, in and out, of each server in any minute at most."""
    timeout: Seconds | None = None
    """Seconds that one reply may take."""


class StudyEmbeddings(_Model):
    """The embedding model, the same for every framework and every judge."""

    model: Name | None = None
    """Name of the model, or `lexical` for the one that is built in."""
    url: Name | None = None
    """Its base URL; without it, the judge's."""
    key_file: Name | None = None
    """Path of a file that holds its key alone, relative to the study."""


class StudyLimits(_Model):
    """How long a run may take, what it may spend, and from where on a difference is flagged."""

    cell_timeout: Seconds | None = None
    """Seconds that one score may take, waiting for its turn included."""
    framework_timeout: Seconds | None = None
    """Seconds that one framework may take for the whole suite with one judge."""
    run_timeout: Seconds | None = None
    """Seconds that the whole run may take, all its judges included."""
    max_calls: Annotated[int, Field(ge=1)] | None = None
    """Requests to judge and embedding servers, retries included."""
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    """Tokens of all requests, in and out."""
    max_cost: Annotated[float, Field(gt=0)] | None = None
    """US dollars of all requests."""
    min_gap: Unit | None = None
    """Scores of a case at least so far apart are flagged."""
    min_items: Annotated[float, Field(ge=0)] | None = None
    """And further apart than so many verdicts weigh."""


class Study(_Model):
    """What scores a suite, and how."""

    study: Literal[1] = STUDY_VERSION
    """Version of this format."""
    frameworks: Names | None = None
    """Names of `evalparity adapters`; without them, all that are installed."""
    metrics: Names | None = None
    """Canonical metrics, or `all`; without them, the default ones."""
    scorers: Names | None = None
    """Scorers where a framework has several for a metric, or `all`; without them, each framework's default."""
    thresholds: dict[str, Unit] | None = None
    """Score from which on a cell passes, by metric or by scorer; a scorer's own goes first."""
    judge: StudyJudge | None = None
    judges: Annotated[tuple[StudyJudge, ...], Field(min_length=1)] | None = None
    """Several judges, instead of `judge`: each framework runs with each."""
    embeddings: StudyEmbeddings | None = None
    repeats: Annotated[int, Field(ge=1, le=MOST_REPEATS)] | None = None
    """How often every cell that asks a judge is scored."""
    wiring: Literal["stock", "lean"] | None = None
    """`stock`: frameworks as they ship; `lean`: without what does not change a score."""
    limits: StudyLimits = StudyLimits()
    prices: Name | None = None
    """Path of a file with prices, relative to the study."""

    def named_judges(self) -> tuple[StudyJudge, ...]:
        """Return the judges that the study names, whichever way."""
        return self.judges or ((self.judge,) if self.judge is not None else ())


STUDY_KEYS = frozenset(Study.model_fields)
"""What stands at the top of a study, and nowhere at the top of a suite."""
