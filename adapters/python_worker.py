"""What all frameworks that are Python packages have in common: how to find their version and start their process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version

from evalparity.adapters.base import WorkerCommand


def version_of(distribution: str) -> Callable[[], str | None]:
    """Return a function that tells a distribution's installed version, None when absent, without importing it."""

    def installed_version() -> str | None:
        try:
            return version(distribution)
        except PackageNotFoundError:
            return None

    return installed_version


def python_worker(module: str, env: Mapping[str, str]) -> WorkerCommand:
    """Return the command that serves a module's `score` as `evalparity.adapters.worker` describes."""
    # -P: a file in the working folder must never be imported in place of a package.
    return WorkerCommand(argv=(sys.executable, "-P", "-m", "evalparity.adapters.worker", module), env=env)
