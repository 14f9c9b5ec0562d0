"""A row of a table as a test: the columns that Promptfoo gives a meaning to, and the short form of assertions.

Source: testCaseFromCsvRow and assertionFromString of 0.123.1 (src/csv.ts).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from evalparity.adapters.promptfoo_adapter.files_meaning import Test, explicit_id, meaning_of
from evalparity.unified_schema.exchange import RowShape
from evalparity.unified_schema.positions import Findings

_ASSERTION = re.compile(
    r"(?P<type>(?:not-)?(?:answer-relevance|bleu|classifier|contains(?:-[a-z]+)*|context-[a-z]+|cost|equals|factuality"
    r"|g-eval|gleu|icontains(?:-[a-z]+)*|is-[a-z-]+|latency|levenshtein|llm-rubric|meteor|model-graded-[a-z]+"
    r"|moderation|perplexity(?:-score)?|pi|regex|rouge-[nsl]|similar(?::[a-z]+)?|starts-with|webhook|word-count))"
    r"(?:\((?P<threshold>\d+(?:\.\d+)?)\))?(?::(?P<value>[\s\S]*))?"
)
_CODE = ("javascript:", "fn:", "eval:", "python:", "file://")
_ALIASES: Mapping[str, str] = MappingProxyType({"grade:": "llm-rubric:"})
_COMMA = re.compile(r"(?<!\\),")

TEST_KEYS = frozenset(
    ("vars", "assert", "options", "metadata", "provider", "providerOutput", "threshold", "description")
)
"""What a test holds; a mapping without any of these is a row of variables."""


def is_row(keys: Iterable[str]) -> bool:
    """Return whether columns are those of a table of tests: at least one with two underscores of Promptfoo's."""
    return any(str(key).startswith(("__expected", "__metadata:", "__description", "__providerOutput")) for key in keys)


def test_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table as a test."""
    test: dict[str, Any] = {"vars": {}, "assert": [], "metadata": {}}
    for name, cell in row.items():
        key = str(name).strip()
        if not key.startswith("__"):
            test["vars"][key] = cell
        elif key.startswith("__expected"):
            test["assert"] += [assertion_of_text(cell.strip())] if isinstance(cell, str) and cell.strip() else []
        elif key.startswith("__metadata:"):
            _put_metadata(test["metadata"], key.removeprefix("__metadata:"), cell)
        elif key in {"__description", "__providerOutput"} and cell:
            test[key.removeprefix("__")] = cell
    return test


def _put_metadata(metadata: dict[str, Any], key: str, cell: object) -> None:
    if not isinstance(cell, str) or not cell.strip():
        return
    if key.endswith("[]"):
        metadata[key.removesuffix("[]")] = [part.strip().replace("\\,", ",") for part in _COMMA.split(cell)]
    else:
        metadata[key] = cell


def assertion_of_text(text: str) -> dict[str, Any]:
    """Return the assertion that a cell stands for: `type(threshold): value`, or a text that the output must equal."""
    if text.startswith(_CODE):
        kind = "python" if text.startswith("python:") else "javascript"
        return {"type": kind, "value": text}
    for alias, name in _ALIASES.items():
        text = name + text.removeprefix(alias) if text.startswith(alias) else text
    found = _ASSERTION.fullmatch(text)
    if found is None:
        return {"type": "equals", "value": text}
    value = {"value": found["value"].strip()} if found["value"] is not None else {}
    threshold = {"threshold": float(found["threshold"])} if found["threshold"] else {}
    return {"type": found["type"], **value, **threshold}


def _read_row(row: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    test = test_of_row(row)
    told = Test(
        variables=test["vars"],
        assertions=tuple(test["assert"]),
        metadata=test["metadata"],
        description=test.get("description"),
        output=test.get("providerOutput"),
        path=(),
    )
    case = meaning_of(told, findings)
    named = explicit_id(told.variables, told.metadata)
    return {"id": named, **case} if named is not None else case


ROWS = RowShape(name="promptfoo table of tests", recognises=is_row, read=_read_row)
"""A table of tests, by itself."""
