"""Columns of text for a terminal of a given width, by what characters really take there."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

GAP = 2
"""Spaces between two columns."""

NARROWEST = 7
"""No column of names shrinks below this."""

Row = Sequence[Text]


def lay_out(rows: Sequence[Row], *, names: int, width: int) -> list[Text]:
    """Return one line per row: the first `names` columns to the left, the others (numbers) to the right.

    Where the columns do not fit, the widest of the names are shortened, with an ellipsis; numbers stay whole.
    """
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    _shrink(widths, names, width)
    return [_line(row, widths, names) for row in rows]


def wrap(text: Text, *, width: int, indent: int, lines: int) -> list[Text]:
    """Return the text on at most so many lines, each indented; what does not fit ends in an ellipsis."""
    room = width - indent
    wrapped = list(text.wrap(Console(width=width), room, overflow="fold"))
    for line in wrapped:
        line.rstrip()
    kept = wrapped[:lines]
    if len(wrapped) > lines:
        kept[-1] = shortened(Text.assemble(kept[-1], " ", wrapped[lines]), room)
    return [Text.assemble(" " * indent, line) for line in kept]


def _shrink(widths: list[int], names: int, width: int) -> None:
    surplus = sum(widths) + GAP * (len(widths) - 1) - width
    while surplus > 0 and max(widths[:names]) > NARROWEST:
        widest = max(range(names), key=lambda at: widths[at])
        widths[widest] -= 1
        surplus -= 1


def _line(row: Row, widths: Sequence[int], names: int) -> Text:
    line = Text()
    for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
        fitted = shortened_inside(cell, width) if at == 0 else shortened(cell, width)
        padding = " " * (width - fitted.cell_len)
        line.append_text(Text(" " * GAP if at else ""))
        line.append_text(Text.assemble(fitted, padding) if at < names else Text.assemble(padding, fitted))
    line.rstrip()
    return line


def shortened(text: Text, width: int) -> Text:
    """Return the text cut to a width, with an ellipsis where something was cut."""
    if cell_len(text.plain) <= width:
        return text
    short = text.copy()
    short.truncate(width, overflow="ellipsis")
    return short


def shortened_inside(text: Text, width: int) -> Text:
    """Return a name cut to a width from inside, as names that begin alike differ at their ends."""
    if cell_len(text.plain) <= width:
        return text
    left = (width - 1) // 3
    start, end = text.copy(), text.copy()
    start.truncate(left)
    while end.cell_len > width - 1 - start.cell_len:
        end = end[1:]
    return Text.assemble(start, "…", end)
