"""Tells cases that are valid as they stand, so that a large suite can be checked without building every case.

What is plain here is valid by the ordinary rules and gives no note; the other way round, most valid cases are not plain
and go the ordinary way. `tests/unit/unified_schema/test_plain_cases.py` holds the two against each other.
"""

from __future__ import annotations

import math

_KEYS = frozenset({"id", "input", "output", "reference", "category", "answerable", "retrieved_contexts"})
_CHUNK_KEYS = frozenset({"id", "text", "score"})


def plain_id(data: object) -> str | None:
    """Return the id of a case that is valid in the full form, with nothing to rename, convert, assume or doubt.

    Args:
        data: a case as JSON gave it, without half characters and repeated keys.

    Returns:
        The id; None: the case is not plain, and the ordinary rules must look at it.
    """
    if type(data) is not dict or not data.keys() <= _KEYS:
        return None
    case_id, chunks = data.get("id"), data.get("retrieved_contexts")
    if type(case_id) is not str or not case_id.isascii() or not case_id.strip() or type(data.get("input")) is not str:
        return None
    texts = (
        type(data.get("output", "")) is str
        and type(data.get("reference", "")) is str
        and type(data.get("category", "")) is str
        and type(data.get("answerable", True)) is bool
    )
    return case_id if texts and (chunks is None or _are_plain(chunks)) else None


def _are_plain(chunks: object) -> bool:
    if type(chunks) is not list:
        return False
    ids, texts = set(), set()
    for chunk in chunks:
        if type(chunk) is not dict or not chunk.keys() <= _CHUNK_KEYS:
            return False
        chunk_id, text = chunk.get("id"), chunk.get("text")
        if type(chunk_id) is not str or type(text) is not str or not chunk_id.strip() or not _is_score(chunk):
            return False
        ids.add(chunk_id)
        texts.add(text)
    return len(ids) == len(texts) == len(chunks)


def _is_score(chunk: dict[str, object]) -> bool:
    if "score" not in chunk:
        return True
    score = chunk["score"]
    return type(score) is float and math.isfinite(score)
