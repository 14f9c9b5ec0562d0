"""report.json: written, read back, and its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from evalparity.comparisons.comparing.report import Report
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.outcomes import Outcome

_NO_CELLS = '\n  "cells": []'
_INDENT = "\n    "


def render_json(report: Report) -> str:
    """Return report.json: UTF-8 text, two spaces of indent, no NaN, one newline at the end."""
    return "".join(json_pieces(report))


def json_pieces(report: Report) -> Iterator[str]:
    """Yield what `render_json` returns, cell by cell, so that a large report need not stand in memory as text."""
    frame = report.model_copy(update={"cells": ()}).model_dump_json(indent=2)
    # No text of a suite can look like this: JSON writes a line break in a text as `\n`.
    before, after = frame.split(_NO_CELLS, 1)
    yield before + _NO_CELLS[:-1]
    for at, cell in enumerate(report.cells):
        yield ("," if at else "") + f"\n{cell.model_dump_json(indent=2)}".replace("\n", _INDENT)
    yield ("\n  ]" if report.cells else "]") + after + "\n"


def render_cells(cells: Iterable[Outcome]) -> str:
    """Return outcomes as a JSON array, each as in report.json."""
    return json.dumps([cell.model_dump(mode="json") for cell in cells], indent=2, ensure_ascii=False) + "\n"


def parse_report(text: str | bytes, source: str) -> Report:
    """Read report.json back.

    Args:
        text: its content, decoded or as it stands in the file.
        source: where it came from, for the message.

    Raises:
        UsageError: the text is no report of this version; the message says where it breaks.
    """
    try:
        return Report.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file as a whole"
        raise UsageError(
            f"{source} is not a report of this version, at {place}: {first['msg']}. "
            "It may be damaged or written by another version of evalparity; run the suite again."
        ) from None


def render_schema() -> str:
    """Return the JSON Schema of report.json, as it stands in `comparisons/report.schema.json`."""
    schema = Report.model_json_schema(mode="serialization")
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
