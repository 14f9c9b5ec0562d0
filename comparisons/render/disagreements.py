"""The flagged disagreements of the terminal report, worst first, each with its cause."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from evalparity.comparisons.causes import Cause
from evalparity.comparisons.disagreement import Disagreement
from evalparity.comparisons.render.columns import lay_out, wrap
from evalparity.comparisons.render.tables import WIDE
from evalparity.comparisons.render.words import GRADE_STYLES, NONE, head, name, number, title
from evalparity.comparisons.report import Report

MOST = 6
"""Disagreements on the screen; all stand in report.json."""


def disagreement_section(report: Report, width: int) -> list[Text]:
    """Return the worst disagreements: the scores in one line, the cause and its evidence below."""
    found = sorted(report.disagreements, key=lambda one: -1.0 if one.gap is None else one.gap, reverse=True)
    limits = report.limits
    if not found:
        quiet = f"none: no gap of {limits.min_gap:.2f} or more, no score on one side only"
        return [title("DISAGREEMENTS", quiet), *_unresolved(report)]
    remark = f"{len(found)} flagged, worst first: a gap of {limits.min_gap:.2f} or more, or no score on one side"
    shown = found[:MOST]
    lines = wrap(title("DISAGREEMENTS", remark), width=width, indent=0, lines=1)
    frameworks = _frameworks(report, shown)
    rows = [[head("case"), head("metric"), *map(head, frameworks), head("gap"), head("cause")]]
    rows += [[*_row(one, report, frameworks), _grade(one.causes[0])] for one in shown]
    if width < WIDE:
        rows = [row[:-1] for row in rows]
    heading, *scores = lay_out(rows, names=2, width=width)
    lines.append(heading)
    for one, line in zip(shown, scores, strict=True):
        lines += [line, *_cause_lines(one.causes, width)]
    return [*lines, *_rest(len(found)), *_unresolved(report)]


def _frameworks(report: Report, shown: Sequence[Disagreement]) -> list[str]:
    scorers = {scorer for one in shown for scorer in one.scores}
    return list(dict.fromkeys(row.framework for row in report.summary if row.scorer in scorers))


def _row(one: Disagreement, report: Report, frameworks: Sequence[str]) -> list[Text]:
    of = {row.scorer: row.framework for row in report.summary}
    cells = []
    for framework in frameworks:
        own = [_score(one, scorer) for scorer in one.scores if of.get(scorer) == framework]
        cells.append(Text(" / ").join(own) if own else Text())
    return [name(one.case_id, "bold"), name(one.metric), *cells, number(one.gap)]


def _score(one: Disagreement, scorer: str) -> Text:
    """Return a score; in brackets where it does not count."""
    score = one.scores[scorer]
    if score is None:
        return Text(NONE, "yellow")
    return Text(f"({score:.2f})", "yellow") if scorer in one.unmeasured else Text(f"{score:.2f}")


def _grade(cause: Cause) -> Text:
    return Text(cause.grade, GRADE_STYLES[cause.grade])


def _cause_lines(causes: Sequence[Cause], width: int) -> list[Text]:
    """Return the first cause with its evidence; its grade is shown here where it has no column."""
    first = causes[0]
    label = "" if first.grade == "unexplained" else first.name.replace("_", " ") + ": "
    if width < WIDE:
        label = f"{first.grade}, {label}" if label else "unexplained; "
    more = f" (+{len(causes) - 1} more)" if len(causes) > 1 else ""
    text = Text.assemble((label, GRADE_STYLES[first.grade]), name(first.evidence), (more, "dim"))
    return wrap(text, width=width, indent=2, lines=2)


def _rest(found: int) -> list[Text]:
    return [Text(f"… and {found - MOST} more in report.json", "dim")] if found > MOST else []


def _unresolved(report: Report) -> list[Text]:
    number_of = len(report.unresolved)
    if not number_of:
        return []
    wide = "one wide gap is" if number_of == 1 else f"{number_of} wide gaps are"
    return [Text(f"not flagged: {wide} within the weight of one verdict", "dim")]
