"""The tables of the terminal report on what was not measured and what it cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from evalparity.comparisons.comparing.cost import CostRow
from evalparity.comparisons.comparing.measured import MEASURED, state
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.render.columns import GAP, lay_out, wrap
from evalparity.comparisons.render.words import NONE, WIDE, bill, count, head, name, title
from evalparity.unified_schema.outcomes import ERROR_KINDS, FLAGS, SKIP_KINDS, Outcome, add_amounts, add_counts

MOST_REASON_LINES = 8
"""Lines of the section on unmeasured cells, so that all fits on one screen; what does not fit is counted."""

MOST_NARROW_REASON_LINES = 12
"""The same on a narrow terminal, where reasons take more lines."""

REASON_LINES = 2
"""So many lines of its own a reason gets that does not fit beside its numbers."""

REASON_INDENT = 5

COST_COLUMNS = ("framework", "calls", "embeddings", "tokens in", "tokens out", "judge time", "US$", "inputs verified")
NARROW_COST_COLUMNS = ("framework", "calls", "embed.", "in", "out", "time", "US$")

_NO_PRICE = "no price is known for this model at this server (--prices, docs/prices.md)"
_NO_TOKENS = "the server told no usable token counts for some calls of these cells, or was still at them"

_MEANINGS = {**ERROR_KINDS, **SKIP_KINDS, **FLAGS}


def unmeasured_section(report: Report, width: int) -> list[Text]:
    """Return the cells without a measurement, counted by reason, with the first message of each."""
    groups: dict[str, list[Outcome]] = {}
    for cell in report.cells:
        if state(cell) != MEASURED:
            groups.setdefault(f"{cell.status}:{state(cell)}", []).append(cell)
    if not groups:
        return []
    largest = sorted(groups.values(), key=len, reverse=True)
    total = sum(map(len, largest))
    lines = [title("NOT MEASURED", f"{total} of {len(report.cells)} cells, by reason; none counts as 0")]
    most, shown = MOST_REASON_LINES if width >= WIDE else MOST_NARROW_REASON_LINES, 0
    for block in _reason_blocks(largest, width):
        if len(lines) + len(block) > most:
            break
        lines += block
        shown += 1
    hidden = sum(map(len, largest[shown:]))
    return [*lines, *([name(f"… and {hidden} more in report.json", "dim")] if hidden else [])]


def _reason_blocks(groups: Sequence[Sequence[Outcome]], width: int) -> list[list[Text]]:
    """Return the lines of each group: number, kind and frameworks, with the message beside or below."""
    heads = lay_out([_reason_row(cells) for cells in groups], names=3, width=width)
    column = max(line.cell_len for line in heads) + GAP
    return [_with_message(line, _message(cells), column, width) for line, cells in zip(heads, groups, strict=True)]


def _with_message(line: Text, message: Text, column: int, width: int) -> list[Text]:
    if column + message.cell_len <= width:
        return [Text.assemble(line, " " * (column - line.cell_len), message)]
    return [line, *wrap(message, width=width, indent=REASON_INDENT, lines=REASON_LINES)]


def _reason_row(cells: Sequence[Outcome]) -> list[Text]:
    frameworks = ", ".join(dict.fromkeys(cell.framework for cell in cells))
    style = "red" if cells[0].status == "errored" else "yellow"
    return [Text(f"{len(cells):>3}"), name(state(cells[0]).replace("_", " "), style), name(frameworks)]


def _message(cells: Sequence[Outcome]) -> Text:
    reasons = list(dict.fromkeys(cell.reason for cell in cells if cell.status != "scored" and cell.reason))
    if not reasons:
        return name(_MEANINGS.get(state(cells[0]), ""), "dim")
    others = len(reasons) - 1
    more = {0: "", 1: " (and another reason)"}.get(others, f" (and {others} other reasons)")
    return name(reasons[0] + more, "dim")


def cost_section(report: Report, width: int) -> list[Text]:
    """Return what each framework asked of the judge, and how many cells' inputs were verified."""
    frameworks = list(dict.fromkeys(row.framework for row in report.cost))
    if not frameworks:
        return []
    if width < WIDE:
        return _narrow_cost(report, frameworks, width)
    rows = [[head(text) for text in COST_COLUMNS]]
    for framework in frameworks:
        own = [row for row in report.cost if row.framework == framework]
        rows.append([*_cost_cells(framework, own), _verified(report, framework)])
    rows += [[*_cost_cells(label, own), Text()] for label, own in _totals(report, frameworks)]
    return [
        title("COST", "judge traffic as the gateway counted it; billed as asked for, unless both are told"),
        *lay_out(rows, names=1, width=width),
        *_not_billed(report, width),
        *_preflight(report, width),
        *_unpriced(report, width),
    ]


def _totals(report: Report, frameworks: Sequence[str]) -> list[tuple[str, Sequence[CostRow]]]:
    """Return the rows of each judge where there are several, and all rows where there is more than one to add up."""
    judges = dict.fromkeys(row.judge for row in report.cost if row.judge is not None)
    of_judges = [(f"judge {judge}", [row for row in report.cost if row.judge == judge]) for judge in judges]
    return [*of_judges, *([("all", report.cost)] if len(frameworks) > 1 else [])]


def _narrow_cost(report: Report, frameworks: Sequence[str], width: int) -> list[Text]:
    """Return the same numbers for a narrow terminal: the verified inputs below the table."""
    by_framework = {each: [row for row in report.cost if row.framework == each] for each in frameworks}
    rows = [[head(text) for text in NARROW_COST_COLUMNS]]
    rows += [_cost_cells(framework, own) for framework, own in by_framework.items()]
    rows += [_cost_cells(label, own) for label, own in _totals(report, frameworks) if label != "all"]
    inputs = ", ".join(f"{framework} {_verified(report, framework).plain}" for framework in frameworks)
    return [
        title("COST", "calls and tokens, in and out"),
        *lay_out(rows, names=1, width=width),
        *wrap(name(f"inputs verified: {inputs}"), width=width, indent=0, lines=2),
        *_not_billed(report, width),
        *_preflight(report, width),
        *_unpriced(report, width),
    ]


def _cost_cells(label: str, rows: Sequence[CostRow]) -> list[Text]:
    return [
        name(label),
        _calls(rows),
        count(sum(row.embedding_calls for row in rows)),
        count(add_counts(row.input_tokens for row in rows)),
        count(add_counts(row.output_tokens for row in rows)),
        Text(f"{sum(row.seconds for row in rows):,.1f} s"),
        bill(
            add_amounts(row.cost_usd for row in rows),
            math.fsum(row.at_least_usd for row in rows),
            add_amounts(row.requested_usd for row in rows),
        ),
    ]


def _calls(rows: Sequence[CostRow]) -> Text:
    """Return how many calls the frameworks asked for, and how many are billed where that is another number."""
    asked, billed = sum(row.calls for row in rows), sum(row.billed_calls for row in rows)
    return count(asked) if asked == billed else Text(f"{asked:,} ({billed:,} billed)")


def _not_billed(report: Report, width: int) -> list[Text]:
    """Return how many calls cost nothing as their answers were there; nothing where all were asked."""
    reused = sum(row.reused_calls for row in report.cost)
    shared = sum(row.shared_calls for row in report.cost)
    told = {
        f"{reused:,} calls answered from the cache or a cassette": reused,
        f"{shared:,} answered with an equal call of another cell, which was on its way": shared,
    }
    text = ", ".join(words for words, number in told.items() if number)
    return wrap(name(text, "dim"), width=width, indent=0, lines=2) if text else []


def _preflight(report: Report, width: int) -> list[Text]:
    """Return what the judges were asked before the first cell; nothing where there was no pre-flight."""
    usage = report.run.preflight
    if usage is None:
        return []
    into, out = count(usage.input_tokens).plain, count(usage.output_tokens).plain
    asked = f"{usage.calls} calls, {usage.embedding_calls} embeddings, {into} tokens in, {out} out"
    dollars = bill(usage.cost_usd, usage.at_least_usd, usage.requested_usd).plain
    return wrap(name(f"pre-flight, in no row: {asked}, US$ {dollars}", "dim"), width=width, indent=0, lines=2)


def _unpriced(report: Report, width: int) -> list[Text]:
    """Return how many calls have no known price, and what to do; nothing where all have one."""
    by_cause: Counter[str] = Counter()
    for cell in report.cells:
        usage = cell.judge
        known = None not in (usage.input_tokens, usage.output_tokens, usage.embedding_tokens)
        by_cause[_NO_PRICE if known else _NO_TOKENS] += usage.unpriced_calls
    told = [f"{number:,} calls unpriced: {cause}" for cause, number in by_cause.items() if number]
    return [line for text in told for line in wrap(name(text, "dim"), width=width, indent=0, lines=2)]


def _verified(report: Report, framework: str) -> Text:
    inputs = report.inputs.get(framework)
    if inputs is None or not inputs.checked:
        return Text(NONE, "dim")
    style = "green" if inputs.verified == inputs.checked else "yellow"
    return Text(f"{inputs.verified}/{inputs.checked}", style)
