"""What a conversion came to, as text."""

from __future__ import annotations

from evalparity.comparisons.commands.convert import Converted, loss_lines
from evalparity.comparisons.commands.import_results import Imported, told_of
from evalparity.comparisons.render.inert import inert


def render_converted(converted: Converted) -> str:
    """Return the result of `evalparity convert`: what was written, and what the target cannot hold."""
    left_out = f", {converted.skipped} rows left out" if converted.skipped else ""
    lines = [f"wrote {converted.cases} cases to {converted.path}{left_out}"]
    if converted.losses:
        lines.append("lost, because the target has no place for it:")
        lines += [f"  {inert(line)}" for line in loss_lines(converted.losses)]
    else:
        lines.append("nothing was lost")
    return "".join(f"{line}\n" for line in lines)


def render_imported(imported: Imported) -> str:
    """Return the result of `evalparity convert --to run`: what was read, what was not used, and where it stands."""
    return "".join(f"{inert(line)}\n" for line in told_of(imported))
