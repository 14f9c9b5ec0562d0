"""The flagged disagreements of the terminal report, worst first, each with its cause."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from evalparity.comparisons.comparing.disagreement import Disagreement
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.render.columns import lay_out, wrap
from evalparity.comparisons.render.words import GRADE_STYLES, NONE, WIDE, head, name, number, title

MOST = 6
"""Disagreements on the screen; all stand in report.json."""


def disagreement_section(report: Report, width: int) -> list[Text]:
    """Return the worst disagreements: the scores in one line, the cause and its evidence below.

    Flipped verdicts come first, then the widest gaps. What is flagged in several repeats is shown once, at its worst.
    """
    repeated = _by_case(sorted(report.disagreements, key=_badness, reverse=True))
    if not repeated:
        quiet = f"none: no gap of {report.limits.min_gap:.2f} or more{_flips(report)}, no score on one side only"
        return [title("DISAGREEMENTS", quiet), *_unresolved(report)]
    worst = [own[0] for own in repeated[:MOST]]
    counts = [_times(len(own), report) for own in repeated]
    frameworks = _frameworks(report, worst)
    names = ["case", "metric", *(["judge"] if report.run.other_judges and width >= WIDE else [])]
    last = ["gap", "cause"] if width >= WIDE else ["gap"]
    rows = [list(map(head, (*names, *frameworks, *last)))]
    rows += [
        [*_names(one, times)[: len(names)], *_scores(one, report, frameworks), *_ends(one, wide=width >= WIDE)]
        for one, times in zip(worst, counts, strict=False)
    ]
    heading, *lines = lay_out(rows, names=len(names), width=width)
    shown = [_heading(len(repeated), report, width), heading]
    for one, line in zip(worst, lines, strict=True):
        shown += [line, *_cause_lines(one, width)]
    return [*shown, *_rest(len(repeated)), *_unresolved(report)]


def _badness(one: Disagreement) -> tuple[bool, float]:
    return bool(one.flipped), -1.0 if one.gap is None else one.gap


def _by_case(found: Sequence[Disagreement]) -> list[list[Disagreement]]:
    """Return what is flagged, the repeats of one case, metric and judge together."""
    groups: dict[tuple[str, str, str | None], list[Disagreement]] = {}
    for one in found:
        groups.setdefault((one.case_id, one.metric, one.judge), []).append(one)
    return list(groups.values())


def _heading(flagged: int, report: Report, width: int) -> Text:
    gap = f"a gap of {report.limits.min_gap:.2f} or more"
    flags = f"flipped verdict, {gap}, no score on one side" if _flips(report) else f"{gap}, or no score on one side"
    return wrap(title("DISAGREEMENTS", f"{flagged} flagged, worst first: {flags}"), width=width, indent=0, lines=1)[0]


def _flips(report: Report) -> str:
    """Return what else is looked for where thresholds are set."""
    return ", no flipped verdict" if any(row.threshold is not None for row in report.summary) else ""


def _times(repeats: int, report: Report) -> str:
    return f" ({repeats} of {report.run.repeats})" if report.run.repeats > 1 else ""


def _frameworks(report: Report, shown: Sequence[Disagreement]) -> list[str]:
    scorers = {scorer for one in shown for scorer in one.scores}
    return list(dict.fromkeys(row.framework for row in report.summary if row.scorer in scorers))


def _names(one: Disagreement, times: str) -> list[Text]:
    return [Text.assemble(name(one.case_id, "bold"), (times, "dim")), name(one.metric), name(one.judge or "")]


def _scores(one: Disagreement, report: Report, frameworks: Sequence[str]) -> list[Text]:
    of = {row.scorer: row.framework for row in report.summary}
    cells = []
    for framework in frameworks:
        own = [_score(one, scorer) for scorer in one.scores if of.get(scorer) == framework]
        cells.append(Text(" / ").join(own) if own else Text())
    return cells


def _score(one: Disagreement, scorer: str) -> Text:
    """Return a score; in brackets where it does not count."""
    score = one.scores[scorer]
    if score is None:
        return Text(NONE, "yellow")
    return Text(f"({score:.2f})", "yellow") if scorer in one.unmeasured else Text(f"{score:.2f}")


def _ends(one: Disagreement, *, wide: bool) -> list[Text]:
    """Return the gap and the cause's grade, with a mark where the verdicts differ; without room, the gap alone."""
    if not wide:
        return [number(one.gap)]
    gap = Text.assemble(number(one.gap), (" flip", "red")) if one.flipped else number(one.gap)
    return [gap, Text(one.causes[0].grade, GRADE_STYLES[one.causes[0].grade])]


def _cause_lines(one: Disagreement, width: int) -> list[Text]:
    """Return the first cause with its evidence; judge, flip and grade are told here where they have no column."""
    first = one.causes[0]
    label = "" if first.grade == "unexplained" else first.name.replace("_", " ") + ": "
    if width < WIDE:
        label = f"{first.grade}, {label}" if label else "unexplained; "
        told = [*([f"judge {one.judge}"] if one.judge else []), *(["flipped"] if one.flipped else [])]
        label = ", ".join([*told, label])
    more = f" (+{len(one.causes) - 1} more)" if len(one.causes) > 1 else ""
    lead = Text.assemble(name(label, GRADE_STYLES[first.grade]), " ") if label else Text()
    text = Text.assemble(lead, name(first.evidence), (more, "dim"))
    return wrap(text, width=width, indent=2, lines=2)


def _rest(found: int) -> list[Text]:
    return [Text(f"… and {found - MOST} more in report.json", "dim")] if found > MOST else []


def _unresolved(report: Report) -> list[Text]:
    number_of = len(_by_case_of_unresolved(report))
    if not number_of:
        return []
    wide = "one wide gap is" if number_of == 1 else f"{number_of} wide gaps are"
    return [Text(f"not flagged: {wide} within the weight of one verdict", "dim")]


def _by_case_of_unresolved(report: Report) -> set[tuple[str, str, str | None]]:
    return {(one.case_id, one.metric, one.judge) for one in report.unresolved}
