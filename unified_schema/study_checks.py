"""What must hold between the settings of a study beyond the type of each."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.positions import FieldPath, quoted
from evalparity.unified_schema.study import Study

Fault = tuple[FieldPath, str]
"""Where something is wrong, and what."""

ALL = "all"
"""Stands for every metric, or every scorer, that there is."""

LEXICAL = "lexical"

SECRETS = frozenset({"key", "api_key", "apikey", "token", "secret", "password", "authorization", "bearer"})
"""Names under which people write a key itself; it does not belong in a file that is shared."""

NO_SECRETS = (
    "a key does not belong in a study: put it into a file of its own and name that under key_file, "
    "or set EVALPARITY_JUDGE_API_KEY (EVALPARITY_EMBEDDING_API_KEY for embeddings)."
)

_LISTS = ("frameworks", "metrics", "scorers")


_FEW = 15
"""So many names can be read in a message."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the message about a name that nothing has, with the nearest that there is."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    listed = (
        f"known are {', '.join(names)}." if len(names) <= _FEW else "`evalparity adapters --table` has all of them."
    )
    hint = f"did you mean {quoted(near[0])}?" if near else listed
    return f"unknown {kind} {quoted(name)}: {hint}"


def check_study(study: Study) -> Iterator[Fault]:
    """Yield what contradicts itself or names something unknown, as far as that can be told without any framework."""
    yield from _twice(study)
    for at, name in enumerate(study.metrics or ()):
        if name not in METRICS and name != ALL:
            yield ("metrics", at), unknown_name("metric", name, METRICS)
    for name in study.thresholds or {}:
        if ":" not in name and name not in METRICS:
            yield ("thresholds", name), unknown_name("metric", name, METRICS)
    if study.judge is not None and study.judges is not None:
        yield ("judges",), "judge and judges both name the judge: keep one of them."
    yield from _judges(study)
    if study.embeddings is not None:
        yield from _built_in(study.embeddings.model, study.embeddings.url, study.embeddings.key_file, ("embeddings",))


def _twice(study: Study) -> Iterator[Fault]:
    for field in _LISTS:
        names = getattr(study, field) or ()
        for at, name in enumerate(names):
            if name in names[:at]:
                yield (field, at), f"{quoted(name)} stands here twice: take one out."
        if ALL in names[1:] or (ALL in names and len(names) > 1):
            yield (field,), f"{ALL} stands for every one: name nothing beside it."


def _judges(study: Study) -> Iterator[Fault]:
    taken: set[str] = set()
    for at, judge in enumerate(study.named_judges()):
        path: FieldPath = ("judges", at) if study.judges is not None else ("judge",)
        yield from _built_in(judge.model, judge.url, judge.key_file, path)
        if judge.model is None and study.judges is not None:
            yield (*path, "model"), "is missing: name the model of each judge, or lexical."
            continue
        name = judge.name or judge.model or LEXICAL
        place = (*path, "name" if judge.name is not None else "model")
        if any(character.isspace() or not character.isprintable() for character in name):
            yield place, _NO_NAME[judge.name is None]
        if name in taken:
            yield place, f"another judge is called {quoted(name)} as well: give each a name of its own."
        taken.add(name)


_NO_NAME = MappingProxyType(
    {
        False: "a name holds neither white space nor control characters: write it in one word.",
        True: "holds white space or control characters and so cannot name the judge in reports: add a name beside it.",
    }
)


def _built_in(model: str | None, url: str | None, key_file: str | None, path: FieldPath) -> Iterator[Fault]:
    if model != LEXICAL:
        return
    for field, value in (("url", url), ("key_file", key_file)):
        if value is not None:
            yield (*path, field), f"{LEXICAL} is built in and has no {field}: take it out, or name another model."


def check_secrets(data: Mapping[str, object]) -> Iterator[Fault]:
    """Yield where a raw study seems to hold a key itself; the key is not repeated."""
    for path, group in _groups(data):
        for key in group:
            if key.lower().replace("-", "_") in SECRETS:
                yield (*path, key), NO_SECRETS


def _groups(data: Mapping[str, object]) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    yield (), data
    judges = data.get("judges")
    inner: list[tuple[FieldPath, object]] = [(("judge",), data.get("judge")), (("embeddings",), data.get("embeddings"))]
    inner += [(("judges", at), judge) for at, judge in enumerate(judges if isinstance(judges, list) else ())]
    yield from ((path, group) for path, group in inner if isinstance(group, Mapping))
