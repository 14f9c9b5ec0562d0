"""What `convert --to promptfoo` writes, run by the real `promptfoo eval`; and what that wrote, read back."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.exchange import NativeScore
from evalparity.adapters.judge.lexical.judge import WordComparingJudge
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.steps import find_step
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.files_export import write_folder
from evalparity.adapters.promptfoo_adapter.files_scores import read_scores, recognises
from evalparity.adapters.reading import load_any
from evalparity.comparisons.running.plan import ALL
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.errors import SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from evalparity.unified_schema.outcomes import Outcome
from support.cases import HOSTILE_TEXTS, case, suite
from support.judge_server import JudgeServer, Received, last_user_text
from support.promptfoo_cli import PromptfooCli, install_cli
from support.runs import plan_cases, run_cases

pytestmark = pytest.mark.slow

MODEL, EMBEDDING_MODEL, LIMIT = "judge-1", "embedder-1", 4096
SECRET = "planted-secret-7f3a"
NO_LOOKUPS = {"OPENAI_API_KEY": "any"}
"""Without a key Promptfoo looks for those of other services, on the network too, which takes seconds."""
BROKEN = "The judge writes prose about this."

PLAIN = [
    case("plain"),
    case(
        "007",
        input="Who pays the return shipping after ten days?",
        output="The customer pays it. A refund takes ninety days.",
        reference="The customer pays the return shipping. A refund takes fourteen days.",
        retrieved_contexts=[
            {"id": "a", "text": "After ten days the customer pays the return shipping."},
            {"id": "b", "text": "The shop was founded in 1987.\nIt sells shoes."},
            {"id": "c", "text": "A refund takes fourteen days."},
        ],
        prompt_contexts=["c", "a"],
    ),
    case(
        "退货 {{ id }}/?#",
        input="退货期限是多久？",
        output="签收后七天内可以退货。",
        reference="签收后七天内可以退货。",
    ),
    case("broken", reference=BROKEN),
]


def traps(folder: Path) -> list[EvalCase]:
    """Return cases whose every text reads, runs or reveals something where it is more than text."""
    mark, secret = str(folder / "ran"), folder / "secret.txt"
    secret.write_text(SECRET)
    (folder / "evil.cjs").write_text(f"require('node:fs').writeFileSync({json.dumps(mark)}, 'x'); module.exports = 1;")
    script = f"process.getBuiltinModule('node:fs').writeFileSync('{mark}', 'x')"
    texts = {
        "env": "{{ env.PLANTED }}{{ env['PLANTED'] }}${PLANTED}{{ env.EVALPARITY_JUDGE_API_KEY }}",
        "code": f'{{{{ range.constructor("{script}")() }}}}',
        "env-code": f'{{{{ range.constructor("process.env.X; {script}")() }}}}',
        "secret": f"file://{secret}",
        "evil": f"file://{folder / 'evil.cjs'}",
        "package": f"package:{folder / 'evil.cjs'}:run",
        "include": f"{{% include '{secret}' %}}{{% raw %}}",
        "variable": "{{query}} {{context}} {{reference}} {{_question}} {{7*7}} {# gone #}",
        "nul": "a\x00b\x85c\u2028d\ufeffe =cmd|'/c calc'!A1 | \"quoted\" 👩‍👩‍👧\r\n\n",
        **HOSTILE_TEXTS,
    }
    return [
        case(f"alone-{name} {text[:40]}", input=text, output=text, reference=text, retrieved_contexts=[text, "Plain."])
        for name, text in texts.items()
    ]


def answer(request: dict[str, Any], _n: int) -> str:
    """Answer by words, so that scores differ by case."""
    text = last_user_text(request)
    if BROKEN in text:
        return "I would rather talk about the weather."
    step = find_step(ADAPTER.steps, told=None, text=text)
    assert step is not None, text[:80]
    return step.answer(text, WordComparingJudge())


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run of the real command on a folder of ours."""

    folder: Path
    cases: list[EvalCase]
    requests: list[Received]
    results: dict[str, Any]
    scores: tuple[NativeScore, ...]


def evaluate(cli: PromptfooCli, folder: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Run `promptfoo eval` as a user would, with nothing switched off that guards against texts."""
    env = cli.environment(folder.parent)
    for name in ("PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS", "OPENAI_API_KEY"):
        env.pop(name)
    ended = subprocess.run(
        cli.command("eval", "-o", "results.json", "-o", "rows.jsonl", "--no-cache", "--no-progress-bar", "--no-table"),
        cwd=folder,
        env={**env, "NO_PROXY": "127.0.0.1", "PLANTED": SECRET, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode in {0, 100}, ended.stdout + ended.stderr
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def run(cli: PromptfooCli, folder: Path, cases: list[EvalCase]) -> Ran:
    write_folder(suite(*cases), folder)
    with JudgeServer(answer) as server:
        results = evaluate(
            cli,
            folder,
            {
                "EVALPARITY_JUDGE": MODEL,
                "EVALPARITY_JUDGE_URL": server.url,
                "EVALPARITY_JUDGE_API_KEY": "sk-planted",
                "EVALPARITY_EMBEDDING_MODEL": EMBEDDING_MODEL,
                **NO_LOOKUPS,
            },
        )
    (found,) = read_scores(opened(folder / "results.json"))
    return Ran(folder=folder, cases=cases, requests=server.requests, results=results, scores=found.scores)


def opened(path: Path) -> Opened:
    return Opened(path=path, file=str(path), options=ReadOptions())


@pytest.fixture(scope="module")
def cli() -> PromptfooCli:
    return install_cli(print)


@pytest.fixture(scope="module")
def ran(cli: PromptfooCli, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("folder")
    return run(cli, folder / "out", [*PLAIN, *traps(folder)])


@pytest.fixture(scope="module")
def ours(ran: Ran, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Outcome], list[Received]]:
    with JudgeServer(answer) as server:
        judge = JudgeSettings(
            model=MODEL, url=server.url, embedding_model=EMBEDDING_MODEL, max_output_tokens=LIMIT, attempts=1
        )
        plan = plan_cases(ran.cases, frameworks=["promptfoo"], metrics=[ALL], judge=judge)
        settled = run_cases(plan, tmp_path_factory.mktemp("ours"), judge=judge)
    return [one.outcome for one in settled], server.requests


def texts_sent(requests: list[Received]) -> Counter[str]:
    """Return what the judge and the embedding model were shown, each text with how often."""
    shown: list[str] = []
    for request in requests:
        if request.kind == "chat":
            shown += [json.dumps(request.body["messages"], ensure_ascii=False)]
        else:
            given = request.body["input"]
            shown += given if isinstance(given, list) else [given]
    return Counter(shown)


def test_the_judge_is_shown_the_same_texts_byte_for_byte(ran: Ran, ours: Any) -> None:
    theirs, own = texts_sent(ran.requests), texts_sent(ours[1])

    assert theirs == own
    assert theirs.total() > 10 * len(ran.cases)


def test_the_scores_are_those_of_our_own_run(ran: Ran, ours: Any) -> None:
    native = {(one.case.get("id"), one.scorer): one for one in ran.scores}
    compared = 0
    for outcome in ours[0]:
        if outcome.status == "skipped" and outcome.kind == "unsupported":
            continue
        found = native.pop((outcome.case_id, outcome.scorer))
        assert found.metric == outcome.metric
        if outcome.status == "scored":
            assert found.raw == outcome.raw, (outcome, found)
            compared += 1
    assert native == {}
    assert compared > 100


def test_a_grader_that_failed_is_an_error_and_no_zero(ran: Ran, ours: Any) -> None:
    found = {one.scorer: one for one in ran.scores if one.case.get("id") == "broken"}

    for scorer in ("context_faithfulness", "context_recall", "factuality"):
        own = next(one for one in ours[0] if one.case_id == "broken" and one.scorer == f"promptfoo:{scorer}")
        one = found[f"promptfoo:{scorer}"]
        if own.status == "errored":
            assert (one.raw, one.kind) == (None, own.kind), (scorer, one)
    assert found["promptfoo:context_recall"].kind == "bad_json"
    assert found["promptfoo:factuality"].raw is None
    assert found["promptfoo:equals"].raw == 0.0


def test_no_text_ran_read_or_revealed_anything(ran: Ran) -> None:
    planted = ran.folder.parent
    everything = json.dumps(ran.results) + json.dumps([one.body for one in ran.requests])

    assert not (planted / "ran").exists()
    assert SECRET not in everything
    assert "sk-planted" not in everything
    assert SECRET not in "".join(path.read_text(errors="replace") for path in ran.folder.glob("*") if path.is_file())


def test_the_traps_work_where_a_text_is_a_variable_of_the_configuration(cli: PromptfooCli, tmp_path: Path) -> None:
    """The control: the same texts in a configuration as most people write it."""
    folder = tmp_path / "naive"
    folder.mkdir()
    cases = [one for one in traps(tmp_path) if one.id.startswith(("alone-env ", "alone-code", "alone-secret"))]
    config: dict[str, Any] = {
        "prompts": ["{{query}}"],
        "providers": ["echo"],
        "tests": [{"vars": {"query": one.input}, "assert": [{"type": "contains", "value": "x"}]} for one in cases],
    }
    plain = {"query": "How long?", "context": ["Seven days.", "Ten."], "gold": "How long?"}
    asserted = [{"type": "equals", "value": "{{gold}}"}, {"type": "contains", "value": "long"}, {"type": "rouge-n"}]
    asserted[2]["value"] = "{{gold}}"
    tests = [{"description": "plain", "vars": plain, "assert": asserted, "options": {"disableVarExpansion": True}}]
    config["tests"] = [*tests, *config["tests"]]
    (folder / "promptfooconfig.yaml").write_text(json.dumps(config))
    results = evaluate(cli, folder, NO_LOOKUPS)

    assert (tmp_path / "ran").exists()
    assert SECRET in json.dumps(results)
    _as_people_write_it(folder)


def _as_people_write_it(folder: Path) -> None:
    """Hold the configuration and the results of a user's own against each other."""
    with pytest.raises(SuiteError, match="outside of the configuration's folder"):
        load_any(folder / "promptfooconfig.yaml")
    config = json.loads((folder / "promptfooconfig.yaml").read_text())
    (folder / "plain.json").write_text(json.dumps({**config, "tests": config["tests"][:1]}))
    planned = load_any(folder / "plain.json").suite.cases[0]
    answered = next(one for one in load_any(folder / "results.json").suite.cases if one.id == "plain")
    (found,) = read_scores(opened(folder / "results.json"))
    scores = {(one.metric, one.scorer): one.raw for one in found.scores if one.case["input"] == "How long?"}

    assert answered.output == "How long?"
    assert planned == answered.model_copy(update={"output": None})
    assert [chunk.text for chunk in planned.retrieved_contexts] == ["Seven days.", "Ten."]
    assert scores == {
        ("exact_match", "promptfoo:equals"): 1.0,
        (None, "promptfoo:contains_2"): 1.0,
        (None, "promptfoo:rouge_n"): 1.0,
    }


def test_the_results_are_read_as_the_suite_that_was_written(ran: Ran) -> None:
    loaded = load_any(ran.folder / "results.json").suite

    found = {one.id: one for one in loaded.cases}
    assert found.keys() == {one.id for one in ran.cases}
    for one in ran.cases:
        read = found[one.id]
        assert (read.input, read.output, read.reference) == (one.input, one.output, one.reference)
        assert [chunk.text for chunk in read.retrieved_contexts] == list(one.context_texts("retrieved_contexts"))


def test_the_folder_is_read_as_the_suite_that_was_written(ran: Ran) -> None:
    assert load_any(ran.folder / "promptfooconfig.yaml").suite == suite(*ran.cases)


def test_results_are_recognised_in_both_forms(ran: Ran) -> None:
    assert recognises(opened(ran.folder / "results.json"))
    assert recognises(opened(ran.folder / "rows.jsonl"))
    assert not recognises(opened(ran.folder / "suite.json"))
    assert not recognises(opened(ran.folder / "promptfooconfig.yaml"))
    (rows,) = read_scores(opened(ran.folder / "rows.jsonl"))
    assert {(one.case["id"], one.scorer, one.raw) for one in rows.scores} == {
        (one.case["id"], one.scorer, one.raw) for one in ran.scores
    }


def test_the_judge_and_the_thresholds_are_told(ran: Ran) -> None:
    by_scorer = {one.scorer: one for one in ran.scores if one.case.get("id") == "plain"}

    assert by_scorer["promptfoo:factuality"].judge_model == f"openai:chat:{MODEL}"
    assert by_scorer["promptfoo:similar"].judge_model == f"openai:embedding:{EMBEDDING_MODEL}"
    assert by_scorer["promptfoo:equals"].judge_model is None
    assert by_scorer["promptfoo:context_recall"].threshold == 0.5
    assert by_scorer["promptfoo:context_recall"].details.items


def test_without_a_judge_the_rows_say_what_to_set(cli: PromptfooCli, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_folder(suite(case("a/b")), folder)
    evaluate(cli, folder, NO_LOOKUPS)
    (found,) = read_scores(opened(folder / "results.json"))
    by_scorer = {one.scorer: one for one in found.scores}

    assert by_scorer["promptfoo:equals"].raw == 0.0
    failed = by_scorer["promptfoo:context_recall"]
    assert (failed.raw, failed.kind, failed.case["id"]) == (None, "framework_error", "a/b")
    assert "set EVALPARITY_JUDGE" in str(failed.reason)
