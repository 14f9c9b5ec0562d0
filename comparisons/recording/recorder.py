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


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What decides and listens while an application is asked.

    Attributes:
        accept: is shown the session before anything is asked; raises where its answers must not stand beside those of
            the past.
        unusable: from a case and what was returned to why that is no answer; None where it is one.
        heard: is told of every case, by its id, as its last attempt ends.
    """

    accept: Callable[[Session], None]
    unusable: Callable[[EvalCase, Returned], str | None]
    heard: Callable[[str, Returned | Failed], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """How an application is asked.

    Attributes:
        app: `package.module:function`.
        only: ids of the cases to ask.
        suite: path of the suite, for the journal.
        concurrency: calls at the same time, at most.
        limit: seconds that one attempt may take.
        retries: further attempts after one that raised or was late.
        log: file that takes what the application prints.
        environment: variables of the application, from which evalparity's keys are taken out.
    """

    app: str
    only: frozenset[str]
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
    hooks: Hooks,
    recorded: Recorded,
) -> None:
    """Ask the application every case that the journal holds no usable answer of; fill `recorded`.

    Args:
        cases: what may be asked; answers of the past are taken over for all of them.
        recording: how.
        journal: takes every answer, open for writing.
        past: what it held before.
        hooks: what decides and listens on the way.
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
        hooks.accept(session)
        journal.begin(session)
        desk = _Desk(calls, journal, first.ready.takes, hooks, recorded)
        left = desk.take_over(cases, past)
        await desk.ask_all([case for case in left if case.id in recording.only], recording.concurrency)
    finally:
        await calls.close()


@dataclass(frozen=True, slots=True)
class _Desk:
    """Asks cases, and writes down what comes of each as it comes."""

    calls: AppCalls
    journal: Journal
    takes: frozenset[str]
    hooks: Hooks
    recorded: Recorded

    def take_over(self, cases: Sequence[EvalCase], past: Past) -> list[EvalCase]:
        """Take over answers of the past where the application would be told the same; return the cases without one."""
        left = []
        for case in cases:
            answer = past.answers.get((case.id, told(question_of(case), self.takes)))
            if answer is None or self.hooks.unusable(case, answer) is not None:
                left.append(case)
                continue
            self.recorded.outcomes[case.id] = answer
            self.recorded.resumed += 1
        return left

    async def ask_all(self, cases: Sequence[EvalCase], concurrency: int) -> None:
        waiting = iter(cases)

        async def work() -> None:
            for case in waiting:
                await self._ask(case)

        async with asyncio.TaskGroup() as workers:
            for _ in range(min(concurrency, len(cases))):
                workers.create_task(work())

    async def _ask(self, case: EvalCase) -> None:
        question = question_of(case)
        outcome, attempts = await self.calls.ask(question)
        # What was returned is kept as it is, also where it is no answer: a later version may read it.
        self.journal.answered(case.id, told(question, self.takes), outcome, attempts)
        fault = self.hooks.unusable(case, outcome) if isinstance(outcome, Returned) else None
        final = outcome if fault is None else Failed(kind="unusable", reason=fault)
        self.recorded.outcomes[case.id] = final
        self.hooks.heard(case.id, final)


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
