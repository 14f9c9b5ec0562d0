"""What the report says of a run before it has begun; no key is part of it."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.comparisons.reading_options import reading_of
from evalparity.comparisons.running.plan import Plan
from evalparity.comparisons.running.run_info import (
    FrameworkInfo,
    JudgeInfo,
    PriceInfo,
    RunInfo,
    StudyInfo,
    SuiteInfo,
    SuiteReading,
)
from evalparity.comparisons.studies.asked import Asked, option_of
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema import LoadedStudy, LoadedSuite, suite_sha256
from evalparity.unified_schema.exchange import ReadOptions


def describe(
    suite: Path,
    loaded: LoadedSuite,
    settings: RunSettings,
    plans: tuple[JudgePlan, ...],
    prices: Prices,
    *,
    asked: Asked,
    now: datetime,
) -> RunInfo:
    """Return what is known of a run when it begins."""
    first, *others = (judge_info(one.judge) for one in plans)
    return RunInfo(
        id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        created_at=now,
        wiring=settings.options.wiring,
        repeats=settings.options.repeats,
        suite=suite_info(suite, loaded, reading_of(asked.values)),
        study=study_info(settings.study, asked),
        judge=first,
        other_judges=tuple(others),
        frameworks=framework_info(plans[0].plan),
        prices=price_info(prices),
        complete=False,
    )


def framework_info(plan: Plan) -> dict[str, FrameworkInfo]:
    """Return which frameworks take part, by name."""
    return {name: FrameworkInfo(name=name, version=version) for name, version in plan.versions.items()}


def price_info(prices: Prices) -> PriceInfo:
    """Return which prices are used."""
    own = prices.own
    return PriceInfo(table=prices.table, file=own.file if own else None, sha256=own.sha256 if own else None)


def suite_info(path: Path, loaded: LoadedSuite, options: ReadOptions) -> SuiteInfo:
    """Return which suite it is, and how it was read."""
    suite = loaded.suite
    return SuiteInfo(
        name=suite.name,
        path=str(path),
        sha256=suite_sha256(path),
        cases=len(suite.cases),
        skipped=len(loaded.skipped),
        reading=SuiteReading(**asdict(options)),
    )


def judge_info(judge: JudgeSettings) -> JudgeInfo:
    """Return which judge it is, without its keys."""
    return JudgeInfo(
        kind="lexical" if judge.model == LEXICAL else "endpoint",
        name=judge.label,
        model=judge.model,
        url=judge.url,
        embedding_model=judge.embedding_model,
        embedding_url=judge.embedding_url,
        temperature=judge.temperature,
        seed=judge.seed,
        max_output_tokens=judge.max_output_tokens,
        structured_output=judge.structured_output,
    )


def study_info(study: LoadedStudy | None, asked: Asked) -> StudyInfo | None:
    """Return which study it is, and what on the command line went before it."""
    if study is None:
        return None
    flags = sorted(map(option_of, asked.flags - {"study"}))
    return StudyInfo(path=study.file, sha256=study.sha256, overridden=tuple(flags))
