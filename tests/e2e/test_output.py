"""What is printed survives where it is printed to: a closed pipe, a full disk, a terminal, a narrow encoding."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import COMMAND, EXAMPLE, environment, evalparity


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output") / "run"
    ended = evalparity("run", EXAMPLE, "--framework", "builtin", "--out", folder)
    assert ended.returncode == 0, ended.stderr
    return folder


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    script = f'set -o pipefail; evalparity() {{ {shlex.quote(str(COMMAND))} "$@"; }}; {line}'
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment(), capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize("form", ["terminal", "json"])
def test_a_reader_that_stops_reading_is_no_error(run: Path, form: str) -> None:
    ended = shell(f"evalparity report run --format {form} | head -c 1", run.parent)
    assert ended.returncode in {0, 141}
    assert ended.stderr == ""


def test_a_run_whose_messages_nobody_reads_goes_on(run: Path, tmp_path: Path) -> None:
    shell(f"evalparity run {shlex.quote(str(EXAMPLE))} --framework builtin --out run 2>&1 | true", tmp_path)
    assert (tmp_path / "run" / "report.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_behind_standard_output_is_said(run: Path) -> None:
    ended = shell("evalparity report run > /dev/full", run.parent)
    assert ended.returncode == 2
    assert "standard output cannot be written" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_no_standard_output_at_all(run: Path) -> None:
    ended = shell("evalparity report run >&-", run.parent)
    assert ended.returncode == 0
    assert ended.stderr == ""


def test_an_encoding_that_lacks_a_character(run: Path) -> None:
    ended = evalparity("report", run, PYTHONIOENCODING="latin-1")
    assert ended.returncode == 0
    assert "\\u2013" in ended.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_gets_bars_and_colours(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    variables = {k: v for k, v in environment().items() if k not in {"NO_COLOR", "CI"}} | {"TERM": "xterm-256color"}
    process = subprocess.Popen(
        [str(COMMAND), "run", str(EXAMPLE), "--framework", "builtin", "--out", "run"],
        cwd=tmp_path, env=variables, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:
        pass  # Linux ends a pseudo-terminal this way
    os.close(ours)
    assert process.wait(60) == 0
    assert b"\x1b[" in shown
    assert b"NOT A LANGUAGE MODEL" in shown
    assert b"Traceback" not in shown


def test_a_damaged_line_is_named(run: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    (copy / "report.json").unlink()
    lines = (copy / "outcomes.jsonl").read_text().split("\n")
    lines[4] = "garbage"
    (copy / "outcomes.jsonl").write_text("\n".join(lines))
    ended = evalparity("report", copy)
    assert ended.returncode == 2
    assert "outcomes.jsonl:5" in ended.stderr


def test_a_finished_run_without_its_report_is_complete(run: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    (copy / "report.json").unlink()
    assert evalparity("report", copy).stdout == evalparity("report", run).stdout
