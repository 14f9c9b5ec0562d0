"""The cache: shared by processes, bounded in size and age, private, and never the end of a run."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest

from evalparity.adapters.judge.answers import packed
from evalparity.adapters.judge.cache import Cache, CacheSettings, cache_stats, clear_cache
from evalparity.unified_schema.errors import UsageError

ANSWER = {"choices": [{"message": {"content": "naïve \ud83d 你好 {{ }}"}}], "usage": {"prompt_tokens": 3}}
DAY = 86_400.0


@pytest.fixture
def settings(tmp_path) -> CacheSettings:
    return CacheSettings(file=tmp_path / "folder" / "answers.sqlite")


def kept(settings: CacheSettings) -> closing[Cache]:
    return closing(Cache(settings, pytest.fail))


def age(settings: CacheSettings, key: str, **days: float) -> None:
    """Set how long ago an answer came or was used."""
    with closing(sqlite3.connect(settings.path)) as database, database:
        for column, ago in days.items():
            database.execute(f"UPDATE answers SET {column} = ? WHERE key = ?", (time.time() - ago * DAY, key))


def test_what_was_kept_is_found_at_once_and_by_the_next_process(settings):
    with kept(settings) as cache:
        assert cache.find("k") is None
        cache.keep("k", packed(ANSWER), model="m")
        assert cache.find("k") == ANSWER
    with kept(settings) as cache:
        assert cache.find("k") == ANSWER
        assert cache.find("other") is None


def test_files_are_the_owners_alone(settings):
    with kept(settings) as cache:
        cache.keep("k", packed(ANSWER), model="m")
        time.sleep(0.1)
        modes = {stat.S_IMODE(file.stat().st_mode) for file in settings.path.parent.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(settings.path.parent.stat().st_mode) == 0o700


def test_an_answer_that_is_too_old_is_not_found_and_goes(settings):
    with kept(settings) as cache:
        for key in ("old", "new"):
            cache.keep(key, packed(ANSWER), model="m")
    age(settings, "old", created=91)
    with kept(settings) as cache:
        assert cache.find("old") is None
        assert cache.find("new") == ANSWER
        cache.keep("newer", packed(ANSWER), model="m")
    assert cache_stats(settings).answers == {"m": 2}


def test_above_the_size_limit_what_was_used_longest_ago_goes_first(tmp_path):
    settings = CacheSettings(file=tmp_path / "a.sqlite", megabytes=0.001)
    answer = {"text": "".join(chr(33 + (n * n * 7919) % 90) for n in range(300))}  # some 300 bytes compressed
    with kept(CacheSettings(file=settings.path)) as cache:
        for n in range(10):
            cache.keep(f"k{n}", packed(answer), model="m")
    for n in range(10):
        age(settings, f"k{n}", used=10 - n)
    with kept(settings) as cache:
        assert cache.find("k0") == answer  # used just now
        cache.keep("last", packed(answer), model="m")
    stats = cache_stats(settings)
    assert 0.3 < stats.kilobytes <= 1.3  # the limit, and the answer that came after the look at the size
    with kept(settings) as cache:
        assert cache.find("k0") == answer
        assert cache.find("k1") is None


def _fill(path: Path, start: int) -> None:
    with closing(Cache(CacheSettings(file=path), lambda line: (_ for _ in ()).throw(AssertionError(line)))) as cache:
        for n in range(start, start + 300):
            cache.keep(f"k{n}", packed({"n": n}), model="m")
            cache.find(f"k{n - 100}")


def test_several_processes_fill_one_cache_at_once(settings):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_fill, args=(settings.path, start)) for start in (0, 200, 400)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert cache_stats(settings).answers == {"m": 700}
    with kept(settings) as cache:
        assert all(cache.find(f"k{n}") == {"n": n} for n in range(700))


@pytest.mark.parametrize(
    "content", [b"not a database, but long enough to be looked at as one" * 50, b"SQLite format 3\0"]
)
def test_a_file_that_is_no_cache_is_told_once_and_the_run_goes_on(settings, content):
    settings.path.parent.mkdir()
    settings.path.write_bytes(content)
    told: list[str] = []
    with closing(Cache(settings, told.append)) as cache:
        cache.keep("k", packed(ANSWER), model="m")
        cache.keep("k2", packed(ANSWER), model="m")
        cache.find("k2")
    if told:
        assert len(told) == 1
        assert "answers.sqlite cannot be used" in told[0]
        assert "evalparity cache clear" in told[0]
        clear_cache(settings)
    with kept(settings) as cache:
        cache.keep("k", packed(ANSWER), model="m")
    with kept(settings) as cache:
        assert cache.find("k") == ANSWER


def test_a_damaged_answer_is_none(settings):
    with kept(settings) as cache:
        cache.keep("k", packed(ANSWER), model="m")
    with closing(sqlite3.connect(settings.path)) as database, database:
        database.execute("UPDATE answers SET answer = x'00'")
    told: list[str] = []
    with closing(Cache(settings, told.append)) as cache:
        assert cache.find("k") is None
    assert len(told) == 1


def test_a_folder_that_cannot_be_made_is_told_once(tmp_path):
    (tmp_path / "file").touch()
    told: list[str] = []
    with closing(Cache(CacheSettings(file=tmp_path / "file" / "a.sqlite"), told.append)) as cache:
        cache.keep("k", packed(ANSWER), model="m")
        assert cache.find("k") is None
    assert len(told) == 1


def test_stats_and_clear(settings):
    assert cache_stats(settings).answers == {}
    assert clear_cache(settings) == 0
    with kept(settings) as cache:
        for key, model in (("a", "m"), ("b", "m"), ("c", "n")):
            cache.keep(key, packed(ANSWER), model=model)
    age(settings, "a", created=10)
    stats = cache_stats(settings)
    assert stats.answers == {"m": 2, "n": 1}
    assert stats.oldest == pytest.approx(10, abs=0.01)
    assert stats.newest == pytest.approx(0, abs=0.01)
    assert clear_cache(settings, older_than=5) == 1
    assert clear_cache(settings) == 2
    assert cache_stats(settings).answers == {}


def test_stats_of_what_is_no_cache_is_a_users_mistake(settings):
    settings.path.parent.mkdir()
    settings.path.write_bytes(b"x" * 5000)
    with pytest.raises(UsageError, match="is no cache"):
        cache_stats(settings)
