"""Suites that hypothesis makes up: texts of every kind in every place."""

from __future__ import annotations

from datetime import datetime

from hypothesis import strategies as st

from evalparity.unified_schema import EvalSuite

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    [
        "no",
        "007",
        "1e5",
        "null",
        "~",
        "{{ x }}",
        "a: b",
        "- a",
        "# c",
        "\ufeff",
        "\x00\x1b",
        "\r\n",
        "a\u2028b",
        "'",
        '"',
        "NaN",
        "<<",
        "",
    ]
)
IDS = TEXT.filter(lambda text: bool(text.strip()))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
FREE = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ZONES = st.just(None) | st.timezones()
SINCE = datetime(2000, 1, 1)  # noqa: DTZ001 - hypothesis asks for bounds without a zone
DATES = st.dates().map(str) | st.datetimes(SINCE, timezones=ZONES).map(lambda when: when.isoformat())


@st.composite
def cases(draw, case_id):
    chunk_ids = draw(st.lists(IDS, unique=True, max_size=3))
    chunk = {"score": draw(st.none() | NUMBERS), "valid_from": draw(st.none() | DATES), "metadata": {"m": draw(FREE)}}
    return {
        "id": case_id,
        "input": draw(TEXT),
        "output": draw(st.none() | TEXT),
        "reference": draw(st.none() | TEXT),
        "reference_contexts": draw(st.lists(TEXT, max_size=2)),
        "retrieved_contexts": [{"id": name, "text": draw(TEXT), **chunk} for name in chunk_ids],
        "prompt_contexts": draw(st.none() | st.just(chunk_ids[:1])),
        "relevance": draw(st.dictionaries(IDS, st.integers(0, 3), max_size=2)),
        "answerable": draw(st.none() | st.booleans()),
        "access": draw(st.none() | st.builds(dict, tenant=IDS)),
        "labels": draw(st.dictionaries(TEXT, st.lists(NUMBERS | st.booleans() | TEXT, max_size=2), max_size=2)),
        "metadata": draw(st.dictionaries(TEXT, FREE, max_size=2)),
    }


SUITES = st.lists(IDS, unique=True, min_size=1, max_size=3).flatmap(
    lambda ids: st.builds(
        lambda made: EvalSuite.model_validate({"name": "suite", "cases": made}),
        st.tuples(*(cases(case_id) for case_id in ids)),
    )
)
