"""What a judge writes around its answer, or in its place: reasoning, a fence, a refusal in plain words.

Each framework treats these in a way of its own: one reads the first object of a `<think>` block, the next fails on a
fence. They are taken out here, before any framework sees the reply, so that one judge is one judge for all of them.
Texts of a suite may hold the same marks, and a judge may repeat them; where that can be, the reply stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evalparity.unified_schema.errors import JudgeError

REASONING_REMOVED = "reasoning_removed"
FENCE_REMOVED = "fence_removed"

_NAME = "(?:think|thinking|thought|reasoning)"
_BLOCK = re.compile(rf"\s*<({_NAME})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(rf"\s*<{_NAME}>", re.IGNORECASE)
_CLOSING = re.compile(rf"</{_NAME}>", re.IGNORECASE)
_CLOSING_LINE = re.compile(rf"^[ \t]*</{_NAME}>[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FENCED_JSON = re.compile(r"\s*(```+|~~~+)[ \t]*(?:json[5c]?)?\s*([\[{].*[\]}])\s*\1\s*", re.DOTALL | re.IGNORECASE)
_FENCE_LINE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_JSON_BEGINS = ("{", "[", "`", "~")


_LONGEST_REFUSAL = 500
"""A text that says more than that has something to say."""
_SORRY = (
    r"(?:(?:i['’]m|i am) (?:really |very |so )?sorry|sorry|(?:my )?apologies|i apologi[sz]e|unfortunately"
    r"|as an? (?:\w+ ){0,3}(?:ai|assistant|model))"
)
_CANNOT = r"i(?: (?:can(?:no|['’])t|can not|won['’]t|will not|am (?:unable|not able) to)|['’]m (?:unable|not able) to)"
_DO_SO = (
    r"(?:assist|comply|engage|help(?! but)|fulfil|continue with|"
    r"(?:answer|discuss|do|evaluate|process|provide|support) (?:that|this|your)\b)"
)
_DECLINES = re.compile(rf"\b(?:{_CANNOT} {_DO_SO}|i (?:must|have to) decline)", re.IGNORECASE)
_BEGINS_SORRY = re.compile(rf"\W*(?:{_SORRY}\W+(?:but |that )?){{0,2}}", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BareReply:
    """A reply without what stood around it.

    Attributes:
        text: what the framework gets.
        flags: what was taken out, names out of `evalparity.unified_schema.outcomes.FLAGS`.
    """

    text: str
    flags: tuple[str, ...] = ()


def bare_reply(written: str, asked: Sequence[str]) -> BareReply:
    """Return the answer in a reply: without reasoning text, without a fence around JSON.

    Reasoning is a `<think>` block (or `<thinking>`, `<thought>`, `<reasoning>`) at the beginning, or all that stands
    before a line with nothing but its closing mark, as chat templates that open the block themselves leave it. A fence
    is taken off where it holds one JSON object or list and the reply holds nothing else.

    Args:
        written: the reply as the judge wrote it.
        asked: the texts of the request's messages.

    Raises:
        JudgeError: kind `bad_reply`: nothing but reasoning. Kind `refusal`: the judge declines in plain words.
    """
    text = _without_reasoning(written, asked)
    flags = (REASONING_REMOVED,) if text != written else ()
    if flags and not text.strip():
        raise nothing_but_reasoning()
    if _is_refusal(text, asked):
        raise declined(text)
    fenced = _FENCED_JSON.fullmatch(text)
    if fenced is None or _FENCE_LINE.search(fenced[2]):
        return BareReply(text=text, flags=flags)
    return BareReply(text=fenced[2], flags=(*flags, FENCE_REMOVED))


def nothing_but_reasoning() -> JudgeError:
    """Return the error for a reply that thinks and does not answer."""
    return JudgeError(
        "bad_reply",
        "the reply holds reasoning and no answer; switch the model's thinking off at the server, "
        "or raise --max-output-tokens",
    )


def declined(said: str = "") -> JudgeError:
    """Return the error for a judge that declines, in its own words where it used some."""
    quoted = f' ("{" ".join(said.split())}")' if said else ""
    return JudgeError("refusal", f"declined to answer{quoted}; read the case's texts, or choose another judge")


def _without_reasoning(written: str, asked: Sequence[str]) -> str:
    text = written
    while block := _BLOCK.match(text):
        text = text[block.end() :]
    if _OPENING.match(text):
        return ""  # never closed: the answer did not begin
    if text is not written:
        return text.lstrip()
    closing = _CLOSING_LINE.search(text)
    if closing is None or text.lstrip().startswith(_JSON_BEGINS) or any(map(_CLOSING.search, asked)):
        return written
    return text[closing.end() :].lstrip()


def _is_refusal(text: str, asked: Sequence[str]) -> bool:
    """Tell whether a reply declines and does nothing else; a refusal in the request may be what the reply is about."""
    if len(text) > _LONGEST_REFUSAL or "{" in text or "[" in text:
        return False
    said = " ".join(text.split())
    begins = _BEGINS_SORRY.match(said)
    declines = _DECLINES.match(said, begins.end() if begins else 0)
    return declines is not None and not any(_DECLINES.search(" ".join(one.split())) for one in asked)
