"""Which frameworks are there, and what each of them measures."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterable
from textwrap import fill

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evalparity.adapters.base import Adapter, Binding, CallCount, Scale
from evalparity.adapters.registry import adapter_faults, adapter_names, load_adapter
from evalparity.comparisons.render.inert import inert
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.metrics import METRICS, Metric

WIDTH = 100
_HEADINGS = ("scorer", "close", "scale", "calls", "lean", "embeddings")
_LEGEND = (
    "close: to the definition (same, similar, proxy). calls: judge calls for one score in stock wiring, C for each "
    "context; lean: in lean wiring; embeddings: embedding requests."
)


def render_versions() -> str:
    """Return one line per framework: the version that would run, and what is still to be installed and how."""
    table = _table("framework", "version", "wanted", "measures")
    missing = []
    for adapter in _adapters():
        version = adapter.installed_version()
        table.add_row(adapter.name, version or "absent", adapter.requirement, _measured(adapter))
        missing += _missing(adapter, version)
    more = "`evalparity adapters --table` says how each scorer differs; `--metric NAME` shows one metric."
    return "\n".join([_as_text(table), *missing, *adapter_faults(), more])


def _measured(adapter: Adapter) -> str:
    """Return the metrics of a framework, or those that it lacks where these are fewer."""
    lacking = [name for name in METRICS if name not in adapter.bindings]
    if len(lacking) >= len(adapter.bindings):
        return ", ".join(adapter.bindings)
    return f"all but {', '.join(lacking)}" if lacking else f"all {len(METRICS)} metrics"


def _missing(adapter: Adapter, version: str | None) -> list[str]:
    if version is None:
        return [f"{adapter.name} is not installed: {adapter.install_hint}"]
    pending = adapter.pending() if adapter.pending is not None else None
    return [f"{adapter.name} {version} is {pending}, or now by `evalparity adapters install`."] if pending else []


def render_table(metric: str | None = None) -> str:
    """Return, for one metric or for all, its definition and how each framework measures it.

    Raises:
        UsageError: no metric has this name.
    """
    if metric is not None and metric not in METRICS:
        near = difflib.get_close_matches(metric, METRICS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(METRICS)}."
        raise UsageError(f"unknown metric {metric!r}: {hint}")
    chosen = METRICS.values() if metric is None else (METRICS[metric],)
    return "\n\n".join((*map(_section, chosen), fill(_LEGEND, WIDTH)))


def _section(metric: Metric) -> str:
    adapters = tuple(_adapters())
    return "\n".join((*_head(metric), "", *_scorers(metric, adapters), *_absences(metric, adapters)))


def _head(metric: Metric) -> Iterable[str]:
    yield fill(f"{metric.name}: {metric.definition}", WIDTH, subsequent_indent="  ")
    yield _indented(f"needs {', '.join(metric.requires)}; source: {metric.source}", "  ")
    if metric.caution:
        yield _indented(f"beware: {metric.caution}", "  ")


def _scorers(metric: Metric, adapters: Iterable[Adapter]) -> Iterable[str]:
    """Yield the table line of each scorer, the defaults first, and under it how the scorer differs."""
    bindings = [binding for adapter in adapters for binding in adapter.bindings.get(metric.name, ())]
    table = _table(*_HEADINGS)
    for binding in bindings:
        table.add_row(inert(binding.scorer), binding.closeness, scale_of(binding.scale), *calls_of(binding))
    if not bindings:
        return
    heading, *lines = _as_text(table).splitlines()
    yield f"  {heading}"
    for binding, line in zip(bindings, lines, strict=True):
        yield f"  {line}"
        yield _indented(inert(f"{binding.native_name}. {binding.differs}{_origin(binding)}"), "      ")


def _origin(binding: Binding) -> str:
    if binding.derived_from is None:
        return ""
    return f" It reads the answer of {binding.derived_from} and makes no call of its own where both run."


def _absences(metric: Metric, adapters: Iterable[Adapter]) -> Iterable[str]:
    for adapter in adapters:
        if metric.name not in adapter.bindings:
            why = adapter.why_not(metric.name)
            yield _indented(inert(f"not by {adapter.name} ({why.kind}): {why.reason}"), "  ", hanging="      ")


def scale_of(scale: Scale) -> str:
    """Return a scale in a few words, as `0..1` or `1..5, lower is better`."""
    arrow = "" if scale.higher_is_better else ", lower is better"
    return f"{scale.low:g}..{scale.high:g}{arrow}{', cosine' if scale.cosine else ''}"


def calls_of(binding: Binding) -> tuple[str, str, str]:
    """Return what one score of a scorer that runs by itself costs: calls in stock and lean wiring, embeddings."""
    return (
        count_of(binding.calls_in("stock")),
        count_of(binding.calls_in("lean")),
        count_of(binding.embedding_calls),
    )


def count_of(calls: CallCount) -> str:
    """Return how many calls: `2`, `2-4`, `C` for one for each context, or `C + 1`."""
    fixed = f"{calls.low}" if calls.low == calls.high else f"{calls.low}-{calls.high}"
    if not calls.per_context:
        return fixed
    each = "C" if calls.per_context == 1 else f"{calls.per_context}C"
    return f"{each} + {fixed}" if calls.high else each


def _adapters() -> Iterable[Adapter]:
    return map(load_adapter, adapter_names())


def _indented(text: str, indent: str, *, hanging: str | None = None) -> str:
    return fill(text, WIDTH, initial_indent=indent, subsequent_indent=hanging or indent, break_on_hyphens=False)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _as_text(table: Table) -> str:
    out = io.StringIO()
    Console(file=out, width=WIDTH, color_system=None, _environ={}).print(table)
    return "\n".join(Text(line).plain.rstrip() for line in out.getvalue().splitlines()) + "\n"
