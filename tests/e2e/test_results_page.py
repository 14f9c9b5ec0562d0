"""The page on imported scores: its example prints what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from support.commands import ROOT, evalparity

PAGE = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ evalparity ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)
_OF_THE_RUN = re.compile(r"run \S+  \d{4}-\d\d-\d\d \d\d:\d\d")


def test_the_example_prints_what_the_page_shows(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    assert len(BLOCKS) == 2
    for command, shown in BLOCKS:
        ended = evalparity(*shlex.split(command), cwd=tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert _OF_THE_RUN.sub("run", ended.stdout) == _OF_THE_RUN.sub("run", shown)
