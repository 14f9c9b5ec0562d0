"""report.json: written, read back, and its JSON Schema."""

from __future__ import annotations

import json

from pydantic import ValidationError

from evalparity.comparisons.report import Report
from evalparity.unified_schema.errors import UsageError


def render_json(report: Report) -> str:
    """Return report.json: UTF-8 text, two spaces of indent, no NaN, one newline at the end."""
    return report.model_dump_json(indent=2) + "\n"


def parse_report(text: str, source: str) -> Report:
    """Read report.json back.

    Args:
        text: its content.
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
