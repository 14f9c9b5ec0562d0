"""The judge's key stays in one process, and nobody is called but the judge: a whole run, watched from outside.

The judge of this run is hostile: it gives the key back, in replies, errors, headers and pages. All system calls of all
processes that start a program or use the network are on record (strace), and every file that the run leaves is read.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from evalparity.adapters.cache_folder import cache_root
from support.commands import COMMAND, environment
from support.judge_faults import Fault, Json, failing
from support.judge_server import JudgeServer
from support.replies import reply_to

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")]

KEY = "planted-key-61c0e5a7f2d94b38"
STRACE = ["strace", "-f", "-qq", "-v", "-s", "65536", "--seccomp-bpf", "-e"]
WATCHED = "trace=execve,connect,bind,getsockname,sendto,sendmsg,sendmmsg"
_PLACE = re.compile(r"sin6?_port=htons\((\d+)\).*?(?:inet_addr\(|inet_pton\(AF_INET6, )\"([^\"]+)\"")

ECHOES: tuple[Fault, ...] = (
    Fault(text=f"Your key is {KEY}."),
    Fault(text=json.dumps({"statements": [KEY], "reason": KEY, "verdicts": []})),
    failing(400, f"Incorrect API key provided: {KEY}"),
    failing(401, KEY),
    failing(500, f"key {KEY}", headers={"X-Key": KEY, "Retry-After": "0"}),
    failing(429, KEY, headers={"Retry-After": "0", "Set-Cookie": f"key={KEY}"}),
    Fault(status=302, headers={"Location": f"http://127.0.0.1:9/{KEY}"}, body=KEY.encode()),
    Fault(body=f"<html>{KEY}</html>".encode(), headers={"Content-Type": "text/html"}),
    Fault(body=f'{{"error": {{"message": "{KEY}"}}}}'.encode()),
    Fault(body=f'{{"choices": [{{"message": {{"refusal": "{KEY}"}}}}]}}'.encode()),
    Fault(body=f'{{"choices": [], "id": "{KEY}"}}'.encode()),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What a run left and what was seen of it.

    Attributes:
        folder: the run folder.
        home: all that the run could write: home, temporary files, cache, cassette, working folder.
        printed: standard output and error.
        server: the judge.
        processes: command line and environment of every process of the run, seen while the judge was asked.
        traced: what strace saw, by process; None without strace.
    """

    folder: Path
    home: Path
    printed: str
    server: JudgeServer
    processes: dict[str, bytes]
    traced: list[tuple[int, str]] | None

    @property
    def main(self) -> int:
        """Return the id of evalparity's own process, in what strace saw."""
        assert self.traced is not None
        return self.traced[0][0]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run all three frameworks on a judge that gives the key back in every other answer."""
    secret = tmp_path_factory.mktemp("secret") / "key"
    secret.write_text(KEY + "\n")
    home = tmp_path_factory.mktemp("home")
    (home / "tmp").mkdir()
    (home / "suite.json").write_text(
        json.dumps({"evalparity": 1, "name": "s", "cases": [_case(at) for at in range(4)]})
    )
    processes: dict[str, bytes] = {}

    def answer(request: Json, n: int) -> str | Fault:
        processes.update(_processes(os.getpid()))
        return reply_to(request) if n % 2 or n < 4 else ECHOES[n // 2 % len(ECHOES)]

    log = tmp_path_factory.mktemp("trace") / "strace"
    strace = [*STRACE, WATCHED, "-o", str(log)] if _may_trace() else []
    with JudgeServer(answer, key=KEY) as server:
        ended = subprocess.run(
            [*strace, str(COMMAND), "run", "suite.json", "--judge", "m", "--judge-url", server.url,
             "--judge-key-file", str(secret), "--embedding-model", "e", "--metric", "faithfulness", "--metric",
             "context_recall", "--metric", "answer_relevancy", "--out", "run", "--record", "answers.cassette",
             "--cache-file", "cache.sqlite"],
            cwd=home,
            env=environment(
                HOME=str(home), TMPDIR=str(home / "tmp"), XDG_CACHE_HOME=str(home / "cache"),
                EVALPARITY_CACHE_DIR=str(cache_root()), EVALPARITY_NO_CACHE="",
            ),
            capture_output=True, text=True, timeout=240, check=False, umask=0o022,
        )  # fmt: skip
    assert ended.returncode == 3, ended.stderr  # the faults
    return Watched(
        folder=home / "run",
        home=home,
        printed=ended.stdout + ended.stderr,
        server=server,
        processes=processes,
        traced=_lines(log) if strace else None,
    )


def _may_trace() -> bool:
    """Tell whether strace is here and allowed, which it is not in every container."""
    strace = shutil.which("strace")
    return (
        strace is not None and subprocess.run([strace, "-qq", "true"], capture_output=True, check=False).returncode == 0
    )


def _case(at: int) -> Json:
    text = f"The merchant pays the return shipping of order {at}. The buyer pays the packing."
    return {"id": f"c{at}", "input": "Who pays?", "output": text, "reference": text, "retrieved_contexts": [text]}


def _processes(ours: int) -> dict[str, bytes]:
    """Return command line and environment of every process that descends from this one, by process and program."""
    parents, found = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
                found[int(folder.name)] = (folder / "cmdline").read_bytes() + b"\0" + (folder / "environ").read_bytes()
            except OSError:
                continue  # it has ended

    def descends(pid: int) -> bool:
        return pid in parents and (parents[pid] == ours or descends(parents[pid]))

    programs = {pid: content.partition(b"\0")[0] for pid, content in found.items()}
    return {f"{pid} {programs[pid]!r}": found[pid] for pid in found if descends(pid)}


def _lines(log: Path) -> list[tuple[int, str]]:
    lines = (line.partition(" ") for line in log.read_text(errors="replace").splitlines())
    return [(int(pid), call.strip()) for pid, _, call in lines]


@pytest.fixture
def traced(watched: Watched) -> Watched:
    if watched.traced is None:
        pytest.skip("needs strace, and to be allowed to use it")
    return watched


def test_the_run_was_what_it_was_to_be(watched: Watched) -> None:
    cells = json.loads((watched.folder / "report.json").read_text())["cells"]
    assert {cell["framework"] for cell in cells} >= {"ragas", "deepeval", "promptfoo"}
    assert {cell["status"] for cell in cells} >= {"scored", "errored"}
    assert {"auth", "bad_reply", "http_4xx", "http_5xx", "rate_limited"} & {cell["kind"] for cell in cells}
    assert len(watched.server.chat_requests) > 2 * len(ECHOES), "each echo was given"
    assert all(request.headers["Authorization"] == f"Bearer {KEY}" for request in watched.server.requests)
    assert len([name for name in watched.processes if "node" in name]) >= 1
    assert len([name for name in watched.processes if "python" in name]) >= 3


def test_the_key_is_in_no_file(watched: Watched) -> None:
    files = [path for path in watched.home.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {
        "run.json", "report.json", "outcomes.jsonl", "ledger.sqlite", "ragas.log", "cache.sqlite", "answers.cassette",
    }  # fmt: skip
    for path in files:
        content = path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = subprocess.run(["gzip", "-dc", str(path)], capture_output=True, check=True).stdout
        assert KEY.encode() not in content, path


def test_the_key_is_in_nothing_that_is_printed(watched: Watched) -> None:
    assert KEY not in watched.printed
    assert "Traceback" not in watched.printed


def test_the_key_is_in_no_command_line_and_no_environment(watched: Watched) -> None:
    assert watched.processes
    for name, content in watched.processes.items():
        assert KEY.encode() not in content, name


def test_no_program_was_ever_started_with_the_key(traced: Watched) -> None:
    started = [call for _, call in traced.traced or () if call.startswith("execve(")]
    assert len(started) >= 4, "evalparity, and each framework"
    assert any("OPENAI_API_KEY=dummy" in call for call in started), "environments are on record"
    assert not any(KEY in call for call in started)


def _called(lines: list[tuple[int, str]], *calls: str) -> Iterator[tuple[int, str, int]]:
    """Yield process, address and port of every network call of these names."""
    for pid, call in lines:
        place = _PLACE.search(call) if call.startswith(calls) else None
        if place is not None:
            yield pid, place[2], int(place[1])


def test_nobody_is_called_but_the_judge_and_by_evalparity_alone(traced: Watched) -> None:
    """Loopback addresses alone; the judge's port by evalparity's own loop, the gateway's by everybody else."""
    lines = traced.traced or []
    judge = int(traced.server.url.rpartition(":")[2].removesuffix("/v1"))
    called = list(_called(lines, "connect(", "sendto(", "sendmsg(", "sendmmsg("))
    assert {address for _, address, _ in called} == {"127.0.0.1"}
    assert judge in {port for pid, _, port in called if pid == traced.main}
    others = {port for pid, _, port in called if pid != traced.main}
    ours = {port for pid, _, port in _called(lines, "getsockname(") if pid == traced.main}
    assert len(others) == 1, "one gateway"
    assert others <= ours
    assert judge not in others


def test_only_loopback_addresses_listen(traced: Watched) -> None:
    bound = list(_called(traced.traced or [], "bind("))
    assert {address for pid, address, _ in bound if pid == traced.main} == {"127.0.0.1"}
    assert {address for _, address, _ in bound} <= {"127.0.0.1", "::1"}  # urllib3 tries whether there is an IPv6


def test_every_file_is_its_owners_alone(watched: Watched) -> None:
    kept = [watched.folder, *watched.folder.rglob("*")]
    kept += [watched.home / "answers.cassette", *watched.home.glob("cache.sqlite*")]
    assert len(kept) > 8
    for path in kept:
        allowed = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == allowed, path
