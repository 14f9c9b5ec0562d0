"""Reads YAML without guessing types, running anything, or growing without bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from evalparity.unified_schema.errors import Problem
from evalparity.unified_schema.positions import FieldPath, Locate, quoted
from evalparity.unified_schema.scalars import Plain
from evalparity.unified_schema.yaml_aliases import repetition

if TYPE_CHECKING:
    _Base = yaml.SafeLoader
else:
    _Base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is ten times faster, where it is built

_STANDARD = "tag:yaml.org,2002:"
_PLAIN = "plain"
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TYPED = frozenset(_STANDARD + name for name in ("int", "float", "bool", "timestamp"))
_KNOWN = frozenset(_STANDARD + name for name in ("str", "null", "seq", "map")) | _TYPED | {_PLAIN}
_DEEPEST = 100
"""Levels of nesting; a suite needs six."""


class _Loader(_Base):
    """Marks scalars without quotes as such, instead of resolving them by the rules of YAML 1.1."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> Any:  # noqa: ANN401 - PyYAML's signature
        if kind is yaml.ScalarNode and implicit[0]:
            return _PLAIN
        return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call] # PyYAML has no types here


def read_yaml(text: str, file: str) -> tuple[object, Locate, list[Problem]]:
    """Return the data of a YAML text, where each value stands, and every problem found.

    Scalars without quotes are `Plain`, null is None, keys are always text. Tags that build objects, repeated
    keys, cycles and exploding aliases are problems; data is None when the text is not YAML at all.
    """
    try:
        root = yaml.compose(text, _Loader)
    except yaml.YAMLError as error:
        return None, lambda _path: None, [_syntax_problem(error, text, file)]
    except RecursionError:  # the C parser has a limit of its own and says so; the other one runs into Python's
        told = f"nested deeper than {_DEEPEST} levels: flatten it."
        return None, lambda _path: None, [Problem(file=file, message=told)]
    tree = _Tree(file=file)
    data = tree.data(root) if root is not None else None
    return data, lambda path: _line(root, path), tree.problems


def _syntax_problem(error: yaml.YAMLError, text: str, file: str) -> Problem:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
        return Problem(file=file, line=line, column=column, message=f"not valid YAML: {said}; correct this place.")
    offset = getattr(error, "position", 0)
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    said = 'this character may stand in YAML only as an escape such as "\\x01" in double quotes'
    return Problem(file=file, line=line, column=column, message=f"not valid YAML: {said}.")


@dataclass(slots=True)
class _Tree:
    """Builds plain data out of YAML nodes and keeps what is wrong with them."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    open: set[int] = field(default_factory=set)

    def data(self, root: yaml.Node) -> Any:  # noqa: ANN401 - raw data
        """Return the data below a node, or None, and one problem, when aliases make it explode."""
        found = repetition(root)
        if not found.explodes:
            return self.build(root, 0)
        stands = f"they stand for {found.repeated:,} values more than the {found.written:,} that are written"
        told = f"aliases repeat what is anchored here too often: {stands}; write out what is meant, or split the file"
        self._report(found.anchor or root, told)
        return None

    def build(self, node: yaml.Node, depth: int) -> Any:  # noqa: ANN401 - raw data
        if node.tag not in _KNOWN:
            tag = node.tag.replace(_STANDARD, "!!")
            self._report(
                node, f"the tag {quoted(tag)} is refused: the file may hold texts, numbers, lists and mappings only"
            )
            return None
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        return self._collection(node, depth) if self._may_open(node, depth) else None

    def _collection(self, node: yaml.Node, depth: int) -> Any:  # noqa: ANN401 - raw data
        self.open.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            built: Any = [self.build(item, depth + 1) for item in node.value]
        else:
            built = self._mapping(node, depth)
        self.open.discard(id(node))
        return built

    def _mapping(self, node: yaml.Node, depth: int) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._report(key_node, "a key must be a text, not a list or mapping")
                continue
            key, line = str(key_node.value), key_node.start_mark.line + 1
            value = self.build(value_node, depth + 1)
            if key == "<<" and key_node.tag == _PLAIN:
                merged = {**_merged(value), **merged}
            elif key in lines:
                first = f"the first is on line {lines[key]}"
                self._report(key_node, f"the key {quoted(key)} stands here twice ({first}): keep one of them")
            else:
                own[key], lines[key] = value, line
        return {**merged, **own}

    def _may_open(self, node: yaml.Node, depth: int) -> bool:
        if id(node) in self.open:
            self._report(node, "an alias in this value points back to the value itself: write it out")
        elif depth >= _DEEPEST:
            self._report(node, f"nested deeper than {_DEEPEST} levels: flatten it")
        else:
            return True
        return False

    def _report(self, node: yaml.Node, message: str) -> None:
        mark = node.start_mark
        problem = Problem(file=self.file, line=mark.line + 1, column=mark.column + 1, message=f"{message}.")
        if problem not in self.problems:
            self.problems.append(problem)


def _scalar(node: yaml.ScalarNode) -> str | None:
    if node.tag == _STANDARD + "null" or (node.tag == _PLAIN and node.value in _NULLS):
        return None
    return Plain(node.value) if node.tag == _PLAIN or node.tag in _TYPED else str(node.value)


def _merged(value: object) -> dict[str, Any]:
    parts = value if isinstance(value, list) else [value]
    merged: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, dict):
            merged = {**part, **merged}
    return merged


def _line(root: yaml.Node | None, path: FieldPath) -> int | None:
    """Return the line of the key or item at a path, or of the nearest thing around it."""
    if root is None:
        return None
    node, line = root, root.start_mark.line + 1
    for step in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((key, value) for key, value in node.value if key.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            found = (node.value[step], node.value[step])
        else:
            found = None
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return int(line)
