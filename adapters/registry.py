"""Names of the frameworks and where their adapters stand; imports none of them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalparity.unified_schema.errors import UsageError

if TYPE_CHECKING:
    from evalparity.adapters.base import Adapter

ADAPTERS: Mapping[str, str] = MappingProxyType(
    {
        "ragas": "evalparity.adapters.ragas_adapter.adapter:ADAPTER",
        "deepeval": "evalparity.adapters.deepeval_adapter.adapter:ADAPTER",
        "promptfoo": "evalparity.adapters.promptfoo_adapter.adapter:ADAPTER",
        "builtin": "evalparity.adapters.builtin_adapter.adapter:ADAPTER",
    }
)
"""Where each adapter stands, in the order of reports; a new framework is one folder and one line here."""


def load_adapter(name: str) -> Adapter:
    """Return the adapter of a framework.

    Raises:
        UsageError: no framework has this name; the message names the nearest ones.
    """
    if name not in ADAPTERS:
        near = difflib.get_close_matches(name, ADAPTERS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(ADAPTERS)}."
        raise UsageError(f"unknown framework {name!r}: {hint}")
    module, _, attribute = ADAPTERS[name].partition(":")
    adapter: Adapter = getattr(import_module(module), attribute)
    return adapter
