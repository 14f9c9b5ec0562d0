"""What a plan will do and cost, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from evalparity.comparisons.planning.expected import ExpectedRow, ExpectedTotal, ExpectedUse
from evalparity.comparisons.planning.plan_report import PlanReport, RefusedCell
from evalparity.comparisons.render.columns import Row, lay_out, wrap
from evalparity.comparisons.render.plan_words import about, calls, notes
from evalparity.comparisons.render.terminal import as_text
from evalparity.comparisons.render.words import WIDE, bill, head, name, title

WIDEST = 120
NARROWEST = 60

COLUMNS = ("runs", "calls", "emb.", "tokens in", "out", "US$")
NARROW_COLUMNS = ("runs", "calls", "emb.", "in", "out", "US$")

MOST_CASES = 6
"""So many cases of one reason are named."""

_REFUSED_LINES = 3


def render_plan(told: PlanReport, *, width: int = 100, colour: bool = False) -> str:
    """Return a plan as text for a terminal, no line wider than `width` (60..120, else the nearer end).

    Args:
        told: what to show.
        width: columns of the terminal.
        colour: whether to write colour codes.
    """
    columns = min(max(width, NARROWEST), WIDEST)
    lines = _head(told, columns)
    for section in (*_scorer_sections(told, columns), _total_section(told, columns), _refused_section(told, columns)):
        lines += [Text(), *section] if section else []
    lines += [Text(), *notes(told, columns)]
    return as_text(lines, columns, colour=colour)


def _head(told: PlanReport, width: int) -> list[Text]:
    repeats = f"  {told.plan.repeats} repeats" if told.plan.repeats > 1 else ""
    first = Text.assemble(
        ("evalparity plan", "bold cyan"), "  ", name(told.plan.suite.name, "bold"), f"  {told.plan.suite.cases} cases"
    )
    first.append(f"  {told.plan.wiring} wiring{repeats}", "dim")
    frameworks = ", ".join(f"{each} {info.version or 'not installed'}" for each, info in told.plan.frameworks.items())
    judges = "; ".join(
        f"judge {judge.model if judge.label == judge.model else f'{judge.label} ({judge.model})'}"
        + (f" at {judge.url}" if judge.url else "")
        for judge in told.plan.judges
    )
    embedding = told.plan.judges[0].embedding_model
    setting = f"{frameworks}; {judges}; {f'embeddings {embedding}' if embedding else 'no embeddings'}"
    return [*wrap(first, width=width, indent=0, lines=1), *wrap(name(setting), width=width, indent=0, lines=3)]


def _scorer_sections(told: PlanReport, width: int) -> Iterable[list[Text]]:
    """Yield one table per judge; scorers that ask none stand in the first."""
    for at, judge in enumerate(told.plan.judges):
        own = [row for row in told.rows if row.judge == judge.label or (row.judge is None and at == 0)]
        label = f" BY {judge.label}" if len(told.plan.judges) > 1 else ""
        remark = "per scorer; calls are a range where the judge's replies decide"
        rows = [
            _heads("metric, scorer", width),
            *(line for metric in dict.fromkeys(row.metric for row in own) for line in _metric(metric, own, width)),
        ]
        yield [title(f"EXPECTED{label}", remark), *lay_out(rows, names=1, width=width), *_readers(own, width)]


def _heads(first: str, width: int) -> Row:
    return [head(first), *(head(text) for text in (COLUMNS if width >= WIDE else NARROW_COLUMNS))]


def _metric(metric: str, rows: Sequence[ExpectedRow], width: int) -> Iterable[Row]:
    indent = "  " if width >= WIDE else " "
    yield [name(metric, "bold"), *(Text() for _ in COLUMNS)]
    for row in rows:
        if row.metric == metric:
            yield [Text.assemble(indent, name(row.scorer)), Text(f"{row.runs}/{row.cells}"), *_use(row)]


def _use(use: ExpectedUse) -> list[Text]:
    return [
        calls(use.calls),
        calls(use.embedding_calls),
        about(use.input_tokens),
        about(use.output_tokens),
        bill(use.cost_usd, use.at_least_usd, None),
    ]


def _readers(rows: Sequence[ExpectedRow], width: int) -> list[Text]:
    found = [f"{row.scorer} reads the answers of {row.reads} at no call of its own." for row in rows if row.reads]
    return [line for one in found for line in wrap(name(one, "dim"), width=width, indent=0, lines=2)]


def _total_section(told: PlanReport, width: int) -> list[Text]:
    several = len(told.plan.judges) > 1
    rows: list[Row] = [_heads("framework", width)]
    rows += [_total(f"{one.framework} by {one.judge}" if several else f"{one.framework}", one) for one in told.totals]
    rows.append(_total("all", told.total))
    embedded = told.total.embedding_tokens
    remark = f"; {about(embedded).plain} tokens to embed" if told.total.embedding_calls.high else ""
    return [title("TOTAL", f"per framework{remark}"), *lay_out(rows, names=1, width=width)]


def _total(label: str, total: ExpectedTotal) -> Row:
    return [name(label), Text(f"{total.runs}/{total.cells}"), *_use(total)]


def _refused_section(told: PlanReport, width: int) -> list[Text]:
    if not told.refused:
        return []
    groups: dict[tuple[str, str], list[RefusedCell]] = {}
    for cell in told.refused:
        groups.setdefault((cell.kind, _reason(cell)), []).append(cell)
    repeats = ", each for all its repeats" if told.plan.repeats > 1 else ""
    lines = [title("WILL NOT RUN", f"{len(told.refused)} cells{repeats}, by reason; every one in --format json")]
    for (_, reason), cells in sorted(groups.items(), key=lambda group: -len(group[1])):
        style = "red" if cells[0].status == "errored" else "yellow"
        line = Text.assemble(f"{len(cells):>5}  ", name(cells[0].kind.replace("_", " "), style), "  ", name(reason))
        lines += wrap(line, width=width, indent=0, lines=2)
        lines += wrap(_of_what(cells), width=width, indent=7, lines=_REFUSED_LINES)
    return lines


def _reason(cell: RefusedCell) -> str:
    """Return the reason without the metric or scorer that it begins with, so that many have the same."""
    return cell.reason.removeprefix(f"{cell.metric} ").removeprefix(f"{cell.scorer} ")


def _of_what(cells: Sequence[RefusedCell]) -> Text:
    cases = list(dict.fromkeys(cell.case_id for cell in cells))
    named = ", ".join(cases) if len(cases) <= MOST_CASES else f"{len(cases)} cases, such as {', '.join(cases[:3])}"
    return Text.assemble(name(", ".join(dict.fromkeys(cell.metric for cell in cells))), name(f": {named}", "dim"))
