"""Tests as Promptfoo puts them together: what they take over, and the several that one with several values stands for.

Source: prepareTestCaseForEval and generateVarCombinations of 0.123.1 (src/evaluator.ts).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from evalparity.adapters.promptfoo_adapter.files_meaning import CONTEXT_NAMES, explicit_id
from evalparity.adapters.promptfoo_adapter.files_references import References
from evalparity.adapters.promptfoo_adapter.findings import mapping
from evalparity.unified_schema.positions import FieldPath, Locate

_MOST_TESTS = 1_000_000
_ONE_LIST = "Promptfoo would make one test of each context; they are read as one list (disableVarExpansion: true)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A test, and where it stands.

    Attributes:
        test: as the file has it.
        locate: from a path inside the test to its line in the configuration.
        base: the folder that it stands in.
        file: the name of the file, where it is another one than the configuration.
        notes: what is to be told of it.
        part: which of the tests that one test with several values stands for, as `.2`.
    """

    test: Mapping[str, Any]
    locate: Locate
    base: Path
    file: str | None = None
    notes: tuple[tuple[FieldPath, str], ...] = ()
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expander:
    """Makes the tests that a test stands for, with the texts of the files that its variables name."""

    references: References

    def tests_in(self, placed: Placed) -> Iterator[Placed]:
        """Yield one test for each combination of values, as Promptfoo does; contexts stay one list."""
        alone = str(mapping(placed.test.get("options")).get("disableVarExpansion")).lower() == "true"
        notes: list[tuple[FieldPath, str]] = []
        choices: dict[str, list[Any]] = {}
        for name, value in mapping(placed.test.get("vars")).items():
            values = self._values(name, value, placed)
            if name in CONTEXT_NAMES and isinstance(value, list):
                notes += [] if alone else [(("retrieved_contexts",), _ONE_LIST)]
                choices[name] = [values]
            elif alone and isinstance(value, list):
                choices[name] = [values]
            else:
                choices[name] = values
        count = prod(map(len, choices.values()))
        if count > _MOST_TESTS:
            told = f"its variables stand for {count:,} tests: name fewer values."
            self.references.note(told, placed.locate(("vars",)))
            return
        for number, combination in enumerate(product(*choices.values()), start=1):
            test = {**placed.test, "vars": dict(zip(choices, combination, strict=True))}
            yield replace(placed, test=test, notes=tuple(notes), part=f".{number}" if count > 1 else "")

    def _values(self, name: str, value: object, placed: Placed) -> list[Any]:
        several = isinstance(value, list) and bool(value) and isinstance(value[0], str)
        given: list[Any] = list(value) if several and isinstance(value, list) else [value]
        if isinstance(value, list) and not several and name in CONTEXT_NAMES:
            given = value
        return [one for item in given for one in self.value(name, item, placed)]

    def value(self, name: str, value: object, placed: Placed) -> list[Any]:
        """Return a value, or the texts of the files that it names."""
        if not isinstance(value, str) or not value.startswith(("file://", "package:")):
            return [value]
        base = self.references.folder
        paths = self.references.paths(value, base, placed.locate(("vars", name)))
        return [text.strip() for path in paths if (text := self.references.text(path)) is not None]


def ids_of(placed: list[Placed]) -> list[Any]:
    """Return an id for each test: its own, else its description where no other test has it, else its place."""
    described = [text_of(one.test.get("description")) for one in placed]
    counts: dict[str, int] = {}
    for text in described:
        counts[text or ""] = counts.get(text or "", 0) + 1
    ids: list[Any] = []
    rank = 0
    for one, text in zip(placed, described, strict=True):
        rank += 0 if one.part and one.part != ".1" else 1
        named = explicit_id(mapping(one.test.get("vars")), mapping(one.test.get("metadata")))
        if named is not None:
            ids.append(f"{named}{one.part}" if one.part else named)
        else:
            ids.append(text if text and counts[text] == 1 else f"test-{rank}{one.part}")
    return ids


def merged(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """Return a test with what it takes over from around it, as Promptfoo merges them."""
    both = {**outer, **inner}
    for key in ("vars", "metadata", "options"):
        if isinstance(outer.get(key), Mapping) and (inner.get(key) is None or isinstance(inner[key], Mapping)):
            both[key] = {**outer[key], **(inner.get(key) or {})}
    asserted = [one for part in (outer, inner) for one in _listed(part.get("assert"))]
    return {**both, **({"assert": asserted} if asserted else {})}


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def text_of(value: object) -> str | None:
    """Return a text that is not empty, and None for anything else."""
    return value if isinstance(value, str) and value else None


def inside(locate: Locate, prefix: FieldPath) -> Locate:
    """Return what finds the lines inside of a value."""
    return lambda path: locate(prefix + path)


def nowhere(_path: FieldPath) -> None:
    """Find no line."""
