"""What the judge changes and what the framework changes, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from evalparity.comparisons.comparing.judges_effect import JudgeEffect
from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.render.columns import lay_out, wrap
from evalparity.comparisons.render.words import NONE, WIDE, head, name, number, title

LEGEND = (
    "|judges|, |frameworks|: mean difference between two of them on the same case, the other kept. "
    "case, framework, judge, left: share of the variance of scores."
)


def judges_section(report: Report, width: int) -> list[Text]:
    """Return, for each metric, the differences between judges and between frameworks and the shares of variance."""
    if not report.judge_effects:
        return []
    remark = "what the judge changes and what the framework changes"
    if width >= WIDE:
        rows = [_heads(("n", "|judges|", "|frameworks|", "case", "framework", "judge", "left"))]
        rows += [[name(one.metric), *_differences(one), *_shares(one)] for one in report.judge_effects]
        tables = lay_out(rows, names=1, width=width)
    else:
        differences = [_heads(("n", "|judges|", "|frameworks|"))]
        differences += [[name(one.metric), *_differences(one)] for one in report.judge_effects]
        shares = [_heads(("case", "framework", "judge", "left"))]
        shares += [[name(one.metric), *_shares(one)] for one in report.judge_effects]
        tables = [*lay_out(differences, names=1, width=width), *lay_out(shares, names=1, width=width)]
    legend = wrap(Text(LEGEND, "dim"), width=width, indent=0, lines=3)
    return [title("JUDGES", remark), *tables, *legend, *_reasons(report.judge_effects, width)]


def _heads(texts: Sequence[str]) -> list[Text]:
    return [head("metric"), *map(head, texts)]


def _differences(effect: JudgeEffect) -> list[Text]:
    return [Text(str(effect.n)), number(effect.between_judges), number(effect.between_frameworks)]


def _shares(effect: JudgeEffect) -> list[Text]:
    shares = effect.shares
    if shares is None:
        return [Text(NONE, "dim")] * 4
    return [_percent(share) for share in (shares.case, shares.framework, shares.judge, shares.left)]


def _percent(share: float | None) -> Text:
    return Text(NONE, "dim") if share is None else Text(f"{share:.0%}")


def _reasons(effects: Sequence[JudgeEffect], width: int) -> list[Text]:
    """Say once why there are dashes."""
    found = [f"{NONE} {effect.metric}: {reason}" for effect in effects for reason in effect.reasons]
    more = f" (and {len(found) - 1} more in report.json)" if len(found) > 1 else ""
    return wrap(name(found[0] + more, "dim"), width=width, indent=0, lines=1) if found else []
