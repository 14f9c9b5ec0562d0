"""Reads the scores out of the results of `promptfoo eval`; a grader that failed is an error and never a 0."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from evalparity.adapters.exchange import NativeResults, NativeScore, ResultReader
from evalparity.adapters.promptfoo_adapter.bindings import FRAMEWORK
from evalparity.adapters.promptfoo_adapter.failures import error_kind, failure_kind
from evalparity.adapters.promptfoo_adapter.files_meaning import flat_assertions
from evalparity.adapters.promptfoo_adapter.files_results import case_of, components_of, rows_of, variant_of
from evalparity.adapters.promptfoo_adapter.files_scorers import (
    BY_TYPE,
    binding_of,
    named_judges,
    numbered,
    snake,
    type_of,
)
from evalparity.adapters.promptfoo_adapter.findings import mapping, short
from evalparity.adapters.promptfoo_adapter.reading import read
from evalparity.unified_schema.encodings import decode
from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.exchange import Opened
from evalparity.unified_schema.files import unreadable
from evalparity.unified_schema.json_source import read_json
from evalparity.unified_schema.outcomes import Details
from evalparity.unified_schema.positions import Findings

_HEAD = 4096
_ENDINGS = (".json", ".jsonl", ".ndjson")
_ERRORED = 2
"""Promptfoo's failureReason of a row in which something raised."""
_HUMAN = "human"
_LABEL = "promptfoo_rating"
_PRESENT = ("id", "input", "output", "reference", "retrieved_contexts")

_WITH_STEPS = frozenset({"context-recall", "context-relevance", "answer-relevance"})
"""Assertions whose result shows the steps; the others tell a number alone."""
_GRADED = frozenset(
    {
        "context-faithfulness",
        "context-recall",
        "context-relevance",
        "answer-relevance",
        "factuality",
        "llm-rubric",
        "g-eval",
        "model-graded-closedqa",
        "similar",
        "search-rubric",
        "moderation",
        "classifier",
        "pi",
    }
)
"""Assertions that ask a model: their reason may be the report of a failure."""
_MORE_FAILURES = re.compile(
    r"G-Eval |LLM(?:-proposed| does not propose)|Model grader produced a malformed|Unknown error fetching"
    r"|Invalid similarity score"
)
_TRACE = re.compile(r"\n\s+at .*", re.DOTALL)


def recognises(opened: Opened) -> bool:
    """Return whether a file holds results."""
    if opened.path.suffix.lower() not in _ENDINGS:
        return False
    try:
        with opened.path.open("rb") as content:
            head = content.read(_HEAD)
        if b'"results"' not in head and b'"gradingResult"' not in opened.path.read_bytes():
            return False
        return rows_of(_document(opened)) is not None
    except (OSError, SuiteError, RecursionError):
        return False


def read_scores(opened: Opened) -> tuple[NativeResults, ...]:
    """Return the scores in results: one for each assertion of each row.

    Raises:
        SuiteError: the file cannot be read, or is no JSON.
    """
    document = _document(opened)
    rows, _ = rows_of(document) or ([], ())
    several = len({variant_of(row) for row in rows}) > 1
    judges = _judges(document)
    scores: list[NativeScore] = []
    labels: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
    for number, row in enumerate(rows, start=1):
        case = _case(row, several=several)
        scores += numbered(_row_scores(row, case, f"row {number}", judges))
        labels += [(case, {_LABEL: [{"value": bool(one.get("pass"))}]}) for one in _human(row)]
    version = mapping(mapping(document).get("metadata")).get("promptfooVersion")
    result = NativeResults(
        framework=FRAMEWORK,
        version=version if isinstance(version, str) else None,
        scores=tuple(scores),
        labels=tuple(labels),
        remarks=_SEVERAL if several else (),
    )
    return (result,)


_SEVERAL = ("there are answers of several models or prompts: they are told apart by their texts, not by id.",)


def _document(opened: Opened) -> object:
    try:
        text, problems, _ = decode(opened.path.read_bytes(), opened.file)
    except OSError as error:
        raise SuiteError([unreadable(error, opened.file)]) from error
    if problems:
        raise SuiteError(problems)
    if opened.path.suffix.lower() == ".json":
        document, _, problems = read_json(text, opened.file)
    else:
        document, problems = _lines(text, opened.file)
    if problems:
        raise SuiteError(problems)
    return document


def _lines(text: str, file: str) -> tuple[object, list[Problem]]:
    rows: list[object] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            row, _, found = read_json(line.rstrip("\r"), file, number)
            rows.append(row)
            problems += found
    return {"results": rows}, problems


def _case(row: Mapping[str, Any], *, several: bool) -> dict[str, Any]:
    """Return what is known of the case, contexts as texts; no id where it would stand for several answers."""
    found = case_of(row, Findings())
    case = {name: found[name] for name in _PRESENT if found.get(name)}
    reference = case.get("reference")
    if isinstance(reference, list):
        case["reference"] = reference[0]
    contexts = case.get("retrieved_contexts")
    if contexts is not None:
        listed = contexts if isinstance(contexts, list) else [contexts]
        case["retrieved_contexts"] = [one.get("text") if isinstance(one, Mapping) else one for one in listed]
    if "id" not in case and (named := _exported_id(row)) is not None:
        case["id"] = named
    if several:
        case.pop("id", None)
    return case


def _exported_id(row: Mapping[str, Any]) -> str | None:
    """Return the id in a row of a folder that evalparity wrote, where an error left nothing else of the case."""
    from urllib.parse import unquote  # noqa: PLC0415 - for rows with an error alone

    variables = mapping(row.get("vars"))
    ours = {"case", "contexts", "needs"} == variables.keys()
    return unquote(str(variables["case"])) if ours else None


def _human(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [one for one in components_of(row) if one["assertion"].get("type") == _HUMAN]


def _row_scores(
    row: Mapping[str, Any], case: Mapping[str, Any], place: str, judges: Mapping[str, str]
) -> Iterator[NativeScore]:
    judges = {**judges, **named_judges(mapping(mapping(row.get("testCase")).get("options")).get("provider"))}
    components = components_of(row)
    raised = row.get("failureReason") == _ERRORED or (row.get("error") and not mapping(row.get("gradingResult")))
    if raised and not components:
        yield from _raised(row, case, place, judges)
        return
    for component in components:
        if component["assertion"].get("type") != _HUMAN:
            yield _score(component, case, place, judges)
    yield from _derived(row, components, case, place)


def _raised(
    row: Mapping[str, Any], case: Mapping[str, Any], place: str, judges: Mapping[str, str]
) -> Iterator[NativeScore]:
    """Yield an error for each assertion of a row in which something raised: Promptfoo drops the others' results."""
    said = _TRACE.sub("", str(row.get("error") or "no reason is given")).removeprefix("Error: ")
    kind = failure_kind(said, grader_error=False) or error_kind("Error", said)
    for assertion in flat_assertions(mapping(row.get("testCase")).get("assert")):
        empty = _blank(assertion, case, place, judges)
        yield replace(empty, kind=kind, reason=f"Promptfoo ended the row with an error: {short(said)}")


def _score(component: Mapping[str, Any], case: Mapping[str, Any], place: str, judges: Mapping[str, str]) -> NativeScore:
    assertion: Mapping[str, Any] = component["assertion"]
    rendered = mapping(component.get("metadata")).get("renderedAssertionValue")
    blank = _blank(assertion, case, place, judges, rendered=rendered)
    name = type_of(assertion)
    if name in _WITH_STEPS:
        reading = read(BY_TYPE[name], component, ())
        raw = reading.raw if reading.kind is None else None
        return replace(blank, raw=raw, kind=reading.kind, reason=reading.reason, details=reading.details)
    reason = str(component.get("reason") or "")
    failed = _failure(name, component, reason)
    if failed is not None:
        told = f"Promptfoo got no usable reply from the judge: {short(reason)}"
        return replace(blank, kind=failed, reason=told)
    score = component.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        return replace(blank, kind="out_of_range", reason=f"Promptfoo's score is {score!r}, which is not a number.")
    said = reason if name in _GRADED else short(reason)
    details = Details(notes=_unproved(name))
    return replace(blank, raw=float(score), reason=said or None, details=details)


def _unproved(name: str) -> tuple[str, ...]:
    """Return what cannot be told of a score whose judge's reply is not in the file."""
    return (_MADE_UP,) if name in {"factuality", "llm-rubric"} else ()


_MADE_UP = (
    "The judge's reply is not in Promptfoo's results, so it cannot be told whether the score is one that the judge "
    "gave: Promptfoo makes one up where a reply states none."
)


def _failure(name: str, component: Mapping[str, Any], reason: str) -> str | None:
    if name.removeprefix("not-") not in _GRADED:
        return None
    failed = failure_kind(reason, grader_error=mapping(component.get("metadata")).get("graderError") is True)
    return failed or ("bad_json" if _MORE_FAILURES.match(reason) else None)


def _blank(
    assertion: Mapping[str, Any],
    case: Mapping[str, Any],
    place: str,
    judges: Mapping[str, str],
    rendered: object = None,
) -> NativeScore:
    """Return the score of an assertion without a number: whose it is, and by what scorer."""
    binding = binding_of(assertion, case, rendered)
    name = type_of(assertion)
    threshold = assertion.get("threshold")
    own = {**judges, **named_judges(assertion.get("provider"))}
    is_number = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    return NativeScore(
        place=f"{place}, {assertion.get('type', name)}",
        case=case,
        metric=binding.metric if binding else None,
        scorer=binding.scorer if binding else f"{FRAMEWORK}:{snake(str(assertion.get('metric') or name))}",
        threshold=float(threshold) if is_number and threshold is not None else None,
        judge_model=own.get("embedding" if name == "similar" else "text") if name in _GRADED else None,
    )


def _derived(
    row: Mapping[str, Any], components: list[Mapping[str, Any]], case: Mapping[str, Any], place: str
) -> Iterator[NativeScore]:
    """Yield the named scores that no single assertion stands for."""
    asserted = {str(one["assertion"].get("metric")) for one in components}
    for name, score in mapping(row.get("namedScores")).items():
        if name in asserted or isinstance(score, bool) or not isinstance(score, int | float):
            continue
        scorer = f"{FRAMEWORK}:{snake(str(name))}"
        yield NativeScore(place=f"{place}, named score", case=case, metric=None, scorer=scorer, raw=float(score))


def _judges(document: object) -> dict[str, str]:
    default = mapping(mapping(document).get("config")).get("defaultTest")
    return named_judges(mapping(mapping(default).get("options")).get("provider"))


RESULTS = (ResultReader(name="Promptfoo results", recognises=recognises, read=read_scores),)
"""Results as `promptfoo eval -o` and `promptfoo export` write them."""
