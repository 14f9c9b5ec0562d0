"""Finds the case of a suite to which a row of a result file belongs: by its id or its texts, never by its place."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from evalparity.unified_schema.cases import EvalCase, EvalSuite, is_blank
from evalparity.unified_schema.positions import quoted

Why = Literal["no_case", "several_cases", "other_texts"]

ALL_FIELDS = ("input", "output", "reference", "retrieved_contexts")

_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """Why a row belongs to no case.

    Attributes:
        why: `no_case`: none has its id or texts; `several_cases`: more than one has its texts; `other_texts`: one has
            its id or texts, and yet the score was taken on other texts than the suite has.
        told: the same for a reader, with the case where there is one.
    """

    why: Why
    told: str


@dataclass(frozen=True, slots=True)
class Joiner:
    """The cases of a suite, ready to be found."""

    by_id: Mapping[str, EvalCase]
    by_text: Mapping[str, Sequence[EvalCase]] = field(repr=False)

    def find(self, row: Mapping[str, Any], fields: Collection[str] = ALL_FIELDS) -> EvalCase | Miss:
        """Return the case that a row belongs to.

        A case with the row's id is the one unless their texts contradict each other. Else it is the only case with
        the row's input and output (or the one of both that the row has); of several the only one with its contexts and
        reference. White space and Unicode normal form make no difference.

        Args:
            row: what a file says of a case, under our names.
            fields: what the score was taken on, beside the input: another text there makes it another score.
        """
        own = self.by_id.get(str(row["id"])) if row.get("id") is not None else None
        if own is not None:
            return _unless_other(own, row, fields)
        texts = {name: row[name] for name in ("input", "output") if isinstance(row.get(name), str)}
        found = self._with(texts) if texts else ()
        if len(found) > 1:
            found = [case for case in found if _contradiction(row, case, ALL_FIELDS) is None] or found
        if len(found) == 1:
            return _unless_other(found[0], row, fields)
        if not found:
            return _no_case(row, bool(texts))
        names = ", ".join(quoted(case.id) for case in found[:_SHOWN])
        told = f"has the texts of {len(found)} cases ({names} ...): give it an id"
        return Miss(why="several_cases", told=told)

    def _with(self, texts: Mapping[str, str]) -> Sequence[EvalCase]:
        return self.by_text.get(_key(texts.get("input"), texts.get("output")), ())


def joiner(suite: EvalSuite) -> Joiner:
    """Return the cases of a suite, ready to be found."""
    by_text: dict[str, list[EvalCase]] = {}
    for case in suite.cases:
        keys = {_key(case.input, case.output), _key(case.input, None), _key(None, case.output)}
        for key in keys:
            by_text.setdefault(key, []).append(case)
    return Joiner(by_id={case.id: case for case in suite.cases}, by_text=by_text)


def _key(asked: str | None, output: str | None) -> str:
    """Return a hash of texts; a missing one and an empty one are two things."""
    digest = hashlib.sha256()
    for text in (asked, output):
        digest.update(b"\0" if text is None else b"\1" + hashlib.sha256(_folded(text).encode()).digest())
    return digest.hexdigest()


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _unless_other(case: EvalCase, row: Mapping[str, Any], fields: Collection[str]) -> EvalCase | Miss:
    name = _contradiction(row, case, fields)
    return case if name is None else _other_texts(case, name)


def _contradiction(row: Mapping[str, Any], case: EvalCase, fields: Collection[str]) -> str | None:
    """Return the field in which a row has another text than a case; what the row does not have contradicts nothing."""
    for name in ("input", *(name for name in ("output", "reference") if name in fields)):
        given = row.get(name)
        if isinstance(given, str) and _folded(given) != _folded(getattr(case, name) or ""):
            return name
    contexts = row.get("retrieved_contexts")
    if not isinstance(contexts, list | tuple) or not contexts or not any(name.endswith("_contexts") for name in fields):
        return None
    return None if _texts(contexts) in _contexts_of(case) else "retrieved_contexts"


def _contexts_of(case: EvalCase) -> tuple[list[str], ...]:
    """Return what a framework may have been given: what the model saw, or all that was retrieved."""
    return tuple(_texts(case.context_texts(name)) for name in ("retrieved_contexts", "prompt_contexts"))


def _texts(contexts: Iterable[object]) -> list[str]:
    return [_folded(text) for text in contexts if isinstance(text, str) and not is_blank(text)]


def _other_texts(case: EvalCase, name: str) -> Miss:
    told = f"is of case {quoted(case.id)}, but was taken with another {name.replace('_', ' ')} than the suite has"
    return Miss(why="other_texts", told=told)


def _no_case(row: Mapping[str, Any], texts: bool) -> Miss:  # noqa: FBT001 - private
    name = f" (id {quoted(row['id'])})" if row.get("id") is not None else ""
    with_what = "this id or these texts" if texts else "this id, and it has no texts to go by"
    return Miss(why="no_case", told=f"belongs to no case{name}: none has {with_what}")
