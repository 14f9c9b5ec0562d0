"""How the numbers of a plan are written, and what is said of how sure they are."""

from __future__ import annotations

from rich.text import Text

from evalparity.comparisons.planning.expected import CallRange, ExpectedUse
from evalparity.comparisons.planning.plan_report import PlanReport, RehearsalInfo
from evalparity.comparisons.render.columns import wrap
from evalparity.comparisons.render.words import name

_DIGITS = 3
_NOTE_LINES = 8


def calls(expected: CallRange) -> Text:
    """Return a number of calls, or a range."""
    if expected.low == expected.high:
        return Text(f"{expected.low:,}")
    return Text(f"{expected.low:,}-{expected.high:,}")


def about(tokens: int | None) -> Text:
    """Return a number of tokens to three digits: 987, 12.3k, 1.23M."""
    if tokens is None:
        return Text("unknown", "dim")
    for mark, unit in (("", 1), ("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)):
        if tokens < 999.5 * unit or mark == "G":
            return Text(_rounded(tokens / unit) + mark)
    raise AssertionError  # the last unit takes all


def _rounded(value: float) -> str:
    whole = len(str(round(value)))
    text = f"{value:,.{max(0, _DIGITS - whole)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def notes(told: PlanReport, width: int) -> list[Text]:
    """Return what must be known to read the numbers, one paragraph each."""
    found = [_tokens(told), _first_prompts(told), _failed(told.rehearsal), _waiting(told.rehearsal), _unpriced(told)]
    return [line for one in found if one for line in wrap(name(one, "dim"), width=width, indent=0, lines=_NOTE_LINES)]


def _tokens(told: PlanReport) -> str:
    rehearsal, use = told.rehearsal, told.total
    if not use.calls.high and not use.embedding_calls.high:
        return "No judge is asked."
    if rehearsal is None:
        return "Tokens: unknown, as nothing was rehearsed (--rehearse 0)."
    return (
        f"Tokens: from a rehearsal of {rehearsal.cells:,} cells ({rehearsal.cases:,} of {told.plan.suite.cases:,} "
        f"cases), the frameworks' own prompts answered by the lexical judge. {_accuracy(told, rehearsal)}"
    )


def _accuracy(told: PlanReport, rehearsal: RehearsalInfo) -> str:
    lexical = all(judge.kind == "lexical" for judge in told.plan.judges)
    sampled = _sampling(told.total)
    if lexical:
        return f"It is this plan's judge: a run uses as many{f', {sampled}' if sampled else ''}."
    return (
        f"Estimated: +-{round(100 * rehearsal.counting_margin)} % as every model counts in its own way"
        f"{f', {sampled}' if sampled else ''}. "
        "A judge that explains at length, or reasons before it answers, writes several times the tokens out."
    )


def _sampling(use: ExpectedUse) -> str:
    tokens = (use.input_tokens or 0) + (use.output_tokens or 0) + (use.embedding_tokens or 0)
    if use.margin_tokens is None:
        return "not counting how far the cells that were not rehearsed differ"
    return f"+-{100 * use.margin_tokens / tokens:.2g} % as not every cell was rehearsed" if use.margin_tokens else ""


def _first_prompts(told: PlanReport) -> str:
    use = told.total
    if not use.input_tokens or use.first_input_tokens is None:
        return ""
    share = round(100 * use.first_input_tokens / use.input_tokens)
    return (
        f"{share} % of the tokens in belong to first prompts, which will be sent as they are; later ones hold what "
        "the judge replied."
    )


def _failed(rehearsal: RehearsalInfo | None) -> str:
    if rehearsal is None or not rehearsal.failed:
        return ""
    first = rehearsal.failed[0]
    return (
        f"{len(rehearsal.failed)} cells could not be rehearsed and are no part of the estimate, such as {first.scorer} "
        f"on case {first.case_id}: {first.reason}"
    )


def _waiting(rehearsal: RehearsalInfo | None) -> str:
    if rehearsal is None:
        return ""
    return " ".join(
        f"{framework} was not rehearsed: it is {what} (`evalparity adapters install` does it now)."
        for framework, what in rehearsal.waiting.items()
    )


def _unpriced(told: PlanReport) -> str:
    unpriced = calls(told.total.unpriced_calls).plain
    if not told.total.unpriced_calls.high:
        return ""
    if told.total.input_tokens is None:
        return f"{unpriced} calls unpriced: their tokens, or the prices of their model at its server, are unknown."
    return f"{unpriced} calls unpriced: no price is known for this model at this server (--prices, docs/prices.md)."
