"""The study format as a JSON Schema, for editors that complete and check while one types."""

from __future__ import annotations

from typing import Any

from evalparity.unified_schema.json_schema import JSON_SCHEMA_DIALECT
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.study import Study
from evalparity.unified_schema.study_checks import ALL


def study_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a study file, short forms included.

    It knows the metrics, not the frameworks and their scorers: these depend on what is installed.
    """
    schema = Study.model_json_schema(mode="validation")
    properties = schema["properties"]
    properties["metrics"] = _with_short_form(properties["metrics"], {"enum": [*METRICS, ALL]})
    for field in ("frameworks", "scorers", "judge", "embeddings"):
        properties[field] = _with_short_form(properties[field], {"type": "string"})
    judges = properties["judges"]["anyOf"][0]
    judges["items"] = {"anyOf": [judges["items"], {"type": "string"}]}
    return {"$schema": JSON_SCHEMA_DIALECT, **schema, "title": "evalparity study"}


def _with_short_form(full: dict[str, Any], short: dict[str, Any]) -> dict[str, Any]:
    """Return a property that may also be one name; in a list of names, each is of the same form."""
    forms = [{**form, "items": short} if form.get("type") == "array" else form for form in full["anyOf"]]
    return {**full, "anyOf": [*forms, short]}
