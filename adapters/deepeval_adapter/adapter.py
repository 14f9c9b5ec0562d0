"""The DeepEval adapter: how to start DeepEval, and what its errors mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from evalparity.adapters.base import Adapter, WorkerCommand
from evalparity.adapters.deepeval_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.adapters.deepeval_adapter.files import FILES
from evalparity.adapters.deepeval_adapter.prompts import STEPS
from evalparity.adapters.deepeval_adapter.reading import read
from evalparity.adapters.deepeval_adapter.translate import translate
from evalparity.adapters.python_worker import python_worker, version_of
from evalparity.unified_schema.outcomes import ERROR_KINDS

_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
        "DEEPEVAL_DISABLE_DOTENV": "1",
        "DEEPEVAL_DISABLE_LEGACY_KEYFILE": "1",
        "DEEPEVAL_NO_INSPECT_PROMPT": "1",
        # The gateway retries and the worker limits the time, for all frameworks alike.
        "DEEPEVAL_RETRY_MAX_ATTEMPTS": "1",
        "DEEPEVAL_DISABLE_TIMEOUTS": "1",
    }
)
"""DeepEval reads these while it is imported."""

_ERRORS: tuple[tuple[str, str, str], ...] = (
    ("ValueError", "outputted an invalid JSON", "bad_json"),
    ("Exception", "An unexpected error occurred", "bad_json"),  # its parser gave up, on deep nesting say
    ("ContextWindowExceededError", "", "http_4xx"),
    ("TimeoutError", "", "timeout"),
    # What DeepEval does with JSON of the wrong shape depends on where it first trips.
    ("ValidationError", "", "bad_schema"),
    ("KeyError", "truths", "bad_schema"),
    ("KeyError", "claims", "bad_schema"),
    ("KeyError", "statements", "bad_schema"),
    ("KeyError", "reason", "bad_schema"),
    ("KeyError", "score", "bad_schema"),
    ("ValueError", "could not convert string to float", "bad_schema"),
    ("TypeError", "float() argument must be", "bad_schema"),
    ("OverflowError", "too large to convert to float", "bad_schema"),
    ("AttributeError", "has no attribute 'get'", "bad_schema"),
    ("TypeError", "object is not iterable", "bad_schema"),
    ("TypeError", "can only join an iterable", "bad_schema"),
    ("TypeError", "sequence item", "bad_schema"),
    ("TypeError", "has no len()", "bad_schema"),
    ("TypeError", "unsupported operand type(s) for +", "bad_schema"),
    ("TypeError", "can only concatenate", "bad_schema"),
)
"""Exception name, a part of its message, and the error kind."""


def error_kind(type_name: str, message: str) -> str:
    """Return the error kind of an exception of DeepEval's process, by its class name and its message.

    Unknown ones are `framework_error`. The judge's own failures say their kind themselves.
    """
    if type_name == "JudgeCallError":
        kind = message.partition(":")[0]
        return kind if kind in ERROR_KINDS else "framework_error"
    known = (kind for name, part, kind in _ERRORS if name == type_name and part in message)
    return next(known, "framework_error")


def _command(folder: Path) -> WorkerCommand:
    private = {"DEEPEVAL_HOME": str(folder), "DEEPEVAL_CACHE_FOLDER": str(folder / "deepeval")}
    return python_worker("evalparity.adapters.deepeval_adapter.judge", {**_SETTINGS, **private})


ADAPTER = Adapter(
    name="deepeval",
    requirement="deepeval==4.3.1",
    install_hint='pip install "deepeval==4.3.1"',
    bindings=BINDINGS,
    unsupported=UNSUPPORTED,
    installed_version=version_of("deepeval"),
    translate=translate,
    read=read,
    command=_command,
    error_kind=error_kind,
    steps=STEPS,
    files=FILES,
)
