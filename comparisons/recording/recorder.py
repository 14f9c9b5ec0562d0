"""Asks an application all its questions, so many at a time, and writes down each answer as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evalparity.comparisons.recording.answers import READ_NAMES
from evalparity.comparisons.recording.attempts import Failed, Question, Returned
from evalparity.comparisons.recording.calls import AppCalls
from evalparity.comparisons.recording.journal import Journal, Past, Session, told
from evalparity.comparisons.recording.process import AppProcess, AppSettings, start_app
from evalparity.unified_schema.cases import EvalCase

Heard = Callable[[str, Returned | Failed], None]
"""Is told of every case, by its id, as its last attempt ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """How an application is asked.

    Attributes:
        app: `package.module:function`.
        suite: path of the suite, for the journal.
        concurrency: calls at the same time, at most.
        limit: seconds that one attempt may take.
        retries: further attempts after one that raised or was late.
        log: file that takes what the application prints.
        environment: variables of the application, from which evalparity's keys are taken out.
    """

    app: str
    suite: str
    concurrency: int
    limit: float
    retries: int
    log: Path
    environment: Mapping[str, str]


@dataclass(slots=True, kw_only=True)
class Recorded:
    """What came of every case that was asked, by its id; grows while the recording goes on.

    Attributes:
        outcomes: answers and failures.
        resumed: how many answers were taken over from the journal.
    """

    outcomes: dict[str, Returned | Failed] = field(default_factory=dict)
    resumed: int = 0


async def record(
    cases: Sequence[EvalCase],
    recording: Recording,
    journal: Journal,
    past: Past,
    *,
    accept: Callable[[Session], None],
    heard: Heard,
    recorded: Recorded,
) -> None:
    """Ask the application every case that the journal holds no answer of; fill `recorded`.

    Args:
        cases: what to ask.
        recording: how.
        journal: takes every answer, open for writing.
        past: what it held before.
        accept: is shown the session before anything is asked; raises where its answers must not stand beside those of
            the past.
        heard: is told of each case as it ends.
        recorded: takes the outcomes.

    Raises:
        UsageError: the application cannot be imported or called, or the journal cannot be written.
    """
    settings = AppSettings(app=recording.app, concurrency=recording.concurrency, names=READ_NAMES, log=recording.log)

    async def start() -> AppProcess:
        return await start_app(settings, recording.environment)

    first = await start()
    calls = AppCalls(first, start, limit=recording.limit, retries=recording.retries)
    try:
        session = Session(app=recording.app, suite=recording.suite, sources=first.ready.sources)
        accept(session)
        journal.begin(session)
        questions = _unanswered(cases, past, first.ready.takes, recorded)
        await _ask_all(questions, calls, journal, first.ready.takes, recording.concurrency, heard, recorded)
    finally:
        await calls.close()


def _unanswered(cases: Sequence[EvalCase], past: Past, takes: frozenset[str], recorded: Recorded) -> list[Question]:
    """Return what is still to be asked; answers of the past count where the application would be told the same."""
    questions = []
    for case in cases:
        question = question_of(case)
        answer = past.answers.get((case.id, told(question, takes)))
        if answer is None:
            questions.append(question)
        else:
            recorded.outcomes[case.id] = answer
            recorded.resumed += 1
    return questions


async def _ask_all(
    questions: Sequence[Question],
    calls: AppCalls,
    journal: Journal,
    takes: frozenset[str],
    concurrency: int,
    heard: Heard,
    recorded: Recorded,
) -> None:
    waiting = iter(questions)

    async def work() -> None:
        for question in waiting:
            outcome, attempts = await calls.ask(question)
            journal.answered(question.case_id, told(question, takes), outcome, attempts)
            recorded.outcomes[question.case_id] = outcome
            heard(question.case_id, outcome)

    async with asyncio.TaskGroup() as workers:
        for _ in range(min(concurrency, len(questions))):
            workers.create_task(work())


def question_of(case: EvalCase) -> Question:
    """Return what the application is told of a case; never its reference, evidence, labels or earlier output."""
    return Question(
        case_id=case.id,
        text=case.input,
        conversation=tuple({"role": turn.role, "content": turn.content} for turn in case.conversation),
        tenant=case.access.tenant if case.access is not None else None,
        as_of=case.as_of.isoformat() if case.as_of is not None else None,
        metadata=case.metadata,
    )
