"""Which frameworks are there, and what each of them measures."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from textwrap import fill

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evalparity.adapters.base import Adapter, Binding, CallCount
from evalparity.adapters.registry import adapter_faults, adapter_names, load_adapter
from evalparity.unified_schema.metrics import METRICS

WIDTH = 100


def render_versions() -> str:
    """Return one line per framework: the version that would run, and what is still to be installed and how."""
    table = _table("framework", "version", "wanted", "measures")
    missing = []
    for adapter in _adapters():
        version = adapter.installed_version()
        table.add_row(adapter.name, version or "absent", adapter.requirement, ", ".join(adapter.bindings))
        missing += _missing(adapter, version)
    return "\n".join([_as_text(table), *missing, *adapter_faults(), "`evalparity adapters --table` says how each metric differs."])


def _missing(adapter: Adapter, version: str | None) -> list[str]:
    if version is None:
        return [f"{adapter.name} is not installed: {adapter.install_hint}"]
    pending = adapter.pending() if adapter.pending is not None else None
    return [f"{adapter.name} {version} is {pending}, or now by `evalparity adapters install`."] if pending else []


def render_table() -> str:
    """Return, for every metric, its definition and how each framework measures it."""
    return "\n".join(_metric(name) for name in METRICS)


def _metric(name: str) -> str:
    metric = METRICS[name]
    table = _table("scorer", "native name", "close", "scale", "calls", "how it differs")
    for adapter in _adapters():
        for row in _rows(adapter, name):
            table.add_row(*row)
    head = [f"{name}: {metric.definition}", f"  needs {', '.join(metric.requires)}", f"  source: {metric.source}"]
    head += [f"  beware: {metric.caution}"] if metric.caution else []
    return "\n".join([*(fill(line, WIDTH, subsequent_indent="  ") for line in head), _as_text(table)])


def _rows(adapter: Adapter, metric: str) -> Iterable[Sequence[str]]:
    """Return a row for each scorer, the default first, or one that says why there is none."""
    if metric not in adapter.bindings:
        why = adapter.why_not(metric)
        yield (adapter.name, "-", "-", "-", "-", f"{why.kind}: {why.reason}")
    for binding in adapter.bindings.get(metric, ()):
        yield (
            binding.scorer,
            binding.native_name,
            binding.closeness,
            _scale(binding),
            _calls(binding),
            binding.differs,
        )


def _scale(binding: Binding) -> str:
    scale = binding.scale
    arrow = "" if scale.higher_is_better else ", lower is better"
    return f"{scale.low:g}..{scale.high:g}{arrow}{', cosine' if scale.cosine else ''}"


def _calls(binding: Binding) -> str:
    if binding.derived_from is not None:
        return f"those of {binding.derived_from}"
    embeddings = binding.embedding_calls
    return _count(binding.calls) + ("" if embeddings.none else f" + {_count(embeddings)} emb.")


def _count(calls: CallCount) -> str:
    fixed = f"{calls.low}" if calls.low == calls.high else f"{calls.low}-{calls.high}"
    if not calls.per_context:
        return fixed
    each = "C" if calls.per_context == 1 else f"{calls.per_context}C"
    return f"{each} + {fixed}" if calls.high else each


def _adapters() -> Iterable[Adapter]:
    return map(load_adapter, adapter_names())


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _as_text(table: Table) -> str:
    out = io.StringIO()
    Console(file=out, width=WIDTH, color_system=None, _environ={}).print(table)
    return "\n".join(Text(line).plain.rstrip() for line in out.getvalue().splitlines()) + "\n"
