"""A recording that was stopped or changed goes on, and nothing that was paid for is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from support.commands import start_evalparity
from support.rag_app import APP, asked, cases_of, record, wait_for, write


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_recording_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    write(tmp_path, "q1", "q2", "q3")
    process = start_evalparity("record", "suite.json", "--app", "shop.rag:waits", cwd=tmp_path)
    try:
        wait_for(lambda: "q2" in asked(tmp_path))
        process.send_signal(number)
        printed, complaint = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "Traceback" not in complaint
    if number != signal.SIGKILL:
        assert process.returncode == 130
        assert "interrupted: the answers stand in suite.recorded.json.journal.jsonl" in printed
    assert not (tmp_path / "suite.recorded.json").exists()

    (tmp_path / "go").touch()
    (tmp_path / "shop" / "go").touch()
    resumed = record(tmp_path, "waits", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "recorded 2 of 2 cases that were asked\ntook over 1 from the journal\n" in resumed.stdout
    assert asked(tmp_path) == ["q1", "q2", "q2", "q3"]
    assert [case.output for case in cases_of(tmp_path).values()] == [f"answer to q{n}" for n in (1, 2, 3)]


def test_a_changed_question_is_asked_again_and_a_changed_application_is_noticed(tmp_path: Path) -> None:
    suite = write(tmp_path, "q1", "none")
    assert record(tmp_path, "misbehaves").returncode == 3
    suite.write_text(suite.read_text().replace('"none"', '"fixed"'))
    (tmp_path / "shop" / "rag.py").write_text(f"{APP}\n# changed\n")

    refused = record(tmp_path, "misbehaves", "--resume")
    assert refused.returncode == 2
    assert "the 1 answers in suite.recorded.json.journal.jsonl were given before shop/rag.py changed" in refused.stderr
    other = record(tmp_path, "answer", "--resume")
    assert "were given by shop.rag:misbehaves" in other.stderr

    kept = record(tmp_path, "misbehaves", "--resume", "--accept-changes")
    assert kept.returncode == 0, kept.stderr
    assert "recorded 1 of 1 cases that were asked\ntook over 1 from the journal\n" in kept.stdout


def test_an_answer_that_was_none_is_asked_for_again(tmp_path: Path) -> None:
    write(tmp_path, "stage", "fine")
    broken = record(tmp_path, "misbehaves")
    assert broken.returncode == 3
    assert "case-stage: returned what no case can hold: stages" in broken.stderr  # at once, not at the end only
    (tmp_path / "shop" / "rag.py").write_text(APP.replace('"s": ["y"]', '"s": ["c1"]'))
    mended = record(tmp_path, "misbehaves", "--resume", "--accept-changes")
    assert mended.returncode == 0, mended.stderr
    assert "recorded 1 of 1 cases that were asked\ntook over 1 from the journal\n" in mended.stdout
    assert [case.output for case in cases_of(tmp_path).values()] == ["a", "fine"]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="there is no folder here that nobody can write into")
def test_a_folder_that_cannot_be_written_is_told_as_such(tmp_path: Path) -> None:
    write(tmp_path, "q1")
    ended = record(tmp_path, "answer", "--out", "/proc/out.json")
    assert ended.returncode == 2
    assert "/proc/out.json.journal.jsonl: cannot be written" in ended.stderr
    assert asked(tmp_path) == []


def test_two_recordings_never_write_the_same_file(tmp_path: Path) -> None:
    write(tmp_path, "q2")
    process = start_evalparity("record", "suite.json", "--app", "shop.rag:waits", cwd=tmp_path)
    try:
        wait_for(lambda: asked(tmp_path) == ["q2"])
        second = record(tmp_path, "waits", "--resume")
        assert second.returncode == 2
        assert "another recording is writing it" in second.stderr
        (tmp_path / "shop" / "go").touch()
        process.communicate(timeout=60)
        assert process.returncode == 0
    finally:
        process.kill()


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no permissions of this kind")
def test_a_journal_is_its_owners_alone(tmp_path: Path) -> None:
    write(tmp_path, "q1", "none")
    assert record(tmp_path, "misbehaves").returncode == 3
    assert (tmp_path / "suite.recorded.json.journal.jsonl").stat().st_mode & 0o077 == 0
