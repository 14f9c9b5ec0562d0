"""Suites for tests of writers, and what must come back of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from evalparity.adapters.reading import load_any, writer_named
from evalparity.unified_schema import EvalSuite
from evalparity.unified_schema.exchange import Loss
from evalparity.unified_schema.writing import case_data
from support.cases import HOSTILE_TEXTS

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["", "007", "null", "{{ x }}", "file:///etc/passwd", "${HOME}", "=cmd()", "a|b", "\x00", "a\u2028b", "🤖", '"']
)
IDS = TEXT.filter(lambda text: bool(text.strip()))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
FREE = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | TEXT | st.lists(TEXT, max_size=2)
RATINGS = st.lists(st.builds(dict, value=NUMBERS | TEXT | st.booleans(), rater=st.none() | IDS), min_size=1, max_size=3)
TURNS = st.lists(st.builds(dict, role=st.sampled_from(["user", "assistant", "system"]), content=TEXT), max_size=3)
CHUNKS = st.builds(
    dict,
    id=IDS,
    text=TEXT,
    score=st.none() | NUMBERS,
    tenant=st.none() | IDS,
    metadata=st.dictionaries(TEXT | st.sampled_from(["title", "id", "text"]), FREE, max_size=2),
)
KEYS = TEXT | st.sampled_from(
    ["task_id", "model_id", "task_type", "Answerability", "category", "references", "context"]
)


@st.composite
def _case(draw: st.DrawFn, case_id: str) -> dict[str, Any]:
    return {
        "id": case_id,
        "input": draw(TEXT),
        "conversation": draw(TURNS),
        "output": draw(st.none() | TEXT),
        "reference": draw(st.none() | TEXT),
        "reference_contexts": draw(st.lists(TEXT, max_size=1)),
        "retrieved_contexts": draw(st.lists(CHUNKS, max_size=3, unique_by=lambda chunk: chunk["id"])),
        "answerable": draw(st.none() | st.booleans()),
        "category": draw(st.none() | TEXT),
        "labels": draw(st.dictionaries(TEXT, RATINGS, max_size=2)),
        "metadata": draw(st.dictionaries(KEYS, FREE, max_size=3)),
    }


SUITES = st.lists(IDS, unique=True, min_size=1, max_size=3).flatmap(
    lambda ids: st.builds(
        lambda name, made: EvalSuite.model_validate({"name": name, "cases": made}),
        IDS,
        st.tuples(*(_case(case_id) for case_id in ids)),
    )
)
"""Suites with every field that a file of another tool may hold, and some that none does."""

HOSTILE = EvalSuite.model_validate(
    {
        "name": HOSTILE_TEXTS["template"],
        "cases": [
            {
                "id": f"hostile-{name}",
                "input": text,
                "conversation": [{"role": "user", "content": text}],
                "output": text,
                "reference": text,
                "retrieved_contexts": [text, f"{text} again"],
                "metadata": {text: text},
            }
            for name, text in HOSTILE_TEXTS.items()
        ],
    }
)


def there_and_back(suite: EvalSuite, name: str, path: Path) -> tuple[EvalSuite, tuple[Loss, ...]]:
    """Return a suite as it is read from the file that a writer made of it, and what the writer said is lost."""
    losses = writer_named(name).write(suite, path)
    return load_any(path).suite, losses


def differences(before: EvalSuite, after: EvalSuite, losses: tuple[Loss, ...]) -> list[tuple[str, str]]:
    """Return the case and field of everything that came back changed and was not said to be lost."""
    told = {(loss.case, loss.field) for loss in losses}
    assert [case.id for case in after.cases] == [case.id for case in before.cases]
    found = []
    for old, new in zip(before.cases, after.cases, strict=True):
        was, now = case_data(old), case_data(new)
        found += [
            (old.id, field)
            for field in was.keys() | now.keys()
            if was.get(field) != now.get(field) and (old.id, field) not in told
        ]
    return found
