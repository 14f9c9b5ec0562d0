"""Whether a run may begin: what the pre-flight of its judges found, and what follows from it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from evalparity.adapters.checks import Check, State
from evalparity.adapters.judge.ledger import Ledger
from evalparity.adapters.judge.preflight import Preflight
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.traffic import Call
from evalparity.adapters.judge.usage import usage_of
from evalparity.comparisons.interruption import termination_interrupts
from evalparity.comparisons.running.judge_check import check_judge, kinds_of
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.outcomes import JudgeUsage

_MARKS: Mapping[State, str] = MappingProxyType({"ok": "ok", "warning": "warning", "failed": "-"})
_WAITING = "Asking the judge one question first; a server that has to load its model takes its time."


@dataclass(frozen=True, slots=True, kw_only=True)
class Clearance:
    """A run that may begin.

    Attributes:
        plans: what each judge is to score, with what is now known of the judge.
        calls: what the pre-flight asked; none where no judge needs one.
    """

    plans: tuple[JudgePlan, ...]
    calls: tuple[Call, ...] = ()

    @property
    def usage(self) -> JudgeUsage | None:
        """Return what the pre-flight used; None where there was none."""
        return usage_of(self.calls) if self.calls else None

    def record(self, ledger: Path) -> None:
        """Write the calls of the pre-flight into the ledger of the run.

        Raises:
            EvalparityError: the ledger could not be written.
        """
        if not self.calls:
            return
        written = Ledger(ledger)
        for call in self.calls:
            written.write(call)
        written.close()


def clear(plans: Sequence[JudgePlan], prices: Prices, say: Callable[[str], None]) -> Clearance:
    """Ask every judge of a run whether it is there and can do what the run needs, one after the other.

    Args:
        plans: what each judge is to score.
        prices: what calls cost.
        say: takes lines for the user.

    Raises:
        UsageError: any judge or embedding model cannot be used; all of them are told, each with what helps.
        KeyboardInterrupt: it was stopped by a signal.
    """
    if all(one.judge.url is None and one.judge.embedding_server is None for one in plans):
        return Clearance(plans=tuple(plans))
    say(_WAITING)
    with termination_interrupts():
        flown = asyncio.run(_check_all(plans, prices))
    checks = [check for one in flown for check in one.checks]
    failed = [check for check in checks if check.state == "failed"]
    if failed:
        raise UsageError("\n".join(["no cell was run, as a judge cannot be used:", *_lines(failed)]))
    for line in _lines(checks):
        say(line)
    known = (
        replace(one, judge=replace(one.judge, structured_output=found.structured_output))
        for one, found in zip(plans, flown, strict=True)
    )
    return Clearance(plans=tuple(known), calls=tuple(call for found in flown for call in found.calls))


async def _check_all(plans: Iterable[JudgePlan], prices: Prices) -> list[Preflight]:
    return [await check_judge(one.judge, kinds_of(one.plan), prices) for one in plans]


def _lines(checks: Iterable[Check]) -> list[str]:
    return [f"{_MARKS[check.state]} {check.what}: {check.told}{_helped(check)}" for check in checks]


def _helped(check: Check) -> str:
    return f". What helps: {check.remedy}" if check.remedy else ""
