"""What `evalparity run --resume` does: bring a run that was stopped to its end, as it began."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from evalparity.comparisons.commands.clearance import as_found
from evalparity.comparisons.commands.run import Prepared, prepare, run_to_the_end
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.messages import tell
from evalparity.comparisons.run_description import framework_info, price_info, study_info
from evalparity.comparisons.run_folder import (
    RunRecord,
    planned_lines,
    read_record,
    read_settled,
    reopen_run_folder,
)
from evalparity.comparisons.running.plan import Plan, PlannedCell, in_batches
from evalparity.comparisons.running.settle import Settled
from evalparity.comparisons.studies.asked import Asked, from_json, option_of
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.unified_schema import suite_sha256
from evalparity.unified_schema.errors import UsageError

MAY_CHANGE = frozenset(
    {
        "judge_key_file",
        "embedding_key_file",
        "judge_timeout",
        "concurrency",
        "requests_per_minute",
        "tokens_per_minute",
        "cell_timeout",
        "framework_timeout",
        "run_timeout",
        "max_calls",
        "max_tokens",
        "max_cost",
        "no_cache",
        "cache_file",
        "cache_megabytes",
        "cache_days",
        "record",
        "keep_requests",
    }
)
"""Options that change no score: how fast, how long, for how much, and where a key stands."""

_NOT_DONE = frozenset({"interrupted", "budget", "judge_down"})
"""Kinds of cells that ended because the run did."""


def resume_command(
    run: Path, asked: Asked, environment: Mapping[str, str], *, retry_errors: bool
) -> tuple[Report, bool]:
    """Bring a run to its end; return the report and whether the run was interrupted again.

    Cells that had ended are not run again; what the judge had answered is not asked again.

    Args:
        run: the run folder.
        asked: the options that were given now; only those that change no score.
        environment: variables, keys among them.
        retry_errors: whether cells that ended in an error are run again, too.

    Raises:
        EvalparityError: anything that the user can mend; nothing was spent.
    """
    record = read_record(run)
    if record.asked is None:
        raise UsageError(f"--resume {run}: the folder does not tell how the run was asked for; start a new run.")
    suite = Path(record.asked.suite)
    ready = prepare(suite, _asked_again(run, record, asked), environment)
    _refuse_changes(run, record, ready)
    ended = read_settled(run)
    plans = as_found(ready.plans, record.info.judges)
    left = replace(ready, plans=_left(plans, ended, retry_errors=retry_errors))
    cells = sum(len(one.plan.cells) for one in left.plans)
    tell(f"Resuming {run}: {len(record.planned) - cells:,} of {len(record.planned):,} cells are done")
    return run_to_the_end(left, reopen_run_folder(run, record))


def _asked_again(run: Path, record: RunRecord, asked: Asked) -> Asked:
    """Return the options as the run had them, and those over them that may change."""
    assert record.asked is not None
    fixed = sorted(map(option_of, asked.flags - MAY_CHANGE))
    if fixed:
        options = ", ".join(fixed)
        raise UsageError(
            f"--resume {run}: goes on with the settings that the run began with, so {options} cannot be given; start a "
            "new run for that, which takes from the cache what was answered before."
        )
    now = {name: asked.values[name] for name in asked.flags}
    return Asked(values={**from_json(record.asked.values), **now}, flags=frozenset(record.asked.flags) | asked.flags)


def _refuse_changes(run: Path, record: RunRecord, ready: Prepared) -> None:
    for problem in _changes(record, ready):
        raise UsageError(f"--resume {run}: {problem}; put it back as it was, or start a new run.")


def _changes(record: RunRecord, ready: Prepared) -> Iterator[str]:
    """Yield what is not as it was when the run began, so that its two parts would not belong together."""
    assert record.asked is not None
    info, settings = record.info, ready.settings
    if suite_sha256(record.asked.suite) != info.suite.sha256:
        yield f"the suite {record.asked.suite} has changed since the run began"
    study = study_info(settings.study, Asked(values={}, flags=frozenset()))
    if (study and study.sha256) != (info.study and info.study.sha256):
        yield f"the study {study.path if study else ''} has changed since the run began"
    prices = price_info(ready.prices)
    if info.prices is not None and prices.sha256 != info.prices.sha256:
        yield f"the price file {prices.file or ''} has changed since the run began"
    versions = {name: one.version for name, one in framework_info(ready.plans[0].plan).items()}
    for name, one in info.frameworks.items():
        if versions.get(name) != one.version:
            yield f"{name} was {one.version or 'not installed'} when the run began and is {versions.get(name)} now"
    if planned_lines(ready.plans) != record.planned:
        yield "evalparity itself plans other cells now than when the run began"


def _left(plans: tuple[JudgePlan, ...], ended: list[Settled], *, retry_errors: bool) -> tuple[JudgePlan, ...]:
    """Return the plans without the cells that are done."""
    done = {
        (one.outcome.case_id, one.outcome.metric, one.outcome.scorer, one.outcome.repeat, one.outcome.judge_model)
        for one in ended
        if not _again(one, retry_errors=retry_errors)
    }
    return tuple(replace(one, plan=_without(one.plan, one.judge.name, done)) for one in plans)


def _again(settled: Settled, *, retry_errors: bool) -> bool:
    outcome = settled.outcome
    return outcome.kind in _NOT_DONE or (retry_errors and outcome.status == "errored")


def _without(plan: Plan, judge: str, done: Collection[tuple[str, str, str, int, str | None]]) -> Plan:
    """Return a plan without the cells that are done; cells that one answer scores are done when all of them are."""

    def is_done(cell: PlannedCell) -> bool:
        return (*cell.key, judge if cell.binding.asks_judge else None) in done

    open_batches = [batch for batch in in_batches(plan.cells) if not all(map(is_done, batch.cells))]
    again = {cell.key for batch in open_batches for cell in batch.cells}
    left = (cell for cell in plan.cells if cell.key in again or (cell.refusal is not None and not is_done(cell)))
    return replace(plan, cells=tuple(left))
