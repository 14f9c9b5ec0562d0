"""What a plan will ask of its judge before anything is asked: calls from the binding tables, tokens from a rehearsal.

Pure. Calls are a range where the judge's replies decide how many there are. Tokens and prices are estimates; what was
not rehearsed and what has no known price is None and never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import fsum
from typing import Any

from evalparity.adapters.base import CallCount, Wiring
from evalparity.adapters.judge.settings import LEXICAL, JudgeSettings
from evalparity.adapters.judge.traffic import Call, CallKind
from evalparity.comparisons.planning.extrapolate import Estimate, estimate_total
from evalparity.comparisons.planning.rehearsal import Rehearsal, RehearsedCell, size_of
from evalparity.comparisons.running.plan import Plan, PlannedCell, in_batches
from evalparity.unified_schema.outcomes import Closeness, Frozen, add_amounts, add_counts

TOKENS_PER_LEXICAL_TOKEN = 0.85
"""How many tokens a language model counts where the lexical judge counts one, in prompts of the frameworks."""

COUNTING_MARGIN = 0.15
"""By how much that may be off, either way: over the prompts of each of the three frameworks on English, Chinese and
mixed cases the tokenizers of GPT-4, GPT-4o, Llama 3, Qwen 3 and Claude 2 counted 0.80 to 0.95 (docs/plan.md)."""

Price = Callable[[CallKind, int, int], float | None]
"""From the kind of a call, its tokens in and its tokens out to US dollars; None: unknown."""


class CallRange(Frozen):
    """From `low` to `high` calls; equal where no reply of the judge can change it."""

    low: int = 0
    high: int = 0


class ExpectedUse(Frozen):
    """What some cells will ask of the judge."""

    calls: CallRange = CallRange()
    """Chat calls."""
    embedding_calls: CallRange = CallRange()
    input_tokens: int | None = 0
    """In all prompts; None: not rehearsed."""
    first_input_tokens: int | None = 0
    """In the prompts of each cell's first step, which hold no reply of the judge: they will be sent as they are."""
    output_tokens: int | None = 0
    embedding_tokens: int | None = 0
    margin_tokens: int | None = 0
    """By how much the tokens, in and out, may be off because not every cell was rehearsed; 0: every one was. How a
    model counts and how much it writes comes on top. None: unknown."""
    cost_usd: float | None = 0.0
    """US dollars; None when the price of any call is unknown; 0 when there is no call."""
    at_least_usd: float = 0.0
    """The same without the calls whose price is unknown."""
    unpriced_calls: CallRange = CallRange()
    """Chat and embedding calls whose price, or number of tokens, is unknown."""


class ExpectedRow(ExpectedUse):
    """What one scorer will ask of one judge, over its cells."""

    framework: str
    metric: str
    scorer: str
    closeness: Closeness
    judge: str | None
    """Name of the judge; None: the scorer asks none."""
    reads: str | None = None
    """The scorer whose answers this one reads, at no call of its own."""
    cells: int
    """Planned cells; those that run, are skipped and cannot run add up to it."""
    runs: int
    skipped: int
    errored: int
    """Cells of a framework that is not installed."""
    rehearsed: int = 0
    """Cells from which the tokens are estimated."""


class ExpectedTotal(ExpectedUse):
    """What one framework, or all of them, will ask of one judge, or of all."""

    framework: str | None
    """None: all frameworks."""
    judge: str | None
    """None: all judges."""
    cells: int
    runs: int


_FREE_AT_ANY_LENGTH = 1_000_000
"""What costs nothing at so many tokens costs nothing at all, rehearsed or not."""


def expect(plan: Plan, judge: JudgeSettings, rehearsal: Rehearsal | None, price: Price) -> tuple[ExpectedRow, ...]:
    """Return one row per scorer, in the order of the plan.

    Args:
        plan: the cells.
        judge: whom they will ask.
        rehearsal: what cells of each scorer sent; None: nothing is known of tokens.
        price: the price of one call.
    """
    paying = {batch.cell.key for batch in in_batches(plan.cells)}
    groups: dict[str, list[PlannedCell]] = {}
    for cell in plan.cells:
        groups.setdefault(cell.binding.scorer, []).append(cell)
    rows = []
    for cells in groups.values():
        asking = [cell for cell in cells if cell.key in paying]
        seen = rehearsal.cells.get(cells[0].binding.asked_scorer, ()) if rehearsal is not None and asking else ()
        rows.append(_row(cells, asking, _use(asking, plan.wiring, _Counted(seen, judge, price)), judge, len(seen)))
    return tuple(rows)


def _row(
    cells: Sequence[PlannedCell],
    asking: Sequence[PlannedCell],
    use: ExpectedUse,
    judge: JudgeSettings,
    rehearsed: int,
) -> ExpectedRow:
    binding = cells[0].binding
    refusals = [cell.refusal.status for cell in cells if cell.refusal is not None]
    runs = len(cells) - len(refusals)
    return ExpectedRow(
        framework=cells[0].framework,
        metric=binding.metric,
        scorer=binding.scorer,
        closeness=binding.closeness,
        judge=judge.name if binding.asks_judge else None,
        reads=binding.derived_from if runs and not asking else None,
        cells=len(cells),
        runs=runs,
        skipped=refusals.count("skipped"),
        errored=refusals.count("errored"),
        rehearsed=rehearsed,
        **use.model_dump(),
    )


class _Counted:
    """What the rehearsed cells of one scorer use, by the count of the judge that will be asked."""

    def __init__(self, seen: Sequence[RehearsedCell], judge: JudgeSettings, price: Price) -> None:
        self.seen, self.price = seen, price
        self._rates: dict[CallKind, float] = {
            "chat": 1.0 if judge.model == LEXICAL else TOKENS_PER_LEXICAL_TOKEN,
            "embedding": 1.0 if judge.embedding_model == LEXICAL else TOKENS_PER_LEXICAL_TOKEN,
        }

    def tokens(self, call: Call) -> tuple[int, int]:
        """Return the tokens of one call, in and out."""
        rate = self._rates[call.kind]
        return round(rate * (call.input_tokens or 0)), round(rate * (call.output_tokens or 0))

    def total(self, sizes: Sequence[int], used: Callable[[Iterable[Call]], float]) -> Estimate:
        """Return what all cells use, given what the calls of one cell use."""
        return estimate_total([(cell.size, used(cell.calls)) for cell in self.seen], sizes)

    def dollars(self, sizes: Sequence[int], kind: CallKind) -> float | None:
        """Return what all calls of a kind cost; None: unknown."""
        if self.price(kind, _FREE_AT_ANY_LENGTH, _FREE_AT_ANY_LENGTH) == 0:
            return 0.0
        costs = [
            add_amounts(self.price(kind, *self.tokens(call)) for call in _of(kind, cell.calls)) for cell in self.seen
        ]
        known = [(cell.size, cost) for cell, cost in zip(self.seen, costs, strict=True) if cost is not None]
        return estimate_total(known, sizes).total if known and len(known) == len(costs) else None


def _use(asking: Sequence[PlannedCell], wiring: Wiring, counted: _Counted) -> ExpectedUse:
    if not asking:
        return ExpectedUse()
    binding, sizes = asking[0].binding, [size_of(cell.case, cell.binding) for cell in asking]
    ranges: dict[CallKind, CallRange] = {
        "chat": _range(binding.calls_in(wiring), asking),
        "embedding": _range(binding.embedding_calls, asking),
    }
    dollars = {kind: counted.dollars(sizes, kind) for kind, calls in ranges.items() if calls.high}
    unpriced = [ranges[kind] for kind, usd in dollars.items() if usd is None]
    return ExpectedUse(
        calls=ranges["chat"],
        embedding_calls=ranges["embedding"],
        **_cost(fsum(usd for usd in dollars.values() if usd is not None), _sum(unpriced)),
        **(_tokens(sizes, counted) if binding.asks_judge else {}),
    )


def _cost(priced: float, unpriced: CallRange) -> dict[str, Any]:
    return {"cost_usd": None if unpriced.high else priced, "at_least_usd": priced, "unpriced_calls": unpriced}


def _tokens(sizes: Sequence[int], counted: _Counted) -> dict[str, int | None]:
    if not counted.seen:
        return dict.fromkeys(_TOKENS)
    chat, embedded = partial(_of, "chat"), partial(_of, "embedding")
    parts: dict[str, Callable[[Iterable[Call]], float]] = {
        "input_tokens": lambda calls: sum(counted.tokens(call)[0] for call in chat(calls)),
        "first_input_tokens": lambda calls: sum(counted.tokens(call)[0] for call in _first(calls)),
        "output_tokens": lambda calls: sum(counted.tokens(call)[1] for call in chat(calls)),
        "embedding_tokens": lambda calls: sum(counted.tokens(call)[0] for call in embedded(calls)),
    }
    margin = counted.total(sizes, lambda calls: sum(sum(counted.tokens(call)) for call in calls)).margin
    totals: dict[str, int | None] = {name: round(counted.total(sizes, used).total) for name, used in parts.items()}
    return totals | {"margin_tokens": None if margin is None else round(margin)}


_TOKENS = ("input_tokens", "first_input_tokens", "output_tokens", "embedding_tokens", "margin_tokens")


def _of(kind: CallKind, calls: Iterable[Call]) -> list[Call]:
    return [call for call in calls if call.kind == kind]


def _first(calls: Iterable[Call]) -> list[Call]:
    """Return the chat calls of the step that comes first: none of them holds a reply."""
    chat = _of("chat", calls)
    return [call for call in chat if call is chat[0] or (call.step is not None and call.step == chat[0].step)]


def _range(one: CallCount, cells: Iterable[PlannedCell]) -> CallRange:
    counts = [one.of(cell.contexts) for cell in cells]
    return CallRange(low=sum(count.low for count in counts), high=sum(count.high for count in counts))


def _sum(ranges: Sequence[CallRange]) -> CallRange:
    return CallRange(low=sum(calls.low for calls in ranges), high=sum(calls.high for calls in ranges))


def total_use(rows: Sequence[ExpectedRow], *, framework: str | None = None, judge: str | None = None) -> ExpectedTotal:
    """Return the sums over rows; of tokens, a sum with an unknown part is unknown."""
    return ExpectedTotal(
        framework=framework,
        judge=judge,
        cells=sum(row.cells for row in rows),
        runs=sum(row.runs for row in rows),
        calls=_sum([row.calls for row in rows]),
        embedding_calls=_sum([row.embedding_calls for row in rows]),
        **_cost(fsum(row.at_least_usd for row in rows), _sum([row.unpriced_calls for row in rows])),
        **{name: add_counts(getattr(row, name) for row in rows) for name in _TOKENS},
    )
