"""A worked example as Markdown: the texts, every scorer's score, and the steps from the judge's verdicts to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from types import MappingProxyType

from evalparity.adapters.base import Binding
from evalparity.comparisons.comparing.evidence import TOLERANCE, Cell, count
from evalparity.comparisons.render.inert import inert
from evalparity.comparisons.running.normalise import to_score
from evalparity.comparisons.worked_examples import Example
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.outcomes import Item, Outcome
from evalparity.unified_schema.rubrics import RUBRICS, Rubric

_MARKUP = re.compile(r"[\\`*\[\]|~<>&]|(?<!\w)_|_(?!\w)")
_ENTITIES = MappingProxyType({"<": "&lt;", ">": "&gt;", "&": "&amp;"})

Steps = tuple[str, float]
"""The arithmetic in words, and the number that it gives on the framework's own scale."""


def plain(text: str) -> str:
    """Return a text on one line, with nothing in it that Markdown or HTML would read."""
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0], f"\\{found[0]}"), inert(text))


def example_lines(example: Example) -> Iterable[str]:
    """Yield the lines of a worked example.

    Raises:
        ValueError: the arithmetic that would be shown does not give a scorer's score.
    """
    yield "### Worked example"
    yield ""
    yield plain(str(example.case.metadata.get("lesson", "")))
    yield ""
    yield from _texts(example.case, example.metric.requires)
    yield ""
    yield "| scorer | score | how it comes about |"
    yield "|---|--:|---|"
    workings = example.case.metadata.get("workings", {})
    assert isinstance(workings, dict)
    for binding, outcome in example.scored:
        score = "–" if outcome.score is None else f"{outcome.score:.3f}"
        yield f"| `{binding.scorer}` | {score} | {how(binding, outcome, workings.get(binding.scorer))} |"
    yield from _what_was_judged(example)


def _texts(case: EvalCase, fields: Iterable[str]) -> Iterable[str]:
    # An indented block shows any text as it is: no mark in it can end it.
    for field in fields:
        if field.endswith("_contexts"):
            texts = case.context_texts(field)
            yield from (f"    {f'context {rank}':<11}{inert(text)}" for rank, text in enumerate(texts, 1))
        else:
            yield f"    {field:<11}{_visible_end(getattr(case, field))}"


def _visible_end(text: str) -> str:
    kept = inert(text)
    return kept if kept == text else f"{kept}   (in the suite: {text!r})"


def _what_was_judged(example: Example) -> Iterable[str]:
    """Yield each list of items once, with all the scorers that it belongs to."""
    lists: dict[tuple[str, ...], list[str]] = {}
    for binding, outcome in example.scored:
        if outcome.details.items:
            lists.setdefault(tuple(map(_item, outcome.details.items)), []).append(f"`{binding.scorer}`")
    for items, scorers in lists.items():
        yield ""
        yield f"{', '.join(scorers)}:"
        yield ""
        yield from (f"{at}. {item}" for at, item in enumerate(items, 1))


def _item(item: Item) -> str:
    said = f"{item.value:.3f}" if item.value is not None else item.verdict or "no verdict"
    if item.kind == "rating":
        return f"rated {plain(item.native_verdict or said)}: {plain(item.reason or 'no reason given')}"
    return f"{said}: {plain(item.text or f'(a {item.kind} that the framework does not show)')}"


def how(binding: Binding, outcome: Outcome, working: object = None) -> str:
    """Say how a score comes about: the arithmetic where the formula is known, else whose formula it is.

    Args:
        binding: the scorer.
        outcome: what it scored.
        working: the arithmetic in words, as the example has it, for a scorer whose steps or formula are hidden.

    Raises:
        ValueError: the arithmetic does not give the score.
    """
    if outcome.score is None:
        return plain(f"no score, {(outcome.kind or '').replace('_', ' ')}: {outcome.reason}")
    said = [plain(note) for note in outcome.details.notes]
    if "vacuous" in outcome.flags:
        said.append("a convention, as there was nothing to judge")
    elif binding.formula is None:
        said.insert(0, plain(str(working or outcome.reason or "computed from the texts")))
    elif binding.formula == "own":
        said.insert(0, f"a formula of the framework's own; {plain(str(working or 'see above'))}")
    else:
        said.insert(0, _arithmetic(binding, outcome))
    return "; ".join(text.rstrip(".") for text in said)


def _arithmetic(binding: Binding, outcome: Outcome) -> str:
    assert binding.formula is not None
    words, number = _FORMULAS[binding.formula](Cell(outcome=outcome, binding=binding))
    score = number if binding.item == "rating" else to_score(number, binding.scale).score
    if score is None or outcome.score is None or abs(score - outcome.score) > TOLERANCE:
        raise ValueError(f"{binding.scorer} scored {outcome.score}, and {words!r} is {number}")
    return words


def _share(cell: Cell) -> Steps:
    lenient = cell.binding is not None and cell.binding.unclear_passes is True
    passing, total = cell.passing(unclear_passes=lenient), len(cell.items)
    verdicts = Counter(item.verdict or "without verdict" for item in cell.items)
    words = [f"{verdicts[word]} {word}" for word in ("yes", "no", "unclear", "without verdict") if verdicts[word]]
    rule = f"; unclear counts as {'yes' if lenient else 'no'}" if cell.unclear else ""
    return f"{count(cell, total)} ({', '.join(words)}{rule}): {passing}/{total}", passing / total


def _mean(cell: Cell) -> Steps:
    values = cell.values
    terms = " + ".join(f"{value:.3f}" for value in values)
    if cell.binding is None or cell.binding.item != "rating":
        return f"({terms}) / {len(values)}", fmean(values)
    ratings = [_rating(item, RUBRICS.get(cell.binding.metric)) for item in cell.outcome.details.items]
    mean = f"; ({terms}) / {len(values)}" if len(values) > 1 else ""
    return f"{', '.join(ratings)}{mean}", fmean(values)


def _rating(item: Item, rubric: Rubric | None) -> str:
    """Say what a rating counts as: by the rubric where it is on the rubric's scale, else as the framework has it."""
    said, value = item.native_verdict or "", item.value
    assert value is not None
    if rubric is not None and said.isdecimal():
        low, high = rubric.low, rubric.high
        if abs((int(said) - low) / (high - low) - value) <= TOLERANCE:
            return f"rated {said} on the rubric of {low} to {high}: ({said} - {low}) / ({high} - {low})"
    return f"a rating of {plain(said) or 'unknown form'} counts as {value:.3f}"


def _ranked(cell: Cell) -> Steps:
    ranks = [rank for rank, item in enumerate(cell.items, 1) if item.verdict == "yes"]
    if not ranks:
        return f"none of {count(cell, len(cell.items))} passes", 0.0
    terms = [f"{hits}/{rank}" for hits, rank in enumerate(ranks, 1)]
    mean = fmean(hits / rank for hits, rank in enumerate(ranks, 1))
    return f"precision at the ranks that pass: ({' + '.join(terms)}) / {len(ranks)}", mean


_FORMULAS: Mapping[str, Callable[[Cell], Steps]] = MappingProxyType({"share": _share, "mean": _mean, "ranked": _ranked})
"""How the score follows from the items, by the binding's formula."""
