"""What a user is told of a plan before it is carried out, one line each."""

from __future__ import annotations

from evalparity.adapters.registry import adapter_faults, adapter_names, load_adapter
from evalparity.comparisons.running.plan import Plan
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema import LoadedSuite


def notes_of(loaded: LoadedSuite, settings: RunSettings, plan: Plan) -> list[str]:
    """Return the notes on suite and study, and which frameworks are absent, unusable or of another version."""
    notes = (*loaded.notes, *(settings.study.notes if settings.study is not None else ()), *adapter_faults())
    absent = [
        f"{adapter.name} is not installed: {adapter.install_hint}"
        for adapter in map(load_adapter, settings.frameworks or adapter_names())
        if adapter.installed_version() is None
    ]
    left_out = (f"left out: {problem}" for problem in loaded.skipped)
    return [*(f"note: {note}" for note in notes), *left_out, *absent, *_other_versions(plan)]


def _other_versions(plan: Plan) -> list[str]:
    return [
        f"{name} {version} is installed, and {adapter.requirement} was verified: its scores may mean something else"
        for name, adapter in plan.adapters.items()
        if (version := plan.versions[name]) is not None and adapter.requirement.partition("==")[2] not in {"", version}
    ]
