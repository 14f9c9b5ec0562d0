"""Whether a run may begin: what the pre-flight of its judges found, and what follows from it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from evalparity.adapters.checks import Check, State
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.cassette import Cassette
from evalparity.adapters.judge.preflight import Preflight
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.usage import usage_of
from evalparity.comparisons.commands.answer_sources import asked_models, open_sources
from evalparity.comparisons.interruption import termination_interrupts
from evalparity.comparisons.running.judge_check import check_judge, kinds_of
from evalparity.comparisons.running.run_info import JudgeInfo
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.outcomes import JudgeUsage

_MARKS: Mapping[State, str] = MappingProxyType({"ok": "ok", "warning": "warning", "failed": "-"})
_WAITING = "Asking the judge one question first; a server that has to load its model takes its time."


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance:
    """A run that may begin.

    Attributes:
        plans: what each judge is to score, with what is now known of the judge.
        usage: what the pre-flight asked; None where there was none.
        ledger: file with its calls; None where there was none.
    """

    plans: tuple[JudgePlan, ...]
    usage: JudgeUsage | None = None
    ledger: Path | None = None

    def hand_over(self, ledger: Path) -> None:
        """Make the calls of the pre-flight the first ones in the ledger of the run."""
        if self.ledger is not None:
            shutil.move(self.ledger, ledger)


def clear(
    settings: RunSettings,
    plans: tuple[JudgePlan, ...],
    *,
    cassette: Cassette | None,
    prices: Prices,
    ledger: Path,
    say: Callable[[str], None],
) -> Clearance:
    """Ask every judge of a run whether it is there and can do what the run needs, one after the other.

    What is answered here is cached, recorded and counted against the budget as the answers of the run are. A judge
    that the cache or the cassette knows is not asked.

    Args:
        settings: of the run.
        plans: what each judge is to score.
        cassette: where all answers come from; None: from the judges.
        prices: what calls cost.
        ledger: file to make, for the calls.
        say: takes lines for the user.

    Raises:
        UsageError: any judge or embedding model cannot be used; all of them are told, each with what helps.
        KeyboardInterrupt: it was stopped by a signal.
    """
    if not asked_models(plans):
        return Clearance(plans=plans)
    opened = open_sources(settings, plans, ledger=ledger, cassette=cassette, tell=say)
    with termination_interrupts(), opened as sources:
        flown = asyncio.run(_check_all(plans, sources, prices, say))
    checks = [check for one in flown for check in one.checks]
    failed = [check for check in checks if check.state == "failed"]
    if failed:
        raise UsageError("\n".join(["no cell was run, as a judge cannot be used:", *_lines(failed)]))
    for line in _lines(checks):
        say(line)
    found = [one.structured_output for one in flown]
    known = (
        replace(one, judge=replace(one.judge, structured_output=takes)) for one, takes in zip(plans, found, strict=True)
    )
    calls = [call for one in flown for call in one.calls]
    return Clearance(plans=tuple(known), usage=usage_of(calls) if calls else None, ledger=ledger)


def as_found(plans: Sequence[JudgePlan], judges: Sequence[JudgeInfo]) -> tuple[JudgePlan, ...]:
    """Return the plans of a run that goes on, with what its pre-flight had found of the judges."""
    return tuple(
        replace(one, judge=replace(one.judge, structured_output=info.structured_output))
        for one, info in zip(plans, judges, strict=True)
    )


async def _check_all(
    plans: Iterable[JudgePlan], sources: Sources, prices: Prices, say: Callable[[str], None]
) -> list[Preflight]:
    def waiting() -> None:
        say(_WAITING)

    return [await check_judge(one.judge, kinds_of(one.plan), sources, prices, waiting) for one in plans]


def _lines(checks: Iterable[Check]) -> list[str]:
    return [f"{_MARKS[check.state]} {check.what}: {check.told}{_helped(check)}" for check in checks]


def _helped(check: Check) -> str:
    return f". What helps: {check.remedy}" if check.remedy else ""
