"""What `evalparity run` does: load, plan, run, report; each step as one call."""

from __future__ import annotations

import asyncio
import secrets
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.adapters.registry import adapter_faults, adapter_names, load_adapter
from evalparity.comparisons.judge_options import JudgeOptions, resolve_judge
from evalparity.comparisons.messages import tell
from evalparity.comparisons.plan import Plan, choose_adapters, choose_metrics, make_plan
from evalparity.comparisons.progress import progress
from evalparity.comparisons.report import FrameworkInfo, JudgeInfo, Report, RunInfo, SuiteInfo
from evalparity.comparisons.run import Limits, Listener, run_plan
from evalparity.comparisons.run_folder import RunFolder, create_run_folder, default_folder
from evalparity.unified_schema import EvalparityError, LoadedSuite, load_suite, suite_sha256


def run_command(
    environment: Mapping[str, str],
    *,
    suite: Path,
    frameworks: Sequence[str],
    metrics: Sequence[str],
    cell_timeout: float,
    framework_timeout: float,
    out: Path | None,
    **judge: Any,  # noqa: ANN401 - the options of the judge, checked by click
) -> tuple[Report, bool]:
    """Run a suite; return the report and whether the run was interrupted.

    Raises:
        EvalparityError: anything that the user can mend, before anything is spent.
    """
    settings = resolve_judge(judge_options(judge), environment)
    loaded = load_suite(suite)
    plan = plan_run(loaded, frameworks, metrics, settings)
    now = datetime.now(UTC)
    folder = create_run_folder(out or default_folder(now), describe(suite, loaded, plan, settings, now), plan)
    limits = Limits(cell=cell_timeout, framework=framework_timeout)
    _announce(loaded, plan, folder, frameworks=frameworks)
    with progress(Counter(cell.framework for cell in plan.cells)) as shown:
        interrupted = _run_to_the_end(plan, settings, folder, limits, shown)
    report = folder.finish(complete=not interrupted)
    tell(f"The run stands in {folder.path}")
    return report, interrupted


def judge_options(judge: Mapping[str, Any]) -> JudgeOptions:
    """Return the judge options from those of the command line."""
    return JudgeOptions(
        judge=judge["judge"],
        url=judge["judge_url"],
        key_file=judge["judge_key_file"],
        embedding_model=judge["embedding_model"],
        embedding_url=judge["embedding_url"],
        embedding_key_file=judge["embedding_key_file"],
        timeout=judge["judge_timeout"],
        max_output_tokens=judge["max_output_tokens"],
        concurrency=judge["concurrency"],
    )


def plan_run(loaded: LoadedSuite, frameworks: Sequence[str], metrics: Sequence[str], settings: JudgeSettings) -> Plan:
    """Return the plan of a run: the named frameworks and metrics, or all there are."""
    adapters, versions = choose_adapters(frameworks)
    return make_plan(
        loaded.suite,
        adapters=adapters,
        versions=versions,
        metrics=choose_metrics(metrics, adapters),
        has_embeddings=settings.embedding_model is not None,
    )


def describe(path: Path, loaded: LoadedSuite, plan: Plan, judge: JudgeSettings, now: datetime) -> RunInfo:
    """Return what the report says of the run itself; the judge's key is no part of it."""
    return RunInfo(
        id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        created_at=now,
        suite=SuiteInfo(
            name=loaded.suite.name, path=str(path), sha256=suite_sha256(path), cases=len(loaded.suite.cases)
        ),
        judge=JudgeInfo(
            kind="lexical" if judge.model == LEXICAL else "endpoint",
            model=judge.model,
            url=judge.url,
            embedding_model=judge.embedding_model,
            embedding_url=judge.embedding_url,
            temperature=judge.temperature,
            seed=judge.seed,
            max_output_tokens=judge.max_output_tokens,
        ),
        frameworks={name: FrameworkInfo(name=name, version=version) for name, version in plan.versions.items()},
        complete=False,
    )


def _announce(loaded: LoadedSuite, plan: Plan, folder: RunFolder, *, frameworks: Sequence[str]) -> None:
    lines = [f"note: {note}" for note in (*loaded.notes, *adapter_faults())]
    lines += [
        f"{adapter.name} is not installed: {adapter.install_hint}"
        for adapter in map(load_adapter, frameworks or adapter_names())
        if adapter.installed_version() is None
    ]
    lines += [
        f"{name} {version} is installed, and {adapter.requirement} was verified: its scores may mean something else"
        for name, adapter in plan.adapters.items()
        if (version := plan.versions[name]) is not None and adapter.requirement.partition("==")[2] not in {"", version}
    ]
    cells = sum(cell.refusal is None for cell in plan.cells)
    lines.append(f"Scoring {cells} cells with {', '.join(plan.adapters)}; the run is written to {folder.path}")
    for line in lines:
        tell(line)


def _run_to_the_end(plan: Plan, settings: JudgeSettings, folder: RunFolder, limits: Limits, shown: Listener) -> bool:
    """Run the plan; return whether it was interrupted. What had ended by then is in the folder."""

    def ended(settled: Any) -> None:  # noqa: ANN401 - Settled; the listener types it
        folder.append(settled)
        shown.ended(settled)

    listener = Listener(line=shown.line, ended=ended)
    try:
        with _termination_interrupts():
            asyncio.run(
                run_plan(plan, settings, limits=limits, ledger=folder.ledger, logs=folder.logs, listener=listener)
            )
    except KeyboardInterrupt:
        return True
    except ExceptionGroup as group:
        raise _explained(group) from group
    return False


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
