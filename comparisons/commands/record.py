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
    moved_corpus,
    outputs_of,
    past_of,
    refuse_changes,
    throw_away,
    tidy,
)
from evalparity.comparisons.recording.recorded_case import loses_labels, with_answer
from evalparity.comparisons.recording.recorder import Hooks, Recorded, Recording, record
from evalparity.comparisons.recording.summary import Summary
from evalparity.unified_schema import EvalCase, EvalSuite, UsageError
from evalparity.unified_schema.cases import LabelScale
from evalparity.unified_schema.corpus import load_corpus
from evalparity.unified_schema.exchange import ReadOptions
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
        resume: take over what an earlier recording holds.
        fresh: throw an earlier recording away.
        accept_changes: keep its answers although the application changed.
        concurrency: calls at the same time, at most.
        timeout: seconds that one attempt may take.
        retries: further attempts after one that raised or was late.
        reading: what is allowed when the suite is read.
    """

    app: str
    out: Path | None
    cases: tuple[str, ...]
    overwrite: bool
    resume: bool
    fresh: bool
    accept_changes: bool
    concurrency: int
    timeout: float
    retries: int
    reading: ReadOptions = field(default_factory=ReadOptions)


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
    loaded = load_any(suite, options.reading)
    for note in loaded.notes:
        tell(f"note: {note}")
    for problem in loaded.skipped:
        tell(f"left out: {problem}")
    outputs = outputs_of(suite, options.out)
    target = moved_corpus(loaded.suite, suite, outputs.suite)
    suite_text(target, outputs.suite.suffix)  # what cannot be written must not be paid for first
    cases = _open_cases(loaded.suite, options)
    only = _chosen(loaded.suite, cases, options, outputs)
    reader = _Reader(known=_known(loaded.suite, suite), scales=loaded.suite.label_scales)
    recorded = Recorded()
    with Journal(outputs.journal) as journal:
        try:
            interrupted = _ask(_Asking(suite, options, environment, outputs), cases, only, reader, journal, recorded)
        finally:
            tidy(outputs)
        summary = Summary(file=None, journal=outputs.journal, resumed=recorded.resumed)
        filled = _filled(target, cases, recorded, reader, summary)
        if not interrupted:
            write_suite(filled, outputs.suite)
            summary.file = outputs.suite
            summary.kept = sum(case.output is not None for case in loaded.suite.cases) - sum(
                case.output is not None for case in cases
            )
            summary.unasked = sum(case.output is None for case in filled.cases) - len(summary.failures)
    summary.log = outputs.log if outputs.log.exists() else None
    return summary


def _open_cases(suite: EvalSuite, options: RecordOptions) -> list[EvalCase]:
    """Return the cases that may be asked: those without an output, or all."""
    return [case for case in suite.cases if options.overwrite or case.output is None]


def _chosen(suite: EvalSuite, cases: Sequence[EvalCase], options: RecordOptions, outputs: Outputs) -> frozenset[str]:
    """Return the ids of the cases that are to be asked."""
    ids = {case.id for case in suite.cases}
    for name in options.cases:
        if name not in ids:
            near = difflib.get_close_matches(name, ids, n=1)
            hint = f": did you mean {near[0]}?" if near else "."
            raise UsageError(f"--case {name}: the suite has no such case{hint}")
    chosen = frozenset(case.id for case in cases if not options.cases or case.id in options.cases)
    if not chosen:
        raise UsageError("every case has an output already: nothing to record. --overwrite asks for them again.")
    if options.fresh and options.cases and outputs.suite.exists():
        raise UsageError(
            f"--fresh with --case would leave {outputs.suite} without the answers of all other cases: name another "
            "--out, or give --resume, which keeps them."
        )
    return chosen


def _known(suite: EvalSuite, file: Path) -> Known:
    """Return what the suite knows of chunks: texts in its corpus, and ids that it names."""
    corpus = load_corpus(file, suite.corpus) if suite.corpus is not None else None
    judged = (chunk_id for case in suite.cases for chunk_id in case.relevance)
    needed = (chunk_id for case in suite.cases for unit in case.evidence for chunk_id in unit.any_of)
    return Known(corpus=corpus, ids=frozenset(judged) | frozenset(needed))


@dataclass(frozen=True, slots=True)
class _Asking:
    """What `_ask` needs to know of the command."""

    suite: Path
    options: RecordOptions
    environment: Mapping[str, str]
    outputs: Outputs

    def recording(self, only: frozenset[str]) -> Recording:
        """Return how the application is asked."""
        return Recording(
            only=only,
            app=self.options.app,
            suite=str(self.suite),
            concurrency=self.options.concurrency,
            limit=self.options.timeout,
            retries=self.options.retries,
            log=self.outputs.log,
            environment=self.environment,
        )


def _ask(
    asking: _Asking,
    cases: Sequence[EvalCase],
    only: frozenset[str],
    reader: _Reader,
    journal: Journal,
    recorded: Recorded,
) -> bool:
    """Ask the application; return whether that was interrupted. Every answer that came by then is recorded."""
    options, outputs = asking.options, asking.outputs
    past = past_of(outputs, resume=options.resume, fresh=options.fresh)
    if past.damaged:
        tell(f"note: {outputs.journal}: {past.damaged} damaged lines are left out; their cases are asked again")

    def accept(now: Session) -> None:
        if options.fresh:
            throw_away(outputs)
        elif not options.accept_changes:
            refuse_changes(past, now, outputs)

    told = _Teller(len(only), recorded)
    tell(f"Asking {options.app} {len(only)} questions")
    hooks = Hooks(accept=accept, unusable=reader.fault, heard=told.heard)
    asked = record(cases, asking.recording(only), journal, past, hooks, recorded)
    try:
        with termination_interrupts():
            asyncio.run(asked)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    """Reads what was returned into a case, by what the suite knows."""

    known: Known
    scales: Mapping[str, LabelScale]

    def read(self, case: EvalCase, outcome: Returned) -> tuple[EvalCase, Answer]:
        """Return the case with the answer in it, and what the answer said.

        Raises:
            UnusableError: it is no answer.
        """
        answer = read_answer(outcome.value, outcome.type_name, self.known)
        return with_answer(case, answer, outcome.seconds, self.scales), answer

    def fault(self, case: EvalCase, outcome: Returned) -> str | None:
        """Return why what was returned is no answer; None where it is one."""
        try:
            self.read(case, outcome)
        except UnusableError as error:
            return str(error)
        return None


def _filled(
    suite: EvalSuite, cases: Sequence[EvalCase], recorded: Recorded, reader: _Reader, summary: Summary
) -> EvalSuite:
    """Return the suite with the answers in it; say in the summary what came of each case."""
    filled = {}
    for case in cases:
        outcome = recorded.outcomes.get(case.id)
        if isinstance(outcome, Failed):
            summary.failures[case.id] = outcome.reason
        elif outcome is not None:
            filled[case.id], answer = reader.read(case, outcome)
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
