"""Writes a suite as DeepEval's `EvaluationDataset` reads it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evalparity.adapters.deepeval_adapter.files_lists import DELIMITER, looks_like_a_list
from evalparity.adapters.deepeval_adapter.files_names import MARKER, PICTURE, USAGE
from evalparity.adapters.deepeval_adapter.files_own import metadata_of
from evalparity.adapters.losses import losses_of_suite
from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, Writer
from evalparity.unified_schema.writing import replace_file

_TEXTS = ("input", "actual_output", "expected_output")
_LISTS = ("context", "retrieval_context")

_TAKEN_FOR_MISSING = frozenset(
    {
        "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
        "NULL", "NaN", "None", "n/a", "nan", "null", "",
    }
)  # fmt: skip
"""Cells that pandas, by which DeepEval reads CSV, takes for missing."""

_PICTURE = "DeepEval takes [DEEPEVAL:...] in a text for a picture, and refuses the case for judges of text"
_SOURCE = "DeepEval takes a passage that begins with deepeval_source= for one with a source, and changes its text"


def write_deepeval(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    """Write a suite as test cases in JSON, or in CSV or JSON lines where these can hold it.

    What DeepEval has no field for stands in `additional_metadata` under `evalparity`, and is read back from there.

    Raises:
        UsageError: the file cannot be written, or its kind would change a text.
    """
    rows = [_row(case) for case in suite.cases]
    ending = path.suffix.lower()
    if ending != ".json":
        _refuse(_joined_faults(rows), path)
    if ending == ".csv":
        _refuse(_table_faults(rows), path)
    try:
        replace_file(path, _FORMS[ending](rows).encode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}).") from error
    losses = (loss for case, row in zip(suite.cases, rows, strict=True) for loss in _changed(case, row))
    return (*losses_of_suite(suite, path.stem), *losses)


def _row(case: EvalCase) -> dict[str, Any]:
    usage = {} if case.usage is None else case.usage.model_dump()
    return {
        "input": case.input,
        "actual_output": case.output,
        "expected_output": case.reference,
        "retrieval_context": [chunk.text for chunk in case.retrieved_contexts] or None,
        "context": list(case.reference_contexts) or None,
        "name": case.id,
        **{name: usage.get(ours) for name, ours in USAGE.items() if name != "completion_time"},
        "additional_metadata": metadata_of(case),
    }


def _changed(case: EvalCase, row: Mapping[str, Any]) -> Iterator[Loss]:
    """Yield what DeepEval reads otherwise than it stands there."""
    named = {"input": "input", "actual_output": "output", "expected_output": "reference"}
    lists = {"context": "reference_contexts", "retrieval_context": "retrieved_contexts"}
    for name, field in {**named, **lists}.items():
        texts = row[name] if isinstance(row[name], list) else [row[name] or ""]
        if any(PICTURE.search(text) for text in texts):
            yield Loss(case=case.id, field=field, message=_PICTURE)
    if any(MARKER.match(text) for text in row["retrieval_context"] or ()):
        yield Loss(case=case.id, field="retrieved_contexts", message=_SOURCE)


def _refuse(faults: Iterator[tuple[str, str]], path: Path) -> None:
    found = list(faults)
    if found:
        name, told = found[0]
        more = f" ({len(found)} such places)" if len(found) > 1 else ""
        raise UsageError(f"{path}: case {name}: {told}{more}: name a .json file, which holds it.")


def _joined_faults(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the passages that a joined list would change."""
    for row in rows:
        for name in _LISTS:
            for text in row[name] or ():
                if DELIMITER in text:
                    yield row["name"], f"a passage in {name} holds a |, at which DeepEval splits it"
                elif text != text.strip() or not text:
                    yield row["name"], f"a passage in {name} is empty or has white space at an end"
            if row[name] and looks_like_a_list(_cell(row[name])):
                yield row["name"], f"the passages in {name} look like a list of others"


def _table_faults(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the texts that pandas would take for something else."""
    for name in (*_TEXTS, *_LISTS, "name"):
        given = [(row, _cell(row[name])) for row in rows if row[name] is not None]
        for row, text in given:
            if text in _TAKEN_FOR_MISSING or "\0" in text or "\r" in text:
                yield row["name"], f"the text in {name} would come back from CSV as another or as missing"
        if given and all(_looks_like_a_number(text) for _, text in given):
            yield given[0][0]["name"], f"all texts in {name} look like numbers, and CSV does not tell them apart"


def _cell(value: object) -> str:
    return DELIMITER.join(value) if isinstance(value, list) else str(value)


def _looks_like_a_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return text.strip().lower() in {"true", "false"}
    return True


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps(rows, ensure_ascii=False, indent=4, allow_nan=False) + "\n"


def _joined(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, **{name: _cell(row[name]) for name in _LISTS if row[name] is not None}}


def _json_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(_joined(row), ensure_ascii=False, allow_nan=False)}\n" for row in rows)


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    content = io.StringIO(newline="")
    writer = csv.DictWriter(content, fieldnames=list(rows[0]))
    writer.writeheader()
    for row in rows:
        # As Python shows it: DeepEval reads this column as JSON for goldens and as a Python literal for test cases,
        # and for goldens it takes a literal as well.
        writer.writerow({**_joined(row), "additional_metadata": repr(row["additional_metadata"])})
    return content.getvalue()


_FORMS: Mapping[str, Callable[[Sequence[Mapping[str, Any]]], str]] = MappingProxyType(
    {".json": _json, ".jsonl": _json_lines, ".csv": _csv}
)

DEEPEVAL = Writer(
    name="deepeval",
    endings=(".json", ".jsonl", ".csv"),
    write=write_deepeval,
    about="test cases for DeepEval's EvaluationDataset; .json, because its other kinds cannot carry a |",
)
