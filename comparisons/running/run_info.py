"""What a report says of the run itself: suite, study, judges, frameworks."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime

from evalparity.adapters.judge.structured import Form
from evalparity.unified_schema.outcomes import Frozen, JudgeUsage


class SuiteReading(Frozen):
    """What was allowed when a suite was read, so that it can be read alike again."""

    skip_bad_rows: bool = False
    """Rows with a problem were left out."""
    allow_files: bool = False
    """It could name files outside of its own folder."""
    list_separator: str | None = None
    """What stands between the texts of one cell of a table; None: found out cell by cell."""


class SuiteInfo(Frozen):
    """Which suite was run."""

    name: str
    path: str
    """As the user gave it."""
    sha256: str
    """Of the file's bytes."""
    cases: int
    skipped: int = 0
    """Problems of the rows that were left out; each is listed in the run folder."""
    reading: SuiteReading = SuiteReading()


class StudyInfo(Frozen):
    """Which study the settings came from."""

    path: str
    """As the user gave it."""
    sha256: str
    """Of the file's bytes."""
    overridden: tuple[str, ...]
    """Options on the command line that went before the study's own."""


class JudgeInfo(Frozen):
    """Which judge gave the verdicts, the same for every framework; it holds no key."""

    kind: Literal["lexical", "endpoint", "unknown"]
    """`lexical`: the built-in comparison of words, no language model; `unknown`: the judge of imported scores."""
    name: str | None = None
    """What cells call it in `judge_model`; None: its model."""
    model: str
    url: str | None = None
    embedding_model: str | None = None
    embedding_url: str | None = None
    temperature: float | None
    """None: not known, as of imported scores; so for the next two."""
    seed: int | None
    max_output_tokens: int | None
    structured_output: tuple[Form, ...] | None = None
    """The forms of `response_format` that its server takes, as the pre-flight found; None: not asked, and whatever a
    framework asks for is sent as it is."""

    @property
    def label(self) -> str:
        """Return what cells call the judge."""
        return self.name or self.model


class FrameworkInfo(Frozen):
    """One framework of the run."""

    name: str
    version: str | None
    """As installed; None when it is absent, or when a file with imported scores does not tell."""


class PriceInfo(Frozen):
    """Which prices the costs rest on."""

    table: str
    """Name and version of the public table."""
    file: str | None = None
    """The user's own price file, as the user gave it; it goes before the table."""
    sha256: str | None = None
    """Of the file's bytes."""


class ImportedFile(Frozen):
    """A result file whose scores a run took over."""

    path: str
    """As the user gave it."""
    sha256: str | None
    """Of the file's bytes; None for a folder."""
    kind: str
    """What it was read as."""
    scores: int
    """Places for a score in the file, also those that hold none."""
    used: int
    """Those that became a cell; the others are listed in the run folder."""
    labels: int = 0
    """Cases with human labels in the file that belong to a case of the suite."""
    remarks: tuple[str, ...] = ()
    """What was left out or assumed in reading it."""


class RunInfo(Frozen):
    """What was run, when, and whether it came to its end."""

    id: str
    created_at: AwareDatetime
    wiring: Literal["stock", "lean"] = "stock"
    """`stock`: frameworks as they ship; `lean`: without what does not change a score."""
    repeats: int = 1
    """How often each cell that asks a judge was planned."""
    suite: SuiteInfo
    study: StudyInfo | None = None
    """None: the settings came from the command line alone."""
    judge: JudgeInfo
    """The first judge."""
    other_judges: tuple[JudgeInfo, ...] = ()
    """The others, where each framework ran with several."""
    frameworks: dict[str, FrameworkInfo]
    """By instance name, in the order of reports."""
    prices: PriceInfo | None = None
    """None: costs were not counted (imported scores, and reports of 0.1.0)."""
    preflight: JudgeUsage | None = None
    """What the judges were asked before the first cell, in no cell's usage; None: there was no pre-flight."""
    imported: tuple[ImportedFile, ...] = ()
    """Where the scores were read from; empty: they were taken in this run."""
    complete: bool
    """False when the run was interrupted."""

    @property
    def judges(self) -> tuple[JudgeInfo, ...]:
        """Return all judges, in the order in which they ran."""
        return (self.judge, *self.other_judges)
