"""The suite format as a JSON Schema, for editors that complete and check while one types."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evalparity.unified_schema.cases import EvalSuite

JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def suite_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a suite file, short forms included.

    It describes our own names. Files that use another tool's names load all the same; an editor marks the names.
    """
    schema = EvalSuite.model_json_schema(mode="validation")
    definitions = schema["$defs"]
    properties = definitions["EvalCase"]["properties"]
    for field, short in _SHORT_FORMS.items():
        full = properties[field]
        outer = {key: full.pop(key) for key in ("title", "description", "default") if key in full}
        properties[field] = {**outer, "anyOf": [*full.get("anyOf", [full]), *short]}
    properties["relevant"] = {**_IDS, "description": "Ids of relevant chunks; the short form of relevance."}
    definitions["Chunk"]["required"] = ["text"]
    schema["required"] = ["cases"]
    return {"$schema": JSON_SCHEMA_DIALECT, **schema, "title": "evalparity suite"}


_ID = {"type": ["string", "integer"]}
_IDS = {"type": "array", "items": _ID}
_VALUE = {"type": ["number", "boolean", "string", "null"]}
_SHORT_FORMS: Mapping[str, tuple[Mapping[str, Any], ...]] = MappingProxyType(
    {
        "id": (_ID,),
        "reference_contexts": ({"type": "string"},),
        "retrieved_contexts": (
            {"type": "string"},
            {"type": "array", "items": {"anyOf": [{"type": ["string", "null"]}, {"$ref": "#/$defs/Chunk"}]}},
        ),
        "stages": ({"type": "object", "additionalProperties": _IDS},),
        "prompt_contexts": (_ID, _IDS),
        "evidence": (
            _ID,
            {"type": "array", "items": {"anyOf": [_ID, _IDS, {"$ref": "#/$defs/EvidenceUnit"}]}},
        ),
        "access": (_ID,),
        "labels": (
            {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [
                        _VALUE,
                        {"$ref": "#/$defs/Rating"},
                        {"type": "object", "additionalProperties": _VALUE},
                        {"type": "array", "items": {"anyOf": [_VALUE, {"$ref": "#/$defs/Rating"}]}},
                    ]
                },
            },
        ),
    }
)
"""Other forms in which a person may write a field, by field."""
