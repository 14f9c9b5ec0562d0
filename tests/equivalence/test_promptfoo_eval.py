"""evalparity scores as `promptfoo eval` does: the judge gets the same requests by both routes, and the scores agree.

One route is a run of evalparity's, gateway and driver included; the other is Promptfoo's own command line on the same
cases, with a configuration that is written here, of texts that are put together here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.judge.lexical.judge import WordComparingJudge
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.adapters.judge.steps import find_step
from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.installation import package_version
from evalparity.adapters.promptfoo_adapter.rubrics import criteria
from evalparity.comparisons.running.plan import ALL
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.outcomes import Outcome
from evalparity.unified_schema.rubrics import RUBRICS
from support.cases import case
from support.judge_server import JudgeServer, Received, last_user_text
from support.promptfoo_cli import LIBSQL, PromptfooCli, Row, install_cli, provider_for, write_config
from support.runs import plan_cases, run_cases

pytestmark = pytest.mark.slow

SCORERS = {binding.scorer: binding for binding in ADAPTER.scorers()}
MODEL, EMBEDDING_MODEL, LIMIT, SEED = "judge-1", "embedder-1", 700, 11

CASES = [
    case("plain"),
    case(
        "partly",
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
        "chinese",
        input="退货期限是多久？",
        output="签收后七天内可以退货。运费由卖家承担。",
        reference="签收后七天内可以退货。运费由买家承担。",
        retrieved_contexts=["签收后七天内可以无理由退货，运费由买家承担。", "本店成立于一九八七年。"],
    ),
]
REFERENCE = "{{reference}}"


def rubric(metric: str) -> Callable[[EvalCase], Mapping[str, Any]]:
    """Return what makes the variables for a rubric: its whole text, as no template."""

    def variables(one: EvalCase) -> Mapping[str, Any]:
        parts = [criteria(RUBRICS[metric]), f"<Input>\n{one.input}\n</Input>"]
        if metric == "answer_correctness":
            parts.append(f"<Reference>\n{one.reference}\n</Reference>")
        if metric == "context_utilisation":
            parts += [f"<Context>\n{text}\n</Context>" for text in one.context_texts("retrieved_contexts")]
        return {"told": "\n".join(parts)}

    return variables


def texts(**fields: str) -> Callable[[EvalCase], Mapping[str, Any]]:
    """Return what makes the variables from fields of a case, contexts as a list."""

    def variables(one: EvalCase) -> Mapping[str, Any]:
        return {
            name: list(one.context_texts(field)) if field.endswith("_contexts") else getattr(one, field)
            for name, field in fields.items()
        }

    return variables


NATIVE: Mapping[str, tuple[Mapping[str, Any], Callable[[EvalCase], Mapping[str, Any]]]] = {
    "context_faithfulness": ({"type": "context-faithfulness"}, texts(query="input", context="prompt_contexts")),
    "context_recall": (
        {"type": "context-recall", "value": REFERENCE},
        texts(query="input", reference="reference", context="retrieved_contexts"),
    ),
    "context_relevance": ({"type": "context-relevance"}, texts(query="input", context="retrieved_contexts")),
    "answer_relevance": ({"type": "answer-relevance"}, texts(query="input")),
    "factuality": ({"type": "factuality", "value": REFERENCE}, texts(query="input", reference="reference")),
    "similar": ({"type": "similar", "value": REFERENCE}, texts(reference="reference")),
    "answer_correctness_rubric": ({"type": "llm-rubric", "value": "{{told}}"}, rubric("answer_correctness")),
    "answer_relevancy_rubric": ({"type": "llm-rubric", "value": "{{told}}"}, rubric("answer_relevancy")),
    "context_utilisation_rubric": ({"type": "llm-rubric", "value": "{{told}}"}, rubric("context_utilisation")),
    "equals": ({"type": "equals", "value": REFERENCE}, texts(reference="reference")),
    "contains": ({"type": "contains", "value": REFERENCE}, texts(reference="reference")),
    "bleu": ({"type": "bleu", "value": REFERENCE}, texts(reference="reference")),
}
"""The assertion that a user of Promptfoo would write, and its variables, by scorer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routes:
    """The scores of both routes by scorer and case, and what the judge was asked by each."""

    ours: Mapping[tuple[str, str], Outcome]
    native: Mapping[tuple[str, str], Mapping[str, Any]]
    our_requests: list[Received]
    native_requests: list[Received]


@pytest.fixture(scope="module")
def cli() -> PromptfooCli:
    return install_cli(print)


@pytest.fixture(scope="module")
def routes(cli: PromptfooCli, tmp_path_factory: pytest.TempPathFactory) -> Routes:
    with JudgeServer(answer) as server:
        judge = JudgeSettings(
            model=MODEL, url=server.url, embedding_model=EMBEDDING_MODEL, max_output_tokens=LIMIT, seed=SEED
        )
        plan = plan_cases(CASES, frameworks=["promptfoo"], metrics=[ALL], scorers=[ALL], judge=judge)
        outcomes = [one.outcome for one in run_cases(plan, tmp_path_factory.mktemp("ours"), judge=judge)]
    with JudgeServer(answer) as other:
        keys = [(scorer, one.id) for scorer in NATIVE for one in CASES]
        rows = [row_for(scorer, one) for scorer in NATIVE for one in CASES]
        results = evaluate(cli, rows, other, tmp_path_factory.mktemp("native"))
    return Routes(
        ours={(outcome.scorer.removeprefix("promptfoo:"), outcome.case_id): outcome for outcome in outcomes},
        native=dict(zip(keys, results, strict=True)),
        our_requests=server.requests,
        native_requests=other.requests,
    )


def answer(request: dict[str, Any], _n: int) -> str:
    """Answer by words, so that scores differ by case; Promptfoo's prompts tell which step it is."""
    text = last_user_text(request)
    step = find_step(ADAPTER.steps, told=None, text=text)
    assert step is not None, text[:80]
    return step.answer(text, WordComparingJudge())


def row_for(scorer: str, one: EvalCase) -> Row:
    assertion, variables = NATIVE[scorer]
    return Row(assertion=assertion, variables=variables(one), output=str(one.output))


def evaluate(cli: PromptfooCli, rows: list[Row], server: JudgeServer, folder: Path) -> list[dict[str, Any]]:
    provider = provider_for(server.url, model=MODEL, embedding_model=EMBEDDING_MODEL, max_tokens=LIMIT, seed=SEED)
    return cli.evaluate(write_config(folder, rows, provider=provider))


def bodies(requests: Iterable[Received]) -> Counter[str]:
    """Return the bodies of requests, in one spelling, each with how often it was sent."""
    return Counter(json.dumps(_body(request), sort_keys=True, ensure_ascii=False) for request in requests)


def _body(request: Received) -> dict[str, Any]:
    if request.kind == "chat":
        return {name: float(value) if isinstance(value, int) else value for name, value in request.body.items()}
    # A text and a list of one text are the same request; numbers are what an endpoint answers where nothing is said.
    inputs = request.body["input"]
    said = {name: value for name, value in request.body.items() if (name, value) != ("encoding_format", "float")}
    return {**said, "input": inputs if isinstance(inputs, list) else [inputs]}


def test_every_scorer_is_held_to_promptfoo_s_own_run() -> None:
    assert {f"promptfoo:{scorer}" for scorer in NATIVE} == set(SCORERS)
    assert all(assertion["type"] == SCORERS[f"promptfoo:{name}"].native_name for name, (assertion, _) in NATIVE.items())


def test_the_judge_is_asked_the_same_by_both_routes(routes: Routes) -> None:
    ours, native = bodies(routes.our_requests), bodies(routes.native_requests)

    assert ours == native
    assert ours.total() == len(CASES) * sum(
        binding.calls.high + binding.embedding_calls.high for binding in SCORERS.values()
    )


@pytest.mark.parametrize("scorer", NATIVE)
@pytest.mark.parametrize("one", CASES, ids=lambda one: one.id)
def test_the_scores_are_those_of_promptfoo_eval(routes: Routes, scorer: str, one: EvalCase) -> None:
    ours, native = routes.ours[scorer, one.id], routes.native[scorer, one.id]

    assert ours.status == "scored", ours.reason
    assert native["gradingResult"] is not None, native
    assert ours.raw == native["score"]


def test_the_cases_tell_scorers_apart(routes: Routes) -> None:
    """The control: were all scores alike, their agreement would prove little."""
    judged = {outcome.raw for outcome in routes.ours.values()}

    assert len(judged) > 10


def test_a_planted_difference_would_be_seen(routes: Routes, cli: PromptfooCli, tmp_path: Path) -> None:
    one = CASES[0]
    other = case("plain", reference=f"{one.reference} ")
    with JudgeServer(answer) as server:
        evaluate(cli, [row_for("context_recall", one), row_for("context_recall", other)], server, tmp_path)

    known = bodies(routes.our_requests)
    assert sorted(body in known for body in bodies(server.requests)) == [False, True]


def test_the_binding_fits_the_libsql_that_promptfoo_brings(cli: PromptfooCli) -> None:
    assert package_version(cli.tree, "libsql") == LIBSQL
    lock = json.loads((Path(__file__).parent / "package-lock.json").read_text())
    assert {package["version"] for name, package in lock["packages"].items() if name} == {LIBSQL}
    assert not any("resolved" in package for package in lock["packages"].values())


def test_a_second_installation_fetches_nothing(cli: PromptfooCli) -> None:
    said: list[str] = []

    assert install_cli(said.append) == cli
    assert said == []
