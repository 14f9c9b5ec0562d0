"""`evalparity plan` says what `evalparity run` then does, asks nobody for it, and leaves nothing behind."""

from __future__ import annotations

import json
import shlex
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.cache_folder import CACHE_VARIABLE, cache_root
from evalparity.comparisons.planning.plan_report import PlanReport
from support.commands import EXAMPLE, ROOT, evalparity, start_evalparity
from support.judge_server import JudgeServer

TWO_CASES = """\
{"id": "whole", "input": "How long?", "output": "Seven days. The customer pays.", "reference": "Seven days.", \
"retrieved_contexts": ["Goods can be returned within seven days.", "The customer pays the shipping."]}
{"id": "blank", "input": "How long?", "output": " ", "reference": "Seven days.", "retrieved_contexts": ["Seven days."]}
"""
OPENAI = ("--judge", "gpt-4.1-mini")
CHEAP = (
    "--framework",
    "builtin",
    "--framework",
    "promptfoo",
    "--metric",
    "faithfulness",
    "--metric",
    "answer_relevancy",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.jsonl").write_text(TWO_CASES, encoding="utf-8")
    return tmp_path


def plan_of(*arguments: str | Path, cwd: Path, **variables: str) -> dict[str, Any]:
    ended = evalparity("plan", *arguments, "--format", "json", cwd=cwd, **variables)
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout)
    PlanReport.model_validate_json(ended.stdout)
    return told


# The plan and the run.


@pytest.mark.slow
def test_the_run_is_as_planned(folder: Path) -> None:
    everything = ("s.jsonl", "--metric", "all", "--scorer", "all")
    planned = plan_of(*everything, cwd=folder)
    ended = evalparity("run", *everything, "--out", "run", "--format", "json", cwd=folder)
    assert ended.returncode == 0, ended.stderr
    run = json.loads(ended.stdout)

    assert planned["rehearsal"]["failed"] == []
    cost = {row["scorer"]: row for row in run["cost"]}
    assert [row["scorer"] for row in planned["rows"]] == list(dict.fromkeys(row["scorer"] for row in run["cost"]))
    for row in planned["rows"]:
        used = cost[row["scorer"]]
        for kind in ("calls", "embedding_calls"):
            assert row[kind]["low"] <= used[kind] <= row[kind]["high"], (row["scorer"], kind)
        for tokens in ("input_tokens", "output_tokens", "embedding_tokens"):
            assert row[tokens] == used[tokens], (row["scorer"], tokens)
        assert (row["cost_usd"], row["at_least_usd"]) == (used["cost_usd"], used["at_least_usd"]) == (0.0, 0.0)
    for tokens in ("input_tokens", "output_tokens", "embedding_tokens"):
        assert planned["total"][tokens] == sum(row[tokens] for row in run["cost"])
    cells = Counter(cell["scorer"] for cell in run["cells"])
    assert {row["scorer"]: row["cells"] for row in planned["rows"]} == cells
    skipped = {
        (c["case_id"], c["scorer"]) for c in run["cells"] if c["kind"] in {"missing_field", "no_embedding_model"}
    }
    assert {(cell["case_id"], cell["scorer"]) for cell in planned["refused"]} == skipped
    assert planned["plan"]["suite"] == run["run"]["suite"]
    assert planned["plan"]["frameworks"] == run["run"]["frameworks"]
    assert planned["plan"]["judges"] == [run["run"]["judge"]]


@pytest.mark.slow
def test_a_study_with_two_judges_is_planned_for_each(folder: Path) -> None:
    (folder / "study.yaml").write_text(
        "study: 1\nframeworks: [ragas, builtin]\nmetrics: [faithfulness, exact_match]\nrepeats: 2\n"
        "judges:\n  - {name: small, model: gpt-4.1-mini}\n  - {name: big, model: gpt-4.1}\nembeddings: lexical\n"
    )
    told = plan_of("s.jsonl", "--study", "study.yaml", cwd=folder)
    assert [judge["name"] for judge in told["plan"]["judges"]] == ["small", "big"]
    assert told["plan"]["study"]["path"] == "study.yaml"
    rows = {(row["judge"], row["scorer"]): row for row in told["rows"]}
    asking = [key for key in rows if key[0] is not None]
    assert {judge for judge, _ in asking} == {"small", "big"}
    assert {scorer for judge, scorer in rows if judge is None} == {
        "builtin:sentence_overlap",
        "builtin:exact_match",
        "ragas:exact_match",
    }
    small, big = rows["small", "ragas:faithfulness"], rows["big", "ragas:faithfulness"]
    assert small["input_tokens"] == big["input_tokens"]
    assert small["cells"] == 4
    assert 0 < small["cost_usd"] < big["cost_usd"]
    assert told["total"]["cost_usd"] == pytest.approx(small["cost_usd"] + big["cost_usd"])
    assert {(total["judge"], total["framework"]) for total in told["totals"]} == {
        ("small", "ragas"),
        ("small", "builtin"),
        ("big", "ragas"),
    }


@pytest.mark.slow
def test_a_sample_is_scaled_to_all_cells(folder: Path) -> None:
    case = json.loads(TWO_CASES.partition("\n")[0])
    with (folder / "many.jsonl").open("w") as many:
        for at in range(9):
            many.write(json.dumps({**case, "id": f"c{at}", "output": "It takes seven days. " * (at + 1)}) + "\n")
    options = ("many.jsonl", "--framework", "promptfoo", "--metric", "faithfulness", "--format", "json")
    whole = plan_of(*options, "--rehearse", "9", cwd=folder)["rows"][0]
    part = plan_of(*options, "--rehearse", "3", cwd=folder)["rows"][0]
    assert (whole["rehearsed"], whole["margin_tokens"]) == (9, 0)
    assert (part["rehearsed"], part["cells"]) == (3, 9)
    assert part["input_tokens"] == pytest.approx(whole["input_tokens"], rel=0.05)
    assert part["margin_tokens"] is not None
    assert part["calls"] == whole["calls"]


# Nothing is asked, nothing is kept, no key is needed.


@pytest.mark.slow
def test_nothing_is_sent_to_the_judge_and_nothing_is_left_on_the_disk(folder: Path) -> None:
    (folder / "prices.yaml").write_text(
        "per: 1M tokens\nmodels: [{model: m, input: 1, output: 4}, {model: e, input: 1}]\n"
    )
    (folder / "tmp").mkdir()
    (folder / "home").mkdir()
    before = sorted(path.name for path in folder.iterdir())
    with JudgeServer(lambda _request, _n: "never asked") as server:
        judge = ("--judge", "m", "--judge-url", server.url, "--embedding-model", "e", "--prices", "prices.yaml")
        told = plan_of(
            *("s.jsonl", "--metric", "all", "--scorer", "all", *judge),
            cwd=folder,
            TMPDIR=str(folder / "tmp"),
            HOME=str(folder / "home"),
            **{CACHE_VARIABLE: str(cache_root())},
        )
        assert server.requests == []
    assert sorted(path.name for path in folder.iterdir()) == before
    assert list((folder / "tmp").iterdir()) == []
    assert list((folder / "home").iterdir()) == []
    total = told["total"]
    assert total["cost_usd"] == pytest.approx(
        (total["input_tokens"] + 4 * total["output_tokens"] + total["embedding_tokens"]) / 1e6, rel=1e-3
    )
    assert told["plan"]["prices"]["file"] == "prices.yaml"


@pytest.mark.slow
def test_no_key_is_needed_and_openai_s_prices_are_known(folder: Path) -> None:
    assert evalparity("run", "s.jsonl", *OPENAI, *CHEAP, cwd=folder).returncode == 2
    told = plan_of("s.jsonl", *OPENAI, *CHEAP, cwd=folder)
    assert told["total"]["cost_usd"] > 0
    assert told["total"]["unpriced_calls"] == {"low": 0, "high": 0}
    (relevancy,) = (row for row in told["rows"] if row["scorer"] == "promptfoo:answer_relevance")
    assert relevancy["embedding_tokens"] > 0


@pytest.mark.slow
def test_a_model_of_ones_own_has_no_known_price(folder: Path) -> None:
    own = ("--judge", "gpt-4.1-mini", "--judge-url", "http://127.0.0.1:9/v1")
    told = plan_of("s.jsonl", *own, *CHEAP, cwd=folder)
    assert told["total"]["cost_usd"] is None
    assert told["total"]["at_least_usd"] == 0
    assert told["total"]["unpriced_calls"]["high"] == told["total"]["calls"]["high"] > 0
    # Without an embedding model for that server, what needs one is not planned to run.
    assert {cell["kind"] for cell in told["refused"]} == {"missing_field", "no_embedding_model"}


def test_without_a_rehearsal_calls_are_told_and_tokens_are_unknown(folder: Path) -> None:
    told = plan_of("s.jsonl", *OPENAI, "--metric", "all", "--scorer", "all", "--rehearse", "0", cwd=folder)
    assert told["rehearsal"] is None
    assert told["total"]["calls"]["low"] > 0
    assert told["total"]["input_tokens"] is None
    assert told["total"]["cost_usd"] is None
    shown = evalparity("plan", "s.jsonl", *OPENAI, *CHEAP, "--rehearse", "0", cwd=folder)
    assert "Rehearsing" not in shown.stderr
    assert "Tokens: unknown, as nothing was rehearsed" in shown.stdout


@pytest.mark.slow
def test_a_framework_that_is_still_to_be_fetched_is_not_fetched(folder: Path) -> None:
    options = ("s.jsonl", "--framework", "promptfoo", "--framework", "deepeval", "--metric", "faithfulness")
    told = plan_of(*options, cwd=folder, **{CACHE_VARIABLE: str(folder / "empty")})
    assert not (folder / "empty").exists()
    assert list(told["rehearsal"]["waiting"]) == ["promptfoo"]
    rows = {row["framework"]: row for row in told["rows"]}
    assert rows["promptfoo"]["calls"]["high"] > 0
    assert rows["promptfoo"]["input_tokens"] is None
    assert rows["deepeval"]["input_tokens"] > 0
    assert told["total"]["cost_usd"] == 0.0  # the lexical judge costs nothing, however much is sent to it


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_rehearsal_that_is_stopped_leaves_nothing(folder: Path, how: signal.Signals) -> None:
    (folder / "tmp").mkdir()
    running = start_evalparity("plan", EXAMPLE, cwd=folder, TMPDIR=str(folder / "tmp"))
    assert running.stderr is not None
    while not running.stderr.readline().startswith("Rehearsing"):
        assert running.poll() is None
    running.send_signal(how)
    out, error = running.communicate(timeout=60)
    assert running.returncode == 130, error
    assert out == ""
    assert "interrupted" in error
    assert "Traceback" not in error
    assert list((folder / "tmp").iterdir()) == []


# Wrong input: as `run`.


@pytest.mark.parametrize(
    "arguments",
    [
        ["broken.yaml"],
        ["s.jsonl", "--framework", "raggas"],
        ["s.jsonl", "--scorer", "ragas:faithfullness"],
        ["s.jsonl", "--framework", "ragas", "--metric", "levenstein"],
        ["s.jsonl", "--threshold", "faithfulness=2"],
        ["s.jsonl", "--judge", "m", "--judge-url", "localhost:9"],
        ["s.jsonl", "--embedding-model", "e"],
        ["s.jsonl", "--study", "none.yaml"],
        ["s.jsonl", "--prices", "none.yaml"],
        ["s.jsonl", "--wiring", "loose"],
    ],
    ids=" ".join,
)
def test_what_a_run_refuses_a_plan_refuses_in_the_same_words(folder: Path, arguments: list[str]) -> None:
    (folder / "broken.yaml").write_text("name: x\ncases:\n  - id: a\n    ouput: o\n")
    run, plan = (evalparity(command, *arguments, cwd=folder) for command in ("run", "plan"))
    assert (run.returncode, plan.returncode) == (2, 2)
    assert plan.stdout == ""
    # `run` needs no suite where it resumes a run, so their usage lines differ.
    said = plan.stderr.replace("evalparity plan [OPTIONS] SUITE", "evalparity plan [OPTIONS] [SUITE]")
    assert said.replace("evalparity plan", "evalparity run") == run.stderr
    assert not (folder / "runs").exists()


@pytest.mark.parametrize("value", ["-1", "some", "1.5"])
def test_a_wrong_number_of_cases_to_rehearse(folder: Path, value: str) -> None:
    ended = evalparity("plan", "s.jsonl", "--rehearse", value, cwd=folder)
    assert ended.returncode == 2
    assert "--rehearse" in ended.stderr


@pytest.fixture
def ghost(folder: Path) -> dict[str, str]:
    """Return the variables under which another package's framework is known and not installed."""
    package = folder / "packages"
    (package / "ghost-1.0.dist-info").mkdir(parents=True)
    (package / "ghost-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: ghost\nVersion: 1.0\n")
    (package / "ghost-1.0.dist-info" / "entry_points.txt").write_text("[evalparity.adapters]\nghost = ghost:ADAPTER\n")
    (package / "ghost.py").write_text(
        "from dataclasses import replace\n"
        "from evalparity.adapters.registry import load_adapter\n"
        "from evalparity.adapters.base import by_metric\n"
        "base = load_adapter('ragas')\n"
        "own = [replace(b, scorer=b.scorer.replace('ragas:', 'ghost:'), derived_from=None) for b in base.scorers()]\n"
        "ADAPTER = replace(base, name='ghost', bindings=by_metric(own), installed_version=lambda: None,\n"
        "                  install_hint='pip install ghost')\n"
    )
    return {"PYTHONPATH": str(package)}


def test_a_named_framework_that_is_absent_makes_exit_code_3(folder: Path, ghost: dict[str, str]) -> None:
    options = ("s.jsonl", "--framework", "ghost", "--framework", "builtin", "--metric", "faithfulness")
    ended = evalparity("plan", *options, "--format", "json", cwd=folder, **ghost)
    assert ended.returncode == 3, ended.stderr
    assert "ghost is not installed: pip install ghost" in ended.stderr
    told = json.loads(ended.stdout)
    (row,) = (row for row in told["rows"] if row["framework"] == "ghost")
    assert (row["cells"], row["runs"], row["skipped"], row["errored"]) == (2, 0, 1, 1)
    assert row["calls"] == {"low": 0, "high": 0}
    assert {cell["kind"] for cell in told["refused"] if cell["framework"] == "ghost"} == {
        "missing_field",
        "framework_absent",
    }
    shown = evalparity("plan", *options, cwd=folder, **ghost)
    assert shown.returncode == 3
    assert "pip install ghost" in shown.stdout


def test_one_that_nobody_named_is_left_out_and_said_to_be(folder: Path, ghost: dict[str, str]) -> None:
    ended = evalparity("plan", "s.jsonl", "--rehearse", "0", cwd=folder, **ghost)
    assert ended.returncode == 0, ended.stderr
    assert "ghost is not installed: pip install ghost" in ended.stderr
    assert "ghost" not in ended.stdout


# What is shown.


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_view_fits_the_terminal(folder: Path, width: int) -> None:
    everything = ("--metric", "all", "--scorer", "all", "--rehearse", "0")
    ended = evalparity("plan", EXAMPLE, *everything, cwd=folder, COLUMNS=str(width))
    lines = ended.stdout.splitlines()
    assert max(map(len, lines)) <= min(width, 120)


def test_wide_enough_the_view_has_every_scorer_and_the_totals(folder: Path) -> None:
    everything = ("--metric", "all", "--scorer", "all", "--rehearse", "0")
    lines = evalparity("plan", EXAMPLE, *everything, cwd=folder, COLUMNS="100").stdout.splitlines()
    assert max(map(len, lines)) <= 100
    told = plan_of(EXAMPLE, *everything, cwd=folder)
    for row in told["rows"]:
        assert any(line.split()[:2] == [row["scorer"], f"{row['runs']}/{row['cells']}"] for line in lines), row[
            "scorer"
        ]
    calls = told["total"]["calls"]
    (all_frameworks,) = (line.split() for line in lines if line.startswith("all "))
    assert all_frameworks[1:3] == [
        f"{told['total']['runs']}/{told['total']['cells']}",
        f"{calls['low']:,}-{calls['high']:,}",
    ]


def test_refused_cells_are_counted_by_reason_with_their_cases(folder: Path) -> None:
    shown = evalparity("plan", "s.jsonl", *CHEAP, "--rehearse", "0", cwd=folder).stdout
    assert "WILL NOT RUN  3 cells" in shown
    assert "missing field  needs output, missing or blank in this case" in shown
    assert "faithfulness, answer_relevancy: blank" in shown


def test_texts_of_a_suite_are_shown_as_they_are(folder: Path) -> None:
    hostile = {"id": "[red]a\u001b[2J", "input": "q", "output": " ", "retrieved_contexts": ["c"]}
    (folder / "h.json").write_text(json.dumps({"name": "[bold]x[/]\u0007", "cases": [hostile]}))
    shown = evalparity("plan", "h.json", "--framework", "builtin", cwd=folder).stdout
    assert "\x1b" not in shown
    assert "[bold]x[/]\\x07" in shown
    assert "[red]a\\x1b[2J" in shown


def test_a_plan_in_which_nothing_asks_a_judge(folder: Path) -> None:
    ended = evalparity("plan", "s.jsonl", "--framework", "builtin", cwd=folder)
    assert ended.returncode == 0
    assert "No judge is asked." in ended.stdout
    assert "Rehearsing" not in ended.stderr


def test_the_page_on_plans_names_every_field() -> None:
    page = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
    schema = PlanReport.model_json_schema(mode="serialization")
    models = [schema, *schema["$defs"].values()]
    fields = {name for model in models for name in model.get("properties", {})}
    assert {name for name in fields if f"`{name}`" not in page} == set()


@pytest.mark.slow
def test_the_page_on_plans_shows_what_the_command_prints() -> None:
    page = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
    shown = page.partition("```console\n")[2].partition("```")[0]
    command, _, printed = shown.replace("\\\n", " ").partition("\n")
    start, name, *arguments = shlex.split(command)
    assert (start, name) == ("$", "evalparity")
    ended = evalparity(*arguments)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == printed


def test_plan_stands_in_the_help() -> None:
    help_text = evalparity("--help").stdout
    assert " plan " in help_text
    options = evalparity("plan", "--help").stdout
    for option in ("--study", "--framework", "--metric", "--scorer", "--judge", "--prices", "--rehearse", "--format"):
        assert option in options
    assert "--out" not in options
