"""Excel workbooks: saved values only, ids as they look, and bombs that are refused unopened."""

from __future__ import annotations

import struct
import zipfile
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from evalparity.unified_schema import SuiteError, load_suite
from evalparity.unified_schema.exchange import ReadOptions

openpyxl = pytest.importorskip("openpyxl")


def workbook(path, *rows, formats=(), title="Sheet"):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    for row in rows:
        sheet.append(row)
    for place, form in formats:
        sheet[place].number_format = form
    book.save(path)
    return path


def problems_of(path):
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    return caught.value.problems


def test_values_by_the_fields_they_are_for(tmp_path):
    path = workbook(
        tmp_path / "s.xlsx",
        ["id", "question", "answer", "contexts", "labels.f", "answerable", "as_of", "note", None],
        [7, "q", 42, '["a", "b"]', 3.5, True, datetime(2026, 6, 1, tzinfo=UTC).replace(tzinfo=None), None],
        ["007", "q", None, "one text", 4, False, None, 7],
        [7.5, "q", "None", None, None, None, None, "x"],
        [True, "q"],
        [12, "q"],
        formats=[("A6", "00000")],
    )
    loaded = load_suite(path)
    assert [case.id for case in loaded.suite.cases] == ["7", "007", "7.5", "TRUE", "00012"]
    first, second, third, *_ = loaded.suite.cases
    assert (first.output, first.labels["f"][0].value, first.answerable) == ("42", 3.5, True)
    assert str(first.as_of).startswith("2026-06-01")
    assert [chunk.text for chunk in first.retrieved_contexts] == ["a", "b"]
    assert (second.output, second.metadata) == (None, {"note": 7})
    assert third.output == "None"
    assert any("is read as the text of an id" in note.message for note in loaded.notes)


def test_the_first_sheet_with_cells_is_read_and_named(tmp_path):
    book = openpyxl.Workbook()
    book.create_sheet("Daten").append(["id", "input"])
    book["Daten"].append(["a", "q"])
    book.create_sheet("Other").append(["x"])
    book.save(tmp_path / "s.xlsx")
    loaded = load_suite(tmp_path / "s.xlsx")
    assert [case.id for case in loaded.suite.cases] == ["a"]
    assert "the sheet 'Daten' is read, of 2 with cells" in loaded.notes[0].message


def test_formulas_without_values_and_errors_are_faults_of_their_rows(tmp_path):
    path = workbook(
        tmp_path / "s.xlsx", ["id", "input", "output"], ["a", "q", "=1+1"], ["b", "q", "#REF!"], ["c", "q", "#N/A"]
    )
    problems = problems_of(path)
    assert [(problem.line, problem.field) for problem in problems] == [(2, "output"), (3, "output")]
    assert "formula whose value is not saved" in problems[0].message
    loaded = load_suite(path, options=ReadOptions(skip_bad_rows=True))
    assert [(case.id, case.output) for case in loaded.suite.cases] == [("c", None)]


def test_what_stands_beyond_the_header_is_a_fault(tmp_path):
    (problem,) = problems_of(workbook(tmp_path / "s.xlsx", ["id", "input"], ["a", "q", "lost"]))
    assert (problem.line, "'lost' stands beyond the last named column" in problem.message) == (2, True)


def test_the_name_does_not_matter(tmp_path):
    path = workbook(tmp_path / "s.csv.xlsx", ["id", "input"], ["a", "q"]).rename(tmp_path / "s.csv")
    loaded = load_suite(path)
    assert loaded.suite.cases[0].id == "a"
    assert "read as an Excel workbook" in loaded.notes[0].message


@pytest.mark.parametrize("declared", [None, 100])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, declared):
    """With its true size, and with a size that lies."""
    good = workbook(tmp_path / "good.xlsx", ["id", "input"], ["a", "q"])
    path = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            if name != "xl/worksheets/sheet1.xml":
                target.writestr(name, source.read(name))
        with target.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(b'<?xml version="1.0"?><worksheet><sheetData>')
            for _ in range(40):
                sheet.write(b" " * 1024 * 1024)
    if declared is not None:
        lie(path, declared)
    (problem,) = problems_of(path)
    assert ("unpacks to" in problem.message) == (declared is None)
    assert "cannot be read as an Excel workbook" in problem.message or declared is None


def lie(path, size):
    """Let the last entry of the central directory, which is the sheet, declare another size."""
    raw = bytearray(path.read_bytes())
    place = raw.rindex(b"PK\x01\x02")
    raw[place + 24 : place + 28] = struct.pack("<I", size)
    path.write_bytes(raw)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PK\x03\x04 cut off", "no whole Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "save it as .xlsx"),
        (b"\x1f\x8b\x08" + b"\0" * 100, "unpack it first"),
        (b"%PDF-1.7\n", "is a PDF"),
        (bytes(range(256)) * 10, "no text"),
        (b"PAR1 and nothing", "cannot be read as Parquet"),
    ],
)
def test_what_is_no_workbook(tmp_path, content, told):
    path = tmp_path / "s.xlsx"
    path.write_bytes(content)
    (problem,) = problems_of(path)
    assert told in problem.message


def test_damaged_workbooks_are_refused_without_a_traceback(tmp_path):
    good = workbook(tmp_path / "good.xlsx", ["id", "input"], ["a", "q"]).read_bytes()
    for place in range(0, len(good), 97):
        damaged = good[:place] + bytes([good[place] ^ 0xFF]) + good[place + 1 :]
        (tmp_path / "s.xlsx").write_bytes(damaged)
        with suppress(SuiteError):  # and nothing else
            assert load_suite(tmp_path / "s.xlsx").suite.cases


def test_an_archive_that_is_no_workbook(tmp_path):
    with zipfile.ZipFile(tmp_path / "s.xlsx", "w") as archive:
        archive.writestr("suite.yaml", "cases: []")
    (problem,) = problems_of(tmp_path / "s.xlsx")
    assert "zip archive" in problem.message


def test_an_entity_bomb_inside_a_workbook(tmp_path):
    good = workbook(tmp_path / "good.xlsx", ["id", "input"], ["a", "q"])
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    cell = '<row><c t="inlineStr"><is><t>&e11;</t></is></c></row>'
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "aaaaaaaaaa">{entities}]><worksheet><sheetData>{cell}</sheetData></worksheet>'
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(tmp_path / "s.xlsx", "w") as target:
        for name in source.namelist():
            target.writestr(name, bomb if name == "xl/worksheets/sheet1.xml" else source.read(name))
    (problem,) = problems_of(tmp_path / "s.xlsx")
    assert "cannot be read" in problem.message
