"""DeepEval's own files become suites, suites become files that DeepEval loads, and the texts are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalparity.adapters.deepeval_adapter.files import FILES
from evalparity.adapters.deepeval_adapter.files_writing import write_deepeval
from evalparity.adapters.reading import load_any
from evalparity.unified_schema import EvalSuite, SuiteError
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from support.exchange_cases import HOSTILE, IDS, TEXT, hostile_suite, load_rows, load_table, run_real

WHOLE = {
    "id": "a",
    "input": "q",
    "output": "a",
    "reference": "r",
    "conversation": [{"role": "user", "content": "hello"}],
    "retrieved_contexts": [{"id": "d", "text": "t", "score": 0.5, "valid_from": "2026-01-01", "metadata": {"p": 1}}],
    "reference_contexts": ["ideal"],
    "prompt_contexts": ["d"],
    "stages": {"rerank": ["d"]},
    "relevance": {"d": 2, "e": 0},
    "evidence": [["d"]],
    "answerable": True,
    "citations": [{"claim": "c", "id": "d"}],
    "access": "acme",
    "as_of": "2026-01-01T08:00:00+00:00",
    "hops": [{"query": "q", "retrieved": ["d"]}],
    "labels": {"faithfulness": {"r1": 1.0, "r2": True}},
    "usage": {"seconds": 1.0, "input_tokens": 7, "output_tokens": 3, "cost_usd": 0.5},
    "category": "c",
    "metadata": {"x": [1, None, {"y": "z"}], "name": "kept", "evalparity": "mine"},
}


def plain_suite(name: str = "plain") -> EvalSuite:
    """Return a suite that CSV can hold: hostile texts, but none that pandas takes for another."""
    cases = [
        {
            "id": f"{number}-id",
            "input": f"in {text}",
            "output": f"{text} out",
            "retrieved_contexts": [f"one {text} one", "two"],
            "reference_contexts": [f"{text} ideal"],
            "metadata": {"note": text},
        }
        for number, text in enumerate(HOSTILE)
        if "\0" not in text and "|" not in text
    ]
    return EvalSuite.model_validate({"name": name, "cases": cases})


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deepeval-files")
    (folder / "texts.json").write_text(json.dumps([text for text in HOSTILE if "|" not in text]), "utf-8")
    (folder / "exports").mkdir()
    write_deepeval(hostile_suite(), folder / "exports" / "hostile.json")
    write_deepeval(plain_suite("lines"), folder / "exports" / "lines.jsonl")
    write_deepeval(plain_suite("table"), folder / "exports" / "table.csv")
    write_deepeval(EvalSuite.model_validate({"name": "whole", "cases": [WHOLE]}), folder / "exports" / "whole.json")
    return folder, run_real(Path(__file__).with_name("real_files.py"), folder)


TEXTS = [text for text in HOSTILE if "|" not in text]


def opened(path: Path) -> Opened:
    return Opened(path=path, file=str(path), options=ReadOptions())


def shown(case):
    return {
        "input": case.input,
        "output": case.output,
        "reference": case.reference,
        "retrieved": [chunk.text for chunk in case.retrieved_contexts],
        "ideal": list(case.reference_contexts),
    }


@pytest.mark.parametrize("name", ["hostile.json", "table.csv"])
@pytest.mark.slow
def test_deepeval_loads_an_export_as_test_cases_with_the_same_texts(real, name):
    suite = hostile_suite() if name == "hostile.json" else plain_suite()
    loaded = [{key: row[key] for key in shown(suite.cases[0])} for row in real[1]["exports"][name]]
    assert loaded == [shown(case) for case in suite.cases]


@pytest.mark.parametrize("name", ["hostile.json", "table.csv", "lines.jsonl"])
@pytest.mark.slow
def test_deepeval_loads_an_export_as_goldens_with_names_and_metadata(real, name):
    suite = hostile_suite() if name == "hostile.json" else plain_suite()
    loaded = real[1]["exports"][f"goldens {name}"]
    assert [{key: row[key] for key in shown(suite.cases[0])} for row in loaded] == [shown(case) for case in suite.cases]
    assert [row["name"] for row in loaded] == [case.id for case in suite.cases]
    assert [row["metadata"]["evalparity"]["id"] for row in loaded] == [case.id for case in suite.cases]
    assert [row["metadata"]["note"] for row in loaded] == [case.metadata["note"] for case in suite.cases]


def test_a_whole_case_comes_back_from_json_with_nothing_lost(tmp_path):
    suite = EvalSuite.model_validate({"name": "whole", "cases": [WHOLE]})
    assert write_deepeval(suite, tmp_path / "whole.json") == ()
    assert load_any(tmp_path / "whole.json").suite == suite


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_what_the_other_kinds_hold_comes_back_from_them(tmp_path, ending):
    suite = plain_suite()
    path = tmp_path / f"plain.{ending}"
    assert write_deepeval(suite, path) == ()
    loaded = load_any(path) if ending == "jsonl" else load_table(path, FILES.shapes)
    assert loaded.suite == suite


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
@pytest.mark.parametrize("text", ["| a | b |", "a|b", "", " a"])
def test_a_kind_that_would_change_a_passage_is_refused_and_nothing_is_written(tmp_path, ending, text):
    case = {"id": "r1", "input": "q", "output": "a", "retrieved_contexts": [text, "plain"]}
    path = tmp_path / f"out.{ending}"
    with pytest.raises(UsageError, match=r"case r1: .*name a \.json file"):
        write_deepeval(EvalSuite.model_validate({"name": "n", "cases": [case]}), path)
    assert not path.exists()


@pytest.mark.parametrize("text", ["nan", "None", "", "NULL", "a\rb", "a\0b", "007", "1e5", "TRUE"])
def test_csv_is_refused_where_pandas_would_read_another_text(tmp_path, text):
    case = {"id": "r1", "input": "q", "output": text}
    with pytest.raises(UsageError, match="case r1: "):
        write_deepeval(EvalSuite.model_validate({"name": "n", "cases": [case]}), tmp_path / "out.csv")


def test_texts_that_deepeval_itself_changes_are_told(tmp_path):
    case = {
        "id": "a",
        "input": "see [DEEPEVAL:IMAGE:/etc/passwd]",
        "retrieved_contexts": ["deepeval_source=x,deepeval_context=y"],
    }
    suite = EvalSuite.model_validate({"name": "out", "cases": [case]})
    losses = write_deepeval(suite, tmp_path / "out.json")
    assert [(loss.case, loss.field) for loss in losses] == [("a", "input"), ("a", "retrieved_contexts")]
    assert load_any(tmp_path / "out.json").suite == suite


def test_passages_that_were_changed_by_hand_are_not_given_the_ids_of_others(tmp_path):
    write_deepeval(EvalSuite.model_validate({"name": "whole", "cases": [WHOLE]}), tmp_path / "out.json")
    rows = json.loads((tmp_path / "out.json").read_text())
    rows[0]["retrieval_context"].insert(0, "new")
    (tmp_path / "out.json").write_text(json.dumps(rows))
    with pytest.raises(SuiteError, match="no longer those that were written"):
        load_any(tmp_path / "out.json")


@pytest.mark.parametrize("name", ["goldens.json", "goldens.jsonl", "goldens.csv"])
@pytest.mark.slow
def test_goldens_that_deepeval_saves_are_read(real, name):
    path = real[0] / name
    loaded = load_table(path, FILES.shapes) if name.endswith("csv") else load_any(path)
    texts = TEXTS
    assert [shown(case) for case in loaded.suite.cases] == [
        {
            "input": text,
            "output": f"{text} out",
            "reference": f"{text} ref",
            "retrieved": [f"{text} one", "two"],
            "ideal": [f"{text} ideal"],
        }
        for text in texts
    ]
    assert [case.metadata for case in loaded.suite.cases] == [
        {"page": n, "note": t, "name": f"case {n}", "comments": "seen", "source_file": "handbook.pdf"}
        for n, t in enumerate(texts)
    ]


@pytest.mark.parametrize("name", ["talks.json", "talks.jsonl", "talks.csv"])
@pytest.mark.slow
def test_conversations_that_deepeval_saves_are_read(real, name):
    path = real[0] / name
    loaded = load_table(path, FILES.shapes) if name.endswith("csv") else load_any(path)
    for text, case in zip(TEXTS, loaded.suite.cases, strict=True):
        assert shown(case) == {
            "input": text,
            "output": f"{text} out",
            "reference": None,
            "retrieved": [f"{text} one", "two"],
            "ideal": [f"{text} ideal"],
        }
        assert [(turn.role, turn.content) for turn in case.conversation] == [("user", "hello"), ("assistant", "yes?")]
        assert (case.metadata["scenario"], case.metadata["expected_outcome"]) == ("a refund", "it is paid")
        assert case.metadata["deepeval_turns"][1]["retrieval_context"] == ["old"]


@pytest.mark.slow
def test_a_passage_that_knows_its_source_keeps_it(real):
    (case,) = load_any(real[0] / "sourced.json").suite.cases
    assert [(chunk.text, chunk.metadata) for chunk in case.retrieved_contexts] == [("text of a", {"source": "a.pdf"})]


@pytest.mark.parametrize("name", ["pipes.csv", "pipes.jsonl"])
@pytest.mark.slow
def test_a_joined_cell_that_can_be_read_in_two_ways_is_refused_with_both(real, name):
    path = real[0] / name
    with pytest.raises(SuiteError, match=r"passages joined by \| or as fewer with a \| inside") as caught:
        load_table(path, FILES.shapes) if name.endswith("csv") else load_any(path)
    assert [problem.field for problem in caught.value.problems] == ["retrieval_context"]


@pytest.mark.parametrize(
    ("cell", "contexts"),
    [
        ("['first, chunk', 'second \\'quoted\\' chunk']", ("first, chunk", "second 'quoted' chunk")),
        ('["only one"]', ("only one",)),
        ("a plain sentence [with brackets] inside", ("a plain sentence [with brackets] inside",)),
        ("a|b", ("a", "b")),
        ("", ()),
        ("one; two\nthree", ("one; two\nthree",)),
    ],
)
def test_how_a_cell_of_passages_is_read(cell, contexts):
    row = {"input": "q", "actual_output": "a", "expected_output": "e", "context": cell, "retrieval_context": ""}
    loaded = load_rows([row], FILES.shapes)
    assert loaded.suite.cases[0].reference_contexts == contexts
    assert loaded.suite.cases[0].retrieved_contexts == ()


def test_ideal_and_retrieved_passages_are_never_crossed():
    row = {"input": "q", "actualOutput": "a", "context": ["ideal"], "retrievalContext": ["found"]}
    (case,) = load_rows([row], FILES.shapes).suite.cases
    assert (case.reference_contexts, [chunk.text for chunk in case.retrieved_contexts]) == (("ideal",), ["found"])


@pytest.mark.parametrize(
    "two", [{"actualOutput": "a", "actual_output": "b"}, {"additional_metadata": {"a": 1}, "metadata": {"b": 2}}]
)
def test_two_names_of_one_field_are_a_problem(two):
    with pytest.raises(SuiteError, match="two names of one field"):
        load_rows([{"input": "q", **two}], FILES.shapes)


def test_what_the_application_spent_is_its_usage():
    row = {"input": "q", "actual_output": "a", "token_cost": "0.5", "input_token_count": "7", "completion_time": 1.5}
    (case,) = load_rows([row], FILES.shapes).suite.cases
    assert case.usage is not None
    assert (case.usage.cost_usd, case.usage.input_tokens, case.usage.seconds) == (0.5, 7, 1.5)
    (case,) = load_rows([{**row, "token_cost": "cheap", "input_token_count": "7.5"}], FILES.shapes).suite.cases
    assert (case.metadata["token_cost"], case.usage.input_tokens) == ("cheap", None)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"scenario": "s", "expected_outcome": "e"}, "no turns"),
        (
            {"scenario": "s", "expected_outcome": "e", "turns": [{"role": "assistant", "content": "x"}]},
            "no turn of a user",
        ),
        ({"scenario": "s", "expected_outcome": "e", "turns": [{"role": "user"}]}, "a text as content"),
        ({"scenario": "s", "expected_outcome": "e", "turns": [3]}, "a text as content"),
    ],
)
def test_a_conversation_without_a_question_is_a_problem(row, told):
    with pytest.raises(SuiteError, match=told) as caught:
        load_rows([row], FILES.shapes)
    assert len(caught.value.problems) == 1


def runs_of(folder: Path) -> list[Path]:
    return [
        folder / "evaluation.json",
        next((folder / "runs").rglob("test_run_*.json")),
        folder / ".deepeval" / ".latest_run_full.json",
    ]


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.slow
def test_a_test_run_of_deepeval_gives_its_scores_and_its_errors(real, number):
    (reader,) = FILES.results
    path = runs_of(real[0])[number]
    assert reader.recognises(opened(path))
    (results,) = reader.read(opened(path))
    found = {
        (score.case["input"], score.scorer): (score.metric, score.raw, score.kind, score.judge_model, score.threshold)
        for score in results.scores
    }
    assert found == {
        ("q1", "deepeval:exact_match"): ("exact_match", 1.0, None, None, 1.0),
        ("q2", "deepeval:exact_match"): ("exact_match", 0.0, None, None, 1.0),
        ("q1", "deepeval:faithfulness"): ("faithfulness", None, "bad_json", "broken-judge", 0.7),
        ("q2", "deepeval:faithfulness"): ("faithfulness", None, "missing_field", "broken-judge", 0.7),
    }
    assert {score.case.get("id") for score in results.scores} == {"first", None}
    assert {score.case.get("retrieved_contexts") for score in results.scores} == {("c",), None}


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.slow
def test_the_cases_of_a_test_run_are_a_suite(real, number):
    loaded = load_any(runs_of(real[0])[number])
    assert [(case.input, case.output, case.reference) for case in loaded.suite.cases] == [
        ("q1", "a", "a"),
        ("q2", "a", "b"),
    ]
    assert loaded.suite.cases[0].metadata == {"name": "first", "tags": ["t"]}


@pytest.mark.slow
def test_the_latest_test_run_is_read_from_under_its_key(real, tmp_path):
    run = json.loads(runs_of(real[0])[1].read_text("utf-8"))
    path = tmp_path / ".latest_test_run.json"
    path.write_text(json.dumps({"testRunData": run}), "utf-8")
    assert [case.input for case in load_any(path).suite.cases] == ["q1", "q2"]
    assert len(FILES.results[0].read(opened(path))[0].scores) == 4


@pytest.mark.parametrize(
    ("metric", "raw", "kind", "scorer"),
    [
        (
            {"name": "Faithfulness", "score": 0.5, "error": "RetryError[... raised RateLimitError>]"},
            None,
            "rate_limited",
            "deepeval:faithfulness",
        ),
        ({"name": "Faithfulness"}, None, "framework_error", "deepeval:faithfulness"),
        ({"name": "Faithfulness", "score": float("nan")}, None, "framework_error", "deepeval:faithfulness"),
        ({"name": "Faithfulness", "score": 0, "success": False}, 0.0, None, "deepeval:faithfulness"),
        ({"name": "Faithfulness", "score": 1, "strictMode": True}, 1.0, None, "deepeval:faithfulness_in_strict_mode"),
        ({"name": "My Tone! [GEval]", "score": 0.25}, 0.25, None, "deepeval:my_tone_geval"),
        ({"name": "Faithfulness", "error": "boom"}, None, "framework_error", "deepeval:faithfulness"),
    ],
)
def test_what_a_metric_of_a_run_means(tmp_path, metric, raw, kind, scorer):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testCases": [{"name": "test_case_0", "input": "q", "metricsData": [metric]}]}))
    (score,) = FILES.results[0].read(opened(path))[0].scores
    assert (score.raw, score.kind, score.scorer) == (raw, kind, scorer)
    assert dict(score.case) == {"input": "q"}


@st.composite
def suites(draw):
    made = [
        {
            "id": case_id,
            "input": draw(TEXT),
            "output": draw(st.none() | TEXT),
            "reference": draw(st.none() | TEXT),
            "reference_contexts": draw(st.lists(TEXT, max_size=2)),
            "retrieved_contexts": [
                {"id": name, "text": draw(TEXT), "score": draw(st.none() | st.floats(0, 1))}
                for name in draw(st.lists(IDS, unique=True, max_size=3))
            ],
            "relevance": dict.fromkeys(draw(st.lists(IDS, unique=True, max_size=2)), 2.0),
            "labels": draw(st.dictionaries(TEXT, st.lists(TEXT | st.booleans(), max_size=2), max_size=1)),
            "metadata": draw(st.dictionaries(TEXT | st.just("evalparity"), TEXT | st.none(), max_size=2)),
        }
        for case_id in draw(st.lists(IDS, unique=True, min_size=1, max_size=3))
    ]
    return EvalSuite.model_validate({"name": "suite", "cases": made})


@settings(max_examples=60, deadline=None)
@given(suites())
def test_every_suite_comes_back_from_json(tmp_path_factory, suite):
    path = tmp_path_factory.mktemp("out") / "suite.json"
    assert write_deepeval(suite, path) == ()
    assert load_any(path).suite == suite


@settings(max_examples=60, deadline=None)
@given(suites(), st.sampled_from(["jsonl", "csv"]))
def test_a_suite_comes_back_from_the_other_kinds_or_is_refused(tmp_path_factory, suite, ending):
    path = tmp_path_factory.mktemp("out") / f"suite.{ending}"
    try:
        write_deepeval(suite, path)
    except UsageError:
        assert not path.exists()
        return
    loaded = load_any(path) if ending == "jsonl" else load_table(path, FILES.shapes)
    assert loaded.suite == suite
