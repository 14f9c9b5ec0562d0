"""What the judge wrote around its replies and no framework was shown, by how many cells it touches."""

from __future__ import annotations

from rich.text import Text

from evalparity.adapters.judge.reply_text import FENCE_REMOVED, REASONING_REMOVED
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.render.columns import wrap
from evalparity.comparisons.render.words import name, title
from evalparity.unified_schema.outcomes import FLAGS


def reply_section(report: Report, width: int) -> list[Text]:
    """Return how many cells hold replies that the gateway has changed, and how; nothing where none does."""
    touched = {flag: sum(flag in cell.flags for cell in report.cells) for flag in (REASONING_REMOVED, FENCE_REMOVED)}
    if not any(touched.values()):
        return []
    lines = [title("REPLIES", "what was taken out of the judge's, for all alike")]
    for flag, cells in touched.items():
        if cells:
            told = f"{cells:>3} {'cells' if cells > 1 else 'cell'}  {flag.replace('_', ' ')}: {FLAGS[flag]}"
            lines += wrap(name(told, "dim"), width=width, indent=5, lines=3)
    return lines
