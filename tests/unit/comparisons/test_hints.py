"""An absent framework's hint installs what the project itself declares for it."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path

import pytest

from evalparity.adapters.registry import ADAPTERS, load_adapter

EXTRAS = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize("framework", [name for name in ADAPTERS if name in EXTRAS])
def test_the_hint_names_the_requirements_of_the_extra(framework: str) -> None:
    command = load_adapter(framework).install_hint.partition(" && ")[0]
    assert shlex.split(command) == ["pip", "install", *EXTRAS[framework]]
