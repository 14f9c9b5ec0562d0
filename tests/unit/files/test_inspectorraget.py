"""Files of the InspectorRAGet viewer, there and back."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from evalparity.adapters.inspectorraget.layout import is_layout
from evalparity.adapters.inspectorraget.results import READER
from evalparity.adapters.reading import load_any, result_readers, writer_named
from evalparity.comparisons.commands.convert import convert_command
from evalparity.unified_schema import EvalSuite, SuiteError, UsageError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from support.cases import case
from support.exchange import HOSTILE, SUITES, differences, there_and_back

MTRAG = Path(__file__).parents[4] / "shared" / "data" / "mtrag_human_100.json"


def viewer_file() -> dict:
    """A small file in the first version of the layout."""
    return {
        "name": "viewer",
        "models": [{"model_id": "m1", "name": "M1", "owner": "o"}, {"model_id": "m2", "name": "M2", "owner": "o"}],
        "metrics": [
            {
                "name": "faithfulness",
                "author": "human",
                "type": "categorical",
                "values": [{"value": "bad", "numeric_value": 1}, {"value": "good", "numeric_value": 4}],
            },
            {"name": "remark", "author": "human", "type": "text"},
            {"name": "rl_f", "author": "algorithm", "type": "numerical", "range": [0, 1, 0.1]},
        ],
        "documents": [{"document_id": "d1", "text": "Seven days.", "title": "Returns"}],
        "tasks": [
            {
                "task_id": "t1",
                "task_type": "rag",
                "input": [
                    {"speaker": "user", "text": "Hello"},
                    {"speaker": "agent", "text": "Hi"},
                    {"speaker": "user", "text": "How long?"},
                ],
                "contexts": [{"document_id": "d1", "score": 0.5}],
                "targets": [{"text": "Seven days."}, {"text": "A week."}],
                "Answerability": ["UNANSWERABLE"],
                "Turn": "2",
            }
        ],
        "evaluations": [
            {
                "task_id": "t1",
                "model_id": model,
                "model_response": f"Seven, says {model}.",
                "annotations": {
                    "faithfulness": {"r1": {"value": "good"}, "r2": {"value": "bad", "timestamp": 7}},
                    "remark": {"r1": {"value": "=cmd()"}},
                    "rl_f": {"composite": {"value": score}},
                },
            }
            for model, score in (("m1", 0.5), ("m2", float("nan")))
        ],
    }


def write(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def second_version(data: dict) -> dict:
    """The same file in the second version of the layout."""
    results = [
        {
            "task_id": one["task_id"],
            "model_id": one["model_id"],
            "output": {"type": "text", "value": one["model_response"]},
            "scores": one["annotations"],
        }
        for one in data.pop("evaluations")
    ]
    (task,) = data["tasks"]
    task["targets"] = [{"type": "text", "value": target["text"]} for target in task["targets"]]
    return {**data, "schema_version": 2, "results": results}


@pytest.mark.parametrize("version", [lambda data: data, second_version])
def test_every_answer_is_a_case_with_its_texts_ids_and_ratings(tmp_path, version):
    loaded = load_any(write(tmp_path / "viewer.json", version(viewer_file())))

    first, second = loaded.suite.cases
    assert (first.id, second.id) == ("t1::m1", "t1::m2")
    assert (first.input, first.output, first.reference) == ("How long?", "Seven, says m1.", "Seven days.")
    assert [(turn.role, turn.content) for turn in first.conversation] == [("user", "Hello"), ("assistant", "Hi")]
    (chunk,) = first.retrieved_contexts
    assert (chunk.id, chunk.text, chunk.score, chunk.metadata) == ("d1", "Seven days.", 0.5, {"title": "Returns"})
    assert first.answerable is False
    assert [(one.rater, one.value) for one in first.labels["faithfulness"]] == [("r1", 4), ("r2", 1)]
    assert first.labels["remark"][0].value == "=cmd()"
    assert "rl_f" not in first.labels
    assert loaded.suite.label_scales["faithfulness"].high == 4
    assert first.metadata == {
        "Turn": "2", "task_id": "t1", "model_id": "m1", "references": ["Seven days.", "A week."],
    }  # fmt: skip
    told = " ".join(map(str, loaded.notes))
    assert "rl_f" in told
    assert "time" in told


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda data: data["tasks"][0]["input"].pop(), "last is the user's"),
        (lambda data: data["documents"].clear(), "no document 'd1'"),
        (lambda data: data["evaluations"][0].update(task_id="t9"), "no task 't9'"),
        (lambda data: data["evaluations"][0].update(model_id="m2"), "taken"),
        (lambda data: data["tasks"][0].update(input=None), "input"),
        (lambda data: data["tasks"].append("no task"), "input"),
        (lambda data: data["tasks"].append({"task_id": None, "input": "Who?"}), "no task_id"),
    ],
)
def test_what_is_broken_is_told_and_can_be_left_out(tmp_path, harm, told):
    data = viewer_file()
    data["tasks"].append({"task_id": "whole", "task_type": "rag", "input": "Fine?", "contexts": []})
    harm(data)
    path = write(tmp_path / "viewer.json", data)
    with pytest.raises(SuiteError, match=told):
        load_any(path)
    loaded = load_any(path, ReadOptions(skip_bad_rows=True))
    assert loaded.skipped
    assert "whole" in {one.id for one in loaded.suite.cases}


@pytest.mark.parametrize(
    "data", [None, [], 3, {}, {"tasks": []}, {"tasks": [], "models": [], "metrics": []}, {"tasks": {}, "results": []}]
)
def test_other_documents_are_not_taken_for_a_file_of_the_viewer(data, tmp_path):
    assert not is_layout(data)
    path = write(tmp_path / "x.json", data)
    assert not READER.recognises(Opened(path=path, file="x", options=ReadOptions()))


def test_recorded_metrics_are_scores_and_a_missing_number_has_none(tmp_path):
    path = write(tmp_path / "viewer.json", viewer_file())
    opened = Opened(path=path, file="viewer.json", options=ReadOptions())
    (reader,) = [reader for reader in result_readers() if reader.recognises(opened)]
    (results,) = reader.read(opened)
    known, missing = results.scores
    assert (results.framework, known.metric, known.scorer, known.raw) == (
        "ragas", "faithfulness", "ragas:faithfulness", 0.5,
    )  # fmt: skip
    assert known.case["id"] == "t1::m1"
    assert known.case["retrieved_contexts"] == ["Seven days."]
    assert missing.raw is None
    assert missing.kind == "framework_error"
    assert [row["id"] for row, _ in results.labels] == ["t1::m1", "t1::m2"]


def test_answers_to_one_task_stand_under_one_task_again(tmp_path):
    suite = load_any(write(tmp_path / "viewer.json", viewer_file())).suite
    back, losses = there_and_back(suite, "inspectorraget", tmp_path / "back.json")
    assert back == suite
    assert losses == ()
    written = json.loads((tmp_path / "back.json").read_text("utf-8"))
    assert [len(written[key]) for key in ("tasks", "models", "evaluations", "documents")] == [1, 2, 2, 1]
    assert "Turn" in written["filters"]


def test_the_answers_of_one_model_keep_their_ids(tmp_path):
    source = write(tmp_path / "viewer.json", viewer_file())
    converted = convert_command(source, tmp_path / "m2.yaml", None, ReadOptions(), overwrite=False, model="m2")
    assert converted.cases == 1
    assert [one.id for one in load_any(tmp_path / "m2.yaml").suite.cases] == ["t1::m2"]
    with pytest.raises(UsageError, match="there are m1, m2"):
        convert_command(source, tmp_path / "m3.yaml", None, ReadOptions(), overwrite=False, model="m3")
    assert not (tmp_path / "m3.yaml").exists()


def test_passages_of_one_id_and_several_texts_keep_their_ids(tmp_path):
    suite = EvalSuite(
        name="s", cases=(case("a", retrieved_contexts=["one", "two"]), case("b", retrieved_contexts=["other", "two"]))
    )
    back, losses = there_and_back(suite, "inspectorraget", tmp_path / "back.json")
    assert back == suite
    assert losses == ()
    documents = json.loads((tmp_path / "back.json").read_text("utf-8"))["documents"]
    assert len({document["document_id"] for document in documents}) == len(documents) == 3


def test_what_the_viewer_cannot_hold_is_said_case_by_case(tmp_path):
    whole = case("a", stages={"rerank": ["d2"]}, relevant=["d1"], usage={"seconds": 1}, labels={"x": [1, 2]})
    suite = EvalSuite(name="s", corpus="c.jsonl", cases=(whole, case("b", output=None, labels={"x": {"r": 1}})))
    losses = writer_named("inspectorraget").write(suite, tmp_path / "out.json")
    assert Counter((loss.case, loss.field) for loss in losses) == {
        (None, "corpus"): 1,
        ("a", "stages"): 1,
        ("a", "relevance"): 1,
        ("a", "usage"): 1,
        ("a", "labels"): 1,
        ("b", "output"): 1,
        ("b", "labels"): 1,
    }


def test_a_key_of_the_metadata_never_changes_what_a_task_says(tmp_path):
    taken = {"Answerability": "x", "task_id": "t", "input": "i", "contexts": [], "task_type": "qa", "free": 1}
    suite = EvalSuite(name="s", cases=(case("a", answerable=True, metadata=taken),))
    back, losses = there_and_back(suite, "inspectorraget", tmp_path / "back.json")
    assert differences(suite, back, losses) == []
    assert back.cases[0].metadata == {"free": 1}
    assert {loss.field for loss in losses} == {"metadata"}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(SUITES)
def test_whatever_is_not_said_to_be_lost_comes_back(tmp_path, suite):
    back, losses = there_and_back(suite, "inspectorraget", tmp_path / "back.json")
    assert differences(suite, back, losses) == []
    assert back.name == suite.name


def test_hostile_texts_come_back_as_they_are(tmp_path):
    back, losses = there_and_back(HOSTILE, "inspectorraget", tmp_path / "back.json")
    assert back == HOSTILE
    assert losses == ()


@pytest.mark.skipif(not MTRAG.exists(), reason="the shared data folder is not beside the project")
def test_a_real_file_comes_back_whole(tmp_path):
    suite = load_any(MTRAG).suite
    assert len(suite.cases) == 300
    assert Counter(case.metadata["model_id"] for case in suite.cases).total() == 300
    assert len({chunk.id for case in suite.cases for chunk in case.retrieved_contexts}) == 211
    assert Counter(case.answerable for case in suite.cases) == {True: 249, False: 15, None: 36}
    back, losses = there_and_back(suite, "inspectorraget", tmp_path / "back.json")
    assert back == suite
    assert losses == ()
