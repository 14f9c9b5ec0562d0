"""The report on one screen."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import TextIO

from rich.console import Console
from rich.text import Text

from evalparity.comparisons.comparing.report import Report
from evalparity.comparisons.render.columns import shortened, wrap
from evalparity.comparisons.render.disagreements import disagreement_section
from evalparity.comparisons.render.inert import inert
from evalparity.comparisons.render.judges import judges_section
from evalparity.comparisons.render.pairs import agreement_section
from evalparity.comparisons.render.replies import reply_section
from evalparity.comparisons.render.scores import noise_section, pass_section, score_section
from evalparity.comparisons.render.tables import cost_section, unmeasured_section
from evalparity.comparisons.running.run_info import JudgeInfo

WIDEST = 100
NARROWEST = 60

LEXICAL_NOTICE = "Verdicts by word comparison: good to rehearse a run, not to judge answers."
IMPORTED_NOTICE = "No judge was asked here; versions, judge and inputs are what the files say, and cost is not known."
_STOPS = ("judge_down", "budget")
"""Kinds of errors by which a run ended before all its cells were scored."""
INTERRUPTED_NOTICE = "The run was stopped early; cells that had not ended count as errored."

SECTIONS = (
    score_section,
    pass_section,
    noise_section,
    judges_section,
    agreement_section,
    disagreement_section,
    unmeasured_section,
    reply_section,
    cost_section,
)


def render_terminal(report: Report, *, width: int = WIDEST, colour: bool = False) -> str:
    """Return the report as text for a terminal, no line wider than `width` (60..100, else the nearer end).

    Text of the suite, the judge and the frameworks is shown as text: no markup, no control codes.

    Args:
        report: what to show.
        width: columns of the terminal.
        colour: whether to write colour codes; see `wants_colour`.
    """
    columns = min(max(width, NARROWEST), WIDEST)
    lines = _head(report, columns)
    for section in SECTIONS:
        body = section(report, columns)
        lines += [Text(), *body] if body else []
    return as_text(lines, columns, colour=colour)


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether a stream should get colours: a terminal, and neither NO_COLOR nor TERM=dumb stands against it."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def as_text(lines: list[Text], width: int, *, colour: bool) -> str:
    """Return lines as text, none wider than `width`."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
        _environ={},  # the caller decides; the environment must not
    )
    for line in lines:
        console.print(shortened(line, width), no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)
    return out.getvalue()


def _head(report: Report, width: int) -> list[Text]:
    run = report.run
    title = Text.assemble(
        ("evalparity", "bold cyan"), "  ", (inert(run.suite.name), "bold"), f"  {run.suite.cases} cases"
    )
    repeats = f" x {run.repeats} repeats" if run.repeats > 1 else ""
    wiring = "imported" if run.imported else f"{run.wiring} wiring"
    title.append(f"{repeats}  {wiring}  run {inert(run.id)}  {run.created_at:%Y-%m-%d %H:%M}", "dim")
    lines = [*wrap(title, width=width, indent=0, lines=1), *wrap(_setting(report), width=width, indent=0, lines=2)]
    lexical = [judge for judge in run.judges if judge.kind == "lexical"]
    if lexical:
        whose = f"{inert(lexical[0].label)}: " if run.other_judges else ""
        lines += _notice("NOT A LANGUAGE MODEL", whose + LEXICAL_NOTICE, "bold black on yellow", width)
    if run.imported:
        files = ", ".join(f"{file.used} scores from {inert(file.path)} ({file.kind})" for file in run.imported)
        lines += _notice("IMPORTED", f"{files}. {IMPORTED_NOTICE}", "bold black on cyan", width)
    lines += [line for text in _left_out(report) for line in wrap(Text(text, "yellow"), width=width, indent=0, lines=2)]
    stopped = next((cell.reason for kind in _STOPS for cell in report.cells if cell.kind == kind and cell.reason), None)
    if stopped is not None:
        lines += _notice("STOPPED EARLY", stopped, "bold white on red", width)
    if not run.complete:
        lines += _notice("INTERRUPTED", INTERRUPTED_NOTICE, "bold white on red", width)
    return lines


def _left_out(report: Report) -> Iterator[str]:
    """Yield what was asked for and is no part of the report, and which file of the run folder lists it."""
    unused = sum(file.scores - file.used for file in report.run.imported)
    if unused:
        yield f"{unused:,} scores of these files are not used, each listed with the reason in unused.jsonl of the run"
    if report.run.suite.skipped:
        yield f"rows of the suite were left out, for {report.run.suite.skipped:,} problems listed in skipped.jsonl"


def _setting(report: Report) -> Text:
    run = report.run
    unknown = "of unknown version" if run.imported else "not installed"
    frameworks = ", ".join(f"{name} {info.version or unknown}" for name, info in run.frameworks.items())
    model = run.judge.embedding_model
    embeddings = f", embeddings {model}" if model else "" if run.imported else ", no embeddings"
    judges = ", ".join(_judge_name(judge) for judge in run.judges)
    return Text(inert(f"{frameworks}; judge{'s' * bool(run.other_judges)} {judges}{embeddings}"))


def _judge_name(judge: JudgeInfo) -> str:
    return judge.model if judge.label == judge.model else f"{judge.label} ({judge.model})"


def _notice(label: str, sentence: str, style: str, width: int) -> list[Text]:
    return wrap(Text.assemble((f" {label} ", style), f" {sentence}"), width=width, indent=0, lines=3)
