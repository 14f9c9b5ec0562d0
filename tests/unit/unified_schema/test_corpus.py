"""The corpus of a suite: chunks by id, or every problem with its line."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from evalparity.unified_schema import SuiteError
from evalparity.unified_schema.corpus import load_corpus


def corpus_of(folder: Path, content: str, name: str = "corpus.jsonl"):
    (folder / name).write_text(content, encoding="utf-8")
    return load_corpus(folder / "suite.yaml", name)


def problems_of(folder: Path, content: str) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        corpus_of(folder, content)
    return [str(problem).replace(str(folder), "") for problem in caught.value.problems]


def test_chunks_by_id_with_everything_they_say(tmp_path):
    chunks = corpus_of(
        tmp_path,
        '{"id": "d1", "text": "a\u2028b", "valid_from": "2026-01-01", "tenant": 7}\n\n{"id": 2, "text": ""}\n',
    )
    assert list(chunks) == ["d1", "2"]
    assert (chunks["d1"].text, chunks["d1"].valid_from, chunks["d1"].tenant) == ("a\u2028b", date(2026, 1, 1), "7")


def test_every_problem_is_named_with_its_line(tmp_path):
    assert problems_of(
        tmp_path, '{"id": "a"}\n[]\n{"id": "b", "text": "x", "txet": 1}\nno\n{"id": "b", "text": "y"}\n'
    ) == [
        "/corpus.jsonl:1: text: is missing: add it.",
        "/corpus.jsonl:2: a chunk must be a mapping with id and text.",
        "/corpus.jsonl:3: txet: unknown key 'txet': did you mean text?",
        "/corpus.jsonl:4:1: not valid JSON: expecting value; correct this place.",
        "/corpus.jsonl:5: id: the id 'b' is taken by an earlier line: give each chunk its own.",
    ]


def test_a_file_that_is_not_there_or_of_another_kind(tmp_path):
    (tmp_path / "corpus.jsonl").touch()
    with pytest.raises(SuiteError, match=r"did you mean 'corpus.jsonl'"):
        load_corpus(tmp_path / "suite.yaml", "corpsu.jsonl")
    with pytest.raises(SuiteError, match=r"one of .jsonl, .ndjson"):
        corpus_of(tmp_path, "", "corpus.csv")


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "secret.jsonl").write_text('{"id": "a", "text": "secret"}\n')
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "corpus.jsonl").symlink_to(tmp_path / "secret.jsonl")
    with pytest.raises(SuiteError, match="out of the suite's own folder"):
        load_corpus(tmp_path / "suites" / "suite.yaml", "corpus.jsonl")


def test_the_corpus_of_the_example(tmp_path):
    suite = Path(__file__).parents[3] / "examples" / "refund_policy" / "suite.yaml"
    assert load_corpus(suite, "corpus.jsonl")["d1"].text.startswith("A defect")
