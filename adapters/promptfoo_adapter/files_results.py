"""Reads the results of `promptfoo eval`: each answer that a model gave as a case, whatever was asserted of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evalparity.adapters.promptfoo_adapter.files_meaning import (
    CONTEXT_NAMES,
    REFERENCE_TYPES,
    Test,
    explicit_id,
    flat_assertions,
    meaning_of,
    variable_in,
)
from evalparity.adapters.promptfoo_adapter.findings import mapping
from evalparity.unified_schema.cases import SCHEMA_VERSION
from evalparity.unified_schema.exchange import DocumentShape, Opened, RowShape
from evalparity.unified_schema.positions import FieldPath, Findings, Locate, quoted
from evalparity.unified_schema.records import Record, Source

VERSION = "3"
"""The layout of results that is known."""
_ROW_KEYS = frozenset(("gradingResult", "testCase", "promptIdx", "testIdx"))
_OURS = "evalparity"
_FEWEST = 2


def rows_of(document: object) -> tuple[list[Mapping[str, Any]], FieldPath] | None:
    """Return the rows of results and where they stand, or None where a document is none."""
    for path in (("results", "results"), ("results",)):
        found = document
        for step in path:
            found = found.get(step) if isinstance(found, Mapping) else None
        if isinstance(found, list) and found and all(isinstance(row, Mapping) and is_row(row) for row in found):
            return found, path
    return None


def is_row(keys: Any) -> bool:  # noqa: ANN401 - the keys of a row, or the row
    """Return whether keys are those of a row of results."""
    return len(_ROW_KEYS & set(keys)) >= _FEWEST


def components_of(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what became of each assertion of a row; sets of assertions are left out, for theirs stand beside them."""
    given = mapping(row.get("gradingResult")).get("componentResults")
    results = given if isinstance(given, list) else []
    return [one for one in results if isinstance(one, Mapping) and isinstance(one.get("assertion"), Mapping)]


def output_of(row: Mapping[str, Any]) -> str | None:
    """Return what the model answered; what is no text is written as JSON."""
    output = mapping(row.get("response")).get("output")
    return output if isinstance(output, str) or output is None else json.dumps(output, ensure_ascii=False)


def recorded_by_us(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a folder of evalparity's own tells of the case; empty for results of others."""
    for source in (mapping(row.get("response")).get("metadata"), row.get("metadata")):
        if found := mapping(mapping(source).get(_OURS)):
            return found
    return {}


def variant_of(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return which model answered which prompt."""
    provider = row.get("provider")
    named = provider.get("label") or provider.get("id") if isinstance(provider, Mapping) else provider
    return str(named or ""), str(row.get("promptIdx", 0))


def case_of(row: Mapping[str, Any], findings: Findings) -> dict[str, Any]:
    """Return what a row says of its case, under our names; `id` only where the test names itself."""
    ours = recorded_by_us(row)
    if ours:
        contexts = next((ours[name] for name in ("retrieved_contexts", "prompt_contexts") if name in ours), None)
        told = {name: ours.get(name) for name in ("id", "input", "reference")}
        found = {**told, "output": output_of(row) or None, "retrieved_contexts": contexts or None}
        return {name: value for name, value in found.items() if value is not None}
    test = _test_of(row)
    case = meaning_of(test, findings)
    named = explicit_id(test.variables, test.metadata)
    return {"id": named, **case} if named is not None else case


def _test_of(row: Mapping[str, Any]) -> Test:
    test = mapping(row.get("testCase"))
    variables = {**mapping(test.get("vars")), **mapping(row.get("vars"))}
    components = components_of(row)
    judged = [_as_rendered(one, variables) for one in components] or list(flat_assertions(test.get("assert")))
    # A list of contexts stands as one context in each row where Promptfoo made a test of every item.
    seen = (mapping(one.get("metadata")).get("context") for one in components)
    contexts = None if set(CONTEXT_NAMES) & variables.keys() else next((one for one in seen if one), None)
    return Test(
        variables={name: value for name, value in variables.items() if not name.startswith("_")},
        assertions=tuple(judged),
        metadata=mapping(test.get("metadata")),
        description=_text(test.get("description")),
        output=output_of(row),
        prompt=_text(mapping(row.get("prompt")).get("raw")),
        contexts=contexts,
    )


def _as_rendered(component: Mapping[str, Any], variables: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an assertion with the reference that it was rendered to, where no variable is that."""
    assertion: Mapping[str, Any] = component["assertion"]
    rendered = mapping(component.get("metadata")).get("renderedAssertionValue")
    if variables.get(variable_in(assertion.get("value")) or "") == rendered:
        return assertion
    if isinstance(rendered, str) and rendered and assertion.get("type") in REFERENCE_TYPES:
        return {**assertion, "value": rendered}
    return assertion


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


@dataclass(slots=True, kw_only=True)
class _Gathered:
    """The case of all rows that are about one answer."""

    rank: int
    row: Mapping[str, Any]
    data: dict[str, Any]
    findings: Findings
    from_prompt: bool = False
    assertions: list[Any] = field(default_factory=list)


def read_results(document: object, locate: Locate, opened: Opened) -> Source:
    """Return the answers in results as cases: one for each test, model and prompt."""
    rows, path = rows_of(document) or ([], ())
    gathered: dict[str, _Gathered] = {}
    for rank, row in enumerate(rows):
        findings = Findings()
        case = case_of(row, findings)
        key = _key(row, case)
        if key in gathered:
            _merge(gathered[key], case, row)
        else:
            gathered[key] = _Gathered(rank=rank, row=row, data=case, findings=findings, from_prompt=_is_prompt(row))
    several = len({variant_of(row) for row in rows}) > 1
    ids = _ids(list(gathered.values()), several=several)
    name = opened.path.stem
    return Source(
        file=opened.file,
        name=name,
        header={"evalparity": SCHEMA_VERSION, "name": name},
        locate=locate,
        records=[
            Record(
                number=number,
                data={**one.data, "id": case_id, **_whose(one, several=several)},
                locate=_inside(locate, (*path, one.rank)),
                findings=one.findings,
            )
            for number, (one, case_id) in enumerate(zip(gathered.values(), ids, strict=True), start=1)
        ],
        remarks=tuple(_remarks(document, several=several)),
    )


def _remarks(document: object, *, several: bool) -> list[str]:
    version = mapping(mapping(document).get("results")).get("version", mapping(document).get("version"))
    notes = {
        "the scores in these results are not part of a suite: convert them with --suite and --to run": True,
        "there are several models or prompts: each answer is a case, called after both": several,
        f"results of version {version} are read as those of version {VERSION}": str(version) != VERSION,
    }
    return [note for note, holds in notes.items() if holds]


def _key(row: Mapping[str, Any], case: Mapping[str, Any]) -> str:
    """Return what rows about one answer share."""
    named = case.get("id")
    what = [named, case.get("input")] if named is not None else [row.get("vars"), _description(row)]
    answer = output_of(row)
    return json.dumps([what, answer, variant_of(row)], sort_keys=True, default=str)


def _description(row: Mapping[str, Any]) -> str | None:
    return _text(mapping(row.get("testCase")).get("description"))


def _is_prompt(row: Mapping[str, Any]) -> bool:
    return "prompt_contexts" in recorded_by_us(row)


def _merge(one: _Gathered, case: Mapping[str, Any], row: Mapping[str, Any]) -> None:
    """Add what another row about the same answer tells."""
    if one.from_prompt and not _is_prompt(row) and "retrieved_contexts" in case:
        one.data["retrieved_contexts"], one.from_prompt = case["retrieved_contexts"], False
    for name, value in case.items():
        one.data.setdefault(name, value)
    asserted = mapping(case.get("metadata")).get("assert")
    if asserted:
        own = one.data["metadata"].get("assert", [])
        one.data["metadata"] = {
            **one.data["metadata"],
            "assert": own + [new for new in asserted if new not in own],
        }


def _whose(one: _Gathered, *, several: bool) -> dict[str, Any]:
    if not several:
        return {}
    provider, prompt = variant_of(one.row)
    label = mapping(one.row.get("prompt")).get("label")
    told = {"provider": provider, "prompt": label if isinstance(label, str) else prompt}
    return {"metadata": {**mapping(one.data.get("metadata")), **told}}


def _ids(gathered: list[_Gathered], *, several: bool) -> list[str]:
    taken: set[str] = set()
    ids: list[str] = []
    prompts = len({variant_of(one.row)[1] for one in gathered}) > 1
    for one in gathered:
        named = one.data.get("id") or _description(one.row) or f"test-{_place(one)}"
        provider, prompt = variant_of(one.row)
        base = f"{named}@{provider}{f'#{prompt}' if prompts else ''}" if several else str(named)
        case_id, number = base, 1
        while case_id in taken:
            number += 1
            case_id = f"{base}-{number}"
        if number > 1:
            one.findings.remark(("id",), f"{quoted(base)} stands here more than once; the answers are numbered")
        taken.add(case_id)
        ids.append(case_id)
    return ids


def _place(one: _Gathered) -> int:
    index = one.row.get("testIdx")
    return (index if isinstance(index, int) else one.rank) + 1


def _inside(locate: Locate, prefix: FieldPath) -> Locate:
    return lambda path: locate(prefix + path)


def _is_results(data: object) -> bool:
    return rows_of(data) is not None


DOCUMENTS = (DocumentShape(name="promptfoo results", recognises=_is_results, read=read_results),)
"""Results as `promptfoo eval -o` and `promptfoo export` write them."""
ROWS = (RowShape(name="promptfoo results", recognises=is_row, read=case_of),)
"""Results as `promptfoo eval -o results.jsonl` writes them, a row a line."""
