"""The DeepEval adapter: how to start DeepEval, and what its answers and errors mean."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel, JsonValue

from evalparity.adapters.base import Adapter, Binding, JsonObject, JudgeReply, Reading, WorkerCommand
from evalparity.adapters.deepeval_adapter.bindings import BINDINGS, UNSUPPORTED
from evalparity.adapters.deepeval_adapter.prompts import STEPS
from evalparity.adapters.deepeval_adapter.translate import translate
from evalparity.adapters.python_worker import python_worker, version_of
from evalparity.unified_schema.outcomes import ERROR_KINDS, Details, Item, ItemKind, ItemVerdict

_VERDICTS: Mapping[str, ItemVerdict] = MappingProxyType({"yes": "yes", "no": "no", "borderline": "unclear"})

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
    ("AttributeError", "has no attribute 'get'", "bad_schema"),
    ("TypeError", "object is not iterable", "bad_schema"),
    ("TypeError", "can only join an iterable", "bad_schema"),
    ("TypeError", "sequence item", "bad_schema"),
    ("TypeError", "has no len()", "bad_schema"),
    ("TypeError", "unsupported operand type(s) for +", "bad_schema"),
    ("TypeError", "can only concatenate", "bad_schema"),
)
"""Exception name, a part of its message, and the error kind."""


_REMEDY = "DeepEval's score rests on what is left and is not used; repeat the run or choose a stronger judge."


class _Verdict(BaseModel):
    """One verdict of the judge's reply; `verdict` is None where DeepEval dropped it."""

    said: JsonValue
    verdict: Literal["yes", "no", "borderline"] | None
    reason: JsonValue


class _Answer(BaseModel):
    """What the worker tells of a cell; whatever the judge may have shaped as it liked is of any JSON type."""

    score: float
    reason: JsonValue
    truths: JsonValue
    claims: JsonValue
    statements: JsonValue
    verdicts: list[_Verdict]
    counted: list[str]

    def extracted(self, binding: Binding) -> JsonValue:
        """Return the texts that were judged; None where DeepEval keeps none, as for a reference's sentences."""
        return {"claim": self.claims, "statement": self.statements}.get(str(binding.item))


def read(binding: Binding, result: JsonObject, _replies: Sequence[JudgeReply]) -> Reading:
    """Return DeepEval's score with its claims, statements or sentences, or why the score is not accepted.

    DeepEval takes a reply with too few, too many or unknown verdicts and scores what is left; such a number is
    kept as raw and the cell is errored. When the judge finds nothing to check, DeepEval answers 1, which is
    flagged `vacuous`.
    """
    answer = _Answer.model_validate(result)
    kind, why = _find_trouble(binding, answer) or (None, None)
    return Reading(
        raw=answer.score,
        kind=kind,
        reason=why or _text(answer.reason),
        flags=_flags(binding, answer, kind),
        details=Details(
            items=_items(binding, answer),
            premises=_texts(answer.truths) or (),
            notes=_notes(binding, answer),
        ),
    )


def _find_trouble(binding: Binding, answer: _Answer) -> tuple[str, str] | None:
    extracted = answer.extracted(binding)
    for name, value in (("truths", answer.truths), (f"{binding.item}s", extracted)):
        if _texts(value) is None and value is not None:
            return "bad_schema", f"The judge's `{name}` are not a list of texts. {_REMEDY}"
    said, counted = len(answer.verdicts), len(answer.counted)
    items, what = _count(binding, answer), f"{binding.item}s"
    checks = (
        (said == 0 and extracted is None, "bad_schema", f"The judge's reply holds no verdict on any {binding.item}."),
        (said > items, "surplus_verdicts", f"The judge gave {said} verdicts for {items} {what}."),
        (said < items, "missing_verdicts", f"The judge judged {said} of {items} {what}."),
        (counted < said, "missing_verdicts", f"{said - counted} of {said} verdicts are no word that DeepEval knows."),
    )
    return next(((kind, f"{why} {_REMEDY}") for holds, kind, why in checks if holds), None)


def _count(binding: Binding, answer: _Answer) -> int:
    texts = _texts(answer.extracted(binding))
    return len(answer.verdicts) if texts is None else len(texts)


def _flags(binding: Binding, answer: _Answer, kind: str | None) -> tuple[str, ...]:
    holds = {
        "degraded": kind in {"missing_verdicts", "surplus_verdicts"},
        "vacuous": kind is None and not answer.counted,
        "inconsistent": not math.isclose(answer.score, _recompute(binding, answer.counted), abs_tol=1e-9),
    }
    return tuple(flag for flag, present in holds.items() if present)


def _recompute(binding: Binding, counted: Sequence[str]) -> float:
    """Passing verdicts over counted verdicts (deepeval.metrics.utils.qag, score_qag_verdicts)."""
    if not counted:
        assert binding.empty_score is not None
        return binding.empty_score
    passing = {"yes", "borderline"} if binding.unclear_passes else {"yes"}
    return sum(word in passing for word in counted) / len(counted)


def _items(binding: Binding, answer: _Answer) -> tuple[Item, ...]:
    assert binding.item is not None
    pairs = zip_longest(_texts(answer.extracted(binding)) or (), answer.verdicts)
    return tuple(_item(binding.item, text, verdict) for text, verdict in pairs)


def _item(kind: ItemKind, text: str | None, verdict: _Verdict | None) -> Item:
    if verdict is None:
        return Item(kind=kind, text=text)
    return Item(
        kind=kind,
        text=text,
        verdict=_VERDICTS[verdict.verdict] if verdict.verdict else None,
        native_verdict=_word(verdict.said),
        reason=_text(verdict.reason),
    )


def _word(said: JsonValue) -> str | None:
    return said if said is None or isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def _notes(binding: Binding, answer: _Answer) -> tuple[str, ...]:
    what, items = f"{binding.item}s", _count(binding, answer)
    if answer.extracted(binding) == []:
        return (f"The judge found no {what}; DeepEval's score is then {binding.empty_score:g} by convention.",)
    if len(answer.verdicts) != items:
        return (f"Verdicts and {what} differ in number and stand side by side by position only.",)
    return ()


def _texts(value: JsonValue) -> tuple[str, ...] | None:
    """Return a list of texts as it is, and None for anything else."""
    if not isinstance(value, list):
        return None
    texts = tuple(text for text in value if isinstance(text, str))
    return texts if len(texts) == len(value) else None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


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
)
