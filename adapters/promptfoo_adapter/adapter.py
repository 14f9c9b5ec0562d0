"""Promptfoo 0.123.1: its model-graded and plain assertions, through a Node driver on its library call."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from evalparity.adapters.base import Adapter, WorkerCommand
from evalparity.adapters.promptfoo_adapter import installation, npm
from evalparity.adapters.promptfoo_adapter.bindings import BINDINGS, FRAMEWORK, UNSUPPORTED
from evalparity.adapters.promptfoo_adapter.failures import error_kind
from evalparity.adapters.promptfoo_adapter.files import FILES
from evalparity.adapters.promptfoo_adapter.prompts import STEPS
from evalparity.adapters.promptfoo_adapter.reading import read
from evalparity.adapters.promptfoo_adapter.translate import translate

DRIVER = Path(__file__).with_name("driver.mjs")

_ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "true",
        "PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS": "true",  # a second lock: templates see no environment at all
        "PROMPTFOO_CACHE_ENABLED": "false",
        "PROMPTFOO_FETCH_CONNECTIONS": "256",  # else 4 at a time; the gateway is the one limit for all frameworks
        "REQUEST_TIMEOUT_MS": "86400000",  # the driver's time limit per cell ends a call, not Promptfoo's
        "OPENAI_API_KEY": "evalparity",  # without one Promptfoo looks for other providers, on the network too
        "LOG_LEVEL": "none",
        "NODE_NO_WARNINGS": "1",
        "NODE_DISABLE_COMPILE_CACHE": "1",  # it would be written into the machine's temporary folder
    }
)


def command(folder: Path) -> WorkerCommand:
    """Return how to start the driver; whatever Promptfoo writes goes into the private folder."""
    argv = (str(npm.node_path()), str(DRIVER), str(installation.tree_path()))
    env = {**_ENVIRONMENT, "HOME": str(folder), "PROMPTFOO_CONFIG_DIR": str(folder / "promptfoo")}
    return WorkerCommand(argv=argv, env=env)


ADAPTER = Adapter(
    name=FRAMEWORK,
    requirement=f"promptfoo=={installation.LOCKED_VERSION}",
    install_hint=npm.INSTALL_HINT,
    bindings=BINDINGS,
    unsupported=UNSUPPORTED,
    installed_version=installation.available_version,
    translate=translate,
    read=read,
    command=command,
    error_kind=error_kind,
    install=installation.install,
    pending=installation.pending,
    steps=STEPS,
    files=FILES,
)
"""What evalparity knows of Promptfoo."""
