"""Brings the locked Promptfoo into the user's cache folder, once per lock and version of Node.

Optional dependencies are left out: the metrics need none, and the tree shrinks from 2 GB to under 300 MB.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from evalparity.adapters.base import Progress
from evalparity.adapters.cache_folder import cache_root
from evalparity.adapters.promptfoo_adapter.npm import NpmTree, has_node, install_tree, node_major

LOCKED_VERSION = "0.123.1"
"""The version in the lock; scales, prompts and call counts are verified for it alone."""

_HERE = Path(__file__).parent
_DOWNLOAD = "about 200 MB"


def installed_version() -> str | None:
    """Return the version of Promptfoo in the cache folder, or None without it or without Node; never raises."""
    return package_version(tree_path(), "promptfoo") if has_node() else None


def available_version() -> str | None:
    """Return the version that would run: the locked one, which installs itself; None without Node."""
    return (installed_version() or LOCKED_VERSION) if has_node() else None


def pending() -> str | None:
    """Return what the first use will do before anything runs; None when Promptfoo is there, or cannot run at all."""
    return f"fetched on first use ({_DOWNLOAD})" if has_node() and installed_version() is None else None


def tree_path() -> Path:
    """Return where the tree of this lock and this major version of Node stands, or would stand."""
    return locked_folder(_HERE, f"promptfoo-{LOCKED_VERSION}")


def locked_folder(source: Path, name: str) -> Path:
    """Return the folder in the cache for the lock in `source` and this major version of Node."""
    lock = (source / "package-lock.json").read_bytes()
    key = hashlib.sha256(lock + node_major().encode()).hexdigest()[:12]
    return cache_root() / f"{name}-{key}"


def package_version(tree: Path, package: str) -> str | None:
    """Return the version of a package in a tree; None when it is not there or damaged."""
    try:
        described = json.loads((tree / "node_modules" / package / "package.json").read_bytes())
    except (OSError, ValueError):
        return None
    found = described.get("version") if isinstance(described, dict) else None
    return found if isinstance(found, str) else None


def install(progress: Progress) -> None:
    """Install the locked Promptfoo unless it is there; see `npm.install_tree`.

    Raises:
        FrameworkError: Node is missing, the cache folder cannot be written, or npm failed.
    """
    tree = NpmTree(
        name=f"Promptfoo {LOCKED_VERSION}",
        source=_HERE,
        folder=tree_path(),
        size=f"{_DOWNLOAD}, 10 to 60 s",
        optional=False,
        fault=_fault,
    )
    install_tree(tree, progress)


def _fault(tree: Path) -> str | None:
    found = package_version(tree, "promptfoo")
    return None if found == LOCKED_VERSION else f"left Promptfoo {found}, not {LOCKED_VERSION}"
