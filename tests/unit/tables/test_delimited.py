"""CSV and TSV as spreadsheets and people write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalparity.unified_schema import LoadedSuite, Problem, SuiteError, load_suite
from evalparity.unified_schema.exchange import ReadOptions

TABLE = "id,question,answer,contexts\n007,Wie viel?,Fünf €,\"['a', 'b']\"\n1e5,q2,,\n"


def load(folder: Path, text: str | bytes, name: str = "s.csv", **options: object) -> LoadedSuite:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_suite(path, options=ReadOptions(**options))  # type: ignore[arg-type]


def problems_of(folder: Path, text: str | bytes, name: str = "s.csv", **options: object) -> tuple[Problem, ...]:
    with pytest.raises(SuiteError) as caught:
        load(folder, text, name, **options)
    return caught.value.problems


def cases(loaded: LoadedSuite) -> list[dict[str, object]]:
    return [case.model_dump(exclude_defaults=True) for case in loaded.suite.cases]


EXPECTED = [
    {
        "id": "007",
        "input": "Wie viel?",
        "output": "Fünf €",
        "retrieved_contexts": ({"id": "c1", "text": "a"}, {"id": "c2", "text": "b"}),
    },
    {"id": "1e5", "input": "q2"},
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_encodings_separators_and_line_ends(tmp_path, encoding, separator, line_end):
    text = TABLE.replace("'a', 'b'", "'a'# 'b'").replace(",", separator).replace("#", ",").replace("\n", line_end)
    assert cases(load(tmp_path, text.encode(encoding))) == EXPECTED


@pytest.mark.parametrize("name", ["s", "s.txt", "s.tsv", "s.json", "s.xlsx"])
def test_the_name_does_not_matter(tmp_path, name):
    loaded = load(tmp_path, TABLE, name)
    assert cases(loaded) == EXPECTED
    assert any("read as a table (CSV)" in note.message for note in loaded.notes) == (name != "s.tsv")


def test_what_was_done_is_told(tmp_path):
    told = {note.message: note.cases for note in load(tmp_path, TABLE.replace(",", ";").replace("';", "',")).notes}
    assert told["the cells are separated by semicolons"] == 1
    assert told["the cell is read as a Python list"] == 1
    assert told["question is read as input"] == 2


def test_line_breaks_in_quotes_stay_and_lines_are_counted(tmp_path):
    text = 'id,input,retrieved_contexts\r\na,"one\r\ntwo\u2028three",x\r\nb,q,"x\ny"\r\n'
    (problem,) = problems_of(tmp_path, text)
    assert (problem.line, problem.case, problem.field) == (4, "b", "retrieved_contexts")
    assert load(tmp_path, text, skip_bad_rows=True).suite.cases[0].input == "one\r\ntwo\u2028three"


def test_an_ambiguous_cell_names_row_and_column_and_both_readings(tmp_path):
    text = "id,input,contexts\na,q,one|two\n"
    (problem,) = problems_of(tmp_path, text)
    assert (problem.line, problem.field) == (2, "contexts")
    assert "one text or 2 texts with '|' between them" in problem.message
    assert len(load(tmp_path, text, list_separator="|").suite.cases[0].retrieved_contexts) == 2
    assert len(load(tmp_path, text, list_separator="").suite.cases[0].retrieved_contexts) == 1


def test_a_column_that_is_written_as_lists_elsewhere_holds_single_texts(tmp_path):
    loaded = load(tmp_path, 'id,input,contexts\na,q,"one\ntwo"\nb,q,"[""x""]"\n')
    assert loaded.suite.cases[0].retrieved_contexts[0].text == "one\ntwo"


def test_empty_cells_are_missing_and_texts_that_say_none_are_texts(tmp_path):
    text = "id,input,output,reference,contexts,answerable,labels.f\na,q,nan,,nan,<NA>,None\nb,q,None,NaN,,NaN,\n"
    loaded = load(tmp_path, text)
    assert cases(loaded) == [
        {"id": "a", "input": "q", "output": "nan"},
        {"id": "b", "input": "q", "output": "None", "reference": "NaN"},
    ]
    assert any("'nan' is read as text" in note.message for note in loaded.notes)


@pytest.mark.parametrize(
    ("separator", "cell", "value"),
    [(";", "3,5", 3.5), (",", '"3,5"', 3.5), (";", "1.234,5", 1234.5), (";", "1,500", 1.5), (",", "0.5", 0.5)],
)
def test_decimal_commas_in_number_columns(tmp_path, separator, cell, value):
    text = f"id{separator}input{separator}labels.f{separator}output\na{separator}q{separator}{cell}{separator}{cell}\n"
    (case,) = load(tmp_path, text).suite.cases
    assert case.labels["f"][0].value == value
    assert case.output == cell.strip('"')


def test_a_comma_that_can_group_thousands_is_told(tmp_path):
    (problem,) = problems_of(tmp_path, 'id,input,usage.seconds\na,q,"1,500"\n')
    assert "can be 1500 or 1.500" in problem.message


def test_columns_with_paths(tmp_path):
    text = (
        "id,input,metadata.page,metadata.source.doc,retrieved_contexts[0],retrieved_contexts[1],labels.f,labels.g\n"
        'a,q,7,x.pdf,first,second,yes,"[1, 2]"\n'
    )
    (case,) = load(tmp_path, text).suite.cases
    assert case.metadata == {"page": "7", "source": {"doc": "x.pdf"}}
    assert [chunk.text for chunk in case.retrieved_contexts] == ["first", "second"]
    assert case.labels["f"][0].value == "yes"
    assert [rating.value for rating in case.labels["g"]] == [1, 2]
    (case,) = load(tmp_path, "id,input,contexts[0].id,contexts[0].text,contexts[0].score\na,q,d1,t,0.5\n").suite.cases
    assert (case.retrieved_contexts[0].id, case.retrieved_contexts[0].score) == ("d1", 0.5)


def test_names_as_people_write_them_and_unknown_ones(tmp_path):
    loaded = load(tmp_path, "ID,User Input,Expected Output,Ouput,product code\n1,q,r,o,007\n")
    assert cases(loaded) == [
        {"id": "1", "input": "q", "reference": "r", "metadata": {"Ouput": "o", "product code": "007"}}
    ]
    assert any("did you mean output" in note.message for note in loaded.notes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "there is no header"),
        ("id,input\n", "there are no cases"),
        ("\n\n", "there is no header"),
        ("name,city\nx,y\n", "no column holds what was asked"),
        ("id,id,input\na,b,q\n", "two columns 'id'"),
        ("id,question,input\na,q,q\n", "both claim input"),
        ("id,Question,question\na,q,q\n", "both claim question"),
        ("id,input,output\na,q\n", "the row has 2 cells and the header has 3"),
        ("id,input\na,q,x\n", "the row has 3 cells and the header has 2"),
        ('id,input\na,"q\nb,q\n', "a quote is opened and never closed"),
        ('id,input\na,"q"x\nb,q\n', "a quote stands where none may"),
        (b"id,input\na,caf\xc3", "ends inside of a character"),
        (b"id,input\na,\xc3\xa9\nb,caf\xe9\n", "is not UTF-8 (byte 0xE9 here)"),
        (b"id,input\na,\x81\n", "is not UTF-8 (byte 0x81 here)"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path, text, told):
    problems = problems_of(tmp_path, text)
    assert told in problems[0].message


def test_bad_rows_are_left_out_by_number_and_a_broken_end_never_is(tmp_path):
    rows = "id,input,output\na,q,x\nb\nc,q,y,z\nd,q,w\n"
    assert [problem.case for problem in problems_of(tmp_path, rows)] == ["#2", "#3"]
    loaded = load(tmp_path, rows, skip_bad_rows=True)
    assert [case.id for case in loaded.suite.cases] == ["a", "d"]
    assert [(one.line, one.case) for one in loaded.skipped] == [(3, "#2"), (4, "#3")]
    assert "never closed" in problems_of(tmp_path, rows + 'e,q,"w\n', skip_bad_rows=True)[0].message


@pytest.mark.parametrize(
    "text", ["{{ 7*7 }}", "${HOME}", "file:///etc/passwd", "=cmd|' /C calc'!A0", "a\0b", "😀\ue000\u200b"]
)
def test_hostile_texts_are_kept_code_point_for_code_point(tmp_path, text):
    (case,) = load(tmp_path, f'id,input,output\na,"{text}","{text}"\n').suite.cases
    assert (case.input, case.output) == (text, text)
