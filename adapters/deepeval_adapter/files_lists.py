"""DeepEval's lists of passages in CSV and JSON lines, where it joins them by `|` without any escape."""

from __future__ import annotations

from typing import Any

from evalparity.adapters.written_lists import list_in
from evalparity.unified_schema.positions import Findings

DELIMITER = "|"
_LISTS = ("retrieval_context", "retrievalContext", "context")


def split_lists(case: dict[str, Any], findings: Findings) -> None:
    """Turn the texts of a row's lists into lists, and refuse those that can be read in more than one way."""
    for name in _LISTS:
        cell = case.get(name)
        if isinstance(cell, str):
            found = _list_of(cell, name, findings)
            if found is None:
                del case[name]
            else:
                case[name] = found


def looks_like_a_list(cell: str) -> bool:
    """Say whether a cell begins and ends as a list does, so that it may be read as one."""
    return cell.strip()[:1] == "[" and cell.strip()[-1:] == "]"


def _list_of(cell: str, name: str, findings: Findings) -> list[object] | str | None:
    if cell == "":
        return None
    listed = list_in(cell)
    if listed is not None:
        findings.remark((name,), f"the text in {name} is read as the list that it shows")
        return listed
    if DELIMITER not in cell:
        # As DeepEval reads it; what looks like a list of another kind is left to the reader of tables.
        return cell if looks_like_a_list(cell) else [cell]
    parts = cell.split(DELIMITER)
    if any(part != part.strip() or not part for part in parts):
        findings.fault((name,), _two_readings(len(parts)))
        return None
    told = f"{name} is split at |, as DeepEval joins passages; it does not mark a | that stood inside one"
    findings.remark((name,), told)
    return list(parts)


def _two_readings(count: int) -> str:
    return (
        f"can be read as {count} passages joined by | or as fewer with a | inside, such as a table, and DeepEval does "
        "not mark which: save the data set as JSON, or write the cell as a JSON list"
    )
