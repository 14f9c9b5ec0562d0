"""Promptfoo's configurations as suites: every way to write tests; nothing runs, is fetched or leaves the folder."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalparity.adapters.promptfoo_adapter.files_config import has_config, is_config, read_folder
from evalparity.adapters.reading import load_any
from evalparity.unified_schema.errors import SuiteError
from evalparity.unified_schema.exchange import Opened, ReadOptions
from evalparity.unified_schema.validation import LoadedSuite, validate

BASE: dict[str, Any] = {"prompts": ["{{query}}"], "providers": ["openai:gpt-4o"]}


def load(folder: Path, *tests: Any, options: ReadOptions | None = None, **more: Any) -> LoadedSuite:
    """Return what a configuration with these tests loads as."""
    config = {**BASE, **({"tests": list(tests)} if tests else {}), **more}
    path = folder / "promptfooconfig.yaml"
    path.write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return load_any(path, options)


def notes(loaded: LoadedSuite) -> str:
    return "\n".join(map(str, loaded.notes))


def problems(folder: Path, *tests: Any, **more: Any) -> str:
    with pytest.raises(SuiteError) as caught:
        load(folder, *tests, **more)
    return str(caught.value)


def test_variables_mean_what_their_names_and_assertions_say(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        {
            "description": "returns",
            "vars": {"query": "How long?", "context": ["Seven days.", "Not 10."], "gold": "Seven days", "lang": "en"},
            "assert": [
                {"type": "context-recall", "value": "{{gold}}", "threshold": 0.8},
                {"type": "llm-rubric", "value": "is polite", "provider": {"config": {"apiKey": "sk-secret"}}},
            ],
            "metadata": {"page": 3},
        },
    )
    (one,) = loaded.suite.cases

    assert (one.id, one.input, one.output, one.reference) == ("returns", "How long?", None, "Seven days")
    assert [chunk.text for chunk in one.retrieved_contexts] == ["Seven days.", "Not 10."]
    assert one.reference_contexts == ()
    assert one.metadata == {
        "lang": "en",
        "description": "returns",
        "page": 3,
        "assert": [{"type": "llm-rubric", "value": "is polite"}],
    }
    assert "the variable 'gold' is read as reference, because the assertion context-recall" in notes(loaded)
    assert "one list" in notes(loaded)
    assert "promptfooconfig.yaml:" in notes(loaded)
    assert "sk-secret" not in str(loaded)


@pytest.mark.parametrize("kind", ["factuality", "equals", "similar", "rouge-n", "levenshtein", "context-recall"])
def test_the_value_of_an_assertion_is_the_reference(tmp_path: Path, kind: str) -> None:
    loaded = load(tmp_path, {"vars": {"question": "Q"}, "assert": [{"type": kind, "value": "The answer."}]})

    assert loaded.suite.cases[0].reference == "The answer."
    assert f"is the value of the assertion '{kind}'" in notes(loaded)


@pytest.mark.parametrize("kind", ["not-equals", "contains", "regex", "javascript", "llm-rubric", "is-json"])
def test_other_values_are_no_reference_and_are_kept(tmp_path: Path, kind: str) -> None:
    loaded = load(tmp_path, {"vars": {"question": "Q"}, "assert": [{"type": kind, "value": "file://a.js"}]})

    assert loaded.suite.cases[0].reference is None
    assert loaded.suite.cases[0].metadata["assert"] == [{"type": kind, "value": "file://a.js"}]


def test_several_references_are_all_kept(tmp_path: Path) -> None:
    both = [{"type": "similar", "value": ["B", "C"]}, {"type": "factuality", "value": "A"}]
    loaded = load(tmp_path, {"vars": {"question": "Q"}, "assert": both})

    assert loaded.suite.cases[0].reference == "A"
    assert loaded.suite.cases[0].metadata["references"] == ["A", "B", "C"]


def test_an_answer_that_assertions_compare_with_is_the_reference_and_else_the_output(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        {"vars": {"question": "Q", "answer": "A"}, "assert": [{"type": "equals", "value": "{{ answer }}"}]},
        {"vars": {"question": "Q2", "answer": "A"}},
        {"vars": {"question": "Q3", "answer": "A"}, "providerOutput": "recorded"},
    )
    assert [(one.output, one.reference) for one in loaded.suite.cases] == [(None, "A"), ("A", None), ("recorded", None)]


def test_the_only_text_is_the_question(tmp_path: Path) -> None:
    assert load(tmp_path, {"vars": {"topic": "Tea?"}}).suite.cases[0].input == "Tea?"
    assert "call one of them query or question" in problems(tmp_path, {"vars": {"topic": "Tea?", "tone": "dry"}})


def test_default_test_and_sets_of_assertions(tmp_path: Path) -> None:
    default = {"vars": {"context": "One.", "query": "default"}, "metadata": {"a": 1}, "assert": [{"type": "is-json"}]}
    nested = [{"type": "assert-set", "assert": [{"type": "equals", "value": "R"}]}]
    loaded = load(tmp_path, {"vars": {"query": "own"}, "assert": nested, "metadata": {"b": 2}}, defaultTest=default)
    (one,) = loaded.suite.cases

    assert (one.input, one.reference, one.retrieved_contexts[0].text) == ("own", "R", "One.")
    assert one.metadata == {"a": 1, "b": 2}


def test_several_values_make_several_cases(tmp_path: Path) -> None:
    loaded = load(tmp_path, {"vars": {"query": ["A?", "B?"], "tone": ["dry", "sweet"]}}, {"vars": {"query": "C?"}})

    assert [(one.id, one.input, one.metadata.get("tone")) for one in loaded.suite.cases] == [
        ("test-1.1", "A?", "dry"),
        ("test-1.2", "A?", "sweet"),
        ("test-1.3", "B?", "dry"),
        ("test-1.4", "B?", "sweet"),
        ("test-2", "C?", None),
    ]
    many = {f"v{number}": [str(value) for value in range(30)] for number in range(9)}
    assert "stand for 19,683,000,000,000 tests" in problems(tmp_path, {"vars": {"query": "q", **many}})


def test_scenarios_multiply(tmp_path: Path) -> None:
    scenario = {
        "config": [{"vars": {"context": "One."}}, {"vars": {"context": "Two."}}],
        "tests": [{"vars": {"query": "A?"}}, {"vars": {"query": "B?"}}],
    }
    loaded = load(tmp_path, scenarios=[scenario])

    assert [(one.retrieved_contexts[0].text, one.input) for one in loaded.suite.cases] == [
        ("One.", "A?"),
        ("One.", "B?"),
        ("Two.", "A?"),
        ("Two.", "B?"),
    ]


def test_ids_come_from_the_test_itself(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        {"vars": {"query": "A", "id": "007"}},
        {"vars": {"query": "B"}, "metadata": {"case_id": "x"}},
        {"vars": {"query": "C"}, "description": "same"},
        {"vars": {"query": "D"}, "description": "same"},
    )
    assert [one.id for one in loaded.suite.cases] == ["007", "x", "test-3", "test-4"]


def test_assertion_templates_of_the_document_are_followed(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        {"vars": {"query": "A"}, "assert": [{"$ref": "#/assertionTemplates/exact"}, {"$ref": "file:///etc/passwd"}]},
        assertionTemplates={"exact": {"type": "equals", "value": "R"}},
    )
    assert loaded.suite.cases[0].reference == "R"


CSV = (
    "query,context,__expected,__expected2,__metadata:page,__metadata:tags[],__description\r\n"
    '"A, or B?","Line one.\r\nLine two.",similar(0.8): Ref A,"contains-all: x, y",7,"a, b\\, c",first\r\n'
    "C?,D.,Plain,,,,second\r\n"
)


def test_tests_stand_in_files_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t/a.csv").write_bytes(b"\xef\xbb\xbf" + CSV.encode())
    (tmp_path / "t/b.yaml").write_text("- vars: {query: B1}\n- vars: {query: B2}\n")
    (tmp_path / "t/c.json").write_text('[{"query": "C1"}]')
    (tmp_path / "t/d.jsonl").write_text('{"vars": {"query": "D1 \\u2028"}}\n\n{"vars": {"query": "D2"}}\n', "utf-8")
    loaded = load(tmp_path, "file://t/*.csv", {"path": "t/b.yaml"}, "t/c.json", "file://t/d.jsonl")

    cases = loaded.suite.cases
    assert [one.input for one in cases] == ["A, or B?", "C?", "B1", "B2", "C1", "D1 \u2028", "D2"]
    assert (cases[0].id, cases[0].reference, cases[1].reference) == ("first", "Ref A", "Plain")
    assert cases[0].metadata["page"] == "7"
    assert cases[0].metadata["tags"] == ["a", "b, c"]
    assert cases[0].retrieved_contexts[0].text == "Line one.\r\nLine two."
    assert "stands in a.csv" in notes(loaded)


def test_variables_and_references_stand_in_files(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/1.txt").write_text("{{ 7*7 }} one\n")
    (tmp_path / "docs/2.txt").write_text("two")
    (tmp_path / "ref.txt").write_text("Ref\n")
    loaded = load(
        tmp_path,
        {
            "vars": {"query": "Q", "context": ["file://docs/1.txt", "file://docs/2.txt"]},
            "assert": [{"type": "factuality", "value": "file://ref.txt"}],
        },
        {"vars": {"query": "Q", "doc": "file://docs/*.txt"}},
    )
    first, *others = loaded.suite.cases

    assert [chunk.text for chunk in first.retrieved_contexts] == ["{{ 7*7 }} one", "two"]
    assert first.reference == "Ref"
    assert [one.metadata["doc"] for one in others] == ["{{ 7*7 }} one", "two"]


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("file://tests.py:generate", "is code, and evalparity runs none"),
        ("tests.mjs", "is code"),
        ("file://gen.ts:make", "is code"),
        ("https://docs.google.com/spreadsheets/x", "fetches nothing"),
        ("huggingface://datasets/x", "fetches nothing"),
        ("package:x:y", "fetches nothing"),
        ("file://{{ env.HOME }}/x.csv", "renders none"),
        ("file:///etc/passwd", "--allow-files"),
        ("../outside.csv", "--allow-files"),
        ("inside/../../outside.csv", "--allow-files"),
        ("link.csv", "--allow-files"),
        ("missing.csv", "is not there"),
        ("*.nothing", "is not there"),
        ("sub", "is not there, or no file"),
        ("a.xlsx", "save it as one of .yaml"),
        ("nul\x00.csv", "names"),
        ("loop.csv", "names"),
    ],
)
def test_what_is_not_followed_is_a_problem(tmp_path: Path, reference: str, told: str) -> None:
    folder = tmp_path / "suite"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "outside.csv").write_text("query\nsecret\n")
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    (folder / "a.xlsx").write_bytes(b"PK")

    for said in (
        problems(folder, reference),
        problems(folder, defaultTest=reference, tests=[{"vars": {"query": "q"}}]),
    ):
        assert told in said
        assert "secret" not in said
    if reference.startswith("file:"):
        assert told in problems(folder, {"vars": {"query": reference}})


def test_files_outside_are_read_where_the_user_allows_it(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    folder.mkdir()
    (tmp_path / "outside.csv").write_text("query\nsecret\n")
    loaded = load(folder, "../outside.csv", options=ReadOptions(allow_files=True))

    assert [one.input for one in loaded.suite.cases] == ["secret"]


def test_damage_in_a_named_file_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,context\nA,B,C\n")
    (tmp_path / "b.yaml").write_text("- vars: [\n")
    (tmp_path / "c.jsonl").write_text('{"vars": {"query": "Q"}}\n{\n')
    (tmp_path / "d.csv").write_bytes(b"query\n\xc3\xa9\xff\n")
    said = problems(tmp_path, "*.csv", "b.yaml", "c.jsonl")

    for place in ("a.csv:2", "b.yaml:", "c.jsonl:2", "d.csv:2"):
        assert place in said, said


def test_nothing_in_a_text_is_rendered(tmp_path: Path) -> None:
    hostile = "{{ env.HOME }} {% raw %} ${HOME} \x85 \u2028 =cmd() | 👩‍👩‍👧"
    loaded = load(tmp_path, {"vars": {"query": hostile, "context": [hostile]}, "metadata": {"m": hostile}})
    (one,) = loaded.suite.cases

    assert one.input == one.retrieved_contexts[0].text == one.metadata["m"] == hostile
    assert "nothing renders it" in notes(loaded)


def test_a_list_of_tests_is_known(tmp_path: Path) -> None:
    path = tmp_path / "tests.yaml"
    path.write_text("- vars: {query: 007}\n- vars:\n    tone: a\n    style: b\n")
    with pytest.raises(SuiteError, match=r"tests.yaml:2: case test-2 vars: no variable is known"):
        load_any(path)
    path.write_text("- vars: {query: 007}\n")
    assert load_any(path).suite.cases[0].input == "007"


def test_a_folder_is_known_by_its_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    assert not has_config(folder)
    load(folder, {"vars": {"query": "Q"}})
    assert has_config(folder)

    loaded = validate(read_folder(Opened(path=folder, file="shop", options=ReadOptions())))
    assert (loaded.suite.name, loaded.suite.cases[0].input) == ("shop", "Q")


def test_a_folder_with_a_damaged_configuration_says_so(tmp_path: Path) -> None:
    (tmp_path / "promptfooconfig.yaml").write_text("tests: [")
    with pytest.raises(SuiteError, match=r"promptfooconfig.yaml:2"):
        validate(read_folder(Opened(path=tmp_path, file="shop", options=ReadOptions())))


@pytest.mark.parametrize(
    "document",
    [None, [], "x", 3, {}, {"tests": 3}, {"cases": [], "tests": [], "prompts": []}, [{"input": "x", "vars": {}}], [3]],
)
def test_other_documents_are_not_taken_for_a_configuration(document: object) -> None:
    assert not is_config(document)


@pytest.mark.parametrize(
    "config",
    [
        {"tests": [3, None, []]},
        {"tests": {"vars": "x"}},
        {"tests": [{"vars": 3, "assert": 3, "metadata": 3, "options": 3}]},
        {"tests": [{"vars": {"query": {"a": 1}}, "assert": [3, {"type": 3}, {"type": "equals", "value": {}}]}]},
        {"scenarios": [3, {}, {"config": 3, "tests": 4}]},
        {"tests": [{"vars": {"query": "q"}}], "defaultTest": 3},
        {"tests": []},
    ],
)
def test_odd_configurations_never_end_in_a_traceback(tmp_path: Path, config: dict[str, Any]) -> None:
    path = tmp_path / "promptfooconfig.json"
    path.write_text(json.dumps({**BASE, **config}))
    with suppress(SuiteError):
        load_any(path)


NAMES = st.sampled_from(
    [
        "tests",
        "vars",
        "assert",
        "type",
        "value",
        "query",
        "context",
        "answer",
        "id",
        "path",
        "config",
        "options",
        "scenarios",
        "defaultTest",
        "metadata",
        "description",
        "providerOutput",
        "$ref",
        "disableVarExpansion",
        "prompts",
    ]
)
TEXTS = st.sampled_from(
    [
        "",
        "equals",
        "assert-set",
        "factuality",
        "{{query}}",
        "file://x.csv",
        "file://*",
        "../x",
        "a",
        "\x00",
        "true",
        "#/tests",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


@given(tests=VALUES, more=st.dictionaries(NAMES, VALUES, max_size=3))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_configuration_loads_or_is_refused_with_its_problems(tests: Any, more: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder, suppress(SuiteError):
        path = Path(folder) / "promptfooconfig.json"
        path.write_text(json.dumps({**BASE, **more, "tests": tests}))
        assert load_any(path).suite.cases
