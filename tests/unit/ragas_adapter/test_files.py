"""Ragas' own files become suites, suites become files that Ragas loads, and the texts are the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalparity.adapters.ragas_adapter.files import FILES
from evalparity.adapters.ragas_adapter.files_columns import OTHER_METRICS, SCORERS
from evalparity.adapters.ragas_adapter.files_writing import write_ragas
from evalparity.adapters.reading import load_any
from evalparity.unified_schema import EvalSuite, SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from evalparity.unified_schema.validation import validate
from support.exchange_cases import HOSTILE, IDS, TEXT, hostile_suite, load_rows, load_table, run_real

TALK = {
    "name": "talk",
    "cases": [
        {
            "id": "a",
            "input": "and now?",
            "output": "later",
            "conversation": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "yes?"}],
        }
    ],
}


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ragas-files")
    (folder / "texts.json").write_text(json.dumps(HOSTILE), "utf-8")
    (folder / "exports").mkdir()
    write_ragas(hostile_suite(), folder / "exports" / "hostile.jsonl")
    write_ragas(hostile_suite(), folder / "exports" / "table.csv")
    write_ragas(EvalSuite.model_validate(TALK), folder / "exports" / "talk.jsonl")
    return folder, run_real(Path(__file__).with_name("real_files.py"), folder)


def opened(path: Path) -> Opened:
    return Opened(path=path, file=str(path), options=ReadOptions())


def texts_of(case):
    return (
        case.input,
        case.output,
        case.reference,
        [chunk.text for chunk in case.retrieved_contexts],
        list(case.reference_contexts),
    )


@pytest.mark.parametrize("name", ["hostile.jsonl", "table.csv"])
@pytest.mark.slow
def test_ragas_loads_an_export_with_the_same_texts(real, name):
    loaded = real[1]["exports"][name]
    assert [
        (row["user_input"], row["response"], row["reference"], row["retrieved_contexts"], row["reference_contexts"])
        for row in loaded
    ] == [texts_of(case) for case in hostile_suite().cases]
    assert [row["retrieved_context_ids"] for row in loaded] == [
        [chunk.id for chunk in case.retrieved_contexts] for case in hostile_suite().cases
    ]
    assert [row["reference_context_ids"] for row in loaded] == [list(case.relevance) for case in hostile_suite().cases]


@pytest.mark.slow
def test_ragas_loads_an_exported_conversation_as_one(real):
    assert [message["content"] for message in real[1]["exports"]["talk.jsonl"][0]["user_input"]] == [
        "hello",
        "yes?",
        "and now?",
        "later",
    ]


def expected_rows(count: int = 1):
    return [(text, f"{text} out", f"{text} ref", [f"{text} one", "two"], [f"{text} ideal"]) for text in HOSTILE] * count


@pytest.mark.slow
def test_what_ragas_writes_as_json_lines_and_folders_is_read(real):
    folder = real[0]
    loaded = load_any(folder / "single.jsonl").suite
    assert [texts_of(case) for case in loaded.cases] == expected_rows()
    assert [chunk.id for chunk in loaded.cases[3].retrieved_contexts] == ["d1", "3"]
    for name, count in (("saved", 1), ("splits", 2)):
        (shape,) = FILES.shapes.folders
        assert shape.recognises(folder / name)
        suite = validate(shape.read(opened(folder / name))).suite
        assert [texts_of(case) for case in suite.cases] == expected_rows(count)
    assert [case.metadata.get("split") for case in suite.cases] == ["train"] * len(HOSTILE) + ["test"] * len(HOSTILE)


@pytest.mark.slow
def test_the_csv_of_ragas_is_read_with_its_lists(real):
    loaded = load_table(real[0] / "single.csv", FILES.shapes).suite
    assert [texts_of(case) for case in loaded.cases] == expected_rows()


@pytest.mark.parametrize("name", ["several.jsonl", "several.csv"])
@pytest.mark.slow
def test_messages_become_a_question_its_answer_and_the_conversation_before(real, name):
    path = real[0] / name
    loaded = load_any(path) if name.endswith("jsonl") else load_table(path, FILES.shapes)
    for text, case in zip(HOSTILE, loaded.suite.cases, strict=True):
        assert (case.input, case.output, case.reference) == (text, f"{text} out", "ref")
        assert [(turn.role, turn.content) for turn in case.conversation] == [
            ("user", "first"),
            ("assistant", "let me see"),
            ("tool", "found"),
            ("assistant", "answer one"),
        ]
        assert case.metadata["ragas_messages"][1]["tool_calls"] == [{"name": "find", "args": {"q": text}}]


@pytest.mark.slow
def test_the_names_of_metrics_are_those_that_ragas_gives_its_columns(real):
    assert {name: SCORERS.get(column) for name, column in real[1]["columns"].items()} == {
        "Faithfulness": "ragas:faithfulness",
        "ResponseRelevancy": "ragas:answer_relevancy",
        "LLMContextPrecisionWithReference": "ragas:context_precision",
        "LLMContextPrecisionWithoutReference": "ragas:context_utilization",
        "ContextPrecision": "ragas:context_precision",
        "ContextUtilization": "ragas:context_utilization",
        "LLMContextRecall": "ragas:context_recall",
        "ContextRelevance": "ragas:context_relevance",
        "AnswerCorrectness": "ragas:answer_correctness",
        "FactualCorrectness": "ragas:factual_correctness",
        "SemanticSimilarity": "ragas:semantic_similarity",
        "AnswerSimilarity": "ragas:semantic_similarity",
        "ExactMatch": "ragas:exact_match",
        "StringPresence": "ragas:string_presence",
        "RougeScore": "ragas:rouge_score",
        "BleuScore": "ragas:bleu_score",
        "NonLLMStringSimilarity": "ragas:non_llm_string_similarity",
    }
    assert set(real[1]["others"].values()) <= OTHER_METRICS


@pytest.mark.parametrize(
    "name",
    [
        "results.csv",
        "results_with_index.csv",
        "results.parquet",
        "german.csv",
        "results.json",
        "records.json",
        "results.jsonl",
    ],
)
@pytest.mark.slow
def test_results_of_ragas_are_read_score_by_score_and_a_gap_is_never_a_number(real, name):
    (reader,) = FILES.results
    path = real[0] / name
    assert reader.recognises(opened(path))
    (results,) = reader.read(opened(path))
    assert len(results.scores) == 4 * len(HOSTILE)
    by_scorer = {score.scorer: score for score in results.scores[:4]}
    assert {name: (score.metric, score.raw, score.kind) for name, score in by_scorer.items()} == {
        "ragas:faithfulness": ("faithfulness", 0.5, None),
        "ragas:context_precision": ("context_precision", None, "framework_error"),
        "ragas:factual_correctness": ("answer_correctness", 1.0, None),
        "ragas:tone": (None, 1.0, None),
    }
    assert [score.case["input"] for score in results.scores[::4]] == list(HOSTILE)
    assert {score.case["retrieved_contexts"] for score in results.scores} == {
        (f"{text} one", "two") for text in HOSTILE
    }
    assert any("'tone'" in remark for remark in results.remarks)


@pytest.mark.slow
def test_results_in_excel_are_read_alike(real):
    (reader,) = FILES.results
    path = real[0] / "results.xlsx"
    assert reader.recognises(opened(path))
    (results,) = reader.read(opened(path))
    asked = [score.case["input"] for score in results.scores[::4]]
    assert asked == [text for text in HOSTILE if not re.search(r"[\x00-\x1f]|^=", text)]
    assert [score.raw for score in results.scores[:4]] == [0.5, None, 1.0, 1.0]
    assert results.scores[0].case["retrieved_contexts"] == (f"{asked[0]} one", "two")


@pytest.mark.parametrize("name", ["results.json", "records.json", "results.jsonl"])
@pytest.mark.slow
def test_results_are_a_suite_too_with_their_scores_in_the_metadata(real, name):
    suite = load_any(real[0] / name).suite
    assert [texts_of(case) for case in suite.cases] == expected_rows()
    assert suite.cases[0].metadata == {"faithfulness": 0.5, "factual_correctness(mode=f1)": 1.0, "tone": 1}


@pytest.mark.parametrize("name", ["single.jsonl", "single.csv"])
@pytest.mark.slow
def test_samples_without_scores_are_no_results(real, name):
    assert not FILES.results[0].recognises(opened(real[0] / name))


def test_contexts_of_an_old_test_set_are_the_ideal_ones():
    row = {
        "question": "q",
        "contexts": "['a', 'b']",
        "ground_truth": "g",
        "evolution_type": "simple",
        "metadata": "[{}]",
    }
    loaded = load_rows([row], FILES.shapes)
    (case,) = loaded.suite.cases
    assert (case.input, case.reference, case.reference_contexts, case.retrieved_contexts) == ("q", "g", ("a", "b"), ())
    assert any("0.1 test set" in str(note) for note in loaded.notes)


def test_a_case_with_a_question_that_looks_like_messages_keeps_it():
    asked = '[{"type": "human", "content": "x"}]'
    loaded = load_rows([{"user_input": asked, "response": "a"}], FILES.shapes)
    assert loaded.suite.cases[0].input == asked


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"user_input": [{"type": "ai", "content": "x"}]}, "no message of a user"),
        ({"user_input": [{"type": "human", "content": 3}]}, "must have a text as content"),
        ({"user_input": ["x"]}, "must have a text as content"),
        (
            {"user_input": "q", "retrieved_contexts": ["a"], "retrieved_context_ids": ["1", "2"]},
            "2 retrieved_context_ids and 1 retrieved_contexts",
        ),
    ],
)
def test_what_cannot_be_a_case_is_a_problem(row, told):
    with pytest.raises(SuiteError, match=told) as caught:
        load_rows([row], FILES.shapes)
    assert len(caught.value.problems) == 1


def test_ids_alone_are_passages_without_text():
    loaded = load_rows([{"user_input": "q", "retrieved_context_ids": ["007", 8]}], FILES.shapes)
    assert [(chunk.id, chunk.text) for chunk in loaded.suite.cases[0].retrieved_contexts] == [("007", ""), ("8", "")]


@pytest.mark.parametrize(
    "name", ["../outside.arrow", "/etc/passwd", "..", "", "a/b.arrow", "nul\0", 7, "link.arrow", "missing.arrow"]
)
def test_a_saved_data_set_that_names_what_is_not_its_own_is_refused(tmp_path, name):
    folder = tmp_path / "saved"
    folder.mkdir()
    (tmp_path / "outside.arrow").write_bytes(b"secret")
    (folder / "link.arrow").symlink_to(tmp_path / "outside.arrow")
    (folder / "dataset_info.json").write_text("{}")
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name}]}))
    (shape,) = FILES.shapes.folders
    with pytest.raises(SuiteError) as caught:
        validate(shape.read(opened(folder)))
    assert "save the data set again" in str(caught.value)


@pytest.mark.parametrize("content", ["", "[]", "{", "\x00", '{"_data_files": 3}', "[" * 100_000])
def test_a_damaged_saved_data_set_is_a_problem_and_no_traceback(tmp_path, content):
    (tmp_path / "dataset_info.json").write_text("{}")
    (tmp_path / "state.json").write_text(content)
    with pytest.raises(SuiteError):
        validate(FILES.shapes.folders[0].read(opened(tmp_path)))


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
                {"id": name, "text": draw(TEXT)} for name in draw(st.lists(IDS, unique=True, max_size=3))
            ],
            "relevance": dict.fromkeys(draw(st.lists(IDS, unique=True, max_size=2)), 1.0),
            "metadata": draw(st.dictionaries(st.sampled_from(["persona_name", "query_style"]), TEXT, max_size=2)),
        }
        for case_id in draw(st.lists(IDS, unique=True, min_size=1, max_size=3))
    ]
    return EvalSuite.model_validate({"name": "suite", "cases": made})


@settings(max_examples=60, deadline=None)
@given(suites())
def test_what_ragas_holds_comes_back_from_its_json_lines(tmp_path_factory, suite):
    path = tmp_path_factory.mktemp("out") / "suite.jsonl"
    losses = write_ragas(suite, path)
    assert [loss.field for loss in losses] == ["id"]
    assert load_any(path).suite == suite


@settings(max_examples=60, deadline=None)
@given(suites())
def test_what_ragas_holds_comes_back_from_its_csv_but_for_empty_texts(tmp_path_factory, suite):
    path = tmp_path_factory.mktemp("out") / "suite.csv"
    told = {loss.case for loss in write_ragas(suite, path) if "empty text" in loss.message}
    back = {case.id: case for case in load_table_without_gaps(path).cases}
    assert [back[case.id] for case in suite.cases if case.id not in told] == [
        case for case in suite.cases if case.id not in told
    ]


def load_table_without_gaps(path):
    import csv

    with path.open(encoding="utf-8", newline="") as content:
        rows = [{name: cell for name, cell in row.items() if cell != ""} for row in csv.DictReader(content)]
    return load_rows([{"user_input": "", **row} for row in rows], FILES.shapes).suite


def test_a_conversation_comes_back_where_no_case_has_contexts(tmp_path):
    suite = EvalSuite.model_validate(TALK)
    assert [loss.field for loss in write_ragas(suite, tmp_path / "talk.jsonl")] == ["id"]
    assert load_any(tmp_path / "talk.jsonl").suite == suite


def test_everything_that_ragas_cannot_hold_is_told_case_by_case(tmp_path):
    case = {
        "id": "a",
        "input": "q",
        "conversation": [{"role": "user", "content": "hello"}],
        "retrieved_contexts": [{"id": "d", "text": "t", "score": 0.5}],
        "prompt_contexts": ["d"],
        "stages": {"rerank": ["d"]},
        "relevance": {"d": 2, "e": 0},
        "evidence": [["d"]],
        "answerable": True,
        "citations": [{"claim": "c", "id": "d"}],
        "access": "acme",
        "as_of": "2026-01-01",
        "hops": [{"query": "q", "retrieved": ["d"]}],
        "labels": {"faithfulness": 1.0},
        "usage": {"seconds": 1.0},
        "category": "c",
        "metadata": {"x": 1, "persona_name": "p"},
    }
    suite = EvalSuite.model_validate(
        {"name": "n", "corpus": "c.jsonl", "label_scales": {"f": {"low": 0, "high": 1}}, "cases": [case]}
    )
    losses = write_ragas(suite, tmp_path / "out.jsonl")
    assert {loss.field for loss in losses if loss.case == "a"} == case.keys() - {"id", "input"}
    assert {loss.field for loss in losses if loss.case is None} == {"name", "corpus", "label_scales", "id"}
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {
        "id": "a",
        "user_input": "q",
        "retrieved_contexts": ["t"],
        "retrieved_context_ids": ["d"],
        "reference_context_ids": ["d"],
        "persona_name": "p",
    }
