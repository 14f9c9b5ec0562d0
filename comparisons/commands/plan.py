"""What `evalparity plan` does: plan as a run would, rehearse, and tell; nothing is sent and nothing is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from evalparity.adapters.judge.prices import Prices, load_prices
from evalparity.adapters.judge.replies import Tokens
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.traffic import CallKind
from evalparity.adapters.reading import load_any
from evalparity.comparisons.interruption import explained, termination_interrupts
from evalparity.comparisons.messages import tell
from evalparity.comparisons.planning.expected import Price, expect
from evalparity.comparisons.planning.plan_notes import notes_of
from evalparity.comparisons.planning.plan_report import PlanInfo, PlanReport, report_plan
from evalparity.comparisons.planning.rehearsal import Rehearsal, choose_sample, rehearse
from evalparity.comparisons.progress import progress
from evalparity.comparisons.reading_options import reading_of
from evalparity.comparisons.run_description import framework_info, judge_info, price_info, study_info, suite_info
from evalparity.comparisons.running.plan import Plan
from evalparity.comparisons.running.run_setting import Limits
from evalparity.comparisons.studies.asked import Asked
from evalparity.comparisons.studies.judge_options import resolve_judges
from evalparity.comparisons.studies.study_plan import plan_judges, read_settings


def plan_command(suite: Path, asked: Asked, environment: Mapping[str, str], *, most: int) -> PlanReport:
    """Return what a run with the same options would do and what it would cost.

    Args:
        suite: path of the suite.
        asked: the options, those of a run.
        environment: variables; no key is looked for.
        most: cells of each scorer to rehearse; 0: none, so that no framework is started.

    Raises:
        EvalparityError: what a run would refuse before anything is spent, a missing key apart.
        KeyboardInterrupt: the rehearsal was stopped by a signal.
    """
    settings = read_settings(asked)
    judges = resolve_judges(settings.judges, environment, with_keys=False)
    prices = load_prices(settings.prices)
    loaded = load_any(suite, reading_of(asked.values))
    plans = plan_judges(loaded.suite, settings, judges)
    first = plans[0].plan
    for note in notes_of(loaded, settings, first):
        tell(note)
    rehearsal = _rehearse(first, most, settings.limits) if most else None
    info = PlanInfo(
        wiring=first.wiring,
        repeats=settings.options.repeats,
        suite=suite_info(suite, loaded, reading_of(asked.values)),
        study=study_info(settings.study, asked),
        judges=tuple(map(judge_info, judges)),
        frameworks=framework_info(first),
        prices=price_info(prices),
    )
    rows = [expect(one.plan, one.judge, rehearsal, price_of(prices, one.judge)) for one in plans]
    return report_plan(info, plans, rows, rehearsal)


def price_of(prices: Prices, judge: JudgeSettings) -> Price:
    """Return the price of one call of a judge, or of its embedding model, by its tokens."""

    def price(kind: CallKind, into: int, out: int) -> float | None:
        chat = kind == "chat"
        model, url = (judge.model, judge.url) if chat else (judge.embedding_model, judge.embedding_server)
        return prices.cost(model or "", url, Tokens(input_tokens=into, output_tokens=out), kind)

    return price


def _rehearse(plan: Plan, most: int, limits: Limits) -> Rehearsal:
    sample = choose_sample(plan, most)
    try:
        with termination_interrupts(), progress(Counter(cell.framework for cell in sample)) as listener:
            return rehearse(plan, sample, limits=limits, listener=listener)
    except ExceptionGroup as group:
        raise explained(group) from group


def exit_code(plan: PlanReport) -> int:
    """Return 3 if a named framework is not installed, else 0."""
    return 3 if any(framework.version is None for framework in plan.plan.frameworks.values()) else 0
