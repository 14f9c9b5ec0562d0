"""Holds what a study names against the frameworks that there are: their names, scorers, metrics, addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from evalparity.adapters.base import Adapter
from evalparity.adapters.judge.addresses import base_url
from evalparity.adapters.registry import adapter_names, load_adapter
from evalparity.comparisons.running.plan import ALL
from evalparity.unified_schema.errors import Problem, StudyError, UsageError
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.positions import FieldPath, path_text
from evalparity.unified_schema.study import Study
from evalparity.unified_schema.study_checks import Fault, unknown_name
from evalparity.unified_schema.study_loading import LoadedStudy, load_study


def open_study(path: Path) -> LoadedStudy:
    """Return the study in a file, every name in it known.

    Raises:
        StudyError: the file cannot be read, breaks the format, or names what there is not; with every problem.
    """
    return load_study(path, check=unknown_names)


def unknown_names(study: Study) -> Iterator[Fault]:
    """Yield the frameworks, scorers and thresholds of a study that nothing here has, and URLs that are none."""
    for at, name in enumerate(study.frameworks or ()):
        if (told := _unloadable(name)) is not None:
            yield ("frameworks", at), told
    known = known_scorers()
    for at, name in enumerate(study.scorers or ()):
        if name not in known and name != ALL:
            yield ("scorers", at), unknown_name("scorer", name, known)
    for name in study.thresholds or {}:
        if ":" in name and name not in known:
            yield ("thresholds", name), unknown_name("scorer", name, known)
    yield from _addresses(study)


def known_scorers() -> tuple[str, ...]:
    """Return the names of all scorers of all frameworks, installed or not."""
    return tuple(binding.scorer for name in adapter_names() for binding in load_adapter(name).scorers())


def check_thresholds(names: Iterable[str]) -> None:
    """Refuse a threshold of something that nothing here measures.

    Raises:
        UsageError: a name is neither a metric nor a scorer.
    """
    known = (*METRICS, *known_scorers())
    for name in names:
        if name not in known:
            raise UsageError(f"--threshold {name}: {unknown_name('metric or scorer', name, known)}")


def unmeasured(study: LoadedStudy, adapters: Mapping[str, Adapter], metrics: Sequence[str]) -> tuple[Problem, ...]:
    """Return the metrics and scorers of a study that are no part of a run, each with its place.

    Args:
        study: the study.
        adapters: the frameworks of the run by name.
        metrics: the metrics of the run as named; empty: the default ones.
    """
    faults = (*_unmeasured_metrics(study.study, adapters), *_unmeasured_scorers(study.study, adapters, metrics))
    return tuple(
        Problem(file=study.file, line=study.locate(path), field=path_text(path), message=message)
        for path, message in faults
    )


def refuse_what_is_unmeasured(study: LoadedStudy) -> None:
    """Refuse a study whose own frameworks, or all there are where it names none, lack what it names.

    Raises:
        StudyError: with every such metric and scorer.
    """
    adapters = {name: load_adapter(name) for name in study.study.frameworks or adapter_names()}
    problems = unmeasured(study, adapters, study.study.metrics or ())
    if problems:
        raise StudyError(problems)


def _unloadable(name: str) -> str | None:
    try:
        load_adapter(name)
    except UsageError as error:
        return str(error)
    return None


def _addresses(study: Study) -> Iterator[Fault]:
    inside: FieldPath = ("judges",) if study.judges is not None else ()
    places = [((*inside, at) if inside else ("judge",), judge) for at, judge in enumerate(study.named_judges())]
    for path, named in (*places, (("embeddings",), study.embeddings)):
        if named is None or named.url is None:
            continue
        try:
            base_url(named.url, "the URL")
        except UsageError as error:
            yield (*path, "url"), str(error)


def _unmeasured_metrics(study: Study, adapters: Mapping[str, Adapter]) -> Iterator[Fault]:
    for at, metric in enumerate(study.metrics or ()):
        if metric == ALL or any(metric in adapter.bindings for adapter in adapters.values()):
            continue
        able = ", ".join(name for name in adapter_names() if metric in load_adapter(name).bindings)
        told = f"none of {', '.join(adapters)} measures {metric}: add one of {able} to the frameworks, or take it out."
        yield ("metrics", at), told


def _unmeasured_scorers(study: Study, adapters: Mapping[str, Adapter], named: Sequence[str]) -> Iterator[Fault]:
    chosen = {binding.scorer: binding.metric for adapter in adapters.values() for binding in adapter.scorers()}
    metrics = named or tuple(name for name, metric in METRICS.items() if metric.default)
    for at, scorer in enumerate(study.scorers or ()):
        if scorer == ALL:
            continue
        if scorer not in chosen:
            told = f"{scorer} is no scorer of {', '.join(adapters)}: add its framework, or take the scorer out."
            yield ("scorers", at), told
        elif chosen[scorer] not in metrics and ALL not in metrics:
            yield ("scorers", at), f"{scorer} measures {chosen[scorer]}: add that to the metrics."
