"""How much data the aliases of a YAML file stand for, told without building it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import yaml

_FREE = 100_000
_PER_VALUE = 30
"""Four thousand cases that share ten chunks by one alias repeat eight values for each that is written."""
_MOST = 2_000_000
"""More takes gigabytes and minutes to read, whoever means it."""
_CEILING = 10**12
"""Sizes are not counted beyond, for those of an alias bomb have thousands of digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """What aliases repeat.

    Attributes:
        written: values that stand in the file.
        repeated: values that aliases add to them, at most a million millions.
        anchor: the value whose repetition adds most; None without aliases.
    """

    written: int
    repeated: int
    anchor: yaml.Node | None

    @property
    def explodes(self) -> bool:
        """Whether the aliases add more than a person means: an honest file's share grows with the file."""
        return self.repeated > min(_FREE + _PER_VALUE * self.written, _MOST)


def repetition(root: yaml.Node) -> Repetition:
    """Return what aliases repeat below a node; a value that holds itself counts as written once."""
    nodes: dict[int, yaml.Node] = {}
    sizes: dict[int, int] = {}
    uses: Counter[int] = Counter()
    waiting = [(root, False)]
    while waiting:
        node, complete = waiting.pop()
        children = _values(node)
        if complete:
            sizes[id(node)] = min(1 + sum(sizes.get(id(child), 0) for child in children), _CEILING)
        elif id(node) not in nodes:
            nodes[id(node)] = node
            uses.update(map(id, children))
            waiting.append((node, True))
            waiting += [(child, False) for child in children]
    added = {key: (times - 1) * sizes[key] for key, times in uses.items() if times > 1}
    anchor = nodes[max(added, key=added.__getitem__)] if added else None
    return Repetition(written=len(nodes), repeated=sizes[id(root)] - len(nodes), anchor=anchor)


def _values(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    return [value for _, value in node.value] if isinstance(node, yaml.MappingNode) else []
