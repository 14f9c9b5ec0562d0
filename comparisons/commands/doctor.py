"""What `evalparity adapters doctor` does: look at all that a run needs, and say what helps; no score is taken."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from evalparity.adapters.base import Adapter
from evalparity.adapters.cache_folder import CACHE_VARIABLE, cache_root
from evalparity.adapters.checks import Check, State
from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.adapters.judge.traffic import CallKind
from evalparity.adapters.registry import adapter_faults, adapter_names, load_adapter
from evalparity.comparisons.interruption import termination_interrupts
from evalparity.comparisons.running.judge_check import check_judge
from evalparity.comparisons.running.trial import try_frameworks
from evalparity.comparisons.studies.asked import Asked
from evalparity.comparisons.studies.judge_options import resolve_judges
from evalparity.comparisons.studies.study_plan import read_settings
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.outcomes import Outcome

_GIGABYTE = 1024**3
_LEAST_FREE = 1.0
"""Gigabytes below which the room for Promptfoo's package, the cache and run folders may run out."""

_NOT_FOR_THE_LEXICAL = "unknown_step"
"""How a scorer of another package ends whose prompts the built-in judge does not know: it started."""


def doctor_command(asked: Asked, environment: Mapping[str, str], say: Callable[[str], None]) -> tuple[Check, ...]:
    """Return what was found, in the order in which a run would need it.

    Args:
        asked: the options of a run.
        environment: variables, keys among them.
        say: takes lines of progress.

    Raises:
        EvalparityError: the study or an option is wrong.
    """
    settings = read_settings(asked)
    return (*_frameworks(settings, say), *_folders(), *_judges(settings, environment, say))


def exit_code(checks: Iterable[Check]) -> int:
    """Return 2 if a run would fail, else 0."""
    return 2 if any(check.state == "failed" for check in checks) else 0


def _frameworks(settings: RunSettings, say: Callable[[str], None]) -> list[Check]:
    named = settings.frameworks
    adapters = {name: load_adapter(name) for name in named or adapter_names()}
    versions = {name: adapter.installed_version() for name, adapter in adapters.items()}
    pending = {name: adapter.pending() for name, adapter in adapters.items() if adapter.pending is not None}
    ready = {name: one for name, one in adapters.items() if versions[name] is not None and not pending.get(name)}
    if any(adapter.command is not None for adapter in ready.values()):
        say("Starting the frameworks, each for one score on the built-in judge.")
    ended = asyncio.run(try_frameworks(ready, versions)) if ready else {}
    checks = [
        _framework(adapter, versions[name], pending.get(name), ended.get(name), named=bool(named))
        for name, adapter in adapters.items()
    ]
    return [*checks, *(Check(what="adapters", state="warning", told=fault) for fault in adapter_faults())]


def _framework(
    adapter: Adapter, version: str | None, pending: str | None, ended: Outcome | None, *, named: bool
) -> Check:
    state: State = "ok"
    told, remedy = f"{version} starts and scores", None
    wanted = adapter.requirement.partition("==")[2]
    if version is None:
        state, told, remedy = "failed" if named else "warning", "is not installed", adapter.install_hint
    elif pending:
        state, told, remedy = "warning", f"{version} is {pending}", "evalparity adapters install"
    elif ended is None or (ended.status == "errored" and ended.kind != _NOT_FOR_THE_LEXICAL):
        state, told = "failed", f"{version} gives no score: {ended.reason if ended else 'it never ended'}"
    elif wanted and version != wanted:
        state, remedy = "warning", f'pip install "{adapter.requirement}"'
        told = f"{version} starts, but scales, prompts and calls are verified for {wanted} alone"
    return Check(what=adapter.name, state=state, told=told, remedy=remedy)


def _folders() -> list[Check]:
    here = Path.cwd()
    return [
        _folder("cache", cache_root(), f"name another folder in {CACHE_VARIABLE}"),
        _folder("runs", here, "change to a folder that you may write in, or name one with `run --out`"),
    ]


def _folder(what: str, path: Path, remedy: str) -> Check:
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            free = shutil.disk_usage(path).free / _GIGABYTE
    except OSError as error:
        return Check(what=what, state="failed", told=f"{path} cannot be written ({error.strerror})", remedy=remedy)
    told = f"{path}, {free:,.1f} GB free"
    if free < _LEAST_FREE:
        return Check(what=what, state="warning", told=told, remedy=f"make room, or {remedy}")
    return Check(what=what, state="ok", told=told)


def _judges(settings: RunSettings, environment: Mapping[str, str], say: Callable[[str], None]) -> list[Check]:
    try:
        judges = resolve_judges(settings.judges, environment)
    except UsageError as error:
        return [Check(what="judge", state="failed", told=str(error).removesuffix("."))]
    return [check for judge in judges for check in (*_built_in(judge), *_asked(judge, say))]


def _built_in(judge: JudgeSettings) -> list[Check]:
    if judge.model != LEXICAL:
        return []
    told = "built in; compares words and is no language model: good to rehearse, not to judge"
    return [Check(what=judge.label or "judge", state="ok", told=told)]


def _asked(judge: JudgeSettings, say: Callable[[str], None]) -> tuple[Check, ...]:
    def waiting() -> None:
        say(f"Asking {judge.name} one question; a server that has to load its model takes its time.")

    kinds: frozenset[CallKind] = frozenset({"chat", "embedding"})
    with termination_interrupts():
        found = asyncio.run(check_judge(judge, kinds, Sources(), Prices(), waiting))
    if judge.embedding_model is not None or judge.model == LEXICAL:
        return found.checks
    told = "none is named, so scores that need embeddings are skipped"
    none = Check(what="embedding model", state="warning", told=told, remedy="name one with --embedding-model")
    return (*found.checks, none)
