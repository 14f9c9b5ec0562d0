"""What a test of Promptfoo's means: which variable is the question, which the contexts, where the reference stands.

Promptfoo gives no variable a meaning but two: its graders read `query` and `context`. The others are told by their
names and by the assertions that use them, and every guess is reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalparity.unified_schema.positions import FieldPath, Findings, quoted

INPUT_NAMES = ("query", "question", "input", "user_input", "user_query", "user_question", "prompt", "message")
CONTEXT_NAMES = (
    "context",
    "contexts",
    "retrieved_contexts",
    "retrieval_context",
    "retrieved_context",
    "documents",
    "docs",
    "passages",
    "chunks",
)
REFERENCE_NAMES = (
    "reference",
    "expected",
    "expected_answer",
    "expected_output",
    "ground_truth",
    "reference_answer",
    "golden_answer",
    "ideal",
)
OUTPUT_NAMES = ("output", "answer", "response", "actual_output", "completion")
ID_NAMES = ("id", "case_id", "test_id")

REFERENCE_TYPES = (
    "factuality",
    "model-graded-factuality",
    "context-recall",
    "equals",
    "similar",
    "similar:cosine",
    "rouge-n",
    "bleu",
    "gleu",
    "meteor",
    "levenshtein",
)
"""Assertions whose value is an ideal answer, the surest first."""
_BY_VARIABLE_ALONE = ("contains", "icontains")
"""Assertions whose value is an ideal answer only where it is a variable: else it is a word to look for."""

_VARIABLE = re.compile(r"\s*\{\{-?\s*([A-Za-z_]\w*)\s*-?\}\}\s*")
_TEMPLATE = re.compile(r"\{\{|\{%")
_KEPT = ("type", "value", "threshold", "metric", "weight")
_CHUNK_TEXTS = ("text", "content", "page_content")
_NO_INPUT = "no variable is known as the question: call one of them query or question."


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """One test, as a configuration or a row of results has it.

    Attributes:
        variables: by name.
        assertions: those of sets among the others.
        metadata: of the test.
        description: as the file has it.
        output: the recorded answer, where there is one.
        prompt: the rendered prompt, where there is one.
        contexts: what a grader saw, where no variable tells.
        path: where the variables stand in the record.
    """

    variables: Mapping[str, Any]
    assertions: tuple[Mapping[str, Any], ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    description: str | None = None
    output: str | None = None
    prompt: str | None = None
    contexts: object = None
    path: FieldPath = ("vars",)


def flat_assertions(given: object) -> Iterator[Mapping[str, Any]]:
    """Yield the assertions in a list, those of sets in their place; anything that is none is left out."""
    for one in given if isinstance(given, list) else ():
        if not isinstance(one, Mapping):
            continue
        if str(one.get("type")) == "assert-set":
            yield from flat_assertions(one.get("assert"))
        elif one.get("type") is not None:
            yield one


def variable_in(value: object) -> str | None:
    """Return the name of the variable that a value consists of, as in `{{reference}}`."""
    found = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found else None


def explicit_id(variables: Mapping[str, Any], metadata: Mapping[str, Any]) -> Any:  # noqa: ANN401 - raw data
    """Return the id that a test names itself by, in its variables or metadata; None without one."""
    named = ((source, name) for source in (variables, metadata) for name in ID_NAMES)
    return next((source[name] for source, name in named if _is_given(source.get(name))), None)


def meaning_of(test: Test, findings: Findings) -> dict[str, Any]:
    """Return what a test means, under the names of a case; what was guessed goes into the findings."""
    desk = _Desk(test=test, findings=findings, left=dict(test.variables))
    case: dict[str, Any] = {}
    references = desk.references()
    if references:
        case["reference"] = references[0] if len(references) == 1 else references
    desk.take(case, "retrieved_contexts", CONTEXT_NAMES)
    desk.take(case, "input", INPUT_NAMES)
    desk.outputs(case)
    if "input" not in case:
        desk.guess_input(case)
    if "retrieved_contexts" not in case and test.contexts:
        case["retrieved_contexts"] = test.contexts
        findings.remark(("retrieved_contexts",), "are taken from what Promptfoo's grader saw")
    if "retrieved_contexts" in case:
        case["retrieved_contexts"] = contexts_of(case["retrieved_contexts"], findings)
    desk.rest(case, references)
    return case


def contexts_of(value: Any, findings: Findings) -> Any:  # noqa: ANN401 - raw data
    """Return contexts as a list of texts and chunks; a text that is a JSON list of texts is read as that."""
    if isinstance(value, str):
        listed = _json_list(value)
        if listed is not None:
            findings.remark(("retrieved_contexts",), "the text is a JSON list and is read as a list of contexts")
            return listed
        return value
    return [_chunk(item) for item in value] if isinstance(value, list) else value


def _json_list(text: str) -> list[str] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) and value and all(isinstance(item, str) for item in value) else None


def _chunk(item: Any) -> Any:  # noqa: ANN401 - raw data
    key = next((name for name in _CHUNK_TEXTS if name in item), None) if isinstance(item, Mapping) else None
    if key is None:
        return item
    known = {name: item[name] for name in ("id", "score") if item.get(name) is not None}
    others = {name: value for name, value in item.items() if name not in {key, "id", "score"}}
    inner = others.pop("metadata", None)
    metadata = {**others, **inner} if isinstance(inner, Mapping) else others
    return {"text": item[key], **known, **({"metadata": metadata} if metadata else {})}


def _is_given(value: object) -> bool:
    return value is not None and value != ""


@dataclass(slots=True, kw_only=True)
class _Desk:
    """Takes the variables of one test away, one by one, until what is left has no meaning of its own."""

    test: Test
    findings: Findings
    left: dict[str, Any]

    def take(self, case: dict[str, Any], field: str, names: Iterable[str]) -> None:
        """Give a field of the case the first variable that is called so."""
        name = next((name for name in names if _is_given(self.left.get(name))), None)
        if name is not None:
            case[field] = self._claim(field, name)

    def _claim(self, field: str, name: str, why: str = "") -> Any:  # noqa: ANN401 - raw data
        self.findings.moved.setdefault((field,), (*self.test.path, name))
        self.findings.remark((field,), f"the variable {quoted(name)} is read as {field}{why}")
        return self.left.pop(name)

    def references(self) -> list[Any]:
        """Return the ideal answers, the surest first: variables that assertions use, variables by name, values."""
        found: list[Any] = []
        for assertion in self._by_type((*REFERENCE_TYPES, *_BY_VARIABLE_ALONE)):
            name = variable_in(assertion.get("value"))
            if name is not None and _is_given(self.left.get(name)):
                why = f", because the assertion {assertion['type']} compares with it"
                found.append(self._claim("reference", name, why))
        name = next((name for name in REFERENCE_NAMES if _is_given(self.left.get(name))), None)
        if name is not None:
            found.append(self._claim("reference", name))
        for assertion in self._by_type(REFERENCE_TYPES):
            found += self._values(assertion)
        return list(dict.fromkeys(value if isinstance(value, str) else str(value) for value in found))

    def _by_type(self, types: Iterable[str]) -> Iterator[Mapping[str, Any]]:
        for kind in types:
            yield from (one for one in self.test.assertions if str(one.get("type")) == kind)

    def _values(self, assertion: Mapping[str, Any]) -> list[Any]:
        value = assertion.get("value")
        values = value if isinstance(value, list) else [value]
        given = [one for one in values if isinstance(one, str | int | float) and _is_given(one)]
        texts = [one for one in given if not (isinstance(one, str) and _TEMPLATE.search(one))]
        if texts:
            told = f"is the value of the assertion {quoted(assertion['type'])}"
            self.findings.remark(("reference",), told)
        return texts

    def outputs(self, case: dict[str, Any]) -> None:
        """Take the recorded answer; a variable that is called so stands back behind what was recorded."""
        if self.test.output is not None:
            case["output"] = self.test.output
            self.findings.moved.setdefault(("output",), self.test.path[:-1])
        else:
            self.take(case, "output", OUTPUT_NAMES)

    def guess_input(self, case: dict[str, Any]) -> None:
        """Take the only text that is left, else the rendered prompt."""
        texts = [name for name, value in self.left.items() if isinstance(value, str) and name not in ID_NAMES]
        prompt = self.test.prompt
        if len(texts) == 1 and (prompt is None or str(self.left[texts[0]]) in prompt):
            case["input"] = self._claim("input", texts[0], ", for there is no other")
        elif prompt is not None:
            case["input"] = prompt
            self.findings.remark(("input",), "is the whole prompt: no variable is known as the question")
        else:
            self.findings.fault(self.test.path, _NO_INPUT)
            case["input"] = ""

    def rest(self, case: dict[str, Any], references: list[Any]) -> None:
        """Keep what is left in the metadata."""
        for name in self.left.keys() & set(ID_NAMES):
            del self.left[name]
        if self.left:
            named = ", ".join(map(quoted, self.left))
            self.findings.remark(("metadata",), f"variables without a meaning of their own are kept here: {named}")
        asserted = [kept for one in self.test.assertions if (kept := _kept(one, references))]
        described = {"description": self.test.description} if self.test.description else {}
        metadata = {**self.left, **described, **({"assert": asserted} if asserted else {}), **self.test.metadata}
        if metadata:
            case["metadata"] = metadata
        if any(isinstance(value, str) and _TEMPLATE.search(value) for value in self.test.variables.values()):
            self.findings.remark(("metadata",), "a template in a variable stands as it is written: nothing renders it")


def _kept(assertion: Mapping[str, Any], references: list[Any]) -> dict[str, Any]:
    """Return an assertion that holds more than the reference, without its provider, which may hold a key."""
    value = assertion.get("value")
    if value is None or value in references or variable_in(value) is not None:
        return {}
    return {name: assertion[name] for name in _KEPT if assertion.get(name) is not None}
