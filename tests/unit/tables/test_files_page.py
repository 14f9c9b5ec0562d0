"""docs/files.md says what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evalparity.unified_schema import SuiteError, load_suite
from evalparity.unified_schema.cells import read_texts
from evalparity.unified_schema.kinds import KINDS

PAGE = (Path(__file__).parents[3] / "docs" / "files.md").read_text(encoding="utf-8")


def test_every_form_of_a_cell_is_read_as_the_page_says():
    rows = re.findall(
        r"^\| `(.+)` \| (a JSON list|a Python list|a list as numpy|two texts|one text)", PAGE, re.MULTILINE
    )
    assert len(rows) == 6
    for cell, said in rows:
        found = read_texts(cell.replace("\\|", "|"))
        assert found.form.startswith(said) or (said == "two texts" and len(found.items) == 2), cell


def test_every_ending_stands_on_the_page():
    table = PAGE.partition("## Tables")[0]
    assert set(re.findall(r"`(\.\w+)`", table)) == set(KINDS)


def test_the_message_about_a_cell_that_can_mean_two_things(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text('id,input,contexts\na,q,"one\ntwo"\n')
    with pytest.raises(SuiteError) as caught:
        load_suite("s.csv")
    assert str(caught.value) in PAGE


def test_the_example_in_python(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    assert capsys.readouterr().out.startswith("The merchant.\ncases:1: case row-1 question: question is read as input")
