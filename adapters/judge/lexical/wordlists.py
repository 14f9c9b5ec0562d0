"""Reads the word tables of the lexical judge, which are written as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def groups(text: str) -> list[list[str]]:
    """Return the groups of a text, divided by `|` or a line end, each a list of words."""
    return [part.split() for part in text.replace("\n", "|").split("|") if part.strip()]


def forms(text: str) -> Mapping[str, str]:
    """Return what each form stands for, from groups such as `pay: paid pays`."""
    table = {form: head.rstrip(":") for head, *rest in groups(text) for form in rest}
    return MappingProxyType(table)


def classes(members: list[list[str]]) -> Mapping[str, frozenset[int]]:
    """Return the numbers of the groups that each member belongs to."""
    table: dict[str, set[int]] = {}
    for number, group in enumerate(members):
        for member in group:
            table.setdefault(member, set()).add(number)
    return MappingProxyType({member: frozenset(numbers) for member, numbers in table.items()})


def opposites(pairs: list[list[str]]) -> Mapping[str, tuple[str, ...]]:
    """Return the opposites of each member, in a fixed order; pairs hold both ways."""
    table: dict[str, set[str]] = {}
    for first, second in pairs:
        table.setdefault(first, set()).add(second)
        table.setdefault(second, set()).add(first)
    return MappingProxyType({member: tuple(sorted(others)) for member, others in table.items()})
