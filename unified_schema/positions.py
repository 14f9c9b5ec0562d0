"""Where a value stands: paths of fields inside a case, and what was noticed on the way to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

FieldPath = tuple[str | int, ...]
"""Keys and list positions from the case (or the file) down to a value."""

Locate = Callable[[FieldPath], int | None]
"""From a path as the file has it to its 1-based line, or that of the nearest thing around it."""

_SHOWN = 60


def path_text(path: FieldPath) -> str | None:
    """Return a path as people write it, `retrieved_contexts[1].text`; None for the empty path."""
    if not path:
        return None
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def quoted(text: object) -> str:
    """Return a text of the file as it can stand in a message: in quotes, on one line, cut where it is long."""
    shown = str(text)
    return repr(shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…")


@dataclass(slots=True)
class Findings:
    """What was noticed while one case was read.

    Attributes:
        remarks: what was renamed, assumed or converted, by path.
        faults: what refuses the case, by path.
        moved: from a path in the canonical case to the path as the file has it, where the two differ.
    """

    remarks: list[tuple[FieldPath, str]] = field(default_factory=list)
    faults: list[tuple[FieldPath, str]] = field(default_factory=list)
    moved: dict[FieldPath, FieldPath] = field(default_factory=dict)

    def remark(self, path: FieldPath, message: str) -> None:
        """Note something that the user should know."""
        self.remarks.append((path, message))

    def fault(self, path: FieldPath, message: str) -> None:
        """Note something that refuses the case."""
        self.faults.append((path, message))

    def in_file(self, path: FieldPath) -> FieldPath:
        """Return where the value of a canonical path stands in the file."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.moved:
                return self.moved[path[:length]] + path[length:]
        return path
