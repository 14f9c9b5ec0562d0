"""Writes suites, so that loading what was written gives the same suite."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import yaml

from evalparity.unified_schema.cases import SCHEMA_VERSION, Access, EvalCase, EvalSuite, SystemUsage
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Loss, Writer
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES
from evalparity.unified_schema.scalars import Plain, as_free

if TYPE_CHECKING:
    _Base = yaml.SafeDumper
else:
    _Base = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # twenty times faster, where it is built

_DEEPEST = 90
"""Levels of nesting that are written; the loader reads ten more."""

_STRING = "tag:yaml.org,2002:str"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_GUESSED = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null", "none"})
"""Words that some YAML reader takes for something else than text."""
_NO_BLOCK = re.compile(r"[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]|[ \t]$", re.MULTILINE)
"""What keeps a text out of a block: escapes are for quotes, and editors cut white space at the end of a line."""

_FIXED_FIELDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"access": frozenset(Access.model_fields), "usage": frozenset(SystemUsage.model_fields)}
)
"""Mappings in which a key that is left out and one that is null mean the same."""


def write_suite(suite: EvalSuite, path: str | os.PathLike[str]) -> None:
    """Write a suite to a file, at once or not at all; `load_suite` reads the same suite from it.

    Args:
        suite: as `load_suite` returns it: defaults are filled in.
        path: a .yaml, .yml or .json file; its folder must be there; a file that is there is replaced.

    Raises:
        UsageError: the ending is another one, the file cannot be written, or the format cannot say what the suite
            holds.
    """
    file = Path(path)
    text = suite_text(suite, file.suffix)
    try:
        replace_file(file, text.encode())
    except OSError as error:
        raise UsageError(f"{file}: cannot be written ({error.strerror or error}).") from error


def suite_text(suite: EvalSuite, ending: str) -> str:
    """Return a suite as the text of a file with this ending: .yaml, .yml or .json.

    Raises:
        UsageError: as `write_suite`.
    """
    write = _TEXTS.get(ending.lower())
    if write is None:
        hint = " (.jsonl has no place for a name, defaults or a corpus)" if ending.lower() == ".jsonl" else ""
        raise UsageError(f"suites are written to {', '.join(_TEXTS)} files, not to {ending or 'none'}{hint}.")
    data = suite_data(suite)
    if _too_deep(data, _DEEPEST):
        raise UsageError(f"the suite is nested deeper than {_DEEPEST} levels in some metadata: flatten it.")
    return write(data)


def suite_data(suite: EvalSuite) -> dict[str, Any]:
    """Return a suite as plain data in the full form, without what is left at its default.

    Raises:
        UsageError: a case lacks what the defaults would give it, so that it cannot be said under them.
    """
    header = _plain(suite.model_dump(exclude_defaults=True, exclude={"cases"}))
    cases = [_case(case, suite.defaults) for case in suite.cases]
    return {"evalparity": SCHEMA_VERSION, **header, "cases": cases}


def case_data(case: EvalCase) -> dict[str, Any]:
    """Return a case as plain data in the full form, without what is left at its default."""
    data: dict[str, Any] = _plain(case.model_dump(exclude_defaults=True))
    return data


def _case(case: EvalCase, defaults: Mapping[str, Any]) -> dict[str, Any]:
    written = case_data(case)
    for name, default in defaults.items():
        field = FOREIGN_NAMES.get(name, name)
        field = "relevance" if field == "relevant" else field
        if default is not None and not _as_list_of_ids(written, field, default):
            written[field] = _against(default, written.get(field), field, case.id)
    return written


def _as_list_of_ids(written: dict[str, Any], field: str, default: object) -> bool:
    """Write relevance in its short form where only that keeps a default of the suite away from it."""
    grades = written.get("relevance")
    if field != "relevance" or not isinstance(default, Mapping) or not isinstance(grades, dict):
        return False
    if default.keys() <= grades.keys() or set(grades.values()) != {1.0}:
        return False
    written["relevant"] = list(written.pop("relevance"))
    return True


def _plain(value: Any) -> Any:  # noqa: ANN401 - the values of any field
    """Return data as files hold it; pydantic's own JSON form drops the seconds of an offset from UTC."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.isoformat() if isinstance(value, date) else value


def _against(default: object, value: object, field: str, case_id: str) -> object:
    """Return what a case must say so that a default of the suite does not change it; None takes the default away."""
    if not isinstance(value, dict) or not isinstance(default, Mapping):
        return value
    missing = default.keys() - value.keys()
    if missing - _FIXED_FIELDS.get(field, frozenset()):
        raise UsageError(
            f"case {case_id} lacks {', '.join(sorted(missing))} in {field}, which the defaults of the suite would add: "
            "fill the defaults into its cases, or leave them out."
        )
    return {**value, **dict.fromkeys(sorted(missing))}


def _too_deep(data: object, levels: int) -> bool:
    if isinstance(data, Mapping | list | tuple):
        inner = data.values() if isinstance(data, Mapping) else data
        return levels == 0 or any(_too_deep(value, levels - 1) for value in inner)
    return False


class _Key(str):
    """A key, which must stand on one line."""

    __slots__ = ()


class _Dumper(_Base):
    """Puts every text in quotes, or into a block, that any reader could take for something else."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401, ARG002 - PyYAML's signature
        return True


def _mapping_node(dumper: yaml.SafeDumper, data: dict[str, Any]) -> yaml.Node:
    pairs: Any = [(_Key(key), value) for key, value in data.items()]
    return dumper.represent_mapping("tag:yaml.org,2002:map", pairs)


def _key_node(dumper: yaml.SafeDumper, key: str) -> yaml.Node:
    return dumper.represent_scalar(_STRING, str(key), style=None if _is_plain(key) else '"')


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    if _is_plain(text):
        return dumper.represent_scalar(_STRING, text)
    block = "\n" in text and not text[0].isspace() and not _NO_BLOCK.search(text)
    return dumper.represent_scalar(_STRING, text, style="|" if block else '"')


def _is_plain(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text.lower() not in _GUESSED


def _number_node(dumper: yaml.SafeDumper, number: float) -> yaml.Node:
    node = dumper.represent_int(number) if isinstance(number, int) else dumper.represent_float(number)
    if as_free(Plain(node.value)) != number:
        raise UsageError(
            f"the number {node.value[:30]} has more digits than a YAML suite can hold: name a .json file instead."
        )
    return node


_Dumper.add_representer(dict, _mapping_node)
_Dumper.add_representer(_Key, _key_node)
_Dumper.add_representer(str, _text_node)
_Dumper.add_representer(int, _number_node)
_Dumper.add_representer(float, _number_node)


def _yaml(data: dict[str, Any]) -> str:
    # A text stays on one line, however long: folding is where emitters and readers differ.
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=2**30
    )
    return text


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


_TEXTS: Mapping[str, Callable[[dict[str, Any]], str]] = MappingProxyType(
    {".yaml": _yaml, ".yml": _yaml, ".json": _json}
)


def _write_whole(suite: EvalSuite, path: Path) -> tuple[Loss, ...]:
    write_suite(suite, path)
    return ()


WRITERS = (
    Writer(name="yaml", endings=(".yaml", ".yml"), write=_write_whole, about="the suite itself, to read and to edit"),
    Writer(name="json", endings=(".json",), write=_write_whole, about="the suite itself, for programs"),
)
"""Our own kinds of files that a suite can be written to."""


def replace_file(file: Path, content: bytes) -> None:
    """Write a file beside its place and move it there, at once or not at all, with the rights of any new file.

    Raises:
        OSError: the file cannot be written.
    """
    handle, name = tempfile.mkstemp(prefix=f".{file.name[:80]}-", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as made:
            made.write(content)
            made.flush()
            os.fsync(made.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(file)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
