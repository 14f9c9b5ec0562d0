"""Finds out how the bytes of a text file are encoded, by one rule for all kinds of files.

A mark at the beginning decides. Without one a file is UTF-16 where about every other byte is zero, else UTF-8 if it can
be, else Windows-1252 where nothing in it looks like UTF-8. A file that has characters in UTF-8 and bytes that are none
is damaged: it is refused with the place, never read as something else.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

from evalparity.unified_schema.errors import Problem

UTF8 = "utf-8"

_BLOCK = 1 << 20
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The mark of UTF-32 begins as that of UTF-16 does, so it stands first."""
_REMARKS: Mapping[str, str] = MappingProxyType(
    {
        "utf-16": "the file is in UTF-16",
        "utf-16-le": "the file is in UTF-16, without a mark that says so",
        "utf-16-be": "the file is in UTF-16, without a mark that says so",
        "cp1252": "the file is in no UTF encoding and read as Windows-1252",
    }
)
_UTF8_CHARACTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""What hardly any Western text holds in Windows-1252."""
_SAMPLE = 4096
_MOSTLY, _HARDLY = 0.4, 0.05
"""Shares of zeros at odd or even places by which UTF-16 without a mark is known."""
_CUT = "the file ends inside of a character: it was cut, fetch it again."
_SAVE = "save the file as UTF-8."


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How a file is encoded.

    Attributes:
        codec: name of Python's codec; the one that takes a mark off where there is one.
        remark: what its user should know; None: it is UTF-8.
        fault: where the bytes are not what they should be; None: all can be decoded.
    """

    codec: str = UTF8
    remark: str | None = None
    fault: Problem | None = None


class Decoded(NamedTuple):
    """The text of a file.

    Attributes:
        text: without a mark; empty where there is a problem.
        problems: why it cannot be decoded.
        remarks: what its user should know of the encoding.
    """

    text: str
    problems: list[Problem]
    remarks: tuple[str, ...] = ()


def encoding_of(path: Path, file: str) -> Encoding:
    """Return how a file is encoded; it is read once, block by block.

    Args:
        path: the file.
        file: the path as the user gave it, for messages.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as content:
        return _find(content, file)


def decode(raw: bytes, file: str) -> Decoded:
    """Return the text in the bytes of a whole file.

    Args:
        raw: the bytes.
        file: where they come from, for messages.
    """
    found = _find(io.BytesIO(raw), file)
    if found.fault is not None:
        return Decoded("", [found.fault])
    return Decoded(raw.decode(found.codec), [], () if found.remark is None else (found.remark,))


def encoding_of_start(start: bytes) -> str:
    """Return the codec of a file as far as its first bytes tell: by its mark or its zeros, else UTF-8."""
    marked = next((codec for mark, codec in _MARKS if start.startswith(mark)), None)
    return marked or _without_mark(start) or UTF8


def undecodable(content: IO[bytes], codec: str, file: str) -> Problem | None:
    """Return the first place at which bytes are not of an encoding, with its line; None where all are."""
    decoder = codecs.getincrementaldecoder(codec)()
    line, is_first = 1, True
    while True:
        block = content.read(_BLOCK)
        try:
            line += decoder.decode(block, final=not block).count("\n")
        except UnicodeDecodeError as error:
            line += error.object[: error.start].count(b"\n")
            advice = _CUT if not block else _SAVE
            name = codec.removesuffix("-sig").upper()
            told = f"is not {name} (byte 0x{error.object[error.start]:02X} here): {advice}"
            return Problem(file=file, line=line, column=_column(error, is_first=is_first), message=told)
        if not block:
            return None
        is_first = False


def _column(error: UnicodeDecodeError, *, is_first: bool) -> int | None:
    """Return the place in its line, in bytes from 1; None where the line began in an earlier block."""
    last = error.object.rfind(b"\n", 0, error.start)
    return error.start - last if last >= 0 or is_first else None


def lines_as_utf8(path: Path, codec: str, longest: int) -> Iterator[bytes]:
    """Yield the lines of a file that can be decoded, as UTF-8; of a longer one only its beginning.

    Args:
        path: the file.
        codec: how it is encoded.
        longest: characters of a line at most.
    """
    with path.open(encoding=codec, newline="\n") as lines:
        while line := lines.readline(longest + 1):
            yield line.encode("utf-8", "surrogatepass")
            while len(line) > longest and not line.endswith("\n"):
                line = lines.readline(longest + 1)


def _find(content: IO[bytes], file: str) -> Encoding:
    start = content.read(_SAMPLE)
    content.seek(0)
    codec = encoding_of_start(start)
    if codec == "utf-32":
        return Encoding(codec=codec, fault=Problem(file=file, line=1, message=f"is UTF-32: {_SAVE}"))
    fault = undecodable(content, codec, file)
    if fault is not None and codec == UTF8:
        content.seek(0)
        if not fault.message.endswith(_CUT) and _is_windows(content):
            return Encoding(codec="cp1252", remark=_REMARKS["cp1252"])
    return Encoding(codec=codec, remark=_REMARKS.get(codec), fault=fault)


def _without_mark(start: bytes) -> str | None:
    even, odd = start[0:_SAMPLE:2], start[1:_SAMPLE:2]
    if len(odd) < 2:  # noqa: PLR2004 - too little to tell
        return None
    zeros_even, zeros_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    if zeros_odd > _MOSTLY and zeros_even < _HARDLY:
        return "utf-16-le"
    return "utf-16-be" if zeros_even > _MOSTLY and zeros_odd < _HARDLY else None


def _is_windows(content: IO[bytes]) -> bool:
    """Tell whether bytes can be Windows-1252: none that it lacks, no control character, and no UTF-8."""
    while block := content.read(_BLOCK):
        try:
            text = block.decode("cp1252")
        except UnicodeDecodeError:
            return False
        if any(character < " " and character not in "\t\r\n\f\v" for character in set(text)):
            return False
        if _UTF8_CHARACTER.search(block):
            return False
    return True
