"""docs/metrics.md is what the generator makes of a run with the real frameworks, and its numbers are right by hand."""

from __future__ import annotations

import math
import re
import subprocess

import pytest

from evalparity.adapters.judge.lexical.judge import LEXICAL_JUDGE
from evalparity.adapters.registry import ADAPTERS, load_adapter
from evalparity.comparisons.render.metrics_page import render_page
from evalparity.comparisons.worked_examples import Example, run_examples
from evalparity.unified_schema.metrics import METRICS
from support.commands import ROOT, evalparity

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "metrics.md"


def cosine(one: str, other: str) -> float:
    """The cosine of two texts' lexical embeddings, written out."""
    a, b = LEXICAL_JUDGE.embed(one), LEXICAL_JUDGE.embed(other)
    length = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(y * y for y in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / length


QUESTION = "How many days do I have to return a product?"
GENERATED = "What about return product Gift cards sold counter?"
"""What the lexical judge asks when it is shown the output of the example of answer_relevancy."""

PERIOD_AND_SHIPPING = "Products can be returned within 7 days. The merchant pays the shipping."
PERIOD_SHIPPING_RECEIPTS = (
    "Products can be returned within 7 days. The customer pays the shipping. Receipts must be kept."
)
RETURNED, SENT_BACK = "Products can be returned within 7 days.", "Products may be sent back within 7 days of delivery."

EXPECTED = {
    # 3 claims: supported, contradicted, neither
    "ragas:faithfulness": 1 / 3,
    "deepeval:faithfulness": 2 / 3,  # the third passes
    "deepeval:faithfulness_strict": 1 / 3,
    "promptfoo:context_faithfulness": 1 / 3,
    # words found: 6 of 7 (not "days."), 2 of 4 ("the", "pays"), 1 of 7 ("the"); two are above 0.4
    "builtin:sentence_overlap": 2 / 3,
    # the mean of three equal questions is that question
    "ragas:answer_relevancy": cosine(QUESTION, GENERATED),
    "promptfoo:answer_relevance": cosine(QUESTION, GENERATED),
    "deepeval:answer_relevancy": 1 / 2,
    # half of the sentences address the question: level 3 of 5
    "ragas:answer_relevancy_rubric": (3 - 1) / (5 - 1),
    "deepeval:answer_relevancy_rubric": (3 - 1) / (5 - 1),
    "promptfoo:answer_relevancy_rubric": (3 - 1) / (5 - 1),
    # ranks 2 and 3 of 3 help
    "ragas:context_precision": (1 / 2 + 2 / 3) / 2,
    "deepeval:contextual_precision": (1 / 2 + 2 / 3) / 2,
    # 2 sentences, one supported
    "ragas:context_recall": 1 / 2,
    "deepeval:contextual_recall": 1 / 2,
    "promptfoo:context_recall": 1 / 2,
    # 2 + 1 statements, one relevant
    "deepeval:contextual_relevancy": 1 / 3,
    # one sentence taken out of two contexts
    "promptfoo:context_relevance": 1 / 2,
    # two ratings of all contexts together, each 2 of 2, as one sentence answers the question
    "ragas:context_relevance": (2 / 2 + 2 / 2) / 2,
    # only rank 2 of 2 was useful
    "ragas:context_utilization": (1 / 2) / 1,
    # half of the contexts are used: level 3 of 5
    "ragas:context_utilisation_rubric": (3 - 1) / (5 - 1),
    "deepeval:context_utilisation_rubric": (3 - 1) / (5 - 1),
    "promptfoo:context_utilisation_rubric": (3 - 1) / (5 - 1),
    # TP 1, FP 1, FN 2: F1 = 2 x 1 / (2 x 1 + 1 + 2) = 0.4, which is 4 of 10, and level 3 of 5
    "deepeval:g_eval_answer_correctness": 4 / 10,
    "ragas:answer_correctness_rubric": (3 - 1) / (5 - 1),
    "deepeval:answer_correctness_rubric": (3 - 1) / (5 - 1),
    "promptfoo:answer_correctness_rubric": (3 - 1) / (5 - 1),
    "ragas:answer_correctness": 0.75 * 2 / 5 + 0.25 * cosine(PERIOD_AND_SHIPPING, PERIOD_SHIPPING_RECEIPTS),
    # 1 of 2 claims of the output holds, 2 of the reference are left out: precision 1/2, "recall" 1 / (1 + 2)
    "ragas:factual_correctness": 2 * (1 / 2 * 1 / 3) / (1 / 2 + 1 / 3),
    # category D: the second statement contradicts the reference
    "promptfoo:factuality": 0.0,
    "ragas:semantic_similarity": cosine(RETURNED, SENT_BACK),
    "promptfoo:similar": cosine(RETURNED, SENT_BACK),
    # "7 days\n" against "7 days"
    "ragas:exact_match": 0.0,
    "deepeval:exact_match": 1.0,
    "promptfoo:equals": 0.0,
    "builtin:exact_match": 1.0,
    "ragas:string_presence": 1.0,
    "promptfoo:contains": 1.0,
    "builtin:contains": 1.0,
    # of both texts only the word "7" is left
    "ragas:rouge_score": 2 * 1 / (1 + 1),
    # 10 and 13 characters without the full stop, the 10 all found in order
    "builtin:rouge_l": 2 * 10 / (10 + 13),
    # 6 and 7 tokens with the full stop; found 6 of 6 words, 4 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples
    "builtin:bleu": math.exp(1 - 7 / 6) * (6 / 6 * 4 / 5 * 2 / 4 * 1 / 3) ** (1 / 4),
    "ragas:bleu_score": math.exp(1 - 7 / 6) * (6 / 6 * 4 / 5 * 2 / 4 * 1 / 3) ** (1 / 4),
    # words between white space, 5 and 6: found 5 of 5, 3 of 4 pairs, 2 of 3 triples, 1 of 2 quadruples
    "promptfoo:bleu": math.exp(1 - 6 / 5) * (5 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4),
    # one character of 7 to insert
    "ragas:non_llm_string_similarity": 1 - 1 / 7,
    "builtin:levenshtein": 1 - 1 / 7,
}
"""Each score of the page, worked out by hand from the texts of docs/examples/metrics.yaml."""


@pytest.fixture(scope="module")
def examples() -> tuple[Example, ...]:
    """One run of the examples with every framework."""
    return run_examples(ROOT / "docs" / "examples" / "metrics.yaml")


def test_the_page_is_what_the_generator_makes(examples: tuple[Example, ...]) -> None:
    assert PAGE.read_text(encoding="utf-8") == render_page(examples), "run `make docs` and look at what has changed"


def test_every_scorer_has_a_number_worked_out_by_hand() -> None:
    scorers = {binding.scorer for name in ADAPTERS for binding in load_adapter(name).scorers()}
    assert set(EXPECTED) == scorers, "work out each new number from docs/examples/metrics.yaml, then run `make docs`"


def test_every_number_is_the_one_worked_out_by_hand(examples: tuple[Example, ...]) -> None:
    scores = {binding.scorer: outcome.score for example in examples for binding, outcome in example.scored}
    assert scores == pytest.approx(EXPECTED, abs=1e-6)


def test_every_number_on_the_page_is_the_one_worked_out_by_hand() -> None:
    shown = dict(
        re.findall(r"^\| `([a-z_]+:[a-z_]+)` \| (\d\.\d{3}) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert shown == {scorer: f"{value:.3f}" for scorer, value in EXPECTED.items()}


def worked_out(working: str) -> float:
    """Return what the arithmetic behind the last colon gives."""
    expression = working.rpartition(": ")[2]
    assert re.fullmatch(r"[0-9.+/()x^e \-]+", expression), expression
    python = expression.replace("x", "*").replace("^", "**").replace("e", str(math.e))
    return float(eval(python))  # only digits and signs of arithmetic are left


def test_the_arithmetic_in_the_examples_gives_the_numbers(examples: tuple[Example, ...]) -> None:
    for example in examples:
        workings = example.case.metadata.get("workings", {})
        assert isinstance(workings, dict)
        hidden = {binding.scorer for binding, _ in example.scored if binding.formula in {None, "own"}}
        assert set(workings) == {scorer for scorer in hidden if not scorer.startswith("builtin:")}
        for scorer, working in workings.items():
            assert worked_out(str(working)) == pytest.approx(EXPECTED[scorer], abs=5e-4), scorer


def test_every_example_has_a_lesson_and_is_scored(examples: tuple[Example, ...]) -> None:
    assert [example.metric.name for example in examples] == list(METRICS)
    for example in examples:
        assert example.case.metadata["lesson"]
        for _, outcome in example.scored:
            assert outcome.status == "scored", (outcome.scorer, outcome.reason)
            assert not outcome.flags, (outcome.scorer, outcome.flags)


def test_frameworks_differ_where_an_example_is_to_show_it(examples: tuple[Example, ...]) -> None:
    differing = {
        example.metric.name
        for example in examples
        if len({round(outcome.score or 0.0, 3) for _, outcome in example.scored}) > 1
    }
    assert differing >= {"faithfulness", "answer_relevancy", "answer_correctness"}


def test_the_examples_are_a_suite_that_can_be_run() -> None:
    assert evalparity("validate", "docs/examples/metrics.yaml").returncode == 0


def test_make_docs_is_the_command_that_writes_the_page() -> None:
    planned = subprocess.run(["make", "-n", "docs"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "-m evalparity.comparisons.render.metrics_page" in planned
