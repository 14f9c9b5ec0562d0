"""Reads the passages of an answer, in whatever form an application holds them, and looks up the texts of bare ids."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.cases import Chunk, CorpusChunk
from evalparity.unified_schema.positions import quoted

CHUNK_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("id", "chunk_id", "node_id", "id_", "document_id", "doc_id"),
        "text": ("text", "page_content", "content", "chunk", "passage"),
        "score": ("score", "similarity", "relevance_score"),
    }
)
"""Under which names retrieval libraries hold what we need of a chunk; the first that is there counts."""

_IDS_IN_METADATA = ("id", "chunk_id", "doc_id")
_LOOKS_LIKE_AN_ID = re.compile(r"[A-Za-z0-9._:/#@|+=~-]{1,200}", re.ASCII)
_SCORED = 2


class UnusableError(Exception):
    """Raised when an answer cannot become a case; the message follows the name of the case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the suite knows of chunks.

    Attributes:
        corpus: all chunks by id; None: the suite names no corpus.
        ids: ids that the suite names anywhere, as in its judgements of relevance.
    """

    corpus: Mapping[str, CorpusChunk] | None = None
    ids: frozenset[str] = frozenset()

    def are_ids(self, texts: Sequence[str]) -> bool:
        """Tell whether bare texts are ids: one of them is known as such, or all of them look like it."""
        known = any(text in self.ids or text in (self.corpus or {}) for text in texts)
        return known or (bool(texts) and all(_LOOKS_LIKE_AN_ID.fullmatch(text) for text in texts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks:
    """The chunks of an answer.

    Attributes:
        listed: as a suite holds them, in rank order.
        without_text: ids of those whose text nobody knows.
    """

    listed: list[dict[str, Any]] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)


def text_or_id(item: object) -> str | None:
    """Return an item of a list as text, where it is a bare one; None where it is a chunk with fields."""
    if isinstance(item, str):
        return item
    return str(item) if isinstance(item, int) and not isinstance(item, bool) else None


def read_chunks(contexts: object, ids: object, known: Known) -> Chunks:
    """Return the chunks of an answer.

    Args:
        contexts: texts, mappings, or pairs of one of these and a score; or None.
        ids: their ids, or ids alone; or None.
        known: where to look texts up.

    Raises:
        UnusableError: one of them is no list, or the two do not fit.
    """
    if isinstance(contexts, str):
        contexts = [contexts]
    if contexts is not None and not isinstance(contexts, list):
        raise UnusableError(f"returned contexts that are no list but {quoted(contexts)}: return a list.")
    chunks = [_chunk(item, rank) for rank, item in enumerate(contexts or []) if item is not None]
    if ids is not None:
        _name_chunks(chunks, _listed_ids(ids, "retrieved_ids"), bare=contexts is None)
    missing = [_complete(chunk, known) for chunk in chunks]
    return Chunks(listed=chunks, without_text=[chunk_id for chunk_id in missing if chunk_id is not None])


def _chunk(item: object, rank: int) -> dict[str, Any]:
    if isinstance(item, list) and len(item) == _SCORED and isinstance(item[1], int | float):
        return {**_chunk(item[0], rank), "score": item[1]}
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, Mapping):
        return _fields_of(item)
    raise UnusableError(f"returned {quoted(item)} as context {rank + 1}: return texts, or mappings with id and text.")


def _fields_of(item: Mapping[str, Any]) -> dict[str, Any]:
    node = item.get("node")
    if isinstance(node, Mapping):
        item = {**node, **{key: value for key, value in item.items() if key != "node"}}
    metadata = item.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, Mapping) else {}
    chunk: dict[str, Any] = {}
    used = {"metadata"}
    for field_name, names in CHUNK_NAMES.items():
        name = next((name for name in names if item.get(name) is not None), None)
        if name is not None:
            chunk[field_name] = item[name]
            used.add(name)
    if "id" not in chunk:  # LangChain keeps it beside the source
        named = next((metadata[name] for name in _IDS_IN_METADATA if metadata.get(name) is not None), None)
        if named is not None:
            chunk["id"] = named
    rest = {key: value for key, value in item.items() if key not in used and value is not None}
    own = {key: value for key, value in rest.items() if key in Chunk.model_fields}
    metadata |= {key: value for key, value in rest.items() if key not in own}
    return {**chunk, **own, **({"metadata": metadata} if metadata else {})}


def _name_chunks(chunks: list[dict[str, Any]], ids: list[str], *, bare: bool) -> None:
    if bare:
        chunks.extend({"id": chunk_id} for chunk_id in ids)
        return
    if len(ids) != len(chunks):
        raise UnusableError(
            f"returned {_count(len(ids), 'id')} for {_count(len(chunks), 'context')}: return one id for each, in order."
        )
    for chunk, chunk_id in zip(chunks, ids, strict=True):
        if str(chunk.setdefault("id", chunk_id)) != chunk_id:
            raise UnusableError(
                f"returned {quoted(chunk_id)} as id of the context {quoted(chunk['id'])}: return one id."
            )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _complete(chunk: dict[str, Any], known: Known) -> str | None:
    """Add what the corpus knows of a chunk; return its id where nobody knows its text."""
    if chunk.get("text") is not None:
        return None
    if chunk.get("id") is None:
        raise UnusableError("returned a context without id and text: return at least one of them.")
    chunk_id = str(chunk["id"])
    found = known.corpus.get(chunk_id) if known.corpus is not None else None
    if found is None:
        chunk["text"] = ""
        return chunk_id
    said = {name: value for name, value in chunk.items() if value is not None}
    chunk |= {**found.model_dump(exclude_defaults=True), **said, "id": chunk_id}
    return None


def _listed_ids(ids: object, place: str) -> list[str]:
    listed = [text_or_id(item) for item in ids] if isinstance(ids, list) else [None]
    names = [name for name in listed if name is not None]
    if len(names) < len(listed):
        raise UnusableError(f"returned {place} that are no list of ids but {quoted(ids)}: return a list of texts.")
    return names


def ids_of(items: object, chunks: Chunks, place: str) -> list[str]:
    """Return the ids of chunks that are named by id, by text, or whole.

    Raises:
        UnusableError: an item is none of these.
    """
    if not isinstance(items, list):
        raise UnusableError(f"returned {place} that is no list but {quoted(items)}: return a list of ids.")
    by_text = {chunk["text"]: _id_at(chunk, rank) for rank, chunk in reversed(list(enumerate(chunks.listed)))}
    return [_id_of(item, by_text, f"{place}[{rank}]") for rank, item in enumerate(items)]


def _id_of(item: object, by_text: Mapping[str, str], place: str) -> str:
    name = text_or_id(item)
    if name is not None:
        return by_text.get(name, name)
    chunk = _fields_of(item) if isinstance(item, Mapping) else {}
    if chunk.get("id") is not None:
        return str(chunk["id"])
    text = chunk.get("text")
    if isinstance(text, str) and text in by_text:
        return by_text[text]
    raise UnusableError(f"returned {place} that is no retrieved context: return its id.")


def _id_at(chunk: Mapping[str, Any], rank: int) -> str:
    return str(chunk["id"]) if chunk.get("id") is not None else f"c{rank + 1}"
