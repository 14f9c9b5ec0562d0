"""Cassettes: equal recordings are equal bytes, and what is none is told."""

from __future__ import annotations

import gzip
import json
import stat

import pytest

from evalparity.adapters.judge.cassette import read_cassette, write_cassette
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.unified_schema.errors import UsageError
from support.gateways import KEY

JUDGE = JudgeSettings(
    model="m", url="https://judge.example/v1", api_key=KEY, embedding_model="e", embedding_api_key=f"{KEY}-2"
)
ANSWERS = {"b" * 64: {"choices": ["é \ud83d\u2028\x85"]}, "a" * 64: {"data": [0.1, 1e-300]}}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.cassette"


def test_what_was_recorded_is_read_back(path):
    write_cassette(path, [JUDGE], ANSWERS)
    cassette = read_cassette(path)
    assert dict(cassette.answers) == ANSWERS
    assert cassette.find("a" * 64) == ANSWERS["a" * 64]
    assert cassette.find("c" * 64) is None
    cassette.check([JUDGE])


def test_equal_recordings_are_equal_bytes_private_and_without_keys_or_paths(path, tmp_path):
    write_cassette(path, [JUDGE], ANSWERS)
    other = tmp_path / "folder" / "other"
    other.parent.mkdir()
    write_cassette(other, [JUDGE], dict(reversed(ANSWERS.items())))
    assert path.read_bytes() == other.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    text = gzip.decompress(path.read_bytes()).decode()
    assert KEY not in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize("other", [{"model": "n"}, {"url": "https://x.example/v1"}, {"seed": 3}, {"temperature": 1.0}])
def test_another_judge_is_refused_with_the_one_it_was_recorded_with(path, other):
    write_cassette(path, [JUDGE], ANSWERS)
    settings = {"model": "m", "url": JUDGE.url, "embedding_model": "e", **other}
    with pytest.raises(UsageError, match=r"--judge m --judge-url https://judge\.example/v1 --embedding-model e"):
        read_cassette(path).check([JudgeSettings(**settings)])


NO_CASSETTES = {
    "empty": (b"", "is no cassette"),
    "text": (b"text", "is no gzip file"),
    "no line": (gzip.compress(b""), "is no cassette"),
    "no header": (gzip.compress(b"[]\n"), "is no cassette"),
    "no judge": (gzip.compress(b'{"cassette": 1, "judges": [{"x": 1}]}\n'), "is no cassette"),
    "no answer": (gzip.compress(b'{"cassette": 1, "judges": []}\n{"key": 1}\n'), "is no cassette"),
    "newer": (gzip.compress(b'{"cassette": 2, "judges": []}\n'), "version 2"),
    "cut off": (gzip.compress(json.dumps({"cassette": 1, "judges": []}).encode() * 99)[:-9], "damaged"),
}


@pytest.mark.parametrize("name", NO_CASSETTES)
def test_what_is_no_cassette_is_told(path, name):
    content, said = NO_CASSETTES[name]
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        read_cassette(path)


def test_a_file_that_is_not_there_or_cannot_be_written_is_told(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_cassette(tmp_path / "none")
    with pytest.raises(UsageError, match="cannot be written"):
        write_cassette(tmp_path / "no" / "folder", [JUDGE], ANSWERS)
