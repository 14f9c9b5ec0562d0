"""Whether a rating of Promptfoo's is one that its judge gave: it makes up a score where a reply states none.

Source of what it makes up, 0.123.1: matchers/rubric.ts (runJsonGradingPrompt: no `score` is 1, or 0 where `pass` is
false; the first JSON object of a reply decides) and matchers/llmGrading.ts (matchesFactuality: without a usable
`category` the first letter of A to E before a closing bracket is the category, wherever it stands).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evalparity.adapters.base import Binding, JsonObject
from evalparity.adapters.promptfoo_adapter.findings import Findings, mapping, short
from evalparity.adapters.promptfoo_adapter.rubrics import SCORERS, middle
from evalparity.unified_schema.outcomes import Details, Item
from evalparity.unified_schema.rubrics import Rubric

WEIGHTS: Mapping[str, float] = MappingProxyType({"A": 1.0, "B": 1.0, "C": 1.0, "D": 0.0, "E": 1.0})
"""Score of each category of factuality, where the user sets no other."""

_NO_REPLY = "The judge's reply was not recorded, so it cannot be told whether the score is one that the judge gave."
_REFUSALS = ("Factuality checker output did not match expected format:", "Invalid category value:")
_DECODER = json.JSONDecoder(strict=False, parse_int=float)
# What YAML takes for an object and JSON does not: no quotation marks, single ones, a comma at the end.
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?", re.ASCII)
_LOOSE_SCORE = re.compile(r"""(?<!\w)["']?score["']?\s*:\s*["']?(-?\d+(?:\.\d+)?)["']?\s*(?=[,}\n]|\Z)""")
_LOOSE_CATEGORY = re.compile(r"""(?<!\w)["']?category["']?\s*:\s*["']?([A-Ea-e])["']?\s*(?=[,}\n]|\Z)""")
_BARE_CATEGORY = re.compile(r"\s*\(?([A-E])\)")


def factuality(_binding: Binding, answer: JsonObject, replies: Sequence[str]) -> Findings:
    """Return the category that the judge named, if it named one and Promptfoo read that."""
    named = _stated(replies, _category_in, _LOOSE_CATEGORY) or _bare_categories(replies)
    stated = tuple(dict.fromkeys(letter.upper() for letter in named))
    given = WEIGHTS[stated[0]] if len(stated) == 1 else None
    return _findings(answer, replies, stated, given, key="category", value=given)


def rubric_rating(binding: Binding, answer: JsonObject, replies: Sequence[str]) -> Findings:
    """Return the number that the judge gave, if it gave one and Promptfoo read that."""
    rubric = SCORERS[binding.scorer]
    stated = tuple(dict.fromkeys(map(_as_number, _stated(replies, _score_in, _LOOSE_SCORE))))
    given = float(stated[0]) if len(stated) == 1 else None
    value = _unit(given, rubric)
    passed = [found["pass"] for reply in replies for found in _objects(reply) if isinstance(found.get("pass"), bool)]
    if given == rubric.low and passed == [True]:
        details = _details(answer, stated, None)
        return Findings(details=details, kind="bad_schema", problem=_two_scales(rubric), final=True)
    return _findings(answer, replies, stated, given, key="score", value=value, notes=_oddities(given, passed, rubric))


def _findings(
    answer: JsonObject,
    replies: Sequence[str],
    stated: Sequence[str],
    given: float | None,
    *,
    key: str,
    value: float | None,
    notes: tuple[str, ...] = (),
) -> Findings:
    if not any(reply.strip() for reply in replies):
        return Findings(kind="framework_error", problem=_NO_REPLY)
    if given is not None and given == answer.get("score") and not _is_refused(answer):
        return Findings(details=_details(answer, stated, value, notes), score=given, final=True)
    kind = "bad_schema" if any("{" in reply for reply in replies) else "bad_json"
    details, problem = _details(answer, stated, None), _problem(answer, stated, key)
    return Findings(details=details, kind=kind, problem=problem, final=True)


def _is_refused(answer: JsonObject) -> bool:
    """Return whether Promptfoo itself made nothing of the reply and answered its score of 0 for failures."""
    reason, metadata = answer.get("reason"), mapping(answer.get("metadata"))
    return metadata.get("graderError") is True or (isinstance(reason, str) and reason.startswith(_REFUSALS))


def _details(answer: JsonObject, stated: Sequence[str], value: float | None, notes: tuple[str, ...] = ()) -> Details:
    reason = answer.get("reason")
    item = Item(
        kind="rating",
        value=value,
        native_verdict=", ".join(stated) or None,
        reason=reason if isinstance(reason, str) else None,
    )
    return Details(items=(item,), notes=notes)


def _problem(answer: JsonObject, stated: Sequence[str], key: str) -> str:
    made = f"Promptfoo made {answer.get('score')} of it. Look at the judge's reply."
    if not stated:
        return f"The judge's reply states no usable `{key}`; {made}"
    said = short(", ".join(stated))
    if stated[1:]:
        return f"The judge's reply states {len(stated)} different `{key}`s, {said}; {made}"
    return f"The judge's reply states the `{key}` {said}, and Promptfoo read something else; {made}"


def _two_scales(rubric: Rubric) -> str:
    return (
        f"The judge let the output pass and gave it {rubric.low}, the worst of {rubric.low} to {rubric.high} and the "
        "best of 0 to 1: it cannot be told which it meant."
    )


def _oddities(given: float | None, passed: Sequence[bool], rubric: Rubric) -> tuple[str, ...]:
    if given is None:
        return ()
    contradicted = len(passed) == 1 and passed[0] != (given >= middle(rubric))
    said = f"The judge rated {given:g}"
    notes = {
        f"{said} where it was asked for a whole number; Promptfoo takes it as it is.": given % 1 != 0,
        f"{said} and let the output {'pass' if True in passed else 'fail'}; the number counts.": contradicted,
    }
    return tuple(note for note, holds in notes.items() if holds)


def _unit(given: float | None, rubric: Rubric) -> float | None:
    within = given is not None and rubric.low <= given <= rubric.high
    return (given - rubric.low) / (rubric.high - rubric.low) if given is not None and within else None


def _stated(
    replies: Sequence[str], read: Callable[[Mapping[str, Any]], str | None], loose: re.Pattern[str]
) -> list[str]:
    """Return what the JSON objects of a reply state; where there are none, what looks like it."""
    found: list[str] = []
    for reply in replies:
        objects = _objects(reply)
        found += [value for value in map(read, objects) if value is not None] if objects else loose.findall(reply)
    return found


def _objects(reply: str) -> list[dict[str, Any]]:
    """Return the outermost JSON objects in a text, in order."""
    found: list[dict[str, Any]] = []
    start = reply.find("{")
    while start >= 0:
        try:
            value, end = _DECODER.raw_decode(reply, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            found.append(value)
        start = reply.find("{", end)
    return found


def _score_in(found: Mapping[str, Any]) -> str | None:
    score = found.get("score")
    if isinstance(score, bool) or not isinstance(score, int | float | str):
        return None
    return str(score) if _NUMBER.fullmatch(str(score).strip()) else None


def _as_number(said: str) -> str:
    """Return one spelling of a number: 4 and 4.0 are the same rating."""
    number = float(said)
    return str(int(number)) if number.is_integer() else repr(number)


def _category_in(found: Mapping[str, Any]) -> str | None:
    category = found.get("category")
    letter = category.strip().upper() if isinstance(category, str) else ""
    return letter if letter in WEIGHTS else None


def _bare_categories(replies: Sequence[str]) -> list[str]:
    """Return the category that a reply without JSON begins with, as in "(C) It says the same"."""
    return [match[1] for reply in replies if "{" not in reply and (match := _BARE_CATEGORY.match(reply))]
