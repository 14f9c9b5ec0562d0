"""What `evalparity run` does: load, plan, run, report; each step as one call."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.cassette import Cassette, write_cassette
from evalparity.adapters.judge.ledger import read_answers
from evalparity.adapters.judge.prices import Prices, load_prices
from evalparity.adapters.reading import load_any
from evalparity.comparisons.commands.answer_sources import check_answers, open_cassette, open_sources
from evalparity.comparisons.commands.clearance import Clearance, clear
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.interruption import explained, termination_interrupts
from evalparity.comparisons.messages import tell
from evalparity.comparisons.planning.plan_notes import notes_of
from evalparity.comparisons.progress import progress
from evalparity.comparisons.reading_options import reading_of
from evalparity.comparisons.run_description import describe
from evalparity.comparisons.run_folder import (
    AskedFor,
    RunFolder,
    RunRecord,
    check_run_folder,
    default_folder,
    make_run_folder,
    planned_lines,
)
from evalparity.comparisons.running.run import Listener, run_plan
from evalparity.comparisons.running.settle import Settled
from evalparity.comparisons.studies.asked import Asked, to_json
from evalparity.comparisons.studies.judge_options import resolve_judges
from evalparity.comparisons.studies.study_plan import JudgePlan, plan_judges, read_settings
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema import LoadedSuite


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Everything that was read and checked before a run, and before anything of it is spent.

    Attributes:
        settings: of the run.
        prices: what calls cost.
        loaded: the suite.
        plans: what each judge is to score.
        cassette: where all answers come from; None: from the judges.
    """

    settings: RunSettings
    prices: Prices
    loaded: LoadedSuite
    plans: tuple[JudgePlan, ...]
    cassette: Cassette | None


def run_command(
    suite: Path, asked: Asked, environment: Mapping[str, str], *, out: Path | None, preflight: bool = True
) -> tuple[Report, bool]:
    """Run a suite; return the report and whether the run was interrupted.

    Args:
        suite: path of the suite.
        asked: the options that say what scores it.
        environment: variables, keys among them.
        out: run folder to make; None: one named after date and time.
        preflight: ask the judges one question each before anything is spent on them.

    Raises:
        EvalparityError: anything that the user can mend, before anything is spent.
    """
    ready = prepare(suite, asked, environment)
    now = datetime.now(UTC)
    path = out or default_folder(now)
    check_run_folder(path)
    with tempfile.TemporaryDirectory(prefix="evalparity-") as before:
        clearance = _clear(ready, Path(before)) if preflight else Clearance(plans=ready.plans)
        ready = replace(ready, plans=clearance.plans)
        info = describe(suite, ready.loaded, ready.settings, ready.plans, ready.prices, asked=asked, now=now)
        record = RunRecord(
            info=info.model_copy(update={"preflight": clearance.usage}),
            planned=planned_lines(ready.plans),
            limits=ready.settings.flags,
            asked=AskedFor(suite=str(suite.absolute()), values=to_json(asked.values), flags=tuple(sorted(asked.flags))),
        )
        folder = make_run_folder(path, record)
        folder.write_skipped(ready.loaded.skipped)
        clearance.hand_over(folder.ledger)
    _announce(ready, folder)
    return run_to_the_end(ready, folder)


def _clear(ready: Prepared, folder: Path) -> Clearance:
    return clear(
        ready.settings,
        ready.plans,
        cassette=ready.cassette,
        prices=ready.prices,
        ledger=folder / "ledger.sqlite",
        say=tell,
    )


def prepare(suite: Path, asked: Asked, environment: Mapping[str, str]) -> Prepared:
    """Read and check everything that a run needs.

    Raises:
        EvalparityError: anything that the user can mend.
    """
    settings = read_settings(asked)
    cassette = open_cassette(settings)
    judges = resolve_judges(settings.judges, environment, with_keys=cassette is None)
    prices = load_prices(settings.prices)
    loaded = load_any(suite, reading_of(asked.values))
    plans = plan_judges(loaded.suite, settings, judges)
    check_answers(settings, plans, cassette, prices)
    return Prepared(settings=settings, prices=prices, loaded=loaded, plans=plans, cassette=cassette)


def run_to_the_end(ready: Prepared, folder: RunFolder) -> tuple[Report, bool]:
    """Run the plans in a folder and write its report; return that and whether the run was interrupted."""
    with folder.locked():
        with progress(Counter(cell.framework for one in ready.plans for cell in one.plan.cells)) as shown:
            interrupted = _run(ready, folder, shown)
        record = ready.settings.answers.record
        if record is not None:
            write_cassette(record, [one.judge for one in ready.plans], read_answers(folder.ledger))
        report = folder.finish(complete=not interrupted)
    tell(f"The run stands in {folder.path}")
    return report, interrupted


def _announce(ready: Prepared, folder: RunFolder) -> None:
    plans, plan = ready.plans, ready.plans[0].plan
    cells = sum(cell.refusal is None for one in plans for cell in one.plan.cells)
    judges = f" and {len(plans)} judges" if len(plans) > 1 else ""
    scoring = f"Scoring {cells} cells with {', '.join(plan.adapters)}{judges}; the run is written to {folder.path}"
    for line in (*notes_of(ready.loaded, ready.settings, plan), scoring):
        tell(line)


def _run(ready: Prepared, folder: RunFolder, shown: Listener) -> bool:
    """Run the plans; return whether the run was interrupted. What had ended by then is in the folder."""
    opened = open_sources(ready.settings, ready.plans, ledger=folder.ledger, cassette=ready.cassette, tell=shown.line)
    try:
        with termination_interrupts(), opened as sources, folder.outcomes() as write:

            def ended(settled: Settled) -> None:
                write(settled)
                shown.ended(settled)

            listener = Listener(line=shown.line, ended=ended)
            asyncio.run(_run_all(ready, folder, sources, listener))
    except KeyboardInterrupt:
        return True
    except ExceptionGroup as group:
        raise explained(group) from group
    return False


async def _run_all(ready: Prepared, folder: RunFolder, sources: Sources, listener: Listener) -> None:
    """Run one judge after the other: two at once would take each other's time, and a local server has room for one."""
    limits = ready.settings.limits.begun()
    for number, one in enumerate(ready.plans, 1):
        if len(ready.plans) > 1:
            listener.line(f"judge {number} of {len(ready.plans)}: {one.judge.name}")
        await run_plan(
            one.plan,
            one.judge,
            limits=limits,
            sources=sources,
            logs=folder.logs,
            listener=listener,
            prices=ready.prices,
        )


def exit_code(report: Report) -> int:
    """Return the exit code of a finished run.

    4 if the budget ended it, 3 if any cell errored or a named framework is absent, else 0.
    """
    kinds = {cell.kind for cell in report.cells if cell.status == "errored"}
    absent = any(framework.version is None for framework in report.run.frameworks.values())
    if "budget" in kinds:
        return 4
    return 3 if kinds or absent else 0
