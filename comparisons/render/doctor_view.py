"""What the doctor found, one line for each thing that was looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rich.text import Text

from evalparity.adapters.checks import Check, State
from evalparity.comparisons.render.columns import wrap
from evalparity.comparisons.render.terminal import NARROWEST, WIDEST, as_text
from evalparity.comparisons.render.words import name

_STYLES: Mapping[State, str] = MappingProxyType({"ok": "green", "warning": "yellow", "failed": "bold red"})
_COLUMN = max(map(len, _STYLES)) + 2
_MOST_LINES = 6
_VERDICTS: Mapping[State, str] = MappingProxyType(
    {
        "failed": "a run would fail",
        "warning": "a run is possible; read the warnings",
        "ok": "all is ready for a run",
    }
)
"""By the worst that was found."""


def render_checks(checks: Sequence[Check], *, width: int = WIDEST, colour: bool = False) -> str:
    """Return the checks as text for a terminal, what helps below each, and the verdict.

    Args:
        checks: what was found.
        width: columns of the terminal.
        colour: whether to write colour codes.
    """
    columns = min(max(width, NARROWEST), WIDEST)
    subject = max(len(check.what) for check in checks) + 2
    lines = [line for check in checks for line in _lines(check, subject, columns)]
    return as_text([*lines, Text(), _verdict(checks)], columns, colour=colour)


def _lines(check: Check, subject: int, width: int) -> list[Text]:
    indent = _COLUMN + subject
    first, *more = wrap(name(check.told), width=width, indent=indent, lines=_MOST_LINES)
    state = (f"{check.state:<{_COLUMN}}", _STYLES[check.state])
    told = Text.assemble(state, (f"{name(check.what).plain:<{subject}}", "bold"), first[indent:])
    if check.remedy is None:
        return [told, *more]
    return [told, *more, *wrap(name(f"-> {check.remedy}", "cyan"), width=width, indent=indent, lines=_MOST_LINES)]


def _verdict(checks: Sequence[Check]) -> Text:
    counts = Counter(check.state for check in checks)
    worst = next(state for state in _VERDICTS if counts[state] or state == "ok")
    told = ", ".join(f"{counts[state]} {state}" for state in _VERDICTS if counts[state])
    return Text.assemble((_VERDICTS[worst], _STYLES[worst]), f" ({told})")
