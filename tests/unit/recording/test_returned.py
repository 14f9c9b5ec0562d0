"""Whatever an application returns becomes plain data, or a reason that a user understands."""

from __future__ import annotations

import enum
import json
import uuid
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

from evalparity.comparisons.recording.answers import READ_NAMES
from evalparity.comparisons.recording.returned import UnrecordableError, plain_result


@dataclass
class Result:
    answer: str
    contexts: list[Any] = field(default_factory=list)


class Model(BaseModel):
    answer: str
    contexts: list[str] = []


class Named(NamedTuple):
    answer: str
    contexts: list[str]
    score: float


class Pair(NamedTuple):
    contexts: list[str]
    answer: str


class Plain:
    def __init__(self) -> None:
        self.answer = "yes"
        self.contexts = ("a",)
        self.client = object()


class Slotted:
    __slots__ = ("answer",)

    def __init__(self) -> None:
        self.answer = "yes"


class LangChainDocument:
    def __init__(self) -> None:
        self.page_content = "text"
        self.metadata = {"source": PurePosixPath("a/b.md")}
        self.id = None


class LlamaNode:
    node_id = "n1"
    text = "text"
    score = 0.5
    metadata = None


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "something else"


class Colour(enum.Enum):
    RED = "red"
    COMPLEX = (1, 2)


class Array:
    def tolist(self) -> list[float]:
        return [0.5, 0.25]


DOCUMENT = {"id": None, "text": "text", "score": None, "metadata": {"source": "a/b.md"}}
NODE = {"id": "n1", "text": "text", "score": 0.5, "metadata": {}}
READ = [
    ("text", "text"),
    ("", ""),
    (Loud("kept"), "kept"),
    (42, 42),
    (True, True),
    (float("nan"), None),
    (Decimal("0.5"), 0.5),
    (("a", ["b"]), ["a", ["b"]]),
    (Pair(["c"], "a"), [["c"], "a"]),
    (Named("a", ["c"], 0.5), {"answer": "a", "contexts": ["c"], "score": 0.5}),
    (Result("a", ["c"]), {"answer": "a", "contexts": ["c"]}),
    (Model(answer="a"), {"answer": "a", "contexts": []}),
    (Plain(), {"answer": "yes", "contexts": ["a"]}),
    (Slotted(), {"answer": "yes"}),
    ({"answer": "a", "contexts": [LangChainDocument()]}, {"answer": "a", "contexts": [DOCUMENT]}),
    ({"answer": "a", "source_nodes": [LlamaNode()]}, {"answer": "a", "source_nodes": [NODE]}),
    ({"answer": "a", "ids": {"b", "a"}}, {"answer": "a", "ids": ["a", "b"]}),
    ({"answer": "a", "trace": object}, {"answer": "a", "trace": str(object)}),
    ({"answer": "a", "metadata": {"colour": Colour.RED, "when": date(2026, 6, 1)}},
     {"answer": "a", "metadata": {"colour": "red", "when": "2026-06-01"}}),
    ({"answer": "a", "metadata": {"colour": Colour.COMPLEX}}, {"answer": "a", "metadata": {"colour": "COMPLEX"}}),
    ({"metadata": {"at": datetime(2026, 6, 1, 8, tzinfo=UTC)}}, {"metadata": {"at": "2026-06-01T08:00:00+00:00"}}),
    ({"metadata": {"id": uuid.UUID(int=1), "scores": Array()}},
     {"metadata": {"id": str(uuid.UUID(int=1)), "scores": [0.5, 0.25]}}),
]  # fmt: skip


@pytest.mark.parametrize(("value", "plain"), READ)
def test_what_is_data_is_read(value: object, plain: object) -> None:
    found = plain_result(value, READ_NAMES)
    assert found == plain
    assert type(found) is type(plain)
    json.dumps(found, allow_nan=False)


def generator() -> Any:
    yield "a"


async def asynchronous_generator() -> Any:
    yield "a"


def deep(levels: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(levels):
        inner = [inner]
    return inner


REFUSED = [
    (None, "nothing", "returned None"),
    (generator(), "generator", "returned a generator: collect it"),
    (asynchronous_generator(), "generator", "returned a generator: collect it"),
    (iter("ab"), "generator", "returned a generator"),
    ({"answer": generator()}, "generator", "at answer"),
    ({"answer": "a", "contexts": ["a", map(str, [1])]}, "generator", "at contexts[1]"),
    (b"bytes", "wrong_type", "returned bytes: decode them"),
    (object(), "wrong_type", "of type object: return text"),
    (lambda: "a", "wrong_type", "of type function"),
    (str, "wrong_type", "of type type"),
    ({"answer": object()}, "wrong_type", "at answer"),
    (10**18, "wrong_type", "more than 18 digits"),
    (deep(50), "wrong_type", "deeper than 40 levels"),
]


@pytest.mark.parametrize(("value", "kind", "told"), REFUSED)
def test_what_is_no_data_is_refused_with_its_place(value: object, kind: str, told: str) -> None:
    with pytest.raises(UnrecordableError) as refused:
        plain_result(value, READ_NAMES)
    assert refused.value.kind == kind
    assert told in str(refused.value)
