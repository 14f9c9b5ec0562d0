"""Whose score it is: the scorers of ours that assertions in other people's files are, and the judges they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from evalparity.adapters.base import Binding
from evalparity.adapters.exchange import NativeScore
from evalparity.adapters.promptfoo_adapter.bindings import BINDINGS
from evalparity.adapters.promptfoo_adapter.files_meaning import variable_in
from evalparity.adapters.promptfoo_adapter.findings import mapping
from evalparity.adapters.promptfoo_adapter.rubrics import SCORERS, criteria

_ALIASES: Mapping[str, str] = MappingProxyType({"model-graded-factuality": "factuality", "similar:cosine": "similar"})
BY_TYPE: Mapping[str, Binding] = MappingProxyType(
    {
        binding.native_name: binding
        for bindings in BINDINGS.values()
        for binding in bindings
        if binding.scorer not in SCORERS
    }
)
_RUBRICS: Mapping[str, Binding] = MappingProxyType(
    {
        criteria(SCORERS[binding.scorer]): binding
        for bindings in BINDINGS.values()
        for binding in bindings
        if binding.scorer in SCORERS
    }
)
_AGAINST_REFERENCE = frozenset({"context-recall", "factuality", "similar", "equals", "contains", "bleu"})
_WORD = re.compile(r"[^a-z0-9]+")


def type_of(assertion: Mapping[str, Any]) -> str:
    """Return the type of an assertion, aliases by the name that ours has; one that has none is no scorer of ours."""
    name = str(assertion.get("type", "without type"))
    return _ALIASES.get(name, name)


def binding_of(assertion: Mapping[str, Any], case: Mapping[str, Any], rendered: object) -> Binding | None:
    """Return our scorer of an assertion: of its type, and against the reference of the case where it has one."""
    name = type_of(assertion)
    value = rendered if isinstance(rendered, str) else assertion.get("value")
    if name == "llm-rubric":
        begun = (one for text, one in _RUBRICS.items() if isinstance(value, str) and value.startswith(text))
        return next(begun, None)
    if name in _AGAINST_REFERENCE and variable_in(value) is None and value != case.get("reference"):
        return None
    return BY_TYPE.get(name)


def named_judges(provider: object) -> dict[str, str]:
    """Return the models that grade, by what they are asked for."""
    if isinstance(provider, str):
        return {"text": provider, "embedding": provider}
    given = mapping(provider)
    if isinstance(given.get("id"), str):
        return {"text": given["id"], "embedding": given["id"]}
    named = {kind: part.get("id") if isinstance(part, Mapping) else part for kind, part in given.items()}
    return {kind: name for kind, name in named.items() if isinstance(name, str) and kind in {"text", "embedding"}}


def snake(name: str) -> str:
    """Return a name as scorers are called: small letters, digits and underscores."""
    return _WORD.sub("_", name.lower()).strip("_") or "unnamed"


def numbered(scores: Iterator[NativeScore]) -> Iterator[NativeScore]:
    """Yield scores so that no two of a row are by one scorer; those that are not ours give way."""
    ours = {binding.scorer for bindings in BINDINGS.values() for binding in bindings}
    listed = list(scores)
    taken = {one.scorer for one in listed if one.metric is not None}
    met: set[str] = set()
    for one in listed:
        free = one.scorer not in met and (one.metric is not None or one.scorer not in taken | ours)
        if free:
            met.add(one.scorer)
            yield one
            continue
        number = 2
        while (scorer := f"{one.scorer}_{number}") in met | taken:
            number += 1
        met.add(scorer)
        yield replace(one, scorer=scorer, metric=None)
