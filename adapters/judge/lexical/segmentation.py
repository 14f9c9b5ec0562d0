"""Where sentences and claims end, in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable

from evalparity.adapters.judge.lexical.folding import CJK
from evalparity.adapters.judge.lexical.lexicon import ABBREVIATIONS, SUBJECT_OPENERS, VERB_MARKS
from evalparity.adapters.judge.lexical.refusals import is_refusal

# Every run is guarded by a look-behind and a possessive count, so that a long run is read once and not once
# per character: a megabyte of dots or spaces stays linear.
_BREAK = re.compile(
    r"(?<![。！？!?．｡；])[。！？!?．｡；]++[”’」』）)\"']*+"
    r"|(?<!\.)\.++[”’)\"'\]]*+(?=\s|$)"
    r"|[\n\r\u2028\u2029\u0085\v\f]++"
)
_LIST_MARK = re.compile(
    r"\A\s*+(?:[-*•·–—]\s+|\(?\d{1,2}[.)、]\s*(?!\d)|\(?[a-z][.)]\s+|#{1,6}\s+|[（(][一二三四五六七八九十]{1,3}[）)])"
)
_NUMBERED = frozenset(("no", "nos", "fig", "art"))
_NUMBER_FOLLOWS = re.compile(r"\s?\d")
_EMPTY = re.compile(
    r"\s*(?:(?:yes|no|sure|of course|certainly|是的?|不是|对|不)\W*\Z"
    r"|(?:please|kindly|thank|sorry|hello|hi|dear)\b|请|您好|谢谢)",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"[^\s(\[\"'“]{1,24}\Z")
_WORD = re.compile(f"[{CJK}]|[^\\W_]+")
_ENGLISH_JOINT = re.compile(r"(?<![\s,;])[,;]?+\s{1,3}(?:and|but|while|whereas|although)\s|(?<!;);\s", re.IGNORECASE)
_CHINESE_JOINT = re.compile(r"[，,；](?=(?:但是?|而且?|并且?|同时|不过|然而)?)")
_CHINESE_DEPENDENT = re.compile(
    r"(?:如果|若|只有|除非|一旦|当|虽然|尽管|因为|由于|为了|无论|不管|即使)|(?:后|之后|时|的话|前|之前|以后)\Z"
)
_LONG_CLAIM = 14
_LONGEST_CLAIM = 2000
_LONG_CHINESE_CLAIM = 20
_SHORT_CLAUSE = 3


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, each with its closing punctuation and without outer space.

    A sentence ends at `.`, `!`, `?`, at `。！？；` and at a line end. A full stop after an abbreviation, an
    initial or an item number ends nothing. The marks of list items are left out.
    """
    pieces: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if _is_inner_stop(text, start, match):
            continue
        pieces.append(text[start : match.end()])
        start = match.end()
    pieces.append(text[start:])
    bare = (_LIST_MARK.sub("", piece).strip() for piece in pieces)
    return [piece for piece in bare if _WORD.search(piece)]


def _is_inner_stop(text: str, start: int, match: re.Match[str]) -> bool:
    if match.group() != ".":
        return False
    last = _LAST_WORD.search(text, max(start, match.start() - 25), match.start())
    if last is None:
        return False
    word = last.group().lower()
    is_initial = len(word) == 1 and word.isalpha() and word != "i"
    is_item_number = word.isdigit() and text[start : match.start()].strip() == word
    if word in _NUMBERED and not _NUMBER_FOLLOWS.match(text, match.end()):
        return False
    return word in ABBREVIATIONS or is_initial or is_item_number or _is_dotted(word)


def _is_dotted(word: str) -> bool:
    return "." in word and all(len(part) <= 1 for part in word.split("."))


def split_claims(text: str) -> list[str]:
    """Return the claims of a text: its sentences, long ones cut where two whole clauses are joined.

    Questions, requests, a bare yes or no, lines that only announce a list, and refusals claim nothing.
    """
    return [
        claim for sentence in split_sentences(text) if not _claims_nothing(sentence) for claim in _clauses(sentence)
    ]


def _claims_nothing(sentence: str) -> bool:
    return sentence.endswith(("?", "？", ":", "：")) or _EMPTY.match(sentence) is not None or is_refusal(sentence)


def _clauses(sentence: str) -> list[str]:
    words = _WORD.findall(sentence[:_LONGEST_CLAIM])
    chinese = sum(len(word) == 1 and not word.isascii() for word in words) * 2 > len(words)
    shortest = _LONG_CHINESE_CLAIM if chinese else _LONG_CLAIM
    if len(words) < shortest or len(sentence) > _LONGEST_CLAIM:
        return [sentence]
    return _cut_chinese(sentence) if chinese else _cut_english(sentence)


def _cut_chinese(sentence: str) -> list[str]:
    return _cut(sentence, _CHINESE_JOINT, _is_whole_chinese)


def _cut_english(sentence: str) -> list[str]:
    return _cut(sentence, _ENGLISH_JOINT, _is_whole_english)


def _cut(sentence: str, joint_pattern: re.Pattern[str], is_whole: Callable[[str], bool]) -> list[str]:
    joints = list(joint_pattern.finditer(sentence))
    starts = [0, *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), len(sentence)]
    spans = [(starts[0], ends[0])]
    for start, end in zip(starts[1:], ends[1:], strict=True):
        if is_whole(sentence[slice(*spans[-1])]) and is_whole(sentence[start:end]):
            spans.append((start, end))
        else:
            spans[-1] = (spans[-1][0], end)
    return [sentence[start:end].strip(" ,;，；") for start, end in spans]


def _is_whole_english(clause: str) -> bool:
    words = [word.lower() for word in _WORD.findall(clause)]
    if len(words) < _SHORT_CLAUSE or words[0] in VERB_MARKS:
        return False
    has_verb = any(word in VERB_MARKS for word in words[1:])
    return has_verb and words[0] not in SUBJECT_OPENERS


def _is_whole_chinese(clause: str) -> bool:
    text = clause.strip(" ,;，；。")
    return len(text) > 2 * _SHORT_CLAUSE and _CHINESE_DEPENDENT.search(text) is None
