"""docs/metrics.md, written from the binding tables and from one run of its worked examples.

`python -m evalparity.comparisons.render.metrics_page`, in the root of the project, writes it anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from evalparity.adapters.base import Adapter, Binding
from evalparity.adapters.registry import ADAPTERS, load_adapter
from evalparity.comparisons.messages import tell
from evalparity.comparisons.render.capabilities import calls_of, scale_of
from evalparity.comparisons.render.worked_example import example_lines
from evalparity.comparisons.worked_examples import Example, run_examples
from evalparity.unified_schema.errors import EvalparityError
from evalparity.unified_schema.metrics import METRICS, Metric

EXAMPLES = Path("docs/examples/metrics.yaml")
PAGE = Path("docs/metrics.md")

_HEAD = """\
<!-- Written by `make docs` from the binding tables and a run of docs/examples/metrics.yaml. Do not edit. -->
# Metrics

What each metric means, who measures it, how the scorers differ, and one worked example for each.
`evalparity adapters --metric NAME` shows the same tables in the terminal. A run measures the metrics marked *default*;
`--metric NAME` names others, `--metric all` takes every one. Where a framework has several scorers, the first is its
default.

- **closeness**: `same` measures what the definition says; `similar` the same in another way; `proxy` something else
  that goes along with it, and is compared by rank only.
- **scale**: the framework's own; scores in reports lie between 0 and 1, higher is better.
- **calls**: of the judge for one score in stock wiring, C for each context; **lean**: in lean wiring; **emb.**:
  embedding requests.

The worked examples are scored by the real frameworks on the built-in [lexical judge](lexical-judge.md), which compares
words and is no language model: read them for how verdicts become a score, not for how well a verdict was chosen. The
numbers are those of `docs/examples/metrics.yaml`; `tests/e2e/test_metrics_page.py` works them out once more by hand.
"""


def render_page(examples: Iterable[Example]) -> str:
    """Return docs/metrics.md.

    Args:
        examples: one for each metric, in the order of the page.
    """
    adapters = tuple(map(load_adapter, ADAPTERS))
    lines = [_HEAD, *_overview(adapters)]
    for example in examples:
        lines += [
            "",
            *_definition(example.metric),
            "",
            *_scorers(example.metric, adapters),
            "",
            *example_lines(example),
        ]
    return "\n".join(lines) + "\n"


def _overview(adapters: Sequence[Adapter]) -> Iterable[str]:
    """Yield which framework measures what, by the closeness of its default scorer."""
    yield f"| metric | default | {' | '.join(adapter.name for adapter in adapters)} |"
    yield f"|---|---|{'---|' * len(adapters)}"
    for metric in METRICS.values():
        cells = (_closeness(adapter, metric) for adapter in adapters)
        yield f"| [{metric.name}](#{metric.name}) | {'yes' if metric.default else ''} | {' | '.join(cells)} |"


def _closeness(adapter: Adapter, metric: Metric) -> str:
    own = adapter.bindings.get(metric.name, ())
    if not own:
        return "–"
    return own[0].closeness + (f", {len(own)} scorers" if len(own) > 1 else "")


def _definition(metric: Metric) -> Iterable[str]:
    yield f"## {metric.name}"
    yield ""
    yield _cell(metric.definition)
    yield ""
    yield f"- needs: {', '.join(f'`{field}`' for field in metric.requires)}"
    yield f"- family: {metric.family}{', default' if metric.default else ''}"
    yield f"- source: {_cell(metric.source)}"
    if metric.caution:
        yield ""
        yield f"> **Beware.** {_cell(metric.caution)}"


def _scorers(metric: Metric, adapters: Sequence[Adapter]) -> Iterable[str]:
    yield "| scorer | native name | closeness | scale | calls | lean | emb. | how it differs |"
    yield "|---|---|---|---|--:|--:|--:|---|"
    for adapter in adapters:
        yield from map(_row, adapter.bindings.get(metric.name, ()))
    absent = [adapter for adapter in adapters if metric.name not in adapter.bindings]
    if absent:
        yield ""
    for adapter in absent:
        why = adapter.why_not(metric.name)
        yield f"- not by {adapter.name} ({why.kind.replace('_', ' ')}): {_cell(why.reason)}"


def _row(binding: Binding) -> str:
    differs = _cell(binding.differs)
    if binding.derived_from is not None:
        differs += f" It reads the answer of `{binding.derived_from}` and makes no call of its own where both run."
    cells = (
        f"`{binding.scorer}`",
        _cell(binding.native_name),
        binding.closeness,
        scale_of(binding.scale),
        *calls_of(binding),
        differs,
    )
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """Return a sentence of a binding table: our own Markdown, which may hold code but must not end a cell."""
    return text.replace("|", "\\|")


def main() -> None:
    """Score the examples and write the page, both where they stand below the current folder."""
    try:
        page = render_page(run_examples(EXAMPLES))
    except EvalparityError as error:
        tell(f"evalparity: {error}")
        sys.exit(2)
    PAGE.write_text(page, encoding="utf-8")
    tell(f"{PAGE} is written")


if __name__ == "__main__":
    main()
