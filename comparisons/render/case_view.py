"""One case of a run for a reader: what was asked, what the model saw, what people and judges say of the answer."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from evalparity.comparisons.commands.case import ShownCase
from evalparity.comparisons.render.case_scores import score_lines
from evalparity.comparisons.render.case_texts import label_lines, text_lines
from evalparity.comparisons.render.columns import wrap
from evalparity.comparisons.render.inert import inert
from evalparity.comparisons.render.terminal import NARROWEST, WIDEST, as_text
from evalparity.comparisons.render.words import GRADE_STYLES, name, title

MOST_LINES = 6
"""Lines of the evidence of one cause."""


def render_cases(shown: Sequence[ShownCase], *, width: int = WIDEST, colour: bool = False) -> str:
    """Return cases as text for a terminal, no line wider than `width` (60..100, else the nearer end).

    Args:
        shown: what to show.
        width: columns of the terminal.
        colour: whether to write colour codes.
    """
    columns = min(max(width, NARROWEST), WIDEST)
    lines: list[Text] = []
    for one in shown:
        lines += [*([Text()] if lines else []), *_case(one, columns)]
    return as_text(lines, columns, colour=colour)


def _case(shown: ShownCase, width: int) -> list[Text]:
    lines = [Text.assemble(("case ", "bold cyan"), name(shown.case_id, "bold"))]
    if shown.case is not None:
        lines += text_lines(shown.case, width)
    elif shown.without_texts is not None:
        told = name(f"its texts are not shown: {shown.without_texts}", "yellow")
        lines += wrap(told, width=width, indent=0, lines=3)
    lines += label_lines(shown.labels, shown.scales, width)
    lines += [Text(), title("SCORES", f"step by step; {_judges(shown)}"), *score_lines(shown.cells, width)]
    return [*lines, *_causes(shown, width), *_unresolved(shown, width)]


def _judges(shown: ShownCase) -> str:
    """Say who gave the verdicts: whoever reads one case alone has not read the notice above the report."""
    told = [f"{inert(one.label)}{', no language model' if one.kind == 'lexical' else ''}" for one in shown.judges]
    return f"judge{'s' if len(told) > 1 else ''} {'; '.join(told)}"


def _causes(shown: ShownCase, width: int) -> list[Text]:
    lines = [Text(), title("DISAGREEMENTS", "" if shown.disagreements else "none flagged")]
    for one in shown.disagreements:
        gap = "no score on one side" if one.gap is None else f"gap {one.gap:.2f}"
        judge = f", judge {one.judge}" if one.judge else ""
        flipped = ", flipped verdict" if one.flipped else ""
        lines.append(Text.assemble(name(one.metric, "bold"), "  ", name(f"{gap}{flipped}{judge}", "dim")))
        for cause in one.causes:
            label = "" if cause.grade == "unexplained" else f", {cause.name.replace('_', ' ')}"
            text = Text.assemble(name(f"{cause.grade}{label}:", GRADE_STYLES[cause.grade]), " ", name(cause.evidence))
            lines += wrap(text, width=width, indent=2, lines=MOST_LINES)
    return lines


def _unresolved(shown: ShownCase, width: int) -> list[Text]:
    gaps = [f"{one.metric} {one.gap:.2f}{f' by {one.judge}' if one.judge else ''}" for one in shown.unresolved]
    if not gaps:
        return []
    told = f"not flagged, within the weight of one verdict: {', '.join(dict.fromkeys(gaps))}"
    return wrap(name(told, "dim"), width=width, indent=0, lines=3)
