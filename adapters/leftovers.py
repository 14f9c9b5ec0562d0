"""What a row of a framework holds beyond the fields of a case: it is kept in the metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalparity.unified_schema.foreign_names import FOREIGN_NAMES
from evalparity.unified_schema.positions import Findings
from evalparity.unified_schema.short_forms import CASE_KEYS


def keep_the_rest(case: dict[str, Any], findings: Findings, *, kept: object, framework: str) -> None:
    """Move what has no field of ours to the metadata of a case, and tell of each.

    Args:
        case: under our names, or known ones; changed in place.
        findings: takes what was moved.
        kept: the metadata that the row itself has, which is kept where a name is in both.
        framework: whose row it is: what is in both stands under `framework_name`.
    """
    known = CASE_KEYS | FOREIGN_NAMES.keys()
    rest = {name: case.pop(name) for name in list(case) if name not in known}
    metadata = dict(kept) if isinstance(kept, Mapping) else {} if kept is None else {f"{framework}_metadata": kept}
    for name, value in rest.items():
        taken = name in metadata and metadata[name] != value
        metadata[f"{framework}_{name}" if taken else name] = value
        findings.remark(("metadata", name), f"{name} is kept in metadata")
        findings.moved[("metadata", name)] = findings.in_file((name,))
    if metadata:
        case["metadata"] = metadata
