"""What a user allows when a test set is read, out of the options of a command."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

from evalparity.unified_schema.exchange import ReadOptions

_NAMES = ("skip_bad_rows", "allow_files", "list_separator")


def reading_of(values: Mapping[str, Any]) -> ReadOptions:
    """Return what the options of a command allow; an option that the command does not have allows nothing."""
    given = {name: values[name] for name in _NAMES if values.get(name) is not None}
    if "list_separator" in given:  # a shell makes it hard to type these
        given["list_separator"] = given["list_separator"].replace("\\n", "\n").replace("\\t", "\t")
    return ReadOptions(**given)


def take_reading(values: MutableMapping[str, Any]) -> ReadOptions:
    """Return the same, and take these options out of the others."""
    reading = reading_of(values)
    for name in _NAMES:
        values.pop(name, None)
    return reading
