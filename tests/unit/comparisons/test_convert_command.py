"""What stands under the name of a conversion's target is whole, or what stood there before."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalparity.comparisons.commands import convert
from evalparity.comparisons.commands.convert import convert_command
from evalparity.unified_schema import UsageError
from evalparity.unified_schema.exchange import ReadOptions, Writer
from evalparity.unified_schema.writing import write_suite
from support.cases import case, suite


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    write_suite(suite(case("a"), case("b")), path)
    return path


def breaking_off(error: BaseException, *, folder: bool) -> Writer:
    """Return a writer that gets half way."""

    def write(_suite: object, path: Path) -> tuple[()]:
        if folder:
            path.mkdir()
        (path / "half" if folder else path).write_text("half")
        raise error

    return Writer(name="half", endings=() if folder else (".txt",), write=write, about="")


@pytest.mark.parametrize("folder", [True, False])
def test_a_conversion_that_is_broken_off_leaves_nothing_under_its_name(tmp_path, source, monkeypatch, folder):
    monkeypatch.setattr(convert, "writer_named", lambda _name: breaking_off(KeyboardInterrupt(), folder=folder))
    with pytest.raises(KeyboardInterrupt):
        convert_command(source, tmp_path / "out.txt", "half", ReadOptions(), overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["s.yaml"]


def test_what_stood_there_stays_when_its_successor_fails(tmp_path, source, monkeypatch):
    target = tmp_path / "out.txt"
    target.write_text("before")
    failing = breaking_off(UsageError(f"{tmp_path}: no"), folder=False)
    monkeypatch.setattr(convert, "writer_named", lambda _name: failing)
    with pytest.raises(UsageError):
        convert_command(source, target, "half", ReadOptions(), overwrite=True)
    assert target.read_text() == "before"


def test_a_message_names_the_target_and_no_other_place(tmp_path, source):
    write_suite(suite(case("1"), case("2")), source)
    with pytest.raises(UsageError) as caught:
        convert_command(source, tmp_path / "out.csv", "deepeval", ReadOptions(), overwrite=False)
    assert str(caught.value).startswith(f"{tmp_path / 'out.csv'}: ")


@pytest.mark.parametrize(("name", "to"), [("o.xlsx", None), ("o.parquet", None), ("o.csv", None), ("pf", "promptfoo")])
def test_a_target_is_written_over_where_that_is_allowed(tmp_path, source, name, to):
    for _ in range(2):
        done = convert_command(source, tmp_path / name, to, ReadOptions(), overwrite=True)
        assert done.cases == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["s.yaml", name])
