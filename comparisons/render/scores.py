"""The tables with one column for each framework: means, pass rates, and how far scores vary over repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text

from evalparity.comparisons.comparing.measured import UNCOUNTED_FLAGS
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.comparing.summary import SummaryRow
from evalparity.comparisons.render.columns import lay_out
from evalparity.comparisons.render.words import NONE, head, name, number, short_scorer, title

Show = Callable[[SummaryRow], Text]
"""What a table shows of one scorer."""


def score_section(report: Report, width: int) -> list[Text]:
    """Return the mean of each metric and framework, with measured/planned."""
    if not report.summary:
        return []
    left_out = [flag for flag in UNCOUNTED_FLAGS if any(getattr(row, flag) for row in report.summary)]
    without = f"; * not counted: {', '.join(left_out).replace('_', ' ')}" if left_out else ""
    remark = f"mean, measured/planned{without}"
    return [title("SCORES", remark), *lay_out(_table(report.summary, _mean), names=1, width=width)]


def pass_section(report: Report, width: int) -> list[Text]:
    """Return the pass rate of each metric and framework with its threshold; nothing where none was set."""
    rows = [row for row in report.summary if row.threshold is not None]
    if not rows:
        return []
    heading = title("PASS RATE", "share of measured scores at or above the threshold")
    return [heading, *lay_out(_table(rows, _pass_rate), names=1, width=width)]


def noise_section(report: Report, width: int) -> list[Text]:
    """Return how far scores of one case vary over repeats; nothing where each was taken once."""
    rows = [row for row in report.summary if row.repeat_sd is not None]
    if not rows:
        return []
    remark = f"standard deviation of a case's scores over {report.run.repeats} repeats: the judge's noise"
    return [title("NOISE", remark), *lay_out(_table(rows, lambda row: number(row.repeat_sd)), names=1, width=width)]


def _table(summary: Sequence[SummaryRow], show: Show) -> list[list[Text]]:
    """Return a row for each metric, and below it one for each judge where there are several."""
    frameworks = list(dict.fromkeys(row.framework for row in summary))
    rows = [[head("metric"), *(head(framework) for framework in frameworks)]]
    for metric in dict.fromkeys(row.metric for row in summary):
        own = [row for row in summary if row.metric == metric]
        rows += _of_metric(metric, own, frameworks, show)
    return rows


def _of_metric(metric: str, own: Sequence[SummaryRow], frameworks: Sequence[str], show: Show) -> list[list[Text]]:
    judges = list(dict.fromkeys(row.judge for row in own if row.judge is not None))
    if not judges:
        return _scorers(name(metric), own, frameworks, show)
    free = [row for row in own if row.judge is None]
    rows = _scorers(name(metric), free, frameworks, show) if free else [[name(metric), *(Text() for _ in frameworks)]]
    for judge in judges:
        judged = [row for row in own if row.judge == judge]
        rows += _scorers(Text.assemble("  ", name(judge)), judged, frameworks, show)
    return rows


def _scorers(label: Text, own: Sequence[SummaryRow], frameworks: Sequence[str], show: Show) -> list[list[Text]]:
    """Return one row for the first scorer of each framework, and one more for every further scorer."""
    firsts = {row.framework: row for row in reversed(own)}
    rows = [[label, *(_shown(firsts.get(framework), show) for framework in frameworks)]]
    indent = " " * (len(label.plain) - len(label.plain.lstrip()) + 2)
    for row in own:
        if firsts[row.framework] is not row:
            alone = [_shown(row if row.framework == framework else None, show) for framework in frameworks]
            rows.append([Text.assemble(indent, name(short_scorer(row.scorer, row.framework))), *alone])
    return rows


def _shown(row: SummaryRow | None, show: Show) -> Text:
    return Text(NONE, "dim") if row is None else show(row)


def _mean(row: SummaryRow) -> Text:
    mark = "*" if row.measured < row.scored else " "
    share = f"{row.measured}/{row.planned}{mark}"
    mean = number(row.mean)
    mean.stylize("bold")
    return Text.assemble(mean, " ", (f"{share:>6}", "yellow" if row.measured < row.planned else "dim"))


def _pass_rate(row: SummaryRow) -> Text:
    rate = Text(NONE, "dim") if row.pass_rate is None else Text(f"{row.pass_rate:.0%}", "bold")
    return Text.assemble(rate, (f" at {row.threshold:.2f}", "dim"))
