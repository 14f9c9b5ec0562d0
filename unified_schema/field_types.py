"""Reads raw data by the types of a model's fields, so that the model alone decides what a scalar means."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator

from evalparity.unified_schema.positions import FieldPath, Findings, quoted
from evalparity.unified_schema.scalars import (
    as_boolean,
    as_free,
    as_id,
    as_integer,
    as_number,
    as_text,
    as_time,
)

Reader = Callable[[object, FieldPath, Findings], object]
"""From a raw value, its path and where to note things to a value that the model can check."""


def unknown_key(key: object, known: Iterable[str], also_read: Iterable[str] = ()) -> str:
    """Return the message about a key that no field has, with the nearest name that would be read."""
    names = sorted(known)
    near = difflib.get_close_matches(str(key), [*names, *also_read], n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(names)}."
    return f"unknown key {quoted(key)}: {hint}"


def read_fields(model: type[BaseModel], value: object, path: FieldPath, findings: Findings) -> object:
    """Return a mapping with every value read by the type of its field; an unknown key is a fault."""
    if not isinstance(value, Mapping):
        return value
    readers = _readers_of(model)
    for key in value.keys() - readers.keys():
        findings.fault((*path, key), unknown_key(key, readers))
    return {key: reader(value[key], (*path, key), findings) for key, reader in readers.items() if key in value}


@cache
def _readers_of(model: type[BaseModel]) -> Mapping[str, Reader]:
    return MappingProxyType(
        {name: _reader(field.annotation, field.metadata) for name, field in model.model_fields.items()}
    )


def _reader(annotation: Any, marks: Iterable[object] = ()) -> Reader:  # noqa: ANN401 - types have no common type
    if get_origin(annotation) is Annotated:
        annotation, *marks = get_args(annotation)
    if BeforeValidator(as_id) in marks:
        return _converting(as_id)
    shape = _SHAPES.get(get_origin(annotation))
    if shape is not None:
        return shape(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _model_reader(annotation)
    return _SCALARS.get(annotation, _free)


def _model_reader(model: type[BaseModel]) -> Reader:
    return lambda value, path, findings: read_fields(model, value, path, findings)


def _converting(convert: Callable[[object], object]) -> Reader:
    return lambda value, _path, _findings: convert(value)


def _text(value: object, path: FieldPath, findings: Findings) -> object:
    text = as_text(value)
    if not isinstance(value, str) and isinstance(text, str):
        findings.remark(path, f"the {'truth value' if isinstance(value, bool) else 'number'} is read as text")
    return text


def _free(value: object, path: FieldPath, findings: Findings) -> object:
    if isinstance(value, Mapping):
        return {str(key): _free(inner, path, findings) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_free(inner, path, findings) for inner in value]
    return as_free(value)


def _sequence_shape(arguments: tuple[Any, ...]) -> Reader:
    read = _reader(arguments[0])

    def read_sequence(value: object, path: FieldPath, findings: Findings) -> object:
        if not isinstance(value, list | tuple):
            return value
        return tuple([read(inner, (*path, rank), findings) for rank, inner in enumerate(value)])

    return read_sequence


def _mapping_shape(arguments: tuple[Any, ...]) -> Reader:
    read = _reader(arguments[1])

    def read_mapping(value: object, path: FieldPath, findings: Findings) -> object:
        if not isinstance(value, Mapping):
            return value
        return {key: read(inner, (*path, key), findings) for key, inner in value.items()}

    return read_mapping


def _union_shape(arguments: tuple[Any, ...]) -> Reader:
    kinds = tuple(kind for kind in arguments if kind is not NoneType)
    read = _reader(kinds[0]) if len(kinds) == 1 else _SCALARS.get(kinds, _free)
    return lambda value, path, findings: None if value is None else read(value, path, findings)


_SCALARS: Mapping[Any, Reader] = MappingProxyType(
    {
        str: _text,
        float: _converting(as_number),
        int: _converting(as_integer),
        bool: _converting(as_boolean),
        (date, datetime): _converting(as_time),
    }
)
_SHAPES: Mapping[Any, Callable[[tuple[Any, ...]], Reader]] = MappingProxyType(
    {
        tuple: _sequence_shape,
        dict: _mapping_shape,
        Union: _union_shape,
        UnionType: _union_shape,
        # schema version: a whole number; roles: texts
        Literal: lambda values: _converting(as_integer if isinstance(values[0], int) else as_text),
    }
)
