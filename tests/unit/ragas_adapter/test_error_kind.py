"""Exceptions of Ragas and its libraries become kinds that a report explains."""

from __future__ import annotations

import pytest

from evalparity.adapters.ragas_adapter.adapter import error_kind
from evalparity.unified_schema.outcomes import ERROR_KINDS

BAD_JSON = (
    "1 validation error for NLIStatementOutput\n  Invalid JSON: expected value at line 1 column 1 "
    "[type=json_invalid, input_value='Certainly!', input_type=str]"
)
BAD_SCHEMA = (
    "2 validation errors for NLIStatementOutput\nstatements.0.verdict\n  Field required [type=missing, "
    "input_value={'statement': 'Invalid JSON: '}, input_type=dict]"
)


@pytest.mark.parametrize(
    ("type_name", "message", "kind"),
    [
        ("ValidationError", BAD_JSON, "bad_json"),
        ("ValidationError", BAD_SCHEMA, "bad_schema"),
        ("InstructorRetryException", f"<exception>\n    {BAD_JSON}\n</exception>", "bad_json"),
        ("InstructorRetryException", BAD_SCHEMA, "bad_schema"),
        ("ValidationError", "1 validation error for NLIStatementInput\ncontext\n  Field required", None),
        ("ValueError", "zero-size array", None),
        ("IncompleteOutputException", "The output is incomplete due to a max_tokens limit.", "truncated"),
        ("APIConnectionError", "Connection error.", "connect"),
        ("TimeoutError", "no score within 2 s", "timeout"),
    ],
)
def test_kinds(type_name: str, message: str, kind: str | None) -> None:
    assert error_kind(type_name, message) == (kind or "framework_error")
    assert error_kind(type_name, message) in ERROR_KINDS
