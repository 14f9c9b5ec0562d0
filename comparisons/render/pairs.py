"""How far pairs of frameworks agree, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from evalparity.comparisons.comparing.agreement import Agreement, Pair
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.render.columns import lay_out, wrap
from evalparity.comparisons.render.words import NONE, WIDE, head, name, number, title

MOST_ACROSS = 3
"""So many pairs fit side by side."""


def agreement_section(report: Report, width: int) -> list[Text]:
    """Return rank correlation, mean absolute difference and n of each metric, judge and pair."""
    if not report.agreement:
        return []
    labels = _scorer_labels(report)
    heads = dict.fromkeys(_pair_label(pair, labels) for one in report.agreement for pair in one.pairs)
    across = len(heads) <= MOST_ACROSS and width >= WIDE
    lines = (_pairs_across if across else _pairs_down)(report.agreement, labels, width)
    counted = "cases" if report.run.repeats == 1 else "scores"
    heading = title("AGREEMENT", f"Spearman's rank correlation, mean |difference|, {counted} both measured")
    return [heading, *lines, *_reasons(report.agreement, width)]


def _scorer_labels(report: Report) -> dict[str, str]:
    """Name each scorer by its framework, or in full where the framework has several for the metric."""
    several: dict[tuple[str, str], set[str]] = {}
    for row in report.summary:
        several.setdefault((row.metric, row.framework), set()).add(row.scorer)
    return {
        row.scorer: row.framework if len(several[row.metric, row.framework]) == 1 else row.scorer
        for row in report.summary
    }


def _names(agreement: Agreement, *, judged: bool) -> list[Text]:
    """Return what stands at the left of a row: the metric, and the judge where there are several."""
    return [name(agreement.metric), *([name(agreement.judge or "")] if judged else [])]


def _heads(agreements: Sequence[Agreement]) -> tuple[bool, list[Text]]:
    judged = any(agreement.judge is not None for agreement in agreements)
    return judged, [head(text) for text in ("metric", "judge")[: 1 + judged]]


def _pairs_across(agreements: Sequence[Agreement], labels: dict[str, str], width: int) -> list[Text]:
    heads = list(dict.fromkeys(_pair_label(pair, labels) for a in agreements for pair in a.pairs))
    judged, names = _heads(agreements)
    rows = [[*names, *(head(label) for label in heads)]]
    for agreement in agreements:
        cells = {_pair_label(pair, labels): _pair_numbers(pair) for pair in agreement.pairs}
        rows.append([*_names(agreement, judged=judged), *(cells.get(label, Text(NONE, "dim")) for label in heads)])
    return lay_out(rows, names=len(names), width=width)


def _pair_numbers(pair: Pair) -> Text:
    numbers = (f"{number(pair.spearman).plain:>5}", f"{number(pair.mean_abs_difference).plain:>4}")
    return Text.assemble((numbers[0], "bold"), "  ", numbers[1], (f"  n {pair.n:>3}", "dim"))


def _pairs_down(agreements: Sequence[Agreement], labels: dict[str, str], width: int) -> list[Text]:
    judged, names = _heads(agreements)
    rows = [[*names, *map(head, ("pair", "Spearman", "|diff.|", "n"))]]
    for agreement in agreements:
        for pair in agreement.pairs:
            first = pair is agreement.pairs[0]
            left = _names(agreement, judged=judged) if first else [Text() for _ in names]
            numbers = (number(pair.spearman), number(pair.mean_abs_difference), Text(str(pair.n)))
            rows.append([*left, name(_pair_label(pair, labels)), *numbers])
    return lay_out(rows, names=len(names) + 1, width=width)


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
