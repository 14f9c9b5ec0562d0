"""What `evalparity run` does: load, plan, run, report; each step as one call."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from evalparity.adapters.judge.prices import Prices, load_prices
from evalparity.adapters.reading import load_any
from evalparity.comparisons.clearance import Clearance, clear
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.interruption import explained, termination_interrupts
from evalparity.comparisons.messages import tell
from evalparity.comparisons.planning.plan_notes import notes_of
from evalparity.comparisons.progress import progress
from evalparity.comparisons.reading_options import reading_of
from evalparity.comparisons.run_description import describe
from evalparity.comparisons.run_folder import RunFolder, create_run_folder, default_folder
from evalparity.comparisons.running.run import Limits, Listener, run_plan
from evalparity.comparisons.running.settle import Settled
from evalparity.comparisons.studies.asked import Asked
from evalparity.comparisons.studies.judge_options import resolve_judges
from evalparity.comparisons.studies.study_plan import JudgePlan, plan_judges, read_settings
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema import LoadedSuite


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
    settings = read_settings(asked)
    judges = resolve_judges(settings.judges, environment)
    prices = load_prices(settings.prices)
    loaded = load_any(suite, reading_of(asked.values))
    plans = plan_judges(loaded.suite, settings, judges)
    cleared = clear(plans, prices, tell) if preflight else Clearance(plans=plans)
    plans = cleared.plans
    now = datetime.now(UTC)
    info = describe(suite, loaded, settings, plans, prices, asked=asked, now=now)
    info = info.model_copy(update={"preflight": cleared.usage})
    folder = create_run_folder(out or default_folder(now), info, plans, settings.flags)
    cleared.record(folder.ledger)
    _announce(loaded, settings, plans, folder)
    with progress(Counter(cell.framework for one in plans for cell in one.plan.cells)) as shown:
        interrupted = _run_to_the_end(plans, folder, settings.limits, prices, shown)
    report = folder.finish(complete=not interrupted)
    tell(f"The run stands in {folder.path}")
    return report, interrupted


def _announce(loaded: LoadedSuite, settings: RunSettings, plans: Sequence[JudgePlan], folder: RunFolder) -> None:
    plan = plans[0].plan
    cells = sum(cell.refusal is None for one in plans for cell in one.plan.cells)
    judges = f" and {len(plans)} judges" if len(plans) > 1 else ""
    scoring = f"Scoring {cells} cells with {', '.join(plan.adapters)}{judges}; the run is written to {folder.path}"
    for line in (*notes_of(loaded, settings, plan), scoring):
        tell(line)


def _run_to_the_end(
    plans: Sequence[JudgePlan], folder: RunFolder, limits: Limits, prices: Prices, shown: Listener
) -> bool:
    """Run the plans; return whether the run was interrupted. What had ended by then is in the folder."""

    def ended(settled: Settled) -> None:
        folder.append(settled)
        shown.ended(settled)

    listener = Listener(line=shown.line, ended=ended)
    try:
        with termination_interrupts():
            asyncio.run(_run_all(plans, folder, limits, prices, listener))
    except KeyboardInterrupt:
        return True
    except ExceptionGroup as group:
        raise explained(group) from group
    return False


async def _run_all(
    plans: Sequence[JudgePlan], folder: RunFolder, limits: Limits, prices: Prices, listener: Listener
) -> None:
    """Run one judge after the other: two at once would take each other's time, and a local server has room for one."""
    for number, one in enumerate(plans, 1):
        if len(plans) > 1:
            listener.line(f"judge {number} of {len(plans)}: {one.judge.name}")
        await run_plan(
            one.plan,
            one.judge,
            limits=limits,
            ledger=folder.ledger,
            logs=folder.logs,
            listener=listener,
            prices=prices,
        )


def exit_code(report: Report) -> int:
    """Return the exit code of a finished run: 3 if any cell errored or a named framework is absent, else 0."""
    errored = any(cell.status == "errored" for cell in report.cells)
    absent = any(framework.version is None for framework in report.run.frameworks.values())
    return 3 if errored or absent else 0
