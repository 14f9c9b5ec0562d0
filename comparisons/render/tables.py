"""The tables of the terminal report: scores, agreement, what was not measured, cost."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from evalparity.comparisons.agreement import Agreement, Pair
from evalparity.comparisons.cost import CostRow
from evalparity.comparisons.measured import MEASURED, UNCOUNTED_FLAGS, state
from evalparity.comparisons.render.columns import GAP, lay_out, wrap
from evalparity.comparisons.render.words import NONE, count, head, name, number, price, short_scorer, title
from evalparity.comparisons.report import Report, SummaryRow
from evalparity.unified_schema.outcomes import ERROR_KINDS, FLAGS, SKIP_KINDS, Outcome, add_amounts, add_counts

MOST_REASON_LINES = 8
"""Lines of the section on unmeasured cells, so that all fits on one screen; what does not fit is counted."""

MOST_NARROW_REASON_LINES = 12
"""The same on a narrow terminal, where reasons take more lines."""

REASON_LINES = 2
"""So many lines of its own a reason gets that does not fit beside its numbers."""

REASON_INDENT = 5

WIDE = 92
"""From this width on, the pairs of a metric stand side by side."""

MOST_ACROSS = 3
"""So many pairs fit side by side."""

COST_COLUMNS = ("framework", "calls", "embeddings", "tokens in", "tokens out", "judge time", "US$", "inputs verified")
NARROW_COST_COLUMNS = ("framework", "calls", "embed.", "in", "out", "time", "US$")

_MEANINGS = {**ERROR_KINDS, **SKIP_KINDS, **FLAGS}


def score_section(report: Report, width: int) -> list[Text]:
    """Return the mean of each metric and framework, with measured/planned."""
    frameworks = list(dict.fromkeys(row.framework for row in report.summary))
    if not frameworks:
        return []
    rows = [[head("metric"), *(head(framework) for framework in frameworks)]]
    for metric in dict.fromkeys(row.metric for row in report.summary):
        own = [row for row in report.summary if row.metric == metric]
        rows += _score_rows(metric, own, frameworks)
    left_out = [flag for flag in UNCOUNTED_FLAGS if any(getattr(row, flag) for row in report.summary)]
    without = f"; * not counted: {', '.join(left_out).replace('_', ' ')}" if left_out else ""
    remark = f"mean, measured/planned{without}"
    return [title("SCORES", remark), *lay_out(rows, names=1, width=width)]


def _score_rows(metric: str, own: Sequence[SummaryRow], frameworks: Sequence[str]) -> list[list[Text]]:
    """Return one row for the first scorer of each framework, and one more for every further scorer."""
    firsts = {row.framework: row for row in reversed(own)}
    main = [name(metric), *(_score(firsts.get(framework)) for framework in frameworks)]
    further = [row for row in own if firsts[row.framework] is not row]
    return [
        main,
        *(
            [Text.assemble("  ", name(short_scorer(row.scorer, row.framework))), *_alone(row, frameworks)]
            for row in further
        ),
    ]


def _alone(row: SummaryRow, frameworks: Sequence[str]) -> list[Text]:
    return [_score(row if row.framework == framework else None) for framework in frameworks]


def _score(row: SummaryRow | None) -> Text:
    if row is None:
        return Text(NONE, "dim")
    mark = "*" if row.measured < row.scored else " "
    share = f"{row.measured}/{row.planned}{mark}"
    mean = number(row.mean)
    mean.stylize("bold")
    return Text.assemble(mean, " ", (f"{share:>6}", "yellow" if row.measured < row.planned else "dim"))


def agreement_section(report: Report, width: int) -> list[Text]:
    """Return rank correlation, mean absolute difference and n of each metric and pair."""
    if not report.agreement:
        return []
    labels = _scorer_labels(report)
    heads = dict.fromkeys(_pair_label(pair, labels) for one in report.agreement for pair in one.pairs)
    across = len(heads) <= MOST_ACROSS and width >= WIDE
    lines = (_pairs_across if across else _pairs_down)(report.agreement, labels, width)
    heading = title("AGREEMENT", "Spearman's rank correlation, mean |difference|, cases both measured")
    return [heading, *lines, *_reasons(report.agreement, width)]


def _scorer_labels(report: Report) -> dict[str, str]:
    """Name each scorer by its framework, or in full where the framework has several for the metric."""
    labels = {}
    for row in report.summary:
        same = [r for r in report.summary if (r.metric, r.framework) == (row.metric, row.framework)]
        labels[row.scorer] = row.framework if len(same) == 1 else row.scorer
    return labels


def _pairs_across(agreements: Sequence[Agreement], labels: dict[str, str], width: int) -> list[Text]:
    heads = list(dict.fromkeys(_pair_label(pair, labels) for a in agreements for pair in a.pairs))
    rows = [[head("metric"), *(head(label) for label in heads)]]
    for agreement in agreements:
        cells = {_pair_label(pair, labels): _pair_numbers(pair) for pair in agreement.pairs}
        rows.append([name(agreement.metric), *(cells.get(label, Text(NONE, "dim")) for label in heads)])
    return lay_out(rows, names=1, width=width)


def _pair_numbers(pair: Pair) -> Text:
    numbers = (f"{number(pair.spearman).plain:>5}", f"{number(pair.mean_abs_difference).plain:>4}")
    return Text.assemble((numbers[0], "bold"), "  ", numbers[1], (f"  n {pair.n:>3}", "dim"))


def _pairs_down(agreements: Sequence[Agreement], labels: dict[str, str], width: int) -> list[Text]:
    rows = [[head(text) for text in ("metric", "pair", "Spearman", "|diff.|", "n")]]
    for agreement in agreements:
        for pair in agreement.pairs:
            first = agreement.metric if pair is agreement.pairs[0] else ""
            numbers = (number(pair.spearman), number(pair.mean_abs_difference), Text(str(pair.n)))
            rows.append([name(first), name(_pair_label(pair, labels)), *numbers])
    return lay_out(rows, names=2, width=width)


def _pair_label(pair: Pair, labels: dict[str, str]) -> str:
    return f"{labels.get(pair.a, pair.a)} ~ {labels.get(pair.b, pair.b)}"


def _reasons(agreements: Sequence[Agreement], width: int) -> list[Text]:
    """Say once why there are dashes."""
    found = [(agreement.metric, reason) for agreement in agreements for p in agreement.pairs for reason in p.reasons]
    if not found:
        return []
    metric, reason = found[0]
    others = len(dict.fromkeys(found)) - 1
    more = f" (and {others} more in report.json)" if others else ""
    return wrap(name(f"{NONE} {metric}: {reason}{more}", "dim"), width=width, indent=0, lines=1)


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
    own = cells[0].reason if cells[0].status != "scored" else None
    return name(own or _MEANINGS.get(state(cells[0]), ""), "dim")


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
    if len(frameworks) > 1:
        rows.append([*_cost_cells("all", report.cost), Text()])
    return [title("COST", "judge traffic as the gateway counted it"), *lay_out(rows, names=1, width=width)]


def _narrow_cost(report: Report, frameworks: Sequence[str], width: int) -> list[Text]:
    """Return the same numbers for a narrow terminal: the verified inputs below the table."""
    by_framework = {each: [row for row in report.cost if row.framework == each] for each in frameworks}
    rows = [[head(text) for text in NARROW_COST_COLUMNS]]
    rows += [_cost_cells(framework, own) for framework, own in by_framework.items()]
    inputs = ", ".join(f"{framework} {_verified(report, framework).plain}" for framework in frameworks)
    return [
        title("COST", "calls and tokens, in and out"),
        *lay_out(rows, names=1, width=width),
        *wrap(name(f"inputs verified: {inputs}"), width=width, indent=0, lines=2),
    ]


def _cost_cells(label: str, rows: Sequence[CostRow]) -> list[Text]:
    return [
        name(label),
        count(sum(row.calls for row in rows)),
        count(sum(row.embedding_calls for row in rows)),
        count(add_counts(row.input_tokens for row in rows)),
        count(add_counts(row.output_tokens for row in rows)),
        Text(f"{sum(row.seconds for row in rows):,.1f} s"),
        price(add_amounts(row.cost_usd for row in rows)),
    ]


def _verified(report: Report, framework: str) -> Text:
    inputs = report.inputs.get(framework)
    if inputs is None or not inputs.checked:
        return Text(NONE, "dim")
    style = "green" if inputs.verified == inputs.checked else "yellow"
    return Text(f"{inputs.verified}/{inputs.checked}", style)
