"""The cells of one case: each score with the items and verdicts behind it, and each missing score with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from evalparity.comparisons.render.columns import lay_out, wrap
from evalparity.comparisons.render.words import NONE, name
from evalparity.unified_schema.outcomes import FLAGS, Item, Outcome

MOST_ITEMS = 12
"""Items of one cell; all stand in report.json."""

MARK_WIDTH = len("unclear ")

VERDICT_STYLES = {"yes": "green", "no": "red", "unclear": "yellow"}


def score_lines(cells: Sequence[Outcome], width: int) -> list[Text]:
    """Return the cells of a case with what lies behind each."""
    heads = lay_out([_heading(cell, cells) for cell in cells], names=2, width=width)
    lines: list[Text] = []
    for cell, heading in zip(cells, heads, strict=True):
        lines += [heading, *_told(cell, width)]
    return lines


def _heading(cell: Outcome, cells: Sequence[Outcome]) -> list[Text]:
    several = len({other.judge_model for other in cells if other.judge_model}) > 1
    judge = f" ({cell.judge_model})" if several and cell.judge_model else ""
    repeat = f" #{cell.repeat + 1}" if any(other.repeat for other in cells) else ""
    style = "yellow" if cell.score is None or "vacuous" in cell.flags else "bold"
    score = NONE if cell.score is None else f"{cell.score:.2f}"
    verdict = Text(cell.verdict or "", {"pass": "green", "fail": "red"}.get(cell.verdict or "", ""))
    return [name(cell.metric), name(f"{cell.scorer}{judge}{repeat}", "dim"), Text(score, style), verdict]


def _told(cell: Outcome, width: int) -> Iterator[Text]:
    if cell.status != "scored":
        why = f"{cell.status}, {(cell.kind or '').replace('_', ' ')}: {cell.reason or ''}"
        yield from wrap(name(why, "yellow"), width=width, indent=2, lines=3)
    for flag in cell.flags:
        yield from wrap(name(f"{flag.replace('_', ' ')}: {FLAGS[flag]}", "yellow"), width=width, indent=2, lines=2)
    yield from _items(cell.details.items, width)
    if not cell.details.items and cell.status == "scored" and cell.reason:
        yield from wrap(name(cell.reason), width=width, indent=2, lines=3)
    for note in cell.details.notes:
        yield from wrap(name(note, "dim"), width=width, indent=2, lines=2)


def _items(items: Sequence[Item], width: int) -> Iterator[Text]:
    times = Counter((_mark(item), item.kind, item.text) for item in items)
    for (mark, kind, text), count in list(times.items())[:MOST_ITEMS]:
        label = Text(f"{mark:<{MARK_WIDTH}}", VERDICT_STYLES.get(mark, ""))
        shown = name(text) if text else Text("(the framework does not show its text)", "dim")
        repeated = Text(f" (x {count})" if count > 1 else "", "dim")
        line = Text.assemble(label, (f"{kind}: ", "dim"), shown, repeated)
        yield from wrap(line, width=width, indent=2, lines=2)
    if len(times) > MOST_ITEMS:
        yield Text(f"  … and {len(times) - MOST_ITEMS} more in report.json", "dim")


def _mark(item: Item) -> str:
    if item.value is not None:
        return f"{item.value:.2f}"
    return item.verdict or "?"
