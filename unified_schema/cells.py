"""Reads cells that hold more than one text: the form is found cell by cell, and what can mean two things is told.

Nothing in a cell is run: JSON is parsed, and Python's lists are read as literals, which hold no calls and no names.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.positions import quoted
from evalparity.unified_schema.scalars import Plain

MISSING = frozenset({"nan", "NaN", "NAN", "<NA>", "NaT", "None", "null", "NULL", "#N/A", "N/A"})
"""What pandas, Python, JSON and Excel write where nothing is; believed only of cells that hold no free text."""

_LONGEST_LITERAL = 10_000_000
_ITEM = re.compile(
    r"\s*+(?:(?P<text>'(?:[^'\\]|\\.)*+'|\"(?:[^\"\\]|\\.)*+\")|(?P<gap>nan|NaN|None|null|<NA>))(?P<after>\s*+,?)",
    re.DOTALL,
)
_ARRAY = re.compile(r"(?:np\.|numpy\.)?array\((?P<list>\[.*\])(?:,\s*dtype=[\w<>'\"]+)?\)", re.DOTALL)
_BROKEN_LIST = re.compile(r"\[\s*['\"{]")
_CODE = re.compile(r"&&|[{};]|==")
_SENTENCES = re.compile(r"[.!?。！？]\s*;\s*\S")
_ESCAPE = re.compile(r"\\[uUN]")


class CellError(ValueError):
    """Raised where a cell cannot be read, or can be read in two ways; says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellList:
    """What a cell holds, and in which form it was written there."""

    items: list[Any]
    form: str


def looks_like_list(cell: object) -> bool:
    """Tell whether a cell is written as a list, of whichever language."""
    text = cell.strip() if isinstance(cell, str) else ""
    return (text.startswith("[") and text.endswith("]")) or _ARRAY.fullmatch(text) is not None


def read_texts(cell: str, *, separator: str | None = None, lists: bool = False) -> CellList:
    """Return the texts that a cell holds.

    Args:
        cell: not blank.
        separator: what the user says stands between texts; empty: a cell is one text; None: find out.
        lists: whether other cells of the column are written as lists, so that one that is not is a single text.

    Raises:
        CellError: the cell can be read in two ways.
    """
    return _as_list(cell) or _split_texts(cell, separator, lists=lists)


def read_ids(cell: str, *, separator: str | None = None) -> CellList:
    """Return the ids that a cell holds, each as it is written there.

    Args:
        cell: not blank.
        separator: as for `read_texts`.

    Raises:
        CellError: the cell can be read in two ways.
    """
    return _as_list(cell) or _split_ids(cell, separator)


def read_data(cell: str) -> object:
    """Return the list or mapping that a cell holds as JSON or as a Python literal; the cell where it holds neither.

    Raises:
        CellError: the cell is written as one of them and is damaged.
    """
    text = cell.strip()
    if not text.startswith(("{", "[")):
        return cell
    for read in (_json_data, _literal):
        value = read(text)
        if isinstance(value, dict | list):
            return _whole(value, text)
    raise CellError(f"begins like {'a mapping' if text[0] == '{' else 'a list'} and cannot be read as one: write JSON")


def _as_list(cell: str) -> CellList | None:
    text = cell.strip()
    array = _ARRAY.fullmatch(text)
    text = array["list"] if array else text
    if not (text.startswith("[") and text.endswith("]")):
        _refuse_a_cut_list(text)
        return None
    items = _json_list(text)
    found = CellList(items=items, form="a JSON list") if items is not None else _printed_list(text)
    if found is None:
        _refuse_a_damaged_list(text)
        return None
    _whole(found.items, text)
    return found


def _json_list(text: str) -> list[Any] | None:
    """Return a JSON list; its numbers keep the digits that are written, unless they stand inside of mappings."""
    items = _json_data(text, Plain)
    if isinstance(items, list) and any(isinstance(item, dict) for item in items):
        items = _json_data(text)
    return items if isinstance(items, list) else None


def _json_data(text: str, number: Callable[[str], Any] | None = None) -> object:
    try:
        return json.loads(
            text,
            parse_int=number,
            parse_float=number,
            parse_constant=lambda _name: None,
            object_pairs_hook=_once,
            strict=False,
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, CellError):
            raise
        return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    built = dict(pairs)
    if len(built) < len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise CellError(f"holds the key {quoted(twice)} twice: keep one of them")
    return built


def _printed_list(text: str) -> CellList | None:
    """Return a flat list of texts as Python or numpy prints it, or any other Python list."""
    items: list[Any] = []
    commas = gaps = 0
    place, end = 1, len(text) - 1
    while text[place:end].strip():
        found = _ITEM.match(text, place, end)
        if found is None:
            value = _literal(text)
            return CellList(items=list(value), form="a Python list") if isinstance(value, list) else None
        item = _literal(found["text"].replace("\r", "\\r").replace("\n", "\\n")) if found["text"] else None
        if found["text"] and not isinstance(item, str):
            return None
        items.append(item)
        place = found.end()
        commas += found["after"].endswith(",")
        gaps += not found["after"].endswith(",") and bool(text[place:end].strip())
    if commas and gaps:
        joined = _literal(text)
        readings = f"{len(items)} texts" + (f", or {len(joined)}" if isinstance(joined, list) else "")
        raise CellError(f"lacks commas between some texts and not between others ({readings}): write a JSON list")
    return CellList(items=items, form="a list as numpy prints it" if gaps else "a Python list")


def _literal(text: str) -> object:
    if len(text) > _LONGEST_LITERAL:
        return None
    try:
        if "\\" not in text:
            return ast.literal_eval(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `\d` is no escape: Python keeps the backslash and complains
            return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _whole(value: Any, text: str) -> Any:  # noqa: ANN401 - whatever a cell holds
    """Return a value after a look for halves of Unicode characters, which only escapes can bring in."""
    if _ESCAPE.search(text):
        try:
            json.dumps(value, ensure_ascii=False, default=str).encode()
        except (UnicodeEncodeError, RecursionError) as error:
            raise CellError("holds half of a Unicode character (a lone surrogate): repair the text") from error
    return value


def _refuse_a_cut_list(text: str) -> None:
    if _BROKEN_LIST.match(text) and not text.endswith("]") and "]" not in text:
        raise CellError(f"begins like a list that never ends ({_shown(text)}): the cell was cut, or write a JSON list")


def _refuse_a_damaged_list(text: str) -> None:
    if _BROKEN_LIST.match(text):
        raise CellError(
            f"can be a damaged list or one text ({_shown(text)}): write a JSON list, of one text where it is one"
        )


def _split_texts(cell: str, separator: str | None, *, lists: bool) -> CellList:
    if separator:
        return _pieces(cell, separator)
    if separator == "" or lists:
        return CellList(items=[cell], form="one text")
    text = cell.strip()
    if "||" in text and _is_list_by_bars(text):
        return _pieces(cell, "||")
    doubtful = next((mark for mark, doubts in _DOUBTS.items() if doubts(text)), None)
    if doubtful is not None:
        count = len(_pieces(cell, doubtful).items)
        raise CellError(
            f"can be one text or {count} texts with {_name(doubtful)} between them ({_shown(text)}): write JSON lists, "
            f"or say with --list-separator which, '' for one text"
        )
    return _pieces(cell, ";") if _is_list_of_sentences(text) else CellList(items=[cell], form="one text")


def _is_list_by_bars(text: str) -> bool:
    return all(piece.strip() for piece in text.split("||")) and "\n" not in text and not _CODE.search(text)


def _is_list_of_sentences(text: str) -> bool:
    return ";" in text and len(_SENTENCES.findall(text)) == text.rstrip("; ").count(";")


def _is_by_pipes(text: str) -> bool:
    return "|" in text and "||" not in text and not text.startswith("|") and "\n" not in text


_DOUBTS: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        "\n": lambda text: "\n" in text,
        "||": lambda text: "||" in text,
        "|": _is_by_pipes,
        ";": lambda text: re.search(r"\S;\S", text) is not None and not _is_list_of_sentences(text),
    }
)
"""By what may stand between texts, whether a cell could be meant so."""

_NAMES: Mapping[str, str] = MappingProxyType({"\n": "line breaks", " ": "spaces"})


def _split_ids(cell: str, separator: str | None) -> CellList:
    text = cell.strip()
    if separator is not None:
        return _pieces(cell, separator) if separator else CellList(items=[text], form="one id")
    marks = [mark for mark in ("\n", "||", ";", ",") if mark in text]
    marks += ["|"] if "|" in text.replace("||", "") else []
    marks += [" "] if " " in text and not marks else []
    if len(marks) > 1 or marks == [" "]:
        readings = ", or ".join(f"{len(_pieces(text, mark).items)} ids by {_name(mark)}" for mark in marks)
        raise CellError(f'can be one id or {readings} ({_shown(text)}): write a JSON list, as ["d1", "d3"]')
    return _pieces(text, marks[0]) if marks else CellList(items=[text], form="one id")


def _pieces(text: str, mark: str) -> CellList:
    items = [piece.strip() for piece in text.split(mark)]
    return CellList(items=[item for item in items if item], form=f"a list with {_name(mark)} in between")


def _name(mark: str) -> str:
    return _NAMES.get(mark, quoted(mark))


def _shown(text: str) -> str:
    return quoted(text)
