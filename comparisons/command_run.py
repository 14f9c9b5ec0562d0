"""What `evalparity run` does: load, plan, run, report; each step as one call."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from evalparity.adapters.judge.prices import Prices, load_prices
from evalparity.adapters.registry import adapter_faults, adapter_names, load_adapter
from evalparity.comparisons.cli_options import Asked
from evalparity.comparisons.judge_options import resolve_judges
from evalparity.comparisons.messages import tell
from evalparity.comparisons.plan import Plan
from evalparity.comparisons.progress import progress
from evalparity.comparisons.report import Report
from evalparity.comparisons.run import Limits, Listener, run_plan
from evalparity.comparisons.run_description import describe
from evalparity.comparisons.run_folder import RunFolder, create_run_folder, default_folder
from evalparity.comparisons.settle import Settled
from evalparity.comparisons.study_plan import JudgePlan, plan_judges, read_settings
from evalparity.comparisons.study_settings import RunSettings
from evalparity.unified_schema import EvalparityError, LoadedSuite, load_suite


def run_command(suite: Path, asked: Asked, environment: Mapping[str, str], *, out: Path | None) -> tuple[Report, bool]:
    """Run a suite; return the report and whether the run was interrupted.

    Args:
        suite: path of the suite.
        asked: the options that say what scores it.
        environment: variables, keys among them.
        out: run folder to make; None: one named after date and time.

    Raises:
        EvalparityError: anything that the user can mend, before anything is spent.
    """
    settings = read_settings(asked)
    judges = resolve_judges(settings.judges, environment)
    prices = load_prices(settings.prices)
    loaded = load_suite(suite)
    plans = plan_judges(loaded.suite, settings, judges)
    now = datetime.now(UTC)
    info = describe(suite, loaded, settings, plans, prices, asked=asked, now=now)
    folder = create_run_folder(out or default_folder(now), info, plans, settings.flags)
    _announce(loaded, settings, plans, folder)
    with progress(Counter(cell.framework for one in plans for cell in one.plan.cells)) as shown:
        interrupted = _run_to_the_end(plans, folder, settings.limits, prices, shown)
    report = folder.finish(complete=not interrupted)
    tell(f"The run stands in {folder.path}")
    return report, interrupted


def _announce(loaded: LoadedSuite, settings: RunSettings, plans: Sequence[JudgePlan], folder: RunFolder) -> None:
    notes = (*loaded.notes, *(settings.study.notes if settings.study is not None else ()), *adapter_faults())
    plan = plans[0].plan
    lines = [f"note: {note}" for note in notes]
    lines += [
        f"{adapter.name} is not installed: {adapter.install_hint}"
        for adapter in map(load_adapter, settings.frameworks or adapter_names())
        if adapter.installed_version() is None
    ]
    lines += _other_versions(plan)
    cells = sum(cell.refusal is None for one in plans for cell in one.plan.cells)
    judges = f" and {len(plans)} judges" if len(plans) > 1 else ""
    lines.append(f"Scoring {cells} cells with {', '.join(plan.adapters)}{judges}; the run is written to {folder.path}")
    for line in lines:
        tell(line)


def _other_versions(plan: Plan) -> list[str]:
    return [
        f"{name} {version} is installed, and {adapter.requirement} was verified: its scores may mean something else"
        for name, adapter in plan.adapters.items()
        if (version := plan.versions[name]) is not None and adapter.requirement.partition("==")[2] not in {"", version}
    ]


def _run_to_the_end(
    plans: Sequence[JudgePlan], folder: RunFolder, limits: Limits, prices: Prices, shown: Listener
) -> bool:
    """Run the plans; return whether the run was interrupted. What had ended by then is in the folder."""

    def ended(settled: Settled) -> None:
        folder.append(settled)
        shown.ended(settled)

    listener = Listener(line=shown.line, ended=ended)
    try:
        with _termination_interrupts():
            asyncio.run(_run_all(plans, folder, limits, prices, listener))
    except KeyboardInterrupt:
        return True
    except ExceptionGroup as group:
        raise _explained(group) from group
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


def _explained(group: ExceptionGroup[Exception]) -> BaseException:
    """Return what a user can mend out of errors that came together, else all of them."""
    found: BaseException = group.subgroup(EvalparityError) or group
    while isinstance(found, BaseExceptionGroup) and found is not group:
        found = found.exceptions[0]
    return found


@contextmanager
def _termination_interrupts() -> Iterator[None]:
    """Treat SIGTERM like Ctrl-C, so that a cancelled CI job leaves a run that can be read."""
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def exit_code(report: Report) -> int:
    """Return the exit code of a finished run: 3 if any cell errored or a named framework is absent, else 0."""
    errored = any(cell.status == "errored" for cell in report.cells)
    absent = any(framework.version is None for framework in report.run.frameworks.values())
    return 3 if errored or absent else 0
