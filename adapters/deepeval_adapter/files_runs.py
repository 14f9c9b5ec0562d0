"""Reads DeepEval's test runs: their test cases as a suite, and their metrics as scores."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evalparity.adapters.deepeval_adapter.bindings import BINDINGS
from evalparity.adapters.deepeval_adapter.files_cases import read_document_case
from evalparity.adapters.deepeval_adapter.files_names import CAMEL, ERRORS, OF_RUN, SCORERS
from evalparity.adapters.exchange import NativeResults, NativeScore, ResultReader
from evalparity.unified_schema.errors import Problem, SuiteError
from evalparity.unified_schema.exchange import DocumentShape, Opened
from evalparity.unified_schema.positions import FieldPath, Findings, Locate
from evalparity.unified_schema.records import Record, Source

_LISTS = (("testCases",), ("test_cases",), ("conversationalTestCases",), ("conversational_test_cases",))
_UNDER: tuple[FieldPath, ...] = (*_LISTS, *(("testRunData", *path) for path in _LISTS), ("test_results",))
"""Where a test run, the latest one, and a dumped `EvaluationResult` keep their cases."""
_UNNAMED = re.compile(r"(conversational_)?test_case_\d+")
"""How DeepEval calls a case that has no name, by its place."""
_METRICS: Mapping[str, str] = MappingProxyType(
    {binding.scorer: metric for metric, own in BINDINGS.items() for binding in own}
)
_NO_SCORE = "DeepEval wrote neither a score nor an error for this metric."


def cases_in(data: object) -> list[tuple[FieldPath, Mapping[str, Any]]]:
    """Return the cases of a test run in the order in which they were given, each with its place; none for others."""
    found = [
        ((*path, rank), case)
        for path in _UNDER
        for rank, case in enumerate(_at(data, path))
        if isinstance(case, Mapping)
    ]
    return sorted(found, key=lambda entry: _order(entry[1]))


def _order(case: Mapping[str, Any]) -> float:
    order = case.get("order", case.get("index"))
    return order if isinstance(order, int) and not isinstance(order, bool) else math.inf


def _at(data: object, path: FieldPath) -> Sequence[object]:
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data if isinstance(data, list) else ()


def is_test_run(data: object) -> bool:
    """Say whether a document is a test run."""
    cases = cases_in(data)
    return bool(cases) and any(key in case for _, case in cases for key in ("metricsData", "metrics_data", "success"))


def read_as_suite(data: object, locate: Locate, opened: Opened) -> Source:
    """Return the test cases of a run, without what the run made of them."""
    found = cases_in(data)
    return Source(
        file=opened.file,
        name=opened.path.stem.removeprefix("."),
        header=None,
        locate=locate,
        records=[_record(number, path, case, locate) for number, (path, case) in enumerate(found, start=1)],
        remarks=("the cases of a DeepEval test run are read; its scores are not part of the suite",),
    )


def _record(number: int, path: FieldPath, case: Mapping[str, Any], locate: Locate) -> Record:
    findings = Findings()
    data = read_document_case(_tested(case), findings)
    return Record(number=number, data=data, locate=lambda inner: locate((*path, *inner)), findings=findings)


def _tested(case: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in case.items() if CAMEL.get(key, key) not in OF_RUN}


def recognises_run(opened: Opened) -> bool:
    """Say whether a file is a test run with scores."""
    try:
        return opened.path.suffix.lower() == ".json" and any(
            _metrics(case) for _, case in cases_in(json.loads(opened.path.read_bytes()))
        )
    except (OSError, ValueError, RecursionError):
        return False


def read_run(opened: Opened) -> tuple[NativeResults, ...]:
    """Return every metric of every case of a test run.

    Raises:
        SuiteError: the file is damaged.
    """
    try:
        data = json.loads(opened.path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        told = f"cannot be read as a DeepEval test run ({error}): save it again."
        raise SuiteError([Problem(file=opened.file, message=told)]) from error
    cases = cases_in(data)
    scores = tuple(score for path, case in cases for score in _scores(path, case))
    bare = sum(1 for _, case in cases if not _metrics(case))
    remarks = ["the file does not name the version of DeepEval"]
    if bare:
        remarks.append(f"{bare} of {len(cases)} cases have no metric, as DeepEval leaves out those that it skips")
    return (NativeResults(framework="deepeval", scores=scores, remarks=tuple(remarks)),)


def _metrics(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = case.get("metricsData", case.get("metrics_data"))
    return [metric for metric in given if isinstance(metric, Mapping)] if isinstance(given, list) else []


def _scores(path: FieldPath, case: Mapping[str, Any]) -> Iterator[NativeScore]:
    known = _known_of(case)
    place = f"case {int(path[-1]) + 1} of {path[-2]}"
    for metric in _metrics(case):
        yield _score(f"{place}, {metric.get('name')}", known, {_plain(key): value for key, value in metric.items()})


def _plain(key: str) -> str:
    """Return a key of a metric in the spelling of Python: `evaluationModel` as `evaluation_model`."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", key).lower()


def _score(place: str, known: Mapping[str, Any], metric: Mapping[str, Any]) -> NativeScore:
    scorer = _scorer(metric)
    error, raw = _text(metric.get("error")), _number(metric.get("score"))
    kind, told = None, _text(metric.get("reason"))
    if error is not None:
        # A metric object keeps the score of the case before it when it fails.
        raw, kind, told = None, _kind(error), error
    elif raw is None:
        kind, told = "framework_error", _NO_SCORE
    return NativeScore(
        place=place,
        case=known,
        metric=_METRICS.get(scorer),
        scorer=scorer,
        raw=raw,
        kind=kind,
        reason=told,
        threshold=_number(metric.get("threshold")),
        judge_model=_text(metric.get("evaluation_model")),
    )


def _scorer(metric: Mapping[str, Any]) -> str:
    """Return the scorer; in strict mode a metric gives 0 or 1 by its threshold, which is none of ours."""
    name = str(metric.get("name"))
    known = SCORERS.get(name, f"deepeval:{re.sub(r'[^a-z0-9]+', '_', name.lower()).strip('_')}")
    return f"{known}_in_strict_mode" if metric.get("strict_mode") is True else known


def _kind(error: str) -> str:
    return next((kind for part, kind in ERRORS if part in error), "framework_error")


def _known_of(case: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a run says of a case, under our names; a name that DeepEval made from the place is no id."""
    read = read_document_case(_tested(case), Findings())
    name = case.get("name")
    named = name if isinstance(name, str) and not _UNNAMED.fullmatch(name) else None
    known = {
        "id": read.get("id", named),
        "input": read.get("input"),
        "output": read.get("actual_output"),
        "reference": read.get("expected_output"),
        "retrieved_contexts": _texts(read.get("retrieval_context")),
    }
    return MappingProxyType({field: value for field, value in known.items() if value is not None})


def _texts(passages: object) -> tuple[str, ...] | None:
    if not isinstance(passages, list):
        return None
    texts = [passage.get("text") if isinstance(passage, Mapping) else passage for passage in passages]
    return tuple(text for text in texts if isinstance(text, str)) if all(isinstance(t, str) for t in texts) else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


TEST_RUN = DocumentShape(name="DeepEval test run", recognises=is_test_run, read=read_as_suite)
RESULTS = ResultReader(name="DeepEval test run", recognises=recognises_run, read=read_run)
