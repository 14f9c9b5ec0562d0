"""The Ragas adapter: its process, its errors, and the parts of this folder put together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from evalparity.adapters.base import Adapter, WorkerCommand
from evalparity.adapters.python_worker import python_worker, version_of
from evalparity.adapters.ragas_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.adapters.ragas_adapter.prompts import STEPS
from evalparity.adapters.ragas_adapter.reading import read
from evalparity.adapters.ragas_adapter.translate import translate

# A reply is parsed into a pydantic model whose name ends in Output; its message tells JSON from schema.
_BAD_OUTPUT = re.compile(r"\d+ validation errors? for \w+Output\n( +Invalid JSON: )?")

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "TimeoutError": "timeout",
        "APITimeoutError": "timeout",
        "APIConnectionError": "connect",
        "AuthenticationError": "auth",
        "PermissionDeniedError": "auth",
        "RateLimitError": "rate_limited",
        "InternalServerError": "http_5xx",
        "BadRequestError": "http_4xx",
        "NotFoundError": "http_4xx",
        "ConflictError": "http_4xx",
        "UnprocessableEntityError": "http_4xx",
        "IncompleteOutputException": "truncated",
        "ContentFilterFinishReasonError": "refusal",
        "LengthFinishReasonError": "truncated",
        "JSONDecodeError": "bad_reply",
        "ResponseParsingError": "bad_reply",
    }
)


def error_kind(type_name: str, message: str) -> str:
    """Return the error kind of an exception that Ragas, instructor or the OpenAI client raised.

    Args:
        type_name: name of the exception's class.
        message: its text.

    Returns:
        a name out of `evalparity.unified_schema.outcomes.ERROR_KINDS`; `framework_error` when unknown.
    """
    if output := _BAD_OUTPUT.search(message):
        return "bad_json" if output[1] else "bad_schema"
    return _KINDS.get(type_name, "framework_error")


def _command(_folder: Path) -> WorkerCommand:
    return python_worker("evalparity.adapters.ragas_adapter.judge", {"RAGAS_DO_NOT_TRACK": "true"})


ADAPTER = Adapter(
    name="ragas",
    requirement="ragas==0.4.3",
    install_hint='pip install "ragas==0.4.3" "langchain-community>=0.3.27,<0.4" "instructor>=1.13,<2" "rouge-score>=0.1.2,<0.2"',
    bindings=BINDINGS,
    unsupported=UNSUPPORTED,
    installed_version=version_of("ragas"),
    translate=translate,
    read=read,
    command=_command,
    error_kind=error_kind,
    steps=STEPS,
)
