"""The settings of a run out of its study, its options and its environment.

For each: what stands on the command line, else in the study, else in an environment variable, else the default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalparity.adapters.judge.budget import BudgetLimits
from evalparity.adapters.judge.cache import CacheSettings
from evalparity.adapters.judge.settings import LEXICAL
from evalparity.comparisons.comparing.disagreement import Limits as FlagLimits
from evalparity.comparisons.running.plan import PlanOptions
from evalparity.comparisons.running.run_setting import Limits
from evalparity.comparisons.studies.asked import Asked
from evalparity.comparisons.studies.judge_options import JudgeOptions
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.positions import FieldPath
from evalparity.unified_schema.study import Study, StudyEmbeddings, StudyJudge
from evalparity.unified_schema.study_loading import LoadedStudy

_SERVER = MappingProxyType({"judge": "model", "judge_url": "url", "judge_key_file": "key_file"})
_EMBEDDING = MappingProxyType({"embedding_model": "model", "embedding_url": "url", "embedding_key_file": "key_file"})
"""Options that say which server answers, and the setting of a study that each stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """Where answers come from and go to, beside the judge's servers.

    Attributes:
        cache: the user's cache; None: none is used.
        record: cassette to write; None: none.
        replay: cassette to take all answers from; None: none.
        keep_requests: whether the ledger takes what was sent.
    """

    cache: CacheSettings | None = None
    record: Path | None = None
    replay: Path | None = None
    keep_requests: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Everything that decides a run, but its suite and its judges' keys.

    Attributes:
        study: the study; None: there is none.
        of_study: options whose value is the study's.
        frameworks: names; empty: all that are installed.
        metrics: names; empty: the default ones.
        options: scorers, thresholds, repeats and wiring.
        judges: one or more.
        limits: time limits.
        flags: when a difference is flagged.
        prices: price file; None: none was named.
        budget: what may be spent.
        answers: where answers come from and go to, beside the servers.
    """

    study: LoadedStudy | None
    of_study: frozenset[str]
    frameworks: tuple[str, ...]
    metrics: tuple[str, ...]
    options: PlanOptions
    judges: tuple[JudgeOptions, ...]
    limits: Limits
    flags: FlagLimits
    prices: Path | None
    budget: BudgetLimits
    answers: AnswerSettings

    def place(self, option: str, path: FieldPath) -> str | None:
        """Return where in the study an option's value stands; None where it was named elsewhere."""
        return self.study.place(path) if self.study is not None and option in self.of_study else None


def settle_settings(asked: Asked, study: LoadedStudy | None) -> RunSettings:
    """Return the settings of a run.

    Raises:
        UsageError: an option fits one judge and the study names several.
    """
    given = study.study if study is not None else Study()
    return RunSettings(
        study=study,
        of_study=_of_study(asked, given),
        frameworks=tuple(asked.pick("frameworks", given.frameworks)),
        metrics=tuple(asked.pick("metrics", given.metrics)),
        options=PlanOptions(
            scorers=tuple(asked.pick("scorers", given.scorers)),
            thresholds={**(given.thresholds or {}), **dict(asked.values["thresholds"])},
            repeats=asked.pick("repeats", given.repeats),
            wiring=asked.pick("wiring", given.wiring),
        ),
        judges=_judges(asked, study, given),
        limits=Limits(
            cell=asked.pick("cell_timeout", given.limits.cell_timeout),
            framework=asked.pick("framework_timeout", given.limits.framework_timeout),
            run=asked.pick("run_timeout", given.limits.run_timeout),
        ),
        flags=FlagLimits.model_validate(_named(given.limits.model_dump(include={"min_gap", "min_items"}))),
        prices=asked.pick("prices", _path(study, given.prices)),
        budget=BudgetLimits(
            calls=asked.pick("max_calls", given.limits.max_calls),
            tokens=asked.pick("max_tokens", given.limits.max_tokens),
            cost=asked.pick("max_cost", given.limits.max_cost),
        ),
        answers=_answers(asked),
    )


def _answers(asked: Asked) -> AnswerSettings:
    values = asked.values
    if values.get("record") is not None and values.get("replay") is not None:
        raise UsageError("--record and --replay exclude each other: a replayed run has no answers of its own.")
    without_cache = values.get("no_cache") or values.get("replay") is not None
    return AnswerSettings(
        cache=None if without_cache else cache_settings(values),
        record=values.get("record"),
        replay=values.get("replay"),
        keep_requests=bool(values.get("keep_requests")),
    )


def cache_settings(values: Mapping[str, Any]) -> CacheSettings:
    """Return where the cache stands and what it keeps, out of the options of a command."""
    named = {"file": "cache_file", "megabytes": "cache_megabytes", "days": "cache_days"}
    given = {setting: values[option] for setting, option in named.items() if values.get(option) is not None}
    return CacheSettings(**given)


def _of_study(asked: Asked, given: Study) -> frozenset[str]:
    named = _named(given.model_dump(exclude={"study", "limits"}))
    return frozenset(named) - asked.flags


def _named(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


def _path(study: LoadedStudy | None, text: str | None) -> Path | None:
    return study.path(text) if study is not None and text is not None else None


def _judges(asked: Asked, study: LoadedStudy | None, given: Study) -> tuple[JudgeOptions, ...]:
    named = given.named_judges()
    if len(named) < 2:  # noqa: PLR2004 - one judge, named or not
        path: FieldPath = ("judges", 0) if given.judges is not None else ("judge",)
        return (_judge(asked, study, named[0] if named else StudyJudge(), path),)
    if "judge" in asked.flags:
        return (_judge(asked, study, StudyJudge(), ()),)
    for option in _SERVER:
        if option in asked.flags:
            raise UsageError(
                f"--{option.replace('_', '-')} fits one judge, and {study.file if study else ''} names {len(named)}: "
                "add --judge MODEL to run that one alone."
            )
    return tuple(
        _judge(asked, study, judge.model_copy(update={"name": judge.name or judge.model}), ("judges", at))
        for at, judge in enumerate(named)
    )


def _judge(asked: Asked, study: LoadedStudy | None, judge: StudyJudge, path: FieldPath) -> JudgeOptions:
    server = _server(asked, study, _SERVER, judge)
    embedding = _server(asked, study, _EMBEDDING, study.study.embeddings if study is not None else None)
    return JudgeOptions(
        label=judge.name if "judge" not in asked.flags else None,
        judge=server["model"],
        url=server["url"],
        key_file=server["key_file"],
        embedding_model=embedding["model"],
        embedding_url=embedding["url"],
        embedding_key_file=embedding["key_file"],
        temperature=judge.temperature or 0.0,
        seed=judge.seed or 0,
        max_output_tokens=asked.pick("max_output_tokens", judge.max_output_tokens),
        concurrency=asked.pick("concurrency", judge.concurrency),
        requests_per_minute=asked.pick("requests_per_minute", judge.requests_per_minute),
        tokens_per_minute=asked.pick("tokens_per_minute", judge.tokens_per_minute),
        timeout=asked.pick("judge_timeout", judge.timeout),
        places=dict(_places(asked, study, judge, path)),
    )


def _server(
    asked: Asked,
    study: LoadedStudy | None,
    options: Mapping[str, str],
    named: StudyJudge | StudyEmbeddings | None,
) -> dict[str, Any]:
    """Return model, URL and key file of one server.

    They belong together, lest a key go elsewhere: a study that names the model sets aside the variables of all
    three, a URL on the command line the study's key file, and the lexical judge the study's URL and key file.
    """
    model, url, _ = options
    of_study = _named(named.model_dump(include=set(options.values()))) if named is not None else {}
    if "key_file" in of_study:
        of_study["key_file"] = _path(study, of_study["key_file"])
    if url in asked.flags:
        of_study.pop("key_file", None)
    if model in asked.flags and asked.values[model] == LEXICAL:
        of_study = {}
    variables_count = "model" not in of_study or model in asked.flags
    return {
        setting: asked.values[option]
        if option in asked.flags
        else of_study.get(setting, asked.values[option] if variables_count else None)
        for option, setting in options.items()
    }


def _places(asked: Asked, study: LoadedStudy | None, judge: StudyJudge, path: FieldPath) -> Iterator[tuple[str, str]]:
    """Yield where in the study a server's settings stand, by the option that they stand for."""
    if study is None:
        return
    groups = ((_SERVER, judge, path), (_EMBEDDING, study.study.embeddings or StudyEmbeddings(), ("embeddings",)))
    for options, named, inside in groups:
        for option, setting in options.items():
            if option not in asked.flags and getattr(named, setting) is not None:
                yield f"--{option.replace('_', '-')}", study.place((*inside, setting))
