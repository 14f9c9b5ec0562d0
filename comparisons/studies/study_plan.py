"""From the settings of a run to what will run: one plan for each judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from evalparity.adapters.base import Adapter
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.running.plan import Plan, choose_adapters, choose_metrics, make_plan
from evalparity.comparisons.studies.asked import Asked
from evalparity.comparisons.studies.study_names import check_thresholds, open_study, unmeasured
from evalparity.comparisons.studies.study_settings import RunSettings, settle_settings
from evalparity.unified_schema.cases import EvalSuite
from evalparity.unified_schema.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan:
    """What one judge is to score.

    Attributes:
        judge: the judge.
        plan: its cells; those of scorers that ask no judge stand in the plan of the first judge alone.
    """

    judge: JudgeSettings
    plan: Plan


def read_settings(asked: Asked) -> RunSettings:
    """Return the settings of a run from the options of a command and the study that they name.

    Raises:
        StudyError: the study is wrong.
        UsageError: the options contradict it, or a threshold is of something unknown.
    """
    path: Path | None = asked.values["study"]
    settings = settle_settings(asked, open_study(path) if path is not None else None)
    check_thresholds(name for name, _ in asked.values["thresholds"])
    return settings


def plan_judges(suite: EvalSuite, settings: RunSettings, judges: Sequence[JudgeSettings]) -> tuple[JudgePlan, ...]:
    """Return what each judge is to score, in the order of the judges.

    Raises:
        UsageError: a framework, metric or scorer is unknown or no part of the run; with its place in the study
            where it is named there.
    """
    adapters, versions = choose_adapters(settings.frameworks)
    _refuse_what_the_study_alone_names(settings, adapters)
    metrics = choose_metrics(settings.metrics, adapters)
    plans = (
        make_plan(
            suite,
            adapters=adapters,
            versions=versions,
            metrics=metrics,
            has_embeddings=judge.embedding_model is not None,
            options=settings.options,
        )
        for judge in judges
    )
    return tuple(
        JudgePlan(judge=judge, plan=plan if at == 0 else _judged(plan))
        for at, (judge, plan) in enumerate(zip(judges, plans, strict=True))
    )


def _refuse_what_the_study_alone_names(settings: RunSettings, adapters: Mapping[str, Adapter]) -> None:
    if settings.study is None:
        return
    left = {"metrics", "scorers"} & settings.of_study
    found = unmeasured(settings.study, adapters, settings.metrics)
    problems = [one for one in found if str(one.field).partition("[")[0] in left]
    if problems:
        raise UsageError("\n".join(map(str, problems)))


def _judged(plan: Plan) -> Plan:
    return replace(plan, cells=tuple(cell for cell in plan.cells if cell.binding.asks_judge))
