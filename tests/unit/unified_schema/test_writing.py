"""What is written is what is loaded again, whatever the suite holds."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, event, given, reject, settings
from hypothesis import strategies as st

from evalparity.unified_schema import EvalSuite, SuiteError, UsageError, load_suite
from evalparity.unified_schema.writing import suite_data, suite_text, write_suite

HOSTILE = [
    "",
    " ",
    "  leading",
    "trailing ",
    "\tt\tab",
    "a\tb",
    "no",
    "yes",
    "Yes",
    "n",
    "tRuE",
    "TRUE",
    "null",
    "~",
    "None",
    "1",
    "007",
    "1e3",
    "1.5",
    "-0",
    ".5",
    "0x1F",
    "1_000",
    "12:30",
    "2026-06-01",
    "NaN",
    ".inf",
    "---",
    "--- a",
    "...",
    "a\n---\nb",
    "%TAG",
    "# c",
    "a # c",
    "a: b",
    "a:",
    ": a",
    "- a",
    "-",
    "? a",
    "[a]",
    "{a: b}",
    "{{ x }}",
    "&a",
    "*a",
    "!!python/object/apply:os.system [true]",
    "!t",
    "| a",
    "> a",
    "@a",
    "`a`",
    "'",
    '"',
    "\\",
    "\\x41",
    "a\\\nb",
    "<<",
    "=",
    "\x00",
    "\x07\x1b[2J",
    "\r",
    "a\r\nb",
    "\r\n",
    "\n",
    "\n\n",
    "a\n",
    "\na",
    "a\n\n",
    " a\n b",
    "a\n  b\n",
    "a \nb",
    "a\n\n\n  b\n\t\nc",
    "\n  a",
    "a\x85b",
    "a\u2028b\u2029c",
    "\u2028",
    "\ufeff",
    "\ufeffa",
    "\ufffe\uffff",
    "😀👩‍👩‍👧 é",
    "你好，世界\n第二行",
    "\u200b",
    "\u202etxt",
    "\x7f\x80\x9f\xa0",
    "x" * 300,
    "long " * 2000,
    "a" * 127 + "\n" + "b" * 200,
]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(HOSTILE)
SPACED = st.text(st.sampled_from(" \n\t-#:ab'\"|>é"), max_size=12)
TEXTS = TEXT | SPACED
IDS = TEXT.filter(lambda text: bool(text.strip()))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
FREE = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
METADATA = st.dictionaries(st.sampled_from(["source", "page"]) | TEXTS, FREE, max_size=3)
USAGE = st.fixed_dictionaries(
    {},
    optional={
        "seconds": st.none() | st.floats(0, 1e9),
        "input_tokens": st.none() | st.integers(0, 10**12),
        "cost_usd": st.none() | st.floats(0, 1e9),
        "over_budget": st.none() | st.booleans(),
    },
)
LABELS = st.dictionaries(
    TEXTS.filter(lambda name: name not in {"value", "rater"}),
    st.lists(st.none() | NUMBERS | st.booleans() | TEXTS, max_size=2),
    max_size=2,
)
RELEVANCE = st.dictionaries(IDS, st.floats(0, 5), max_size=2)
FIELDS = {
    "output": TEXTS,
    "answer": TEXTS,
    "reference": TEXTS,
    "category": TEXTS,
    "conversation": st.lists(st.builds(lambda text: {"role": "user", "content": text}, TEXTS), max_size=2),
    "reference_contexts": st.lists(TEXTS, max_size=2),
    "evidence": st.lists(st.lists(IDS, min_size=1, max_size=2), max_size=2),
    "relevance": RELEVANCE,
    "relevant": st.lists(IDS, max_size=2),
    "citations": st.lists(st.builds(lambda text, name: {"claim": text, "id": name}, TEXTS, IDS), max_size=2),
    "hops": st.lists(st.builds(lambda text, ids: {"query": text, "retrieved": ids}, TEXTS, st.lists(IDS)), max_size=1),
    "access": st.fixed_dictionaries({}, optional={"tenant": st.none() | IDS}) | IDS,
    "as_of": st.dates().map(str)
    | st.datetimes(timezones=st.none() | st.timezones()).map(lambda when: when.isoformat()),
    "answerable": st.booleans(),
    "labels": LABELS,
    "usage": USAGE,
    "metadata": METADATA,
}
RIVALS = [("output", "answer"), ("relevance", "relevant")]


def without_rivals(fields):
    for first, second in RIVALS:
        if fields.get(first) is not None and fields.get(second) is not None:
            del fields[second]
    return fields


def some_of(**more):
    nullable = {name: st.none() | values for name, values in FIELDS.items()}
    return st.fixed_dictionaries(more, optional=nullable).map(without_rivals)


@st.composite
def cases(draw, case_id):
    fields = draw(some_of(input=TEXTS))
    chunks = {name: draw(TEXTS) for name in draw(st.lists(IDS, unique=True, max_size=2))}
    if chunks or draw(st.booleans()):
        score = draw(st.none() | NUMBERS)
        fields["retrieved_contexts"] = [{"id": name, "text": text, "score": score} for name, text in chunks.items()]
        fields["stages"] = draw(st.just([]) | st.just([{"name": draw(TEXTS), "ids": list(chunks)[:1]}]))
        fields["prompt_contexts"] = draw(st.none() | st.just(list(chunks)))
    return {"id": case_id, **fields}


@st.composite
def raw_suites(draw):
    ids = draw(st.lists(IDS, unique=True, min_size=1, max_size=2))
    return {
        "name": draw(TEXTS.filter(bool)),
        "defaults": draw(some_of()),
        "corpus": draw(st.none() | st.just("some where/corpus.jsonl")),
        "label_scales": draw(st.dictionaries(TEXTS, st.just({"low": -1e300, "high": 1.5e300}), max_size=1)),
        "cases": [draw(cases(case_id)) for case_id in ids],
    }


def loaded_from(folder: str, name: str, text: str) -> EvalSuite:
    path = Path(folder, name)
    path.write_bytes(text.encode())
    return load_suite(path).suite


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(raw_suites())
def test_what_is_written_loads_as_the_same_suite(raw):
    with tempfile.TemporaryDirectory() as folder:
        try:
            suite = loaded_from(folder, "raw.json", json.dumps(raw))
        except SuiteError as refused:  # a default may clash with a case, as relevance with relevant
            clashing = {problem.message.partition(" ")[0] for problem in refused.problems}
            event(f"refused: {sorted(clashing)}")
            reject() if clashing <= {"relevant", "answer", "output"} else pytest.fail(str(refused))
        for name in ("s.yaml", "s.yml", "s.json"):
            write_suite(suite, Path(folder, name))
            again = load_suite(Path(folder, name))
            assert again.suite == suite
            assert suite_data(again.suite) == suite_data(suite)  # also tells 1 from 1.0 and from true


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_every_text_comes_back_in_every_place_of_a_file(texts):
    metadata = {text: {"value": text, "list": texts} for text in texts}
    case = {"id": "a", "input": texts[0], "output": texts[-1], "metadata": metadata}
    suite = EvalSuite.model_validate({"name": "s", "cases": [case]})
    with tempfile.TemporaryDirectory() as folder:
        assert loaded_from(folder, "s.yaml", suite_text(suite, ".yaml")) == suite


@pytest.mark.parametrize("text", HOSTILE)
def test_any_other_yaml_reader_sees_texts_as_well(text):
    suite = EvalSuite.model_validate({"name": "s", "cases": [{"id": "a", "input": text, "metadata": {text: text}}]})
    (case,) = yaml.safe_load(suite_text(suite, ".yaml"))["cases"]
    assert case["input"] == text
    assert case["metadata"] == {text: text}


def test_texts_of_several_lines_can_be_read_and_long_ones_stay_on_one_line():
    case = {"id": "a-1", "input": "first\nsecond\n", "output": "word " * 100}
    text = suite_text(EvalSuite.model_validate({"name": "s", "cases": [case]}), ".yaml")
    assert "- id: a-1\n" in text
    assert "input: |\n    first\n    second\n" in text
    assert max(map(len, text.splitlines())) > 500


def test_a_null_takes_a_default_away_again():
    raw = {
        "name": "s",
        "defaults": {"category": "x", "relevant": ["d"], "usage": {"seconds": 3, "over_budget": True}, "question": "q"},
        "cases": [{"id": "a", "category": None, "relevance": None, "usage": {"seconds": None}}, {"id": "b"}],
    }
    with tempfile.TemporaryDirectory() as folder:
        suite = loaded_from(folder, "raw.json", json.dumps(raw))
        first, second = suite.cases
        assert (first.category, first.relevance, first.usage.seconds) == (None, {}, None)
        assert (second.category, second.relevance, second.usage.seconds) == ("x", {"d": 1.0}, 3.0)
        for ending in (".yaml", ".json"):
            assert loaded_from(folder, f"s{ending}", suite_text(suite, ending)) == suite


def test_a_short_list_keeps_a_default_of_grades_away():
    raw = {
        "name": "s",
        "defaults": {"relevance": {"d1": 0}},
        "cases": [{"id": "a", "input": "q", "relevant": ["d2"]}, {"id": "b", "input": "q", "relevance": {"d2": 1}}],
    }
    with tempfile.TemporaryDirectory() as folder:
        suite = loaded_from(folder, "raw.json", json.dumps(raw))
        assert [case.relevance for case in suite.cases] == [{"d2": 1.0}, {"d1": 0.0, "d2": 1.0}]
        for ending in (".yaml", ".json"):
            assert loaded_from(folder, f"s{ending}", suite_text(suite, ending)) == suite


def test_defaults_that_were_never_filled_in_are_refused():
    suite = EvalSuite.model_validate(
        {"name": "s", "defaults": {"metadata": {"page": 1}}, "cases": [{"id": "a", "input": "q", "metadata": {"x": 1}}]}
    )
    with pytest.raises(UsageError, match="case a lacks page in metadata"):
        suite_text(suite, ".yaml")


def test_what_yaml_cannot_say_is_refused_and_json_can():
    case = {"id": "a", "input": "q", "metadata": {"n": 10**30}}
    suite = EvalSuite.model_validate({"name": "s", "cases": [case]})
    with pytest.raises(UsageError, match=r"1000.* more digits .* name a \.json file"):
        suite_text(suite, ".yaml")
    with tempfile.TemporaryDirectory() as folder:
        assert loaded_from(folder, "s.json", suite_text(suite, ".json")) == suite


@pytest.mark.parametrize("ending", [".yaml", ".json"])
@pytest.mark.parametrize(("levels", "written"), [(80, True), (95, False)])
def test_nesting_is_written_as_deep_as_it_can_be_read(tmp_path, ending, levels, written):
    inner: object = "x"
    for _ in range(levels):
        inner = [inner]
    suite = EvalSuite.model_validate({"name": "s", "cases": [{"id": "a", "input": "q", "metadata": {"n": inner}}]})
    if not written:
        with pytest.raises(UsageError, match="nested deeper"):
            suite_text(suite, ending)
        return
    write_suite(suite, tmp_path / f"s{ending}")
    assert load_suite(tmp_path / f"s{ending}").suite == suite


@pytest.mark.parametrize(
    ("name", "said"), [("s.jsonl", r"\.jsonl \(.*no place"), ("s", "not to none"), ("s.txt", ".txt")]
)
def test_other_endings_are_refused(tmp_path, name, said):
    suite = EvalSuite.model_validate({"name": "s", "cases": [{"id": "a", "input": "q"}]})
    with pytest.raises(UsageError, match=said):
        write_suite(suite, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_as_a_whole_and_nothing_else_is_left(tmp_path):
    suite = EvalSuite.model_validate({"name": "s", "cases": [{"id": "a", "input": "q"}]})
    target = tmp_path / "s.yaml"
    target.write_text("old " * 1000)
    write_suite(suite, target)
    assert load_suite(target).suite == suite
    assert [path.name for path in tmp_path.iterdir()] == ["s.yaml"]
    fresh = tmp_path / "fresh"
    fresh.touch()
    assert target.stat().st_mode == fresh.stat().st_mode

    with pytest.raises(UsageError, match="cannot be written"):
        write_suite(suite, tmp_path / "nowhere" / "s.yaml")
