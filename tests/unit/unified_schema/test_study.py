"""Studies: every problem at once with its line, nothing secret repeated, nothing hostile run."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from evalparity.unified_schema import (
    DocumentError,
    Problem,
    StudyError,
    SuiteError,
    is_study,
    load_study,
    load_suite,
    study_json_schema,
)

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples" / "refund_policy").glob("study-*.yaml"))

WHOLE = """\
study: 1
frameworks: [ragas, deepeval]
metrics: [faithfulness, context_recall]
scorers: [ragas:faithfulness]
thresholds: {faithfulness: 0.8, ragas:faithfulness: 1}
judges:
  - lexical
  - name: strict
    model: gpt-5
    url: https://judge.example/v1
    key_file: keys/judge
    temperature: 0.5
    seed: 7
    max_output_tokens: 100
    concurrency: 4
    requests_per_minute: 60
    tokens_per_minute: 90000
    timeout: 30
embeddings: {model: e, url: "https://e.example/v1", key_file: ~/e}
repeats: 3
wiring: lean
limits:
  {cell_timeout: 60, framework_timeout: 600.5, run_timeout: 900, max_calls: 9, max_tokens: 99, max_cost: 2.5,
   min_gap: 0.2, min_items: 2}
prices: prices.yaml
"""


def write(folder: Path, text: str | bytes, name: str = "study.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def problems_of(folder: Path, text: str | bytes, name: str = "study.yaml") -> tuple[Problem, ...]:
    with pytest.raises(StudyError) as caught:
        load_study(write(folder, text, name))
    return caught.value.problems


def test_every_setting_is_read(tmp_path):
    loaded = load_study(write(tmp_path, WHOLE))
    study = loaded.study
    assert study.frameworks == ("ragas", "deepeval")
    assert study.thresholds == {"faithfulness": 0.8, "ragas:faithfulness": 1.0}
    first, second = study.named_judges()
    assert (first.model, first.name, first.url) == ("lexical", None, None)
    assert (second.name, second.temperature, second.seed, second.timeout) == ("strict", 0.5, 7, 30.0)
    assert (second.concurrency, second.requests_per_minute, second.tokens_per_minute) == (4, 60, 90000)
    assert (study.repeats, study.wiring, study.prices) == (3, "lean", "prices.yaml")
    assert study.limits.model_dump() == {
        "cell_timeout": 60.0, "framework_timeout": 600.5, "run_timeout": 900.0, "max_calls": 9,
        "max_tokens": 99, "max_cost": 2.5,
        "min_gap": 0.2, "min_items": 2.0,
    }  # fmt: skip
    assert len(loaded.sha256) == 64
    assert loaded.place(("judges", 1, "url")) == f"{loaded.file}:10: judges[1].url"


def test_an_almost_empty_study_decides_nothing(tmp_path):
    study = load_study(write(tmp_path, "study: 1\nmetrics:\njudge: {url: null}\n")).study
    assert study.frameworks is study.metrics is study.thresholds is study.repeats is study.wiring is None
    assert study.limits.min_gap is None
    assert study.named_judges()[0].model is None


def test_short_forms(tmp_path):
    study = load_study(write(tmp_path, "frameworks: ragas\nmetrics: all\nscorers: all\njudge: qwen3\n")).study
    assert (study.frameworks, study.metrics, study.scorers) == (("ragas",), ("all",), ("all",))
    assert study.judge.model == "qwen3"
    assert load_study(write(tmp_path, "judges: [a, {model: b}]\nembeddings: lexical\n")).study.judges[0].model == "a"


def test_texts_are_not_guessed(tmp_path):
    study = load_study(write(tmp_path, "judge: {model: 007, name: yes}\n")).study
    assert (study.judge.model, study.judge.name) == ("007", "yes")


def test_paths_are_relative_to_the_study(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/someone")
    loaded = load_study(write(tmp_path, WHOLE))
    assert loaded.path("keys/judge") == tmp_path / "keys" / "judge"
    assert loaded.path("/etc/key") == Path("/etc/key")
    assert loaded.path("~/e") == Path("/home/someone/e")
    assert loaded.path("~nobody-of-this-name/e") == tmp_path / "~nobody-of-this-name" / "e"


WRONG = {
    "unknown key": ("metrcs: [faithfulness]", 1, "metrcs", "did you mean metrics?"),
    "unknown key of a judge": ("study: 1\njudge: {temprature: 0}", 2, "judge.temprature", "did you mean temperature?"),
    "unknown limit": ("limits:\n  cell: 3", 2, "limits.cell", "known are cell_timeout"),
    "unknown metric": ("metrics:\n  - faithfullness", 2, "metrics[0]", "did you mean 'faithfulness'?"),
    "unknown metric of a threshold": ("thresholds: {faithfullness: 1}", 1, "thresholds.faithfullness", "did you mean"),
    "threshold above 1": ("thresholds: {faithfulness: 80}", 1, "thresholds.faithfulness", "must be 1 or less"),
    "threshold below 0": ("thresholds: {faithfulness: -1}", 1, "thresholds.faithfulness", "must be 0 or more"),
    "threshold NaN": ("thresholds: {faithfulness: .nan}", 1, "thresholds.faithfulness", "NaN and Infinity"),
    "threshold in quotes": ("thresholds: {faithfulness: '0.5'}", 1, "thresholds.faithfulness", "without quotes"),
    "thresholds as a list": ("thresholds: [0.5]", 1, "thresholds", "must be a mapping"),
    "repeats 0": ("repeats: 0", 1, "repeats", "must be 1 or more"),
    "repeats half": ("repeats: 1.5", 1, "repeats", "whole number"),
    "too many repeats": ("repeats: 1000", 1, "repeats", "must be 100 or less"),
    "wiring": ("wiring: learn", 1, "wiring", "must be 'stock' or 'lean'"),
    "no metrics": ("metrics: []", 1, "metrics", "put at least one item in it"),
    "twice": ("frameworks: [ragas, ragas]", 1, "frameworks[1]", "stands here twice"),
    "all and more": ("metrics: [all, faithfulness]", 1, "metrics", "name nothing beside it"),
    "judge and judges": ("judge: a\njudges: [b]", 2, "judges", "keep one of them"),
    "no judges": ("judges: []", 1, "judges", "at least one"),
    "a judge without model": ("judges: [{seed: 1}, a]", 1, "judges[0].model", "is missing"),
    "two judges of one name": ("judges: [a, {model: b, name: a}]", 1, "judges[1].name", "called 'a' as well"),
    "two judges of one model": ("judges:\n  - a\n  - a", 3, "judges[1].model", "a name of its own"),
    "a name with a space": ("judges: [{model: a, name: a b}]", 1, "judges[0].name", "in one word"),
    "a model with a space": ("judges: [a b]", 1, "judges[0].model", "add a name beside it"),
    "lexical with a URL": ("judge: {model: lexical, url: x}", 1, "judge.url", "built in and has no url"),
    "lexical embeddings with a key": ("embeddings: {model: lexical, key_file: x}", 1, "embeddings.key_file", "no key_"),
    "temperature": ("judge: {temperature: 3}", 1, "judge.temperature", "must be 2 or less"),
    "seed": ("judge: {seed: -1}", 1, "judge.seed", "must be 0 or more"),
    "time": ("limits: {cell_timeout: 0}", 1, "limits.cell_timeout", "must be more than 0"),
    "gap": ("limits: {min_gap: 2}", 1, "limits.min_gap", "must be 1 or less"),
    "version": ("study: 2", 1, "study", "only 1 is known here"),
    "no mapping": ("- ragas", 1, None, "a mapping of settings"),
    "a suite": ("name: n\ncases: []", 2, "cases", "this is a suite"),
    "an empty file": ("", None, None, "a mapping of settings"),
    "broken YAML": ("study: 1\nmetrics: [a\n", 3, None, "not valid YAML"),
    "a key twice": ("study: 1\nstudy: 1", 2, None, "stands here twice"),
    "a tag": ("prices: !!python/object/apply:os.system [touch owned]", 1, None, "is refused"),
    "UTF-32": ("study: 1".encode("utf-32"), 1, None, "save the file as UTF-8"),
    "damaged": (b"frameworks: caf\xc3\xa9\xff", 1, None, "is not UTF-8"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_its_line(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, line, field, told = WRONG[name]
    found = problems_of(tmp_path, text)
    assert (line, field) in {(problem.line, problem.field) for problem in found}
    assert any(told in problem.message for problem in found if (problem.line, problem.field) == (line, field))
    assert len(found) == 1
    assert not (tmp_path / "owned").exists()


def test_all_problems_are_told_at_once_in_the_order_of_the_file(tmp_path):
    text = "metrics: [nonsense]\nrepeats: 0\nthresholds: {other: 0.5, faithfulness: 2}\nfoo: 1\njudge: {api_key: x}\n"
    found = problems_of(tmp_path, text)
    assert [problem.line for problem in found] == [1, 2, 3, 3, 4, 5]
    assert {problem.field for problem in found} == {
        "metrics[0]", "repeats", "thresholds.other", "thresholds.faithfulness", "foo", "judge.api_key",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "judge: {api_key: planted-1}",
        "judges: [{model: a, Key: planted-1}]",
        "embeddings: {model: e, token: planted-1}",
        "api_key: planted-1",
        "judge: {model: a, api-key: [planted-1]}",
    ],
)
def test_a_key_in_a_study_is_refused_and_not_repeated(tmp_path, text):
    found = problems_of(tmp_path, text)
    assert len(found) == 1
    assert "key_file" in found[0].message
    assert "EVALPARITY_JUDGE_API_KEY" in found[0].message
    assert "planted" not in str(found[0])


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
            f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 10)}]\n" for n in range(12)
        ),
        "metrics: &m [*m]",
        "metrics: " + "[" * 5000,
        "prices: \"\x01\"",
        "? [a]\n: b",
    ],
    ids=["aliases", "cycle", "depth", "control", "key"],
)  # fmt: skip
def test_hostile_yaml_is_a_problem(tmp_path, text):
    assert problems_of(tmp_path, text)


def test_problems_that_others_find_are_told_with_the_rest(tmp_path):
    path = write(tmp_path, "frameworks: [nobody]\nrepeats: 0\n")
    with pytest.raises(StudyError) as caught:
        load_study(path, check=lambda study: [(("frameworks", 0), f"no {study.frameworks[0]}.")])
    assert caught.value.problems[0].message == "no nobody."
    assert [problem.field for problem in caught.value.problems] == ["frameworks[0]", "repeats"]


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "study.yaml").mkdir()
    write(tmp_path, "study: 1", "stdy.yaml")
    for name, told in {
        "study.yaml": "is a folder", "studdy.yaml": "did you mean", "x/y.yaml": "nor its folder",
        "s.yaml\0": "there is no such file",
    }.items():  # fmt: skip
        with pytest.raises(StudyError, match=told):
            load_study(tmp_path / name)
    with pytest.raises(StudyError, match=r"the ending '\.json' is unknown"):
        load_study(write(tmp_path, "{}", "study.json"))


def test_studies_and_suites_are_told_apart(tmp_path):
    assert is_study(write(tmp_path, "metrics: [a]\n"))
    assert is_study(write(tmp_path, "study: 1\nx: {cases: 1}\n"))
    assert is_study(write(tmp_path, "x: {cases: []}\nlist: [a, b]\njudge: m\n"))
    for text in ("name: n\ncases:\n  - metrics: x\n", "- study\n- judge\n", "", "a: [", "evalparity: 1\nstudy: 1\n"):
        assert not is_study(write(tmp_path, text))
    assert not is_study(tmp_path / "nowhere.yaml")
    assert not is_study(write(tmp_path, "study: 1", "s.json"))


def test_a_study_given_as_a_suite_is_told_so(tmp_path):
    with pytest.raises(SuiteError) as caught:
        load_suite(write(tmp_path, WHOLE))
    assert [problem.message for problem in caught.value.problems] == [
        "this is a study: give it with --study, beside the suite that it is to score."
    ]
    assert isinstance(caught.value, DocumentError)


def test_the_schema_knows_every_setting_and_the_short_forms():
    schema = study_json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    good = ["{}", WHOLE, "frameworks: ragas\nmetrics: all\njudge: m\nembeddings: lexical", "judges: [a, {model: b}]"]
    for text in [*good, *(path.read_text(encoding="utf-8") for path in EXAMPLES)]:
        assert not list(validator.iter_errors(json.loads(json.dumps(yaml.safe_load(text))))), text
    for text in ("metrics: [nonsense]", "metrics: nonsense", "foo: 1", "repeats: 0", "judge: {api_key: x}", "study: 2"):
        assert list(validator.iter_errors(yaml.safe_load(text))), text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_load(path):
    assert load_study(path).notes == ()
