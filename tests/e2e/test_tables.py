"""Tables and bad rows on the command line, and the published schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evalparity.unified_schema import load_suite
from support.commands import evalparity

ROOT = Path(__file__).parents[2]
TABLE = """\
id;question;answer;contexts;ground_truth
007;Who pays?;The merchant pays.;['The merchant pays.'];The merchant.
bad;row
"""


def test_a_bad_row_is_refused_or_left_out_by_every_command(tmp_path):
    (tmp_path / "s.csv").write_text(TABLE)
    for command in (["validate", "s.csv"], ["convert", "s.csv", "s.yaml"], ["plan", "s.csv", "--rehearse", "0"]):
        refused = evalparity(*command, cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "s.csv:3: case #2: the row has 2 cells and the header has 5" in refused.stderr
        taken = evalparity(*command, "--skip-bad-rows", cwd=tmp_path)
        assert "left out: s.csv:3: case #2" in taken.stderr
        assert "Traceback" not in taken.stderr
    assert load_suite(tmp_path / "s.yaml").suite.cases[0].id == "007"
    assert "1 cases, 1 bad rows left out" in evalparity("validate", "s.csv", "--skip-bad-rows", cwd=tmp_path).stdout


def test_bad_rows_in_run_case_and_record(tmp_path):
    (tmp_path / "s.csv").write_text(TABLE)
    options = ["--framework", "builtin", "--metric", "exact_match", "--skip-bad-rows", "--out", "run"]
    ran = evalparity("run", "s.csv", *options, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "left out: s.csv:3" in ran.stderr
    assert "The merchant pays." in evalparity("report", "run", "--case", "007", cwd=tmp_path).stdout
    (tmp_path / "app.py").write_text("def answer(question):\n    return 'new'\n")
    recorded = evalparity("record", "s.csv", "--app", "app:answer", "--overwrite", "--skip-bad-rows", cwd=tmp_path)
    assert recorded.returncode == 0, recorded.stderr
    assert load_suite(tmp_path / "s.recorded.yaml").suite.cases[0].output == "new"


def test_an_ambiguous_cell_is_decided_by_the_user(tmp_path):
    (tmp_path / "s.csv").write_text('id,input,contexts\na,q,"one\ntwo"\n')
    refused = evalparity("convert", "s.csv", "s.json", cwd=tmp_path)
    assert "s.csv:2: case a contexts: the cell can be one text or 2 texts with line breaks" in refused.stderr
    assert evalparity("convert", "s.csv", "s.json", "--list-separator", r"\n", cwd=tmp_path).returncode == 0
    assert len(load_suite(tmp_path / "s.json").suite.cases[0].retrieved_contexts) == 2


def test_the_published_schema_is_current(tmp_path):
    printed = evalparity("validate", "--schema", cwd=tmp_path)
    assert printed.returncode == 0
    assert (ROOT / "docs" / "suite.schema.json").read_text(encoding="utf-8") == printed.stdout
    assert json.loads(printed.stdout)["title"] == "evalparity suite"
    for wrong in ([], ["s.yaml", "--schema"]):
        refused = evalparity("validate", *wrong, cwd=tmp_path)
        assert (refused.returncode, "--schema" in refused.stderr) == (2, True)


def test_a_newer_version_of_the_format_is_refused(tmp_path):
    (tmp_path / "s.yaml").write_text("evalparity: 2\nname: s\ncases: [{id: a, input: q}]\n")
    refused = evalparity("validate", "s.yaml", cwd=tmp_path)
    assert refused.returncode == 2
    assert "s.yaml:1: evalparity: this is version '2' of the suite format and only 1 is known here" in refused.stderr


READERS = {
    "validate": ("validate", "{}"),
    "plan": ("plan", "{}", "--rehearse", "0"),
    "run": ("run", "{}", "--framework", "builtin", "--metric", "exact_match", "--out", "run"),
    "convert": ("convert", "{}", "out.yaml"),
}
"""Every command that reads a test set, with what else it needs; `{}` stands for the file."""


@pytest.mark.parametrize("command", READERS)
def test_every_command_reads_alike_and_refuses_alike(tmp_path: Path, command: str) -> None:
    (tmp_path / "other").mkdir()
    good, bad = tmp_path / "good", tmp_path / "other" / "bad.csv"
    good.write_bytes("id;question;answer;ground_truth\r\n007;Größe?;„Ja“;Ja\r\n".encode("cp1252"))
    bad.write_text("id,input,output,contexts\na,q,o,x|y\n")
    arguments = [part.replace("{}", good.name) for part in READERS[command]]
    ended = evalparity(*arguments, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    for told in ("read as a table (CSV)", "separated by semicolons", "Windows-1252", "question is read as input"):
        assert told in ended.stderr
    refused = evalparity(*(part.replace("{}", bad.name) for part in READERS[command]), cwd=bad.parent)
    assert refused.returncode == 2
    assert "bad.csv:2: case a contexts: the cell can be one text or 2 texts with '|' between them" in refused.stderr
    assert "Traceback" not in refused.stderr
