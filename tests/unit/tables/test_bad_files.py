"""Files that break what reads them: refused with a message, never a traceback, never half a load that looks whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalparity.unified_schema import SuiteError, UsageError, load_suite, loading
from evalparity.unified_schema.exchange import ReadOptions


def problems_of(path: Path, **options):
    with pytest.raises(SuiteError) as caught:
        load_suite(path, options=ReadOptions(**options))
    return caught.value.problems


def test_lines_that_are_no_json_are_bad_rows(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(
        b'{"id": "a", "input": "\xc3\xa9"}\n{"id": "b", oops}\n{"input": "caf\xe9"}\n[1]\n{"id": "c", "input": "q"}\n'
    )
    assert len(problems_of(path)) == 2  # bytes that are no UTF-8 end it
    loaded = load_suite(path, options=ReadOptions(skip_bad_rows=True))
    assert [case.id for case in loaded.suite.cases] == ["a", "c"]
    assert [(problem.line, problem.case) for problem in loaded.skipped] == [(2, "#2"), (3, "#3"), (4, "#4")]


def test_where_no_row_is_good_nothing_is_left_out(tmp_path):
    (tmp_path / "s.jsonl").write_text("{oops\n{oops\n")
    assert len(problems_of(tmp_path / "s.jsonl", skip_bad_rows=True)) == 2


def test_a_line_without_end_never_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "LONGEST_LINE", 1000)
    path = tmp_path / "s.jsonl"
    long = '{"id": "b", "input": "' + "x" * 5000 + '"}'
    path.write_text('{"id": "a", "input": "q"}\n' + long + '\n{"id": "c", "input": "q"}\n')
    (problem,) = problems_of(path)
    assert (problem.line, problem.case) == (2, "#2")
    assert "longer than 1,000 bytes" in problem.message
    loaded = load_suite(path, options=ReadOptions(skip_bad_rows=True))
    assert [case.id for case in loaded.suite.cases] == ["a", "c"]


YAML = {
    "an alias bomb": "a: &a [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9))
    + "cases: [{id: a, input: q, metadata: {m: *j}}]\n",
    "a cyclic anchor": "cases: &c [{id: a, input: q, metadata: {m: *c}}]\n",
    "a tag of Python": "cases: [{id: a, input: !!python/object/apply:os.system [true]}]\n",
    "another tag": "cases: [{id: a, input: !ruby/object:X {}}]\n",
}


@pytest.mark.parametrize("name", YAML)
def test_hostile_yaml(tmp_path, name):
    (tmp_path / "s.yaml").write_text(YAML[name])
    assert all(problem.line for problem in problems_of(tmp_path / "s.yaml"))


@pytest.mark.parametrize("name", ["s.csv", "s.yaml", "s", "s.parquet"])
def test_links_folders_pipes_and_rights(tmp_path, name):
    path = tmp_path / name
    path.symlink_to(path)
    assert "link that leads to no file" in problems_of(path)[0].message
    path.unlink()
    path.mkdir()
    assert "is a folder" in problems_of(path)[0].message
    path.rmdir()
    os.mkfifo(path)
    assert "not a regular file" in problems_of(path)[0].message
    path.unlink()
    path.write_text("id,input\na,q\n")
    path.chmod(0)
    if os.geteuid() != 0:
        assert "check its permissions" in problems_of(path)[0].message


def test_ids_that_differ_in_their_normal_form_only_are_told(tmp_path):
    (tmp_path / "s.csv").write_text("id,input\ncaf\u00e9,q\ncafe\u0301,q\n", encoding="utf-8")
    loaded = load_suite(tmp_path / "s.csv")
    assert [case.id for case in loaded.suite.cases] == ["caf\u00e9", "cafe\u0301"]
    assert any("other code points" in note.message for note in loaded.notes)


def test_ids_that_stand_twice(tmp_path):
    (tmp_path / "s.csv").write_text("id,input\n7,q\n07,q\n7,q\n")
    (problem,) = problems_of(tmp_path / "s.csv")
    assert (problem.line, "the first is on line 2" in problem.message) == (4, True)


HEADER = st.sampled_from(
    [b"id,input,contexts\n", b"id;question;answer\n", b"messages\tid\n", b"\xef\xbb\xbfid,input\n", b""]
)
CELLS = st.lists(
    st.sampled_from(
        ["a", '"', ",", ";", "\n", "\t", "[", "]", "'", "{", "}", "|", "nan", "\\", "\r", "1,5", "[[", "'a' 'b'"]
    ),
    max_size=30,
).map(lambda parts: "".join(parts).encode())


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["s.csv", "s.tsv", "s.xlsx", "s.parquet", "s.txt", "s"]),
    HEADER,
    CELLS | st.binary(max_size=60),
    st.booleans(),
)
def test_whatever_bytes_there_are_a_suite_or_problems_come_out(tmp_path_factory, name, header, content, skip):
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(header + content)
    try:
        assert load_suite(path, options=ReadOptions(skip_bad_rows=skip)).suite.cases
    except (SuiteError, UsageError) as error:
        assert str(error)  # noqa: PT017 - any other exception is a traceback for a user's mistake
