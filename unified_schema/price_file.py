"""A price file: what models cost that no public table knows, or that cost something else where they are called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evalparity.unified_schema.encodings import decode
from evalparity.unified_schema.errors import PriceFileError, Problem
from evalparity.unified_schema.field_types import read_fields
from evalparity.unified_schema.files import fault_of_path, sha256_of, unreadable
from evalparity.unified_schema.messages import explain
from evalparity.unified_schema.positions import Findings, path_text, quoted
from evalparity.unified_schema.yaml_source import read_yaml

ENDINGS = (".yaml", ".yml")

Unit = Literal["1M tokens", "1K tokens", "1 token"]
MOST_DOLLARS = 1_000_000.0
"""Above every price for a million tokens; more is a slip of the pen, and sums of it are no numbers any more."""

Dollars = Annotated[float, Field(ge=0, le=MOST_DOLLARS)]
_HOST = re.compile(r"([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|\[?[0-9A-Fa-f:]+\]?)(:\d{1,5})?", re.ASCII)

UNITS: Mapping[str, int] = MappingProxyType({"1M tokens": 1_000_000, "1K tokens": 1_000, "1 token": 1})
"""Tokens that a price is for, by the unit's name in the file."""


class _Model(BaseModel):
    """Frozen, and closed: a misspelt price is an error, never silently no price."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


class ModelPrice(_Model):
    """The price of one model, in US dollars for the unit of the file."""

    model: Annotated[str, Field(min_length=1)]
    """Name as it is sent to the server; `*` stands for any letters, `?` for one."""
    host: Annotated[str, Field(min_length=1)] | None = None
    """Host of the server, with its port where one is part of the URL; None: wherever the model is called."""
    input: Dollars
    """Of tokens that the model reads, or that an embedding model embeds."""
    cached_input: Dollars | None = None
    """Of those among them that the server had in its cache; None: as any other."""
    output: Dollars | None = None
    """Of tokens that the model writes, those of its reasoning included; None: unknown, as for an embedding model."""

    def fits(self, model: str, hosts: tuple[str, ...]) -> bool:
        """Tell whether it is the price of a model at a server with these names, with and without its port."""
        return fnmatchcase(model, self.model) and (self.host is None or self.host.lower() in hosts)


class PriceFile(_Model):
    """The content of a price file."""

    per: Unit
    """How many tokens a price is for: `1M tokens`, `1K tokens` or `1 token`."""
    currency: Literal["USD"] = "USD"
    models: tuple[ModelPrice, ...]
    """The first that fits a model and its server counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPrices:
    """Prices that a user's file names.

    Attributes:
        content: what it holds.
        file: path as the user gave it.
        sha256: of the file's bytes, in hexadecimal.
    """

    content: PriceFile
    file: str
    sha256: str


def load_price_file(path: Path) -> LoadedPrices:
    """Return the prices in a file.

    Args:
        path: a .yaml or .yml file.

    Raises:
        PriceFileError: the file cannot be read or breaks the format; it carries every problem, with its line.
    """
    file = str(path)
    if fault := fault_of_path(path, file, endings=ENDINGS, kind="price file"):
        raise PriceFileError([fault])
    try:
        text, problems, _ = decode(path.read_bytes(), file)
        digest = sha256_of(path)
    except OSError as error:
        raise PriceFileError([unreadable(error, file)]) from error
    if problems:
        raise PriceFileError(problems)
    data, locate, problems = read_yaml(text, file)
    findings = Findings()
    content = _read(data, findings) if not problems else None
    problems += [
        Problem(file=file, line=locate(path), field=path_text(path), message=message)
        for path, message in findings.faults
    ]
    if content is None or problems:
        raise PriceFileError(sorted(problems, key=lambda problem: problem.line or 0))
    return LoadedPrices(content=content, file=file, sha256=digest)


def _read(data: object, findings: Findings) -> PriceFile | None:
    if not isinstance(data, Mapping):
        findings.fault((), "a price file is a mapping: write `per: 1M tokens`, and `models:` with a list of prices.")
        return None
    read = read_fields(PriceFile, data, (), findings)
    try:
        content = PriceFile.model_validate(read)
    except ValidationError as error:
        findings.faults.extend(explain(error, read).items())
        return None
    if not content.models:
        findings.fault(("models",), "is empty: put at least one item in it.")
    for at, entry in enumerate(content.models):
        if entry.host is not None and _HOST.fullmatch(entry.host) is None:
            told = f"{quoted(entry.host)} is no host: write it without http:// and path, as api.example.com:8000."
            findings.fault(("models", at, "host"), told)
    _refuse_twins(content, findings)
    return content


def _refuse_twins(content: PriceFile, findings: Findings) -> None:
    """The second of two prices for the same thing would never be used, and one of them is wrong."""
    first: dict[tuple[str, str | None], int] = {}
    for at, entry in enumerate(content.models):
        before = first.setdefault((entry.model, entry.host), at)
        if before != at:
            what = quoted(entry.model) + (f" at {quoted(entry.host)}" if entry.host else "")
            findings.fault(("models", at), f"is a second price for {what}, after models[{before}]: keep one.")
