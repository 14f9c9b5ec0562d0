"""Tests that ask a real model run when they are asked for by their mark, and are skipped otherwise."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "live" in config.getoption("-m"):
        return
    skip = pytest.mark.skip(reason="asks a real language model for minutes; `make test-live` runs it")
    for item in items:
        if item.get_closest_marker("live") is not None:
            item.add_marker(skip)
