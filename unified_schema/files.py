"""Opens text files that a user names, and says what is wrong where that cannot be done."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Collection
from pathlib import Path

from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.positions import quoted


def fault_of_path(
    path: Path, file: str, *, endings: Collection[str], kind: str, any_ending: bool = False
) -> Problem | None:
    """Return why a path leads to no file of the kind, with what may have been meant; None where it does.

    Args:
        path: the path.
        file: the path as the user gave it, for the message.
        endings: how files of the kind end, such as `.yaml`.
        kind: what should be there, such as `suite`.
        any_ending: the content tells what the file is, whatever its name ends in.
    """
    try:
        told = _no_file(path, endings, kind) if not path.is_file() else None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        told = f"cannot be opened ({error}): check the path."
    if told is None and not any_ending and path.suffix.lower() not in endings:
        known = ", ".join(endings)
        told = f"the ending {quoted(path.suffix)} is unknown: name the file after its format, one of {known}."
    return Problem(file=file, message=told) if told is not None else None


def unreadable(error: OSError, file: str) -> Problem:
    """Return the problem with a file that is there and cannot be read."""
    reason = error.strerror or type(error).__name__
    return Problem(file=file, message=f"cannot be read ({reason}): check its permissions.")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def sha256_of_folder(folder: Path) -> str:
    """Return the SHA-256 of the names and digests of all files below a folder, in hexadecimal."""
    digest = hashlib.sha256()
    for child in sorted(child for child in folder.rglob("*") if child.is_file()):
        digest.update(f"{child.relative_to(folder).as_posix()}\0{sha256_of(child)}\n".encode())
    return digest.hexdigest()


def _no_file(path: Path, endings: Collection[str], kind: str) -> str:
    if path.is_dir():
        there = sorted(child.name for child in path.iterdir() if child.suffix.lower() in endings)
        hint = f": name a file in it, such as {quoted(there[0])}." if there else f": name a {kind} file."
        return f"is a folder{hint}"
    if path.exists():
        return f"is not a regular file: name a {kind} file."
    if path.is_symlink():
        return "is a link that leads to no file: check where it points."
    if not path.parent.is_dir():
        return "there is no such file, nor its folder: check the path."
    near = difflib.get_close_matches(path.name, [child.name for child in path.parent.iterdir()], n=1)
    hint = f"did you mean {quoted(near[0])}?" if near else "check the path."
    return f"there is no such file: {hint}"
