"""How Promptfoo 0.123.1 reads its judge's replies, rebuilt so that the steps behind a score can be shown.

Source: matchers/rag.ts (matchesContextFaithfulness, matchesContextRecall). Promptfoo's result holds a bare number
for faithfulness; what was claimed and judged stands in the replies alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from evalparity.adapters.promptfoo_adapter.prompts import FINAL_VERDICTS

# What JavaScript's trim() removes; Python's strip() removes other characters as well.
_BLANK = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
_WORD = re.compile(r"\b(?:yes|no)\b", re.ASCII)
_MARK = re.compile(r"verdict: (no|yes)")
_ATTRIBUTION = re.compile(r"\[(?:not )?attributed\]", re.IGNORECASE)
_LOOSE_ATTRIBUTION = re.compile(r"[\[(]\s*(?:not\s+)?attributed\s*[\])]", re.IGNORECASE)
_SENTENCE = re.compile(r"\s*(?:\d+[.)]\s*)?(\S.*?(?:[.!?](?=\s)|[。！？]))")
_EXPLANATION = re.compile(r"explanation:(.*?)(?:verdict:|\Z)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One verdict as Promptfoo counts it, and the words that it read it from."""

    counted: Literal["yes", "no"]
    words: str


def statements_of(reply: str) -> tuple[str, ...]:
    """Return the statements in the first reply: its lines that are not blank."""
    return tuple(line for line in reply.split("\n") if line.strip(_BLANK))


def verdicts_of(reply: str) -> tuple[Verdict, ...]:
    """Return the verdicts in the second reply; none where Promptfoo finds none.

    The closing line decides where there is one; else each `verdict: yes` or `verdict: no`.
    """
    text = reply.lower().strip(_BLANK)
    _, found, tail = text.partition(FINAL_VERDICTS.lower())
    if not found:
        return tuple(Verdict(counted="yes" if word == "yes" else "no", words=word) for word in _MARK.findall(text))
    parts = [part.strip(_BLANK) for part in tail.split(".") if part.strip(_BLANK)]
    if not all(_WORD.search(part) for part in parts):
        return ()
    return tuple(Verdict(counted="yes" if "yes" in part else "no", words=part) for part in parts)


def faithfulness_of(statements: int, verdicts: tuple[Verdict, ...]) -> float:
    """Return Promptfoo's score: 1 - (verdicts that are not yes + missing verdicts) / statements, at least 0."""
    refused = sum(verdict.counted == "no" for verdict in verdicts)
    return max(0.0, 1 - (refused + max(0, statements - len(verdicts))) / statements)


def explanations_of(reply: str, count: int) -> tuple[str | None, ...]:
    """Return the explanation of each statement; None for all when their number does not fit."""
    start = reply.lower().find(FINAL_VERDICTS.lower())
    found = [text.strip() for text in _EXPLANATION.findall(reply[:start] if start >= 0 else reply)]
    return tuple(found) if len(found) == count else (None,) * count


def attribution_lines(reply: str) -> tuple[str, ...]:
    """Return the lines that Promptfoo counts for recall: those with a mark of either kind."""
    return tuple(line for line in reply.split("\n") if line.strip(_BLANK) and _ATTRIBUTION.search(line))


def sentence_in(line: str) -> str | None:
    """Return the sentence at the beginning of a counted line; Promptfoo itself ends it at any dot, as in 3.5."""
    match = _SENTENCE.match(line)
    return match[1] if match else None


def marks_in(line: str) -> int:
    """Return how many attribution marks a line holds; Promptfoo counts the line once, whatever it holds."""
    return len(_ATTRIBUTION.findall(line))


def overlooked_lines(reply: str) -> tuple[str, ...]:
    """Return the lines whose mark a person would read but Promptfoo does not, such as `[Not  Attributed]`."""
    lines = (line for line in reply.split("\n") if not _ATTRIBUTION.search(line))
    return tuple(line for line in lines if _LOOSE_ATTRIBUTION.search(line))
