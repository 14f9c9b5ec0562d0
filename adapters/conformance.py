"""Checks that every adapter must pass, for the tests of those who write one; needs neither framework nor judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping

from evalparity.adapters.base import Adapter, Binding
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import ERROR_KINDS

_HOSTILE = '{{ env.HOME }} {0} %s </a> \'single\' "double" \\ back\nline\u2028 你好 🤖 file:///etc/passwd {"a": 1}'
_CASE: Mapping[str, object] = {
    "id": "hostile",
    "input": f"Question? {_HOSTILE}",
    "output": f"Answer. {_HOSTILE}",
    "reference": f"Reference. {_HOSTILE}",
    "retrieved_contexts": [{"id": "a", "text": f"First. {_HOSTILE}"}, {"id": "b", "text": f"Second. {_HOSTILE}"}],
}


def check_adapter(adapter: Adapter) -> tuple[str, ...]:
    """Return what is wrong with an adapter, one sentence each; nothing means that it keeps the rules checked here.

    Names, scales, call counts, that every text of a case is handed over whole and unchanged, that translation is pure
    and its result JSON, that steps and error kinds are known. Whether the framework then scores as declared only a
    run can show.
    """
    found = [*_names(adapter), *_steps(adapter)]
    for binding in adapter.scorers():
        found += [f"{binding.scorer}: {fault}" for fault in (*_binding(binding), *_translation(adapter, binding))]
    return tuple(found)


def _names(adapter: Adapter) -> Iterator[str]:
    scorers = [binding.scorer for binding in adapter.scorers()]
    if len(scorers) != len(set(scorers)):
        yield "two scorers have one name"
    if both := set(adapter.bindings) & set(adapter.unsupported):
        yield f"{', '.join(sorted(both))}: bound and unsupported at once"
    if unknown := sorted({*adapter.bindings, *adapter.unsupported} - set(METRICS)):
        yield f"{', '.join(unknown)}: no metric of evalparity"


def _steps(adapter: Adapter) -> Iterator[str]:
    names = [step.name for step in adapter.steps]
    if len(names) != len(set(names)):
        yield "two steps have one name"
    if adapter.error_kind is not None and adapter.error_kind("SomeError", "some message") not in ERROR_KINDS:
        yield "error_kind gives a kind that is none of unified_schema.outcomes.ERROR_KINDS"


def _binding(binding: Binding) -> Iterator[str]:
    checks = {
        "its name does not begin with the framework's and a colon": ":" not in binding.scorer,
        "`differs` is no sentence": not binding.differs.endswith("."),
        "its scale has no width": not binding.scale.low < binding.scale.high,
        "its fewest calls are more than its most": binding.calls.low > binding.calls.high,
        "`item` and `formula` go together": (binding.item is None) != (binding.formula is None),
        "it asks the judge and `sent` names no text, so that equal inputs cannot be proved": binding.asks_judge
        and not binding.sent,
        "a layout in `sent` lacks {text}": any("{text}" not in sent.layout for sent in binding.sent),
    }
    yield from (fault for fault, holds in checks.items() if holds)
    if more := {sent.field for sent in binding.sent} - set(METRICS[binding.metric].requires):
        yield f"`sent` names what the metric does not need ({', '.join(sorted(more))})"


def _translation(adapter: Adapter, binding: Binding) -> Iterator[str]:
    case = EvalCase.model_validate(_CASE)
    first, again = adapter.translate(case, binding), adapter.translate(case, binding)
    if first != again:
        yield "translating the same case twice gives two results"
    if _or_none(lambda: json.loads(json.dumps(first))) != first:
        yield "the translated inputs are no JSON"
        return
    handed_over = set(_texts(first))
    for name in dict.fromkeys(sent.field for sent in binding.sent):
        wanted = case.context_texts(name) if name.endswith("_contexts") else (getattr(case, name),)
        if not handed_over.issuperset(wanted):
            yield f"{name} is not handed over as it stands in the case"


def _or_none(make: Callable[[], object]) -> object:
    try:
        return make()
    except (TypeError, ValueError):
        return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
