"""Names of the frameworks and where their adapters stand; imports none of them until it is asked for.

Ours are listed here. Those of other packages are found by their entry points in the group `evalparity.adapters`, whose
name is the framework's and whose value is `module:ADAPTER`.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from evalparity.adapters.base import Adapter
from evalparity.adapters.exchange import FrameworkFiles
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.metrics import METRICS

ADAPTERS: Mapping[str, str] = MappingProxyType(
    {
        "ragas": "evalparity.adapters.ragas_adapter.adapter:ADAPTER",
        "deepeval": "evalparity.adapters.deepeval_adapter.adapter:ADAPTER",
        "promptfoo": "evalparity.adapters.promptfoo_adapter.adapter:ADAPTER",
        "builtin": "evalparity.adapters.builtin_adapter.adapter:ADAPTER",
    }
)
"""Where our own adapters stand, in the order of reports; a new framework is one folder and one line here."""

FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "inspectorraget": "evalparity.adapters.inspectorraget.files:FILES",
        "evalport": "evalparity.adapters.evalport.files:FILES",
    }
)
"""Where the files of tools that score nothing stand; a new one is one folder and one line here."""

GROUP = "evalparity.adapters"
"""The group of entry points in which other packages name their adapters."""


def adapter_names() -> tuple[str, ...]:
    """Return the frameworks whose adapters can be loaded: ours, then those of other packages by name."""
    return (*ADAPTERS, *(name for name in _foreign() if name not in ADAPTERS and _fault(name) is None))


def adapter_faults() -> tuple[str, ...]:
    """Return what is wrong with the adapters of other packages that cannot be used, one sentence each."""
    return tuple(fault for name in _foreign() if (fault := _fault(name)) is not None)


def load_adapter(name: str) -> Adapter:
    """Return the adapter of a framework.

    Raises:
        UsageError: no framework has this name, with the nearest ones; or its adapter, another package's, cannot be
            loaded.
    """
    if name in ADAPTERS:
        module, _, attribute = ADAPTERS[name].partition(":")
        adapter: Adapter = getattr(import_module(module), attribute)
        return adapter
    if name not in _foreign():
        known = adapter_names()
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
        raise UsageError(f"unknown framework {name!r}: {hint}")
    loaded = _load(name)
    if isinstance(loaded, str):
        raise UsageError(loaded)
    return loaded


def load_format(name: str) -> FrameworkFiles:
    """Return the files of a tool out of `FORMATS`."""
    module, _, attribute = FORMATS[name].partition(":")
    files: FrameworkFiles = getattr(import_module(module), attribute)
    return files


def _fault(name: str) -> str | None:
    loaded = _load(name)
    return loaded if isinstance(loaded, str) else None


@cache
def _foreign() -> Mapping[str, tuple[EntryPoint, ...]]:
    """Return the entry points of other packages by framework, in alphabetical order."""
    found: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        found.setdefault(point.name, []).append(point)
    return MappingProxyType({name: tuple(points) for name, points in found.items()})


@cache
def _load(name: str) -> Adapter | str:
    """Return the adapter that another package offers under a name, or why it is not used."""
    points = _foreign()[name]
    origin = " and ".join(dict.fromkeys(f"{_package(point)} ({point.value})" for point in points))
    if name in ADAPTERS:
        return f"the adapter {name!r} of {origin} is not used: evalparity brings one of this name."
    if len({point.value for point in points}) > 1:
        return f"two packages offer an adapter {name!r}, {origin}: uninstall one of them."
    try:
        adapter = points[0].load()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the code of another package may raise anything
        return (
            f"the adapter {name!r} of {origin} cannot be loaded ({type(error).__name__}: {_on_one_line(error)}): "
            "reinstall or upgrade that package, or uninstall it."
        )
    fault = _breach(name, adapter)
    return adapter if fault is None else f"the adapter {name!r} of {origin} cannot be used: {fault}."


def _on_one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _breach(name: str, adapter: object) -> str | None:
    """Return what makes an object no adapter of this name."""
    if not isinstance(adapter, Adapter):
        return f"its entry point names an object of type {type(adapter).__name__}, no Adapter"
    if adapter.name != name:
        return f"it calls itself {adapter.name!r}; entry point and adapter must have one name"
    unknown = sorted({*adapter.bindings, *adapter.unsupported} - set(METRICS))
    if unknown:
        return f"it measures what this version does not know ({', '.join(unknown)})"
    foreign = [binding.scorer for binding in adapter.scorers() if not binding.scorer.startswith(f"{name}:")]
    return f"its scorers must begin with '{name}:' ({', '.join(foreign)})" if foreign else None


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "a package"
