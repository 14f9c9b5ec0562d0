"""The example, the documentation and the JSON Schema say the same as the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import indent

import jsonschema
import pytest
import yaml

from evalparity.unified_schema import EvalCase, EvalSuite, load_suite, suite_json_schema
from evalparity.unified_schema.cases import (
    Access,
    Chunk,
    Citation,
    EvidenceUnit,
    Hop,
    LabelScale,
    Rating,
    Stage,
    SystemUsage,
    Turn,
)
from evalparity.unified_schema.foreign_names import FOREIGN_NAMES

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "refund_policy" / "suite.yaml"
DOCUMENT = (ROOT / "docs" / "suite.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", DOCUMENT, re.DOTALL)


@pytest.fixture(scope="module")
def example() -> EvalSuite:
    return load_suite(EXAMPLE).suite


def test_the_example_has_27_cases_each_with_a_lesson_and_labels(example):
    assert len(example.cases) == 27
    text = EXAMPLE.read_text(encoding="utf-8")
    assert len(re.findall(r"^  # .+\n(?:  # .+\n)*  - id: ", text, re.MULTILINE)) == 27
    assert all(len(case.labels["faithfulness"]) == 2 for case in example.cases)
    assert set(example.label_scales) == {"faithfulness", "answer_correctness"}


def test_the_example_lacks_a_reference_where_there_is_nothing_to_find_and_nothing_else(example):
    needed = ("input", "output", "reference", "retrieved_contexts", "prompt_contexts")
    lacking = {case.id: case.blank_fields(needed) for case in example.cases if case.blank_fields(needed)}
    unanswerable = ["right-refusal", "made-up-answer", "asks-back", "other-tenants-passage"]
    assert lacking == dict.fromkeys(unanswerable, ("reference",))
    assert [case.id for case in example.cases if case.answerable is False] == unanswerable


def test_the_example_teaches_what_it_says(example):
    by_id = {case.id: case for case in example.cases}
    assert "verified" not in by_id["dropped-condition"].output
    assert by_id["right-refusal"].answerable is False
    assert re.search("[\u4e00-\u9fff]", by_id["chinese"].output)
    texts = [chunk.text for chunk in by_id["duplicate-chunks"].retrieved_contexts]
    assert len(set(texts)) < len(texts)
    assert by_id["duplicate-chunks"].output == by_id["duplicate-chunks"].reference
    assert by_id["long-answer"].output.count(".") >= 8
    assert len(by_id["long-answer"].prompt_chunks()) < len(by_id["long-answer"].retrieved_contexts)
    everything = by_id["templates-and-quotes"].model_dump_json()
    assert all(mark in everything for mark in ("{{", "{%", "${", "|", "📦", '\\"', "\\n", "'"))


def test_every_layer_has_its_case(example):
    by_id = {case.id: case for case in example.cases}
    retrieved = {name: {chunk.id for chunk in case.retrieved_contexts} for name, case in by_id.items()}
    assert retrieved["retrieval-miss"].isdisjoint(by_id["retrieval-miss"].evidence[0].any_of)
    seen = {chunk.id for chunk in by_id["cut-before-the-prompt"].prompt_chunks()}
    assert "d1" in retrieved["cut-before-the-prompt"] - seen
    stale = by_id["outdated-version"]
    assert stale.retrieved_contexts[0].valid_to < stale.as_of
    other = by_id["other-tenants-passage"]
    assert other.retrieved_contexts[0].tenant != other.access.tenant
    assert [len(by_id[name].hops) for name in ("two-hops", "broken-chain")] == [2, 2]
    wrong = by_id["citation-does-not-support"]
    assert wrong.citations[0].id in retrieved[wrong.id] - set(wrong.evidence[0].any_of)
    assert by_id["over-budget"].usage.over_budget is True
    assert "evaluator" in by_id["talks-to-the-judge"].output


def test_the_corpus_holds_every_chunk_that_the_example_speaks_of(example):
    lines = EXAMPLE.with_name("corpus.jsonl").read_text(encoding="utf-8").splitlines()
    corpus = {chunk["id"]: chunk for chunk in map(json.loads, lines)}
    for case in example.cases:
        for chunk in case.retrieved_contexts:
            assert corpus[chunk.id]["text"] == chunk.text
        assert set(case.relevance) <= set(corpus)


@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_of_the_documentation_loads(tmp_path, block):
    path = tmp_path / "suite.yaml"
    if "cases:" in block:
        path.write_text(block, encoding="utf-8")
    else:
        own = "" if block.startswith("id:") else "id: a\ninput: q\n"
        marked = indent(own + block, "    ")
        path.write_text(f"name: s\ncases:\n  -\n{marked}", encoding="utf-8")
    suite = load_suite(path).suite
    jsonschema.validate(json.loads(suite.model_dump_json()), suite_json_schema())


@pytest.mark.parametrize(
    "model",
    [EvalSuite, EvalCase, Chunk, Stage, EvidenceUnit, Citation, Hop, Access, Rating, SystemUsage, Turn, LabelScale],
)
def test_every_field_is_documented_with_an_example(model):
    shown = "\n".join(BLOCKS)
    missing = [field for field in model.model_fields if not re.search(rf"\b{field}:", shown)]
    assert missing == []


def test_every_foreign_name_is_documented():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", DOCUMENT, re.MULTILINE))
    documented = {name: ours for ours, names in rows.items() for name in re.findall(r"`(\w+)`", names)}
    assert documented == dict(FOREIGN_NAMES)


def test_the_schema_is_one_and_knows_the_example_and_its_short_forms():
    schema = suite_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    written = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(json.dumps(written, default=str)), schema)  # JSON has no dates
    short = {
        "id": 7, "input": "q", "retrieved_contexts": ["a", None, {"text": "b"}], "reference_contexts": "r",
        "relevant": ["c1"], "evidence": [["c1"], "c2"], "access": "acme", "stages": {"s": ["c1"]},
        "prompt_contexts": "c1", "labels": {"f": 0, "g": [1], "h": {"r1": 2}},
    }  # fmt: skip
    jsonschema.validate({"cases": [short]}, schema)


@pytest.mark.parametrize(
    "fault", [{"ouput": "x"}, {"answerable": "no"}, {"relevance": {"d": "x"}}, {"retrieved_contexts": [{"id": "a"}]}]
)
def test_the_schema_marks_what_the_loader_refuses(fault):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"cases": [{"id": "a", "input": "q", **fault}]}, suite_json_schema())


def test_public_names_exist_once():
    import evalparity.unified_schema as package

    assert len(package.__all__) == len(set(package.__all__))
    assert all(hasattr(package, name) for name in package.__all__)
