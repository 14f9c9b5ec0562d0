"""The folder for `promptfoo eval`: what it holds, what it loses, and that reading it back gives the same suite."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalparity.adapters.promptfoo_adapter.adapter import ADAPTER
from evalparity.adapters.promptfoo_adapter.files_export import assertion_of, key_of, write_folder
from evalparity.adapters.reading import known_writers, load_any
from evalparity.unified_schema.cases import EvalCase, EvalSuite, is_blank
from evalparity.unified_schema.errors import SuiteError, UsageError
from support.cases import HOSTILE_TEXTS, case, hostile_case, suite


def config_of(folder: Path) -> dict[str, Any]:
    text = (folder / "promptfooconfig.yaml").read_text(encoding="utf-8")
    comment, _, rest = text.partition("\n")
    assert comment.startswith("#")
    return json.loads(rest)


def test_the_writer_is_known_by_name() -> None:
    writer = known_writers()["promptfoo"]

    assert writer.endings == ()
    assert writer.write is write_folder


def test_the_configuration_holds_no_text_of_the_suite(tmp_path: Path) -> None:
    marks = {name: f"MARK{number} {text}" for number, (name, text) in enumerate(HOSTILE_TEXTS.items())}
    write_folder(suite(*(hostile_case(f"{name} {text}", text) for name, text in marks.items())), tmp_path / "out")
    text = (tmp_path / "out/promptfooconfig.yaml").read_text()

    assert "MARK0%20" in text  # the id, percent-encoded
    assert "MARK0 " not in text
    own = {"{{ env.EVALPARITY_JUDGE }}", "{{ env.EVALPARITY_JUDGE_URL }}", "{{ env.EVALPARITY_EMBEDDING_MODEL }}"}
    config = config_of(tmp_path / "out")
    for test in config["tests"]:
        (assertion,) = test.pop("assert")
        assert assertion in [assertion_of(binding) for binding in ADAPTER.scorers()]
        assert not set("{}$#'\"\\ ") & set("".join(test["vars"].values()))
    rest = json.dumps(config)
    for template in own:
        rest = rest.replace(template, "")
    assert "{{" not in rest


@pytest.mark.parametrize(
    "case_id", ["007", "1e5", "TRUE", "file://x", "package:x", "{{ env.X }}", "退货", "a b", "__proto__"]
)
def test_a_key_can_be_nothing_but_a_key(case_id: str) -> None:
    key = key_of(case_id)

    assert not set("{}:/ #'\"\n") & set(key)
    assert key.isascii()


def test_there_is_one_assertion_a_row_and_a_row_for_every_metric_that_the_case_allows(tmp_path: Path) -> None:
    no_reference = case("no-reference", reference=None)
    write_folder(suite(case(), no_reference), tmp_path / "out")
    tests = config_of(tmp_path / "out")["tests"]
    by_case = {
        key: {t["metadata"]["metric"] for t in tests if t["vars"]["case"] == key} for key in ("c", "no-reference")
    }

    assert by_case["c"] == set(ADAPTER.bindings)
    assert by_case["no-reference"] == {"faithfulness", "answer_relevancy", "context_relevancy", "context_utilisation"}
    assert all(len(test["assert"]) == 1 for test in tests)


def test_what_promptfoo_does_not_see_is_told(tmp_path: Path) -> None:
    full = case(
        "full",
        output='{"a": 1.0}',
        conversation=[{"role": "user", "content": "hello"}],
        retrieved_contexts=[{"id": "d1", "text": "One.", "score": 0.5}, {"id": "d2", "text": " "}],
        stages={"rerank": ["d1"]},
        labels={"faithfulness": 3},
        metadata={"a": 1},
    )
    bare = case("bare", output=None, reference=None, retrieved_contexts=[])
    plain = case("plain", retrieved_contexts=["One.", "Two."])
    held = EvalSuite(
        name="s", corpus="corpus.jsonl", label_scales={"f": {"low": 1, "high": 4}}, cases=(full, bare, plain)
    )
    losses = {(loss.case, loss.field) for loss in write_folder(held, tmp_path / "out")}

    assert losses == {
        (None, "corpus"),
        (None, "label_scales"),
        ("full", "conversation"),
        ("full", "stages"),
        ("full", "labels"),
        ("full", "metadata"),
        ("full", "retrieved_contexts"),
        ("full", "output"),
        ("bare", "output"),
        ("bare", "id"),
    }


def test_a_suite_that_promptfoo_can_do_nothing_with_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="record outputs first"):
        write_folder(suite(EvalCase(id="a", input="q")), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        write_folder(suite(case()), tmp_path / "file")


def test_a_folder_without_its_suite_says_so(tmp_path: Path) -> None:
    write_folder(suite(case()), tmp_path / "out")
    (tmp_path / "out/suite.json").unlink()
    with pytest.raises(SuiteError, match=r"suite\.json"):
        load_any(tmp_path / "out/promptfooconfig.yaml")


TEXTS = st.one_of(
    st.sampled_from([*HOSTILE_TEXTS.values(), "a|b", '"', "\x00", "\u2028\x85", "=cmd()", "007"]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
IDS = TEXTS.filter(lambda text: not is_blank(text))
CHUNKS = st.lists(TEXTS, max_size=3)


@st.composite
def suites(draw: Any) -> EvalSuite:
    ids = draw(st.lists(IDS, min_size=1, max_size=3, unique=True))
    cases = [
        EvalCase(
            id=one,
            input=draw(TEXTS),
            output="An answer." if rank == 0 else draw(st.none() | TEXTS),
            reference="A reference." if rank == 0 else draw(st.none() | TEXTS),
            retrieved_contexts=draw(CHUNKS),
            metadata=draw(st.dictionaries(TEXTS.filter(bool), TEXTS, max_size=2)),
            category=draw(st.none() | TEXTS),
        )
        for rank, one in enumerate(ids)
    ]
    return EvalSuite(name="s", cases=tuple(cases))


@given(held=suites())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_reading_the_folder_back_gives_the_same_suite(held: EvalSuite) -> None:
    with TemporaryDirectory() as folder:
        write_folder(held, Path(folder) / "out")

        assert load_any(Path(folder) / "out/promptfooconfig.yaml").suite == held
