"""Promptfoo's results as a suite and as scores; the rows have the form that 0.123.1 writes (see tests/equivalence)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.exchange import NativeResults, NativeScore
from evalparity.adapters.promptfoo_adapter.files_scores import read_scores, recognises
from evalparity.adapters.promptfoo_adapter.rubrics import criteria
from evalparity.adapters.reading import load_any
from evalparity.unified_schema.errors import SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from evalparity.unified_schema.outcomes import ERROR_KINDS, SKIP_KINDS
from evalparity.unified_schema.rubrics import RUBRICS

VARS = {"query": "Who pays?", "context": ["The merchant pays.", "Seven days."], "reference": "The merchant."}


def component(
    kind: str, score: Any = 0.5, reason: str = "said", metadata: Any = None, **assertion: Any
) -> dict[str, Any]:
    told = {"assertion": {"type": kind, **assertion}, "pass": True, "score": score, "reason": reason}
    return {**told, **({"metadata": metadata} if metadata else {})}


def row(*components: dict[str, Any], index: int = 0, output: Any = "They pay.", **more: Any) -> dict[str, Any]:
    """Return a row as Promptfoo writes it."""
    return {
        "gradingResult": {"pass": True, "score": 1, "reason": "r", "componentResults": list(components)},
        "prompt": {"raw": "Answer: Who pays?", "label": "p"},
        "promptIdx": 0,
        "testIdx": index,
        "provider": {"id": "openai:gpt-4o", "label": ""},
        "response": {"output": output},
        "testCase": {"vars": VARS, "assert": [one["assertion"] for one in components if "assertion" in one]},
        "vars": VARS,
        "namedScores": {},
        "failureReason": 0,
        **more,
    }


def write(folder: Path, *rows: dict[str, Any], name: str = "results.json", **more: Any) -> Path:
    path = folder / name
    if name.endswith("l"):
        path.write_text("\n".join(json.dumps(one, ensure_ascii=False) for one in rows), encoding="utf-8")
    else:
        results = {"version": 3, "timestamp": "t", "prompts": [], "results": list(rows), "stats": {}}
        document = {"evalId": "eval-1", "results": results, "metadata": {"promptfooVersion": "0.123.1"}, **more}
        path.write_text(json.dumps(document), encoding="utf-8")
    return path


def read(path: Path) -> NativeResults:
    opened = Opened(path=path, file=path.name, options=ReadOptions())
    assert recognises(opened)
    (found,) = read_scores(opened)
    return found


def only(folder: Path, one: dict[str, Any]) -> NativeScore:
    (score,) = read(write(folder, row(one))).scores
    return score


@pytest.mark.parametrize(
    ("kind", "metric", "scorer"),
    [
        ("context-faithfulness", "faithfulness", "context_faithfulness"),
        ("context-recall", "context_recall", "context_recall"),
        ("context-relevance", "context_relevancy", "context_relevance"),
        ("answer-relevance", "answer_relevancy", "answer_relevance"),
        ("factuality", "answer_correctness", "factuality"),
        ("model-graded-factuality", "answer_correctness", "factuality"),
        ("similar", "answer_similarity", "similar"),
        ("similar:cosine", "answer_similarity", "similar"),
        ("equals", "exact_match", "equals"),
        ("contains", "contains", "contains"),
        ("bleu", "bleu", "bleu"),
        ("similar:euclidean", None, "similar_euclidean"),
        ("rouge-n", None, "rouge_n"),
        ("levenshtein", None, "levenshtein"),
        ("not-equals", None, "not_equals"),
        ("javascript", None, "javascript"),
    ],
)
def test_the_scorer_is_ours_where_it_is_one_of_the_bindings(
    tmp_path: Path, kind: str, metric: str | None, scorer: str
) -> None:
    steps = {
        "contextUnits": ["a", "b"],
        "extractedSentences": ["a"],
        "sentenceAttributions": [{"sentence": "S.", "attributed": True}, {"sentence": "T.", "attributed": False}],
        "generatedQuestions": [{"question": "Who pays?", "similarity": 0.5}],
    }
    one = only(tmp_path, component(kind, metadata=steps, value="{{reference}}", threshold=0.3))

    assert (one.metric, one.scorer, one.raw, one.kind) == (metric, f"promptfoo:{scorer}", 0.5, None)
    assert one.threshold == 0.3
    assert one.place == f"row 1, {kind}"
    assert one.case == {
        "input": "Who pays?",
        "output": "They pay.",
        "reference": "The merchant.",
        "retrieved_contexts": ["The merchant pays.", "Seven days."],
    }


def test_a_value_that_is_not_the_reference_makes_another_scorer(tmp_path: Path) -> None:
    found = read(
        write(
            tmp_path,
            row(
                component("contains", value="{{reference}}", score=1),
                component("contains", value="word", score=0),
                component("contains", value="other", score=1),
            ),
        )
    ).scores

    assert [(one.metric, one.scorer, one.raw) for one in found] == [
        ("contains", "promptfoo:contains", 1.0),
        (None, "promptfoo:contains_2", 0.0),
        (None, "promptfoo:contains_3", 1.0),
    ]


@pytest.mark.parametrize("metric", sorted(RUBRICS))
def test_our_rubrics_are_known_again(tmp_path: Path, metric: str) -> None:
    one = only(tmp_path, component("llm-rubric", 4, value=f"{criteria(RUBRICS[metric])}\n<Input>"))
    other = only(tmp_path, component("llm-rubric", 1, value="is polite", metric="Tone of voice"))

    assert (one.metric, one.scorer, one.raw) == (metric, f"promptfoo:{metric}_rubric", 4.0)
    assert (other.metric, other.scorer, other.raw) == (None, "promptfoo:tone_of_voice", 1.0)


FAILURES = [
    ("context-faithfulness", "API error: 500 Internal Server Error\nx", None, "http_5xx"),
    ("context-faithfulness", "API error: 401 Unauthorized", None, "auth"),
    ("context-faithfulness", "Could not parse context-faithfulness verdicts", None, "bad_json"),
    ("context-faithfulness", "Could not extract context-faithfulness statements", None, "no_claims"),
    ("context-recall", "No output", {"graderError": True}, "bad_reply"),
    ("context-relevance", "Grader returned no sentence", {"graderError": True, "contextUnits": ["a"]}, "bad_json"),
    ("answer-relevance", "Embedding not found", None, "embedding"),
    ("factuality", "Invalid category value: (C)", None, "bad_schema"),
    ("llm-rubric", "Could not extract JSON from llm-rubric response", None, "bad_json"),
    ("llm-rubric", "anything", {"graderError": True}, "framework_error"),
    ("g-eval", "G-Eval result malformed", None, "bad_json"),
    ("model-graded-closedqa", "Model grader produced a malformed response:\nx", None, "bad_json"),
    ("similar", "API call error: Error: Request timed out", None, "timeout"),
    ("similar", "Rate limit exceeded: 429", None, "rate_limited"),
]


@pytest.mark.parametrize(("kind", "reason", "metadata", "told"), FAILURES)
def test_a_failed_grader_is_an_error_and_never_a_zero(
    tmp_path: Path, kind: str, reason: str, metadata: Any, told: str
) -> None:
    one = only(tmp_path, component(kind, 0, reason, metadata, value="{{reference}}"))

    assert (one.raw, one.kind) == (None, told)
    assert told in {*ERROR_KINDS, *SKIP_KINDS}
    assert one.reason


@pytest.mark.parametrize("score", [None, "0.5", True, float("inf")])
@pytest.mark.parametrize("kind", ["context-faithfulness", "equals", "javascript", "context-recall"])
def test_what_is_no_number_is_no_score(tmp_path: Path, kind: str, score: Any) -> None:
    one = only(tmp_path, component(kind, score, value="{{reference}}"))

    assert (one.raw, one.kind) == (None, "out_of_range")


def test_a_text_that_looks_like_a_failure_is_none_where_no_model_was_asked(tmp_path: Path) -> None:
    one = only(tmp_path, component("equals", 0, "API error: 500", value="{{reference}}"))

    assert (one.raw, one.kind) == (0.0, None)


def test_a_row_that_raised_has_an_error_for_each_of_its_assertions(tmp_path: Path) -> None:
    broken = row(component("context-recall", value="{{reference}}"), component("equals", value="{{reference}}"))
    broken |= {"gradingResult": None, "failureReason": 2, "error": "Error: Context is required\n    at x (y.js:1:2)"}
    found = read(write(tmp_path, broken)).scores

    assert [(one.scorer, one.raw, one.kind) for one in found] == [
        ("promptfoo:context_recall", None, "framework_error"),
        ("promptfoo:equals", None, "framework_error"),
    ]
    assert found[0].reason == "Promptfoo ended the row with an error: Context is required"


def test_a_row_that_failed_its_test_is_scored(tmp_path: Path) -> None:
    failed = row(component("bleu", 0.1, value="{{reference}}"), failureReason=1, error="BLEU score 0.1 is less than")
    (one,) = read(write(tmp_path, failed)).scores

    assert (one.raw, one.kind) == (0.1, None)


def test_sets_count_once_and_derived_scores_stand_by_themselves(tmp_path: Path) -> None:
    aggregate = {"pass": True, "score": 0.5, "reason": "Aggregate", "componentResults": [component("equals", 1)]}
    one = component("equals", 1, value="{{reference}}", metric="Tone")
    found = read(write(tmp_path, row(aggregate, one, namedScores={"Tone": 1, "f1": 0.7}))).scores

    assert [(score.scorer, score.raw) for score in found] == [("promptfoo:equals", 1.0), ("promptfoo:f1", 0.7)]


def test_human_ratings_are_labels(tmp_path: Path) -> None:
    found = read(write(tmp_path, row({**component("human", 0), "pass": False})))

    assert found.scores == ()
    ((case, labels),) = found.labels
    assert case["input"] == "Who pays?"
    assert labels == {"promptfoo_rating": [{"value": False}]}


def test_the_judge_is_the_nearest_that_is_named(tmp_path: Path) -> None:
    default = {"config": {"defaultTest": {"options": {"provider": {"text": "openai:a", "embedding": {"id": "e"}}}}}}
    own = component("factuality", value="{{reference}}", provider={"id": "openai:own", "config": {"apiKey": "sk-x"}})
    found = read(
        write(
            tmp_path,
            row(own, component("context-faithfulness"), component("similar", value="{{reference}}")),
            **default,
        )
    )

    assert [one.judge_model for one in found.scores] == ["openai:own", "openai:a", "e"]
    assert found.version == "0.123.1"
    assert "sk-x" not in str(found)


def test_results_are_a_suite(tmp_path: Path) -> None:
    path = write(tmp_path, row(component("factuality", value="{{reference}}")), row(index=1, output={"a": "é"}))
    first, second = load_any(path).suite.cases

    assert (first.id, first.input, first.output, first.reference) == (
        "test-1",
        "Who pays?",
        "They pay.",
        "The merchant.",
    )
    assert [chunk.text for chunk in first.retrieved_contexts] == VARS["context"]
    assert (second.id, second.output) == ("test-2", '{"a": "é"}')


def test_what_only_the_grader_saw_is_taken_from_there(tmp_path: Path) -> None:
    metadata = {"context": ["Seen."], "renderedAssertionValue": "Rendered.", "sentenceAttributions": []}
    one = row(component("context-recall", value="{{fact}} more", metadata=metadata), vars={"query": "Q"})
    one["testCase"]["vars"] = {"query": "Q"}
    (case,) = load_any(write(tmp_path, one)).suite.cases

    assert (case.reference, case.retrieved_contexts[0].text) == ("Rendered.", "Seen.")


def test_rows_about_one_answer_are_one_case_and_answers_of_two_models_are_two(tmp_path: Path) -> None:
    named = {**VARS, "id": "007"}
    rows = [
        row(component("equals", value="{{reference}}"), vars=named),
        row(component("llm-rubric", value="is polite"), vars=named, index=1),
        row(component("equals", value="{{reference}}"), vars=named, provider={"id": "b", "label": "B"}, output="No."),
    ]
    path = write(tmp_path, *rows)
    loaded = load_any(path).suite

    assert [(one.id, one.output) for one in loaded.cases] == [("007@openai:gpt-4o", "They pay."), ("007@B", "No.")]
    assert loaded.cases[0].metadata["assert"] == [{"type": "llm-rubric", "value": "is polite"}]
    found = read(path)
    assert found.remarks
    assert all("id" not in one.case for one in found.scores)


def test_rows_of_lines_are_read_alike(tmp_path: Path) -> None:
    path = write(tmp_path, row(component("equals", value="{{reference}}"), output="U+2028 \u2028"), name="r.jsonl")

    assert load_any(path).suite.cases[0].output == "U+2028 \u2028"
    assert [one.scorer for one in read(path).scores] == ["promptfoo:equals"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        '{"results": 3}',
        '{"results": {"results": []}}',
        '{"results": [{"a": 1}]}',
        '{"results": [3]}',
    ],
)
def test_other_files_are_not_taken_for_results(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)

    assert not recognises(Opened(path=path, file="a.json", options=ReadOptions()))
    assert not recognises(Opened(path=tmp_path / "absent.json", file="a", options=ReadOptions()))
    assert not recognises(Opened(path=tmp_path, file="a", options=ReadOptions()))


@pytest.mark.parametrize("key", ["gradingResult", "testCase", "vars", "response", "provider", "prompt", "namedScores"])
@pytest.mark.parametrize("value", [None, 3, "x", [], [3], {"x": 3}])
def test_odd_rows_never_end_in_a_traceback(tmp_path: Path, key: str, value: Any) -> None:
    path = write(tmp_path, row(component("equals", value="{{reference}}")) | {key: value})

    assert isinstance(read(path), NativeResults)
    try:
        load_any(path)
    except SuiteError as error:
        assert error.problems  # noqa: PT017 - either is right, a traceback is not


def test_an_assertion_without_a_type_is_no_scorer_of_ours(tmp_path: Path) -> None:
    nameless = {"assertion": {"threshold": 5}, "pass": True, "score": 0.9, "reason": ""}
    score = only(tmp_path, nameless)
    assert (score.scorer, score.metric) == ("promptfoo:without_type", None)
