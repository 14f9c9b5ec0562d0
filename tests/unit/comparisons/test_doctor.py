"""What the doctor says of what it sees."""

import dataclasses
import re

import pytest
from rich.cells import cell_len

from evalparity.adapters.checks import Check
from evalparity.adapters.registry import load_adapter
from evalparity.comparisons.commands import doctor
from evalparity.comparisons.render.doctor_view import render_checks
from evalparity.unified_schema.outcomes import Outcome

RAGAS = load_adapter("ragas")


def ended(**fields):
    defaults = {"case_id": "trial", "metric": "faithfulness", "scorer": "ragas:faithfulness", "framework": "ragas"}
    return Outcome.model_validate({"closeness": "same", **defaults, **fields})


SCORED = ended(status="scored", score=1.0)


@pytest.mark.parametrize(
    ("version", "pending", "outcome", "named", "state", "told"),
    [
        ("0.4.3", None, SCORED, False, "ok", "0.4.3 starts and scores"),
        (None, None, None, False, "warning", "is not installed"),
        (None, None, None, True, "failed", "is not installed"),
        ("0.4.3", "fetched on first use", None, False, "warning", "0.4.3 is fetched on first use"),
        ("0.4.2", None, SCORED, False, "warning", "0.4.2 starts, but scales, prompts and calls are verified for 0.4.3"),
        ("0.4.3", None, None, False, "failed", "it never ended"),
        ("0.4.3", None, ended(status="errored", kind="framework_crash", reason="boom"), False, "failed", "boom"),
        ("0.4.3", None, ended(status="errored", kind="unknown_step"), False, "ok", "starts"),
    ],
)
def test_each_state_of_a_framework(version, pending, outcome, named, state, told):
    check = doctor._framework(RAGAS, version, pending, outcome, named=named)
    assert (check.what, check.state) == ("ragas", state)
    assert told in check.told
    assert (check.remedy is None) == (state == "ok" or "no score" in check.told)


def test_an_adapter_without_a_pinned_version_has_no_wrong_one():
    builtin = dataclasses.replace(RAGAS, requirement="evalparity")
    assert doctor._framework(builtin, "9.9", None, SCORED, named=False).state == "ok"


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    check = doctor._folder("cache", tmp_path / "file" / "below", "name another")
    assert (check.state, check.remedy) == ("failed", "name another")
    assert "cannot be written" in check.told
    assert doctor._folder("cache", tmp_path / "new", "").state == "ok"


def test_a_disk_that_is_full_is_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _path: doctor.shutil._ntuple_diskusage(9, 9, 1024**2))
    assert doctor._folder("cache", tmp_path, "move").state == "warning"


HOSTILE = "a\x1b[2J[bold red]b[/] :smile:"
CHECKS = (
    Check(what="ragas", state="ok", told="0.4.3 starts and scores"),
    Check(what="judge", state="warning", told=f"{HOSTILE} " * 20, remedy=f"{HOSTILE} " * 20),
    Check(what="embedding model", state="failed", told="is none", remedy="name one"),
)


@pytest.mark.parametrize("width", [40, 60, 100])
@pytest.mark.parametrize("colour", [False, True])
def test_the_view_fits_and_shows_text_as_text(width, colour):
    text = re.sub(r"\x1b\[[0-9;]*m", "", render_checks(CHECKS, width=width, colour=colour))
    assert max(map(cell_len, text.splitlines())) <= max(width, 60)
    assert "\x1b" not in text
    assert ":smile:" in text
    assert "[bold" in text


def test_the_view_ends_with_a_verdict():
    lines = render_checks(CHECKS).splitlines()
    assert lines[0] == "ok       ragas            0.4.3 starts and scores"
    assert lines[-3] == " " * 26 + "-> name one"
    assert lines[-1] == "a run would fail (1 failed, 1 warning, 1 ok)"
    assert render_checks(CHECKS[:2]).splitlines()[-1] == "a run is possible; read the warnings (1 warning, 1 ok)"
    assert render_checks(CHECKS[:1]).splitlines()[-1] == "all is ready for a run (1 ok)"
    assert [doctor.exit_code(CHECKS[:count]) for count in (1, 2, 3)] == [0, 0, 2]
