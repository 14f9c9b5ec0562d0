"""What an application's answer says of a case: pure, from what it returned to the fields of the case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from evalparity.comparisons.recording.contexts import (
    CHUNK_NAMES,
    Chunks,
    Known,
    UnusableError,
    ids_of,
    read_chunks,
    text_or_id,
)
from evalparity.comparisons.recording.usage import USAGE_NAMES, read_usage
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES
from evalparity.unified_schema.positions import quoted
from evalparity.unified_schema.short_forms import CASE_KEYS

_OWN = ("output", "retrieved_contexts", "retrieved_ids", "stages", "prompt_contexts", "citations", "hops", "usage")

NAMES: Mapping[str, str] = MappingProxyType(
    {name: name for name in (*_OWN, "metadata")}
    | {foreign: ours for foreign, ours in FOREIGN_NAMES.items() if ours in {"output", "retrieved_contexts", "metadata"}}
    | {
        "context": "retrieved_contexts",  # an application retrieves; only a suite knows the ideal passages
        "documents": "retrieved_contexts",
        "source_documents": "retrieved_contexts",
        "source_nodes": "retrieved_contexts",
        "ids": "retrieved_ids",
        "chunk_ids": "retrieved_ids",
        "retrieved_chunk_ids": "retrieved_ids",
    }
)
"""What an application may return, by the names under which it is read."""

WEAK_NAMES: Mapping[str, str] = MappingProxyType({"result": "output", "text": "output", "content": "output"})
"""Names that are read so only where no other name says it."""

READ_NAMES = frozenset({*NAMES, *WEAK_NAMES, *USAGE_NAMES, *(name for names in CHUNK_NAMES.values() for name in names)})
"""Every name that means something in an answer."""

_OF_THE_SUITE = (CASE_KEYS | FOREIGN_NAMES.keys()) - NAMES.keys()
_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an answer says of a case.

    Attributes:
        fields: of the case, under their own names, in the forms that a suite may hold.
        extra: what else was returned, kept in the metadata of the case.
        without_text: ids that were returned without a text, and that the corpus does not know.
        left_out: names that were returned and that only the suite decides.
    """

    fields: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)
    without_text: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_answer(value: object, type_name: str, known: Known) -> Answer:
    """Return what an application's answer says.

    Args:
        value: text; a pair of contexts or ids, and text; or a mapping with names of `NAMES`.
        type_name: the type of what was returned, for messages.
        known: the corpus, and the ids that the suite names.

    Raises:
        UnusableError: it says no output, or something that cannot be read; tells what to return.
    """
    if isinstance(value, str):
        return Answer(fields={"output": value})
    if isinstance(value, list):
        return _pair(value, type_name, known)
    if isinstance(value, Mapping):
        return _mapping(value, type_name, known)
    raise UnusableError(f"returned a value of type {type_name}: {_WANTED}")


_WANTED = "return the answer as text, (contexts, answer), or a mapping with `output`."


def _pair(value: list[Any], type_name: str, known: Known) -> Answer:
    texts = [item for item in value if isinstance(item, str)]
    lists = [item for item in value if isinstance(item, list) or item is None]
    if len(value) != _PAIR or len(texts) != 1 or len(lists) != 1:
        raise UnusableError(f"returned a {type_name} of {len(value)} that is no pair of a list and a text: {_WANTED}")
    items = lists[0] or []
    plain = [text_or_id(item) for item in items]
    names = known.are_ids([text for text in plain if text is not None]) and None not in plain
    chunks = read_chunks(None if names else items, items if names else None, known)
    return Answer(
        fields={"output": texts[0], "retrieved_contexts": chunks.listed}, without_text=tuple(chunks.without_text)
    )


def _mapping(value: Mapping[str, Any], type_name: str, known: Known) -> Answer:
    said, names = _by_our_names(value)
    output = _output(said.pop("output", None), names.get("output"), type_name)
    contexts, ids = said.pop("retrieved_contexts", None), said.pop("retrieved_ids", None)
    fields: dict[str, Any] = {"output": output}
    chunks = Chunks()
    if contexts is not None or ids is not None:
        chunks = read_chunks(contexts, ids, known)
        fields["retrieved_contexts"] = chunks.listed
    _steps(said, chunks, fields)
    usage, rest = read_usage(said.pop("usage", None))
    if usage is not None:
        fields["usage"] = usage
    fields |= {name: said[name] for name in ("citations", "hops") if name in said}
    extra = {key: inner for key, inner in value.items() if key not in names.values() and key not in _OF_THE_SUITE}
    metadata = said.get("metadata")
    extra |= metadata if isinstance(metadata, Mapping) else {} if metadata is None else {"metadata": metadata}
    return Answer(
        fields=fields,
        extra={**extra, **({"usage": rest} if rest else {})},
        without_text=tuple(chunks.without_text),
        left_out=tuple(key for key in value if key in _OF_THE_SUITE and value[key] is not None),
    )


def _by_our_names(value: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what was returned under our names, and the names under which it was."""
    said: dict[str, Any] = {}
    names: dict[str, str] = {}
    for table in (NAMES, WEAK_NAMES):
        for key, ours in table.items():
            if value.get(key) is None or (ours in said and table is WEAK_NAMES):
                continue
            if ours in said and said[ours] != value[key]:
                raise UnusableError(f"returned both {names[ours]} and {key}, which claim {ours}: return one of them.")
            said[ours], names[ours] = value[key], key
    return said, names


def _output(output: object, name: str | None, type_name: str) -> str:
    if name is None:
        raise UnusableError(f"returned a {type_name} without `output` (or `answer`, `response`): {_WANTED}")
    if isinstance(output, Mapping):  # a message, as chat models return it
        output = output.get("content")
    if not isinstance(output, str):
        raise UnusableError(f"returned {name} that is no text but {quoted(output)}: return the answer as text.")
    return output


def _steps(said: Mapping[str, Any], chunks: Chunks, fields: dict[str, Any]) -> None:
    """Read what became of the chunks on the way to the prompt; chunks may stand there whole, by id or by text."""
    if "prompt_contexts" in said:
        fields["prompt_contexts"] = ids_of(said["prompt_contexts"], chunks, "prompt_contexts")
    stages = said.get("stages")
    if isinstance(stages, Mapping):
        stages = [{"name": name, "ids": ids} for name, ids in stages.items()]
    if stages is None:
        return
    if not isinstance(stages, list) or not all(isinstance(stage, Mapping) for stage in stages):
        raise UnusableError("returned stages that are no mapping from names to ids: return {'rerank': ['d2', 'd1']}.")
    fields["stages"] = [
        {**stage, "ids": ids_of(stage.get("ids"), chunks, f"stages[{number}].ids")}
        for number, stage in enumerate(stages)
    ]
