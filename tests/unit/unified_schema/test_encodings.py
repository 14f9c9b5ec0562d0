"""One rule of encodings for every kind of text file, and nothing is ever read as something that it is not."""

from __future__ import annotations

import codecs
import csv
import io
import json
from pathlib import Path

import pytest
import yaml

from evalparity.unified_schema import SuiteError, load_study, load_suite
from evalparity.unified_schema.loading import check_suite
from evalparity.unified_schema.price_file import load_price_file

TEXT = "Wie lange gilt das Café-Menü? 5 € – „ja“"
"""Of Windows-1252 through and through."""
CASES = [{"id": "007", "input": TEXT, "output": "Drei Tage."}, {"id": "b", "input": "Plain.", "output": TEXT}]


def as_csv(cases) -> str:
    content = io.StringIO(newline="")
    writer = csv.DictWriter(content, cases[0])
    writer.writeheader()
    writer.writerows(cases)
    return content.getvalue()


WRITTEN = {
    "s.yaml": lambda cases: yaml.safe_dump(cases, allow_unicode=True),
    "s.json": lambda cases: json.dumps(cases, ensure_ascii=False, indent=1),
    "s.jsonl": lambda cases: "".join(json.dumps(case, ensure_ascii=False) + "\r\n" for case in cases),
    "s.csv": as_csv,
}
ENCODED = {
    "UTF-8": (lambda text: text.encode(), None),
    "UTF-8 with a mark": (lambda text: codecs.BOM_UTF8 + text.encode(), None),
    "UTF-16 LE": (lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"), "in UTF-16"),
    "UTF-16 BE": (lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"), "in UTF-16"),
    "UTF-16 LE without a mark": (lambda text: text.encode("utf-16-le"), "without a mark"),
    "UTF-16 BE without a mark": (lambda text: text.encode("utf-16-be"), "without a mark"),
    "Windows-1252": (lambda text: text.encode("cp1252"), "read as Windows-1252"),
}


@pytest.mark.parametrize("encoding", ENCODED)
@pytest.mark.parametrize("name", WRITTEN)
def test_every_kind_is_read_in_every_encoding_and_that_is_told(tmp_path: Path, name: str, encoding: str) -> None:
    encode, told = ENCODED[encoding]
    path = tmp_path / name
    path.write_bytes(encode(WRITTEN[name](CASES)))
    loaded = load_suite(path)
    assert [(case.id, case.input, case.output) for case in loaded.suite.cases] == [
        tuple(case.values()) for case in CASES
    ]
    of_file = [note.message for note in loaded.notes if "UTF-16" in note.message or "Windows" in note.message]
    assert len(of_file) == (told is not None)
    assert told is None or told in of_file[0]
    assert check_suite(path).cases == 2


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_whose_name_does_not_tell_is_read_too(tmp_path: Path, name: str) -> None:
    for encoding in ("utf-16", "cp1252"):
        path = tmp_path / f"{encoding}-export"
        path.write_bytes(WRITTEN[name](CASES).encode(encoding))
        assert [case.input for case in load_suite(path).suite.cases] == [TEXT, "Plain."]


@pytest.mark.parametrize("name", WRITTEN)
def test_a_damaged_utf8_file_is_refused_with_its_place(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    good = WRITTEN[name](CASES).encode()
    path.write_bytes(good.replace("Menü".encode(), b"Men\xfc", 1))
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    (problem,) = caught.value.problems
    assert "is not UTF-8 (byte 0xFC here)" in problem.message
    assert problem.line == good[: good.index("Menü".encode())].count(b"\n") + 1


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_that_was_cut_inside_of_a_character_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(WRITTEN[name](CASES).encode().rstrip() + b"\xe2\x82")
    with pytest.raises(SuiteError, match="is not UTF-8"):
        load_suite(path)


def test_half_a_character_of_utf16_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(WRITTEN["s.jsonl"](CASES).encode("utf-16")[:-1])
    with pytest.raises(SuiteError) as caught:
        load_suite(path)
    assert "is not UTF-16" in caught.value.problems[0].message


def test_utf32_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_bytes(json.dumps(CASES).encode("utf-32"))
    with pytest.raises(SuiteError, match="UTF-32"):
        load_suite(path)


def test_a_line_of_utf16_that_has_no_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("evalparity.unified_schema.loading.LONGEST_LINE", 1000)
    path = tmp_path / "s.jsonl"
    path.write_text('{"id": "a", "input": "q"}\n{"id": "b", "input": "' + "x" * 5000, encoding="utf-16")
    with pytest.raises(SuiteError, match="longer than 1,000"):
        load_suite(path)


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_studies_and_prices_are_read_alike(tmp_path: Path, encoding: str) -> None:
    study, prices = tmp_path / "study.yaml", tmp_path / "prices.yaml"
    study.write_text("# für später\nframeworks: ragas\n", encoding=encoding)
    prices.write_text("# für später\nper: 1 token\nmodels:\n  - {model: ü, input: 1}\n", encoding=encoding)
    loaded = load_study(study)
    assert loaded.study.frameworks == ("ragas",)
    assert len(loaded.notes) == 1
    assert load_price_file(prices).content.models[0].model == "ü"
