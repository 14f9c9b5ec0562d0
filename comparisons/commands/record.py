"""What `evalparity record` does: ask a user's application every question of a suite, and write its answers down."""

from __future__ import annotations

import asyncio
import difflib
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evalparity.adapters.reading import load_any
from evalparity.comparisons.interruption import explained, termination_interrupts
from evalparity.comparisons.messages import tell
from evalparity.comparisons.recording.answers import Answer, read_answer
from evalparity.comparisons.recording.attempts import Failed, Returned
from evalparity.comparisons.recording.contexts import Known, UnusableError
from evalparity.comparisons.recording.journal import Journal, Session
from evalparity.comparisons.recording.outputs import (
    Outputs,
    Start,
    moved_corpus,
    outputs_of,
    past_of,
    refuse_changes,
    throw_away,
    tidy,
)
from evalparity.comparisons.recording.recorded_case import loses_labels, with_answer
from evalparity.comparisons.recording.recorder import Recorded, Recording, record
from evalparity.comparisons.recording.summary import Summary
from evalparity.unified_schema import EvalCase, EvalSuite, UsageError
from evalparity.unified_schema.corpus import load_corpus
from evalparity.unified_schema.writing import suite_text, write_suite

_APP = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")

LINE_EVERY = 5.0
"""Seconds between two lines that say how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions:
    """What a user asked for.

    Attributes:
        app: `package.module:function`.
        out: file to write; None: beside the suite.
        cases: ids of the cases to ask; none: all.
        overwrite: ask for cases that have an output already, too.
        start: what becomes of an earlier recording.
        accept_changes: keep its answers although the application changed.
        concurrency: calls at the same time, at most.
        timeout: seconds that one attempt may take.
        retries: further attempts after one that raised or was late.
    """

    app: str
    out: Path | None
    cases: tuple[str, ...]
    overwrite: bool
    start: Start
    accept_changes: bool
    concurrency: int
    timeout: float
    retries: int


def record_command(suite: Path, options: RecordOptions, environment: Mapping[str, str]) -> Summary:
    """Record a suite; return what came of it.

    Args:
        suite: path of the suite.
        options: what was asked for.
        environment: variables, for the application; evalparity's keys are taken out.

    Raises:
        EvalparityError: anything that the user can mend; answers that came by then are in the journal.
    """
    if _APP.fullmatch(options.app) is None:
        raise UsageError(f"--app {options.app}: write it as package.module:function, as in your_rag_app:rag_pipeline.")
    loaded = load_any(suite)
    for note in loaded.notes:
        tell(f"note: {note}")
    outputs = outputs_of(suite, options.out)
    target = moved_corpus(loaded.suite, suite, outputs.suite)
    suite_text(target, outputs.suite.suffix)  # what cannot be written must not be paid for first
    cases = _chosen(loaded.suite, options)
    known = _known(loaded.suite, suite)
    recorded = Recorded()
    with Journal(outputs.journal) as journal:
        interrupted = _ask(suite, cases, options, environment, outputs, journal, recorded)
        summary = Summary(file=None, journal=outputs.journal, asked=len(cases), resumed=recorded.resumed)
        filled = _filled(target, cases, recorded, known, summary)
        if not interrupted:
            write_suite(filled, outputs.suite)
            summary.file = outputs.suite
            asked = {case.id for case in cases}
            summary.kept = sum(case.output is not None for case in loaded.suite.cases if case.id not in asked)
        tidy(outputs, finished=not interrupted and all(case.output is not None for case in filled.cases))
    summary.log = outputs.log if outputs.log.exists() else None
    return summary


def _chosen(suite: EvalSuite, options: RecordOptions) -> list[EvalCase]:
    ids = {case.id for case in suite.cases}
    for name in options.cases:
        if name not in ids:
            near = difflib.get_close_matches(name, ids, n=1)
            raise UsageError(
                f"--case {name}: the suite has no such case" + (f": did you mean {near[0]}?" if near else ".")
            )
    asked = [case for case in suite.cases if not options.cases or case.id in options.cases]
    chosen = [case for case in asked if options.overwrite or case.output is None]
    if not chosen:
        raise UsageError("every case has an output already: nothing to record. --overwrite asks for them again.")
    return chosen


def _known(suite: EvalSuite, file: Path) -> Known:
    """Return what the suite knows of chunks: texts in its corpus, and ids that it names."""
    corpus = load_corpus(file, suite.corpus) if suite.corpus is not None else None
    judged = (chunk_id for case in suite.cases for chunk_id in case.relevance)
    needed = (chunk_id for case in suite.cases for unit in case.evidence for chunk_id in unit.any_of)
    return Known(corpus=corpus, ids=frozenset(judged) | frozenset(needed))


def _ask(
    suite: Path,
    cases: Sequence[EvalCase],
    options: RecordOptions,
    environment: Mapping[str, str],
    outputs: Outputs,
    journal: Journal,
    recorded: Recorded,
) -> bool:
    """Ask the application; return whether that was interrupted. Every answer that came by then is recorded."""
    past = past_of(outputs, options.start)
    if past.damaged:
        tell(f"note: {outputs.journal}: {past.damaged} damaged lines are left out; their cases are asked again")
    recording = Recording(
        app=options.app,
        suite=str(suite),
        concurrency=options.concurrency,
        limit=options.timeout,
        retries=options.retries,
        log=outputs.log,
        environment=environment,
    )

    def accept(now: Session) -> None:
        if options.start == "fresh":
            throw_away(outputs)
        elif not options.accept_changes:
            refuse_changes(past, now, outputs)

    told = _Teller(len(cases), recorded)
    tell(f"Asking {options.app} {len(cases)} questions")
    try:
        with termination_interrupts():
            asyncio.run(record(cases, recording, journal, past, accept=accept, heard=told.heard, recorded=recorded))
    except KeyboardInterrupt:
        return True
    except ExceptionGroup as group:
        raise explained(group) from group
    return False


@dataclass(slots=True)
class _Teller:
    """Says how far a recording is, and at once what failed."""

    total: int
    recorded: Recorded
    last: float = field(default_factory=time.monotonic)

    def heard(self, case_id: str, outcome: Returned | Failed) -> None:
        """Take note of a case that has ended."""
        if isinstance(outcome, Failed):
            tell(f"{case_id}: {outcome.reason}")
        if time.monotonic() - self.last >= LINE_EVERY:
            self.last = time.monotonic()
            tell(f"{len(self.recorded.outcomes)}/{self.total}")


def _filled(
    suite: EvalSuite, cases: Sequence[EvalCase], recorded: Recorded, known: Known, summary: Summary
) -> EvalSuite:
    """Return the suite with the answers in it; say in the summary what came of each case that was asked."""
    filled = {}
    for case in cases:
        outcome = recorded.outcomes.get(case.id)
        if isinstance(outcome, Failed):
            summary.failures[case.id] = outcome.reason
        elif outcome is not None:
            try:
                answer = read_answer(outcome.value, outcome.type_name, known)
                filled[case.id] = with_answer(case, answer, outcome.seconds, suite.label_scales)
            except UnusableError as error:
                summary.failures[case.id] = str(error)
            else:
                summary.answered += 1
                summary.remarks |= _remarks(case, answer)
    return suite.model_copy(update={"cases": tuple(filled.get(case.id, case) for case in suite.cases)})


def _remarks(case: EvalCase, answer: Answer) -> dict[str, str]:
    said = []
    if answer.without_text:
        ids = ", ".join(answer.without_text)
        said.append(f"nobody knows the text of {ids}: name a `corpus` in the suite, or return texts")
    if answer.left_out:
        said.append(f"{', '.join(answer.left_out)} is decided by the suite, and is left out of what was returned")
    if loses_labels(case, answer):
        said.append("its human labels rated the earlier output and are left out")
    return {case.id: "; ".join(said)} if said else {}


def exit_code(summary: Summary) -> int:
    """Return 130 where the recording was interrupted, 3 where a case has no answer, else 0."""
    if summary.file is None:
        return 130
    return 3 if summary.failures else 0
