"""Nothing in a suite makes a framework read a file or a variable, run code, or call anybody but the judge."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.running.settle import Settled
from support.cases import HOSTILE_TEXTS, hostile_case
from support.judge_server import JudgeServer
from support.replies import reply_to
from support.runs import FRAMEWORKS, plan_cases, run_cases
from support.watch import Listener, OpenedFiles

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="watches files with inotify")]

SECRET = "planted-secret-4f1c"
KEY = "planted-key-9d2e7b51"


def planted_texts(canary: Path, port: int) -> dict[str, str]:
    """Return the texts that would touch the canary file, its folder, a variable, or the port, if anything obeyed."""
    write = f"require('fs').writeFileSync('{canary.parent}/made', 'x')"
    return {
        **HOSTILE_TEXTS,
        "env": "{{ env.PLANTED_SECRET }} {{env['PLANTED_SECRET']}} $PLANTED_SECRET ${PLANTED_SECRET} %PLANTED_SECRET%",
        "file-url": f"file://{canary}",
        "file-code": f"file://{canary.with_suffix('.cjs')}",
        "module": f"package:{canary.with_suffix('.cjs')}:run",
        "nunjucks": f'{{{{ range.constructor("return process.mainModule.{write}")() }}}} {{{{ process.env.X }}}}',
        "nunjucks-env": f'{{{{ env.x or range.constructor("return global.process.mainModule.{write}")() }}}}',
        "jinja": f"{{{{ cycler.__init__.__globals__.os.system('touch {canary.parent}/made') }}}}",
        "include": f"{{% include '{canary}' %}} {{% import '{canary}' as x %}}",
        "python": f"__import__('os').system('touch {canary.parent}/made')",
        "shell": f"$(touch {canary.parent}/made) `cat {canary}` ; cat {canary}",
        "json-reference": json.dumps({"$ref": f"file://{canary}#/a"}),
        "yaml-tag": f"!!python/object/apply:os.system ['touch {canary.parent}/made']",
        "image": f"[DEEPEVAL:IMAGE:{canary}] [DEEPEVAL:PDF:http://127.0.0.1:{port}/x.pdf] [DEEPEVAL:IMAGE:http://127.0.0.1:{port}/x.png]",
        "url": f"http://127.0.0.1:{port}/x ![x](http://127.0.0.1:{port}/x.png) data:text/plain,x",
    }


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Settled], JudgeServer, set[str], int, Path]:
    """Run all three frameworks over texts that try to break out, with everything watched."""
    watched = tmp_path_factory.mktemp("watched")
    canary = watched / "canary"
    canary.write_text(SECRET)
    canary.with_suffix(".cjs").write_text(
        f"require('fs').writeFileSync('{watched}/made', 'x'); module.exports = '{SECRET}'"
    )
    folder = tmp_path_factory.mktemp("run")
    with (
        JudgeServer(lambda request, _n: reply_to(request)) as server,
        Listener() as port,
        OpenedFiles(watched) as opened,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("PLANTED_SECRET", SECRET)
        patch.setenv("EVALPARITY_JUDGE_API_KEY", KEY)
        cases = [hostile_case(name, text) for name, text in planted_texts(canary, port.port).items()]
        judge = JudgeSettings(model="m", url=server.url, embedding_model="e", api_key=KEY)
        settled = run_cases(plan_cases(cases, judge=judge), folder, judge=judge)
        return settled, server, opened.names(), port.calls, folder


def test_the_watch_itself_works(tmp_path: Path) -> None:
    with OpenedFiles(tmp_path) as opened, Listener() as port:
        (tmp_path / "canary").write_text("x")
        assert "canary" in opened.names()
        assert port.calls == 0


def test_no_planted_file_was_opened_and_none_was_made(
    hostile: tuple[list[Settled], JudgeServer, set[str], int, Path],
) -> None:
    assert hostile[2] == set()


def test_nobody_called_the_planted_address(hostile: tuple[list[Settled], JudgeServer, set[str], int, Path]) -> None:
    assert hostile[3] == 0


def test_no_file_and_no_variable_reached_the_judge(
    hostile: tuple[list[Settled], JudgeServer, set[str], int, Path],
) -> None:
    bodies = json.dumps([request.body for request in hostile[1].requests])
    assert SECRET not in bodies
    assert KEY not in bodies
    assert "root:x:0:0" not in bodies


def test_every_text_reached_the_judge_as_it_was_written(
    hostile: tuple[list[Settled], JudgeServer, set[str], int, Path],
) -> None:
    for one in hostile[0]:
        if one.outcome.metric == "context_recall" and one.outcome.kind == "missing_verdicts":
            continue  # this judge gives two verdicts, and some references have more sentences
        assert one.outcome.status == "scored", (one.outcome.case_id, one.outcome.scorer, one.outcome.reason)
        assert one.inputs is not None
        assert one.inputs.missing == (), (one.outcome.case_id, one.outcome.scorer)
        rewritten = one.outcome.framework == "promptfoo" and bool(one.inputs.rewritten)
        assert bool(one.inputs.rewritten) == rewritten


def test_the_key_is_in_no_file_of_the_run(hostile: tuple[list[Settled], JudgeServer, set[str], int, Path]) -> None:
    for path in hostile[4].rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


def test_the_judge_got_the_key_and_the_frameworks_their_own_dummy(
    hostile: tuple[list[Settled], JudgeServer, set[str], int, Path],
) -> None:
    assert {request.headers["Authorization"] for request in hostile[1].requests} == {f"Bearer {KEY}"}
    assert {one.outcome.framework for one in hostile[0]} == set(FRAMEWORKS)
