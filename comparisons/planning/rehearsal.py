"""A rehearsal: the real frameworks run on the lexical judge, offline and free, and what they send is counted.

A framework's first prompts are those that any judge would get. Later prompts hold what the judge answered before,
here the lexical judge, so that their length and number are an estimate.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from evalparity.adapters.base import Binding
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.ledger import Ledger, read_calls
from evalparity.adapters.judge.lexical.tokens import count_tokens
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import Call
from evalparity.comparisons.planning.extrapolate import evenly
from evalparity.comparisons.running.plan import Batch, Plan, PlannedCell, in_batches
from evalparity.comparisons.running.run import Limits, Listener, run_plan
from evalparity.comparisons.running.scorer import cell_name
from evalparity.comparisons.running.settle import Settled
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.outcomes import Frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsedCell:
    """What one cell sent.

    Attributes:
        case_id: its case.
        size: tokens of the case's texts that the scorer sends, by the lexical judge's count.
        calls: all that it asked, tokens by the lexical judge's count.
    """

    case_id: str
    size: int
    calls: tuple[Call, ...]


class FailedCell(Frozen):
    """A cell that could not be rehearsed, and why."""

    case_id: str
    scorer: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """What the rehearsed cells sent.

    Attributes:
        cells: by the scorer that the framework was asked for.
        failed: cells that ended in an error; what they sent is not counted.
    """

    cells: Mapping[str, tuple[RehearsedCell, ...]]
    failed: tuple[FailedCell, ...] = ()

    @property
    def cases(self) -> int:
        """Return how many cases were looked at."""
        return len({cell.case_id for cells in self.cells.values() for cell in cells})


def size_of(case: EvalCase, binding: Binding) -> int:
    """Return how much text of a case a scorer sends, in tokens by the lexical judge's count; each text counts once."""
    texts = (text for name in dict.fromkeys(sent.field for sent in binding.sent) for text in _texts(case, name))
    return sum(map(count_tokens, texts))


def _texts(case: EvalCase, field: str) -> Sequence[str]:
    if field.endswith("_contexts"):
        return case.context_texts(field)
    text: str | None = getattr(case, field)
    return () if text is None else (text,)


def choose_sample(plan: Plan, most: int) -> tuple[PlannedCell, ...]:
    """Return the cells to rehearse: of each scorer that asks a judge, at most so many, evenly spread over their sizes.

    Repeats send the same prompts, so only the first is rehearsed. A framework that has something to fetch first is
    left out: planning works offline.
    """
    without = unready(plan)
    by_scorer: dict[str, list[PlannedCell]] = {}
    for batch in _asking(in_batches(plan.cells)):
        if batch.cell.framework in without:
            continue
        by_scorer.setdefault(batch.cell.binding.asked_scorer, []).append(batch.cell)
    return tuple(cell for cells in by_scorer.values() for cell in _spread(cells, most))


def _asking(batches: Iterable[Batch]) -> Iterable[Batch]:
    return (batch for batch in batches if batch.cell.binding.asks_judge and batch.cell.repeat == 0)


def _spread(cells: Sequence[PlannedCell], most: int) -> Iterable[PlannedCell]:
    ordered = sorted(cells, key=lambda cell: (size_of(cell.case, cell.binding), cell.case.id))
    return (ordered[at] for at in evenly(len(ordered), most))


def unready(plan: Plan) -> dict[str, str]:
    """Return the frameworks of a plan that have something to fetch before they can run, and what it is."""
    pending = {name: adapter.pending for name, adapter in plan.adapters.items() if plan.versions[name] is not None}
    found = {name: told() for name, told in pending.items() if told is not None}
    return {name: what for name, what in found.items() if what is not None}


def rehearse(plan: Plan, sample: Sequence[PlannedCell], *, limits: Limits, listener: Listener) -> Rehearsal:
    """Run cells of a plan on the lexical judge, in a temporary folder; nothing is asked of any other judge.

    Args:
        plan: all cells.
        sample: those to run, as `choose_sample` gives them.
        limits: time limits, as of a run.
        listener: is told how far it is.

    Raises:
        UsageError: there is no temporary folder to work in.
    """
    if not sample:
        return Rehearsal(cells={})
    try:
        private = tempfile.TemporaryDirectory(prefix="evalparity-plan-", ignore_cleanup_errors=True)
    except OSError as error:
        raise UsageError(
            f"the rehearsal needs a temporary folder ({error.strerror or error}): set TMPDIR to one that can be "
            "written, or plan with --rehearse 0."
        ) from error
    with private as folder:
        return _rehearse(replace(plan, cells=tuple(sample)), Path(folder), limits, listener)


def _rehearse(plan: Plan, folder: Path, limits: Limits, listener: Listener) -> Rehearsal:
    listener.line(f"Rehearsing {len(plan.cells)} cells with the lexical judge, to count what they send")
    judge, ended = JudgeSettings(), dict[tuple[str, str], Settled]()

    def keep(settled: Settled) -> None:
        ended[settled.outcome.case_id, settled.outcome.scorer] = settled
        listener.ended(settled)

    ledger, logs = folder / "ledger.sqlite", folder / "logs"
    logs.mkdir()
    heard = Listener(line=listener.line, ended=keep)
    with closing(Ledger(ledger)) as written:
        sources = Sources(ledger=written)
        asyncio.run(run_plan(plan, judge, limits=limits, sources=sources, logs=logs, listener=heard))
    cells: dict[str, list[RehearsedCell]] = {}
    failed = []
    for cell in plan.cells:
        outcome = ended[cell.case.id, cell.binding.scorer].outcome
        if outcome.status == "errored":
            failed.append(_failed(outcome.case_id, outcome.scorer, outcome.kind, outcome.reason))
            continue
        calls = read_calls(ledger, cell_name(cell, judge))
        one = RehearsedCell(case_id=cell.case.id, size=size_of(cell.case, cell.binding), calls=calls)
        cells.setdefault(cell.binding.asked_scorer, []).append(one)
    return Rehearsal(cells={name: tuple(own) for name, own in cells.items()}, failed=tuple(failed))


def _failed(case_id: str, scorer: str, kind: str | None, reason: str | None) -> FailedCell:
    return FailedCell(case_id=case_id, scorer=scorer, kind=kind or "framework_error", reason=reason or "")
