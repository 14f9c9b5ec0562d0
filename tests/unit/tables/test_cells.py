"""Cells that hold lists: each form is told, and what can mean two things is never guessed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalparity.unified_schema.cells import CellError, looks_like_list, read_data, read_ids, read_texts

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=5)
HOSTILE = [
    "{{ 7*7 }}",
    "${HOME}",
    "file:///etc/passwd",
    "=cmd|' /C calc'!A0",
    "a\0b",
    "x\u2028y",
    'it\'s "so"',
    "😀",
    "\\",
]


@pytest.mark.parametrize(
    ("cell", "items", "form"),
    [
        ('["a", "b"]', ["a", "b"], "a JSON list"),
        ("['a', 'b']", ["a", "b"], "a Python list"),
        ("['it\\'s', \"so\"]", ["it's", "so"], "a Python list"),
        ("['a' 'b']", ["a", "b"], "a list as numpy prints it"),
        ("['a'\n \"b's\"]", ["a", "b's"], "a list as numpy prints it"),
        ("array(['a', 'b'], dtype=object)", ["a", "b"], "a Python list"),
        ("['a', nan]", ["a", None], "a Python list"),
        ("[]", [], "a JSON list"),
        ("a || b", ["a", "b"], "a list with '||' in between"),
        ("One.; Two.", ["One.", "Two."], "a list with ';' in between"),
        ("a plain sentence [with brackets] inside", ["a plain sentence [with brackets] inside"], "one text"),
        ("[see 3] and more [4]", ["[see 3] and more [4]"], "one text"),
        ("cheap; good", ["cheap; good"], "one text"),
        ("| a | b |\n", ["| a | b |\n"], "one text"),
        ('[1, 2.50, "007"]', ["1", "2.50", "007"], "a JSON list"),
    ],
)
def test_the_form_is_found(cell, items, form):
    found = read_texts(cell)
    assert (found.items, found.form) == (items, form)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("First line.\nSecond line.", "2 texts with line breaks"),
        ("if (a || b) { go }", "2 texts with '||'"),
        ("a|b", "2 texts with '|'"),
        ("d1;d2", "2 texts with ';'"),
        ("['a', 'b' 'c']", "3 texts, or 2"),
        ("['a', 'b", "never ends"),
        ("['a', oops]", "damaged list"),
        ('["\\ud83d"]', "half of a Unicode character"),
        ("['\\ud83d']", "half of a Unicode character"),
        ('[{"id": 1, "id": 2}]', "twice"),
    ],
)
def test_what_can_mean_two_things_is_told(cell, told):
    with pytest.raises(CellError, match=r"[a-z]") as refused:
        read_texts(cell)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_user_decides_where_a_cell_can_mean_two_things():
    assert read_texts("a\nb", separator="\n").items == ["a", "b"]
    assert read_texts("a\nb", separator="").items == ["a\nb"]
    assert read_texts("a\nb", lists=True).items == ["a\nb"]


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ("d1", ["d1"]),
        ("d1, d3", ["d1", "d3"]),
        ("007;1e5", ["007", "1e5"]),
        ("d1\nd2", ["d1", "d2"]),
        ("[1, 1e5, 1.0]", ["1", "1e5", "1.0"]),
        ("[7 8]", None),
        ("d1 d2", None),
        ("d1, d2; d3", None),
    ],
)
def test_ids(cell, ids):
    if ids is None:
        with pytest.raises(CellError, match="can be one id"):
            read_ids(cell)
    else:
        assert read_ids(cell).items == ids


@given(TEXTS)
def test_lists_as_json_and_python_write_them_come_back(texts):
    assert read_texts(json.dumps(texts)).items == texts
    assert read_texts(json.dumps(texts, ensure_ascii=False)).items == texts
    assert read_texts(repr(texts)).items == texts
    assert looks_like_list(repr(texts))


@given(TEXTS.filter(lambda texts: len(texts) != 1))
def test_lists_as_numpy_prints_them_come_back(texts):
    assert read_texts(str(np.array(texts, dtype=object))).items == texts


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_texts(text):
    assert read_texts(json.dumps([text])).items == [text]
    assert read_texts(repr([text])).items == [text]


@pytest.mark.parametrize(
    "cell",
    ["[__import__('os').getcwd()]", "[open('/etc/passwd')]", "[x for x in (1,)]", "[" * 5000 + "]" * 5000, "[9**9**9]"],
)
def test_nothing_in_a_cell_is_run(cell):
    assert read_texts(cell).items == [cell]


def test_data():
    assert read_data('{"a": [1]}') == {"a": [1]}
    assert read_data("{'a': True, 'b': None}") == {"a": True, "b": None}
    assert read_data("plain") == "plain"
    with pytest.raises(CellError, match="begins like a mapping"):
        read_data("{'a': oops}")
