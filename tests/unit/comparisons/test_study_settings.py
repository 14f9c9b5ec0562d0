"""Command line before study before environment before default; a key never goes where it was not meant to."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from evalparity.comparisons.cli_options import Asked, asked_for, scoring_options
from evalparity.comparisons.studies.judge_options import resolve_judges
from evalparity.comparisons.studies.study_names import refuse_what_is_unmeasured
from evalparity.comparisons.studies.study_plan import plan_judges, read_settings
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema.errors import StudyError, UsageError
from support.cases import case, suite

HERE, THERE, OPENAI = "https://here.example/v1", "https://there.example/v1", "https://api.openai.com/v1"
KEY = {"EVALPARITY_JUDGE_API_KEY": "planted-variable"}


def asked(*arguments: str, **variables: str) -> Asked:
    """Return the options as click reads them."""
    found: list[Asked] = []

    @click.command()
    @scoring_options
    @click.pass_context
    def command(context: click.Context, /, **options: object) -> None:
        found.append(asked_for(context, options))

    ended = CliRunner().invoke(command, arguments, env=variables)
    assert ended.exit_code == 0, ended.output
    return found[0]


@pytest.fixture
def settings(tmp_path: Path):
    """Read the settings of a study's text, a command line and an environment."""

    def read(text: str | None, *arguments: str, **variables: str) -> RunSettings:
        if text is None:
            return read_settings(asked(*arguments, **variables))
        (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
        return read_settings(asked("--study", str(tmp_path / "study.yaml"), *arguments, **variables))

    return read


def keys(settings: RunSettings, **environment: str) -> list[str | None]:
    return [judge.api_key for judge in resolve_judges(settings.judges, environment)]


def test_without_a_study_everything_is_as_on_the_command_line(settings):
    plain = settings(None)
    (judge,) = plain.judges
    assert (plain.frameworks, plain.metrics, plain.study) == ((), (), None)
    assert (plain.options.repeats, plain.options.wiring, dict(plain.options.thresholds)) == (1, "stock", {})
    assert (judge.judge, judge.label, judge.max_output_tokens, judge.concurrency) == ("lexical", None, 4096, 16)
    assert (plain.limits.cell, plain.limits.framework) == (1800, 21600)
    assert (plain.flags.min_gap, plain.flags.min_items) == (0.3, 1.0)
    given = settings(
        None, "--framework", "ragas", "--metric", "all", "--scorer", "all", "--threshold", "faithfulness=0.7",
        "--threshold", "ragas:faithfulness=1", "--repeats", "3", "--wiring", "lean",
    )  # fmt: skip
    assert (given.frameworks, given.metrics, given.options.scorers) == (("ragas",), ("all",), ("all",))
    assert given.options.thresholds == {"faithfulness": 0.7, "ragas:faithfulness": 1.0}
    assert (given.options.repeats, given.options.wiring) == (3, "lean")


LEVELS = [
    # option, its variable, setting of the study, default, where it lands
    ("--judge-timeout", "EVALPARITY_JUDGE_TIMEOUT", "judge: {timeout: 2}", 600.0, lambda s: s.judges[0].timeout),
    ("--concurrency", "EVALPARITY_CONCURRENCY", "judge: {concurrency: 2}", 16, lambda s: s.judges[0].concurrency),
    (
        "--max-output-tokens", "EVALPARITY_MAX_OUTPUT_TOKENS", "judge: {max_output_tokens: 2}", 4096,
        lambda s: s.judges[0].max_output_tokens,
    ),
    ("--cell-timeout", None, "limits: {cell_timeout: 2}", 1800.0, lambda s: s.limits.cell),
    ("--framework-timeout", None, "limits: {framework_timeout: 2}", 21600.0, lambda s: s.limits.framework),
    ("--repeats", None, "repeats: 2", 1, lambda s: s.options.repeats),
]  # fmt: skip


@pytest.mark.parametrize(("option", "variable", "text", "default", "read"), LEVELS, ids=[row[0] for row in LEVELS])
def test_command_line_before_study_before_environment_before_default(settings, option, variable, text, default, read):
    environment = {variable: "3"} if variable else {}
    assert read(settings(text, option, "1", **environment)) == 1
    assert read(settings(text, option, str(default).removesuffix(".0"), **environment)) == default
    assert read(settings(text, **environment)) == 2
    assert read(settings("study: 1", **environment)) == (3 if variable else default)
    assert read(settings("study: 1")) == default


def test_lists_replace_each_other_and_thresholds_are_joined_by_name(settings):
    text = "frameworks: [ragas, deepeval]\nmetrics: [faithfulness]\nthresholds: {faithfulness: 0.5, context_recall: 1}"
    mixed = settings(text, "--framework", "promptfoo", "--threshold", "faithfulness=0.9")
    assert (mixed.frameworks, mixed.metrics) == (("promptfoo",), ("faithfulness",))
    assert mixed.options.thresholds == {"faithfulness": 0.9, "context_recall": 1.0}
    assert mixed.of_study == {"metrics"}


def test_everything_else_of_a_study_arrives(settings, tmp_path):
    text = (
        "wiring: lean\nscorers: [ragas:faithfulness]\nprices: p.yaml\nlimits: {min_gap: 0.1, min_items: 0}\n"
        f"judge: {{model: m, name: strict, url: {HERE}, key_file: k, temperature: 0.5, seed: 9}}\n"
        f"embeddings: {{model: e, url: {THERE}, key_file: ek}}\n"
    )
    read = settings(text)
    (judge,) = read.judges
    assert (read.options.wiring, read.options.scorers, read.prices) == (
        "lean",
        ("ragas:faithfulness",),
        tmp_path / "p.yaml",
    )
    assert (read.flags.min_gap, read.flags.min_items) == (0.1, 0.0)
    assert (judge.label, judge.judge, judge.url, judge.key_file) == ("strict", "m", HERE, tmp_path / "k")
    assert (judge.temperature, judge.seed) == (0.5, 9)
    assert (judge.embedding_model, judge.embedding_url, judge.embedding_key_file) == ("e", THERE, tmp_path / "ek")


def test_a_judge_of_the_study_sets_aside_the_server_of_the_environment(settings):
    variables = {"EVALPARITY_JUDGE": "v", "EVALPARITY_JUDGE_URL": THERE, "EVALPARITY_JUDGE_KEY_FILE": "vk"}
    (judge,) = settings("judge: gpt-5", **variables).judges
    assert (judge.judge, judge.url, judge.key_file) == ("gpt-5", None, None)
    (judge,) = settings("judge: lexical", **variables).judges
    assert (judge.judge, judge.url) == ("lexical", None)
    (judge,) = settings("judge: {seed: 3}", **variables).judges
    assert (judge.judge, judge.url, judge.key_file, judge.seed) == ("v", THERE, Path("vk"), 3)


def test_a_judge_on_the_command_line_keeps_the_server_of_the_study(settings, tmp_path):
    text = f"judge: {{model: m, url: {HERE}, key_file: k}}"
    (judge,) = settings(text, "--judge", "other").judges
    assert (judge.judge, judge.url, judge.key_file) == ("other", HERE, tmp_path / "k")
    (judge,) = settings(text, "--judge", "lexical").judges
    assert (judge.judge, judge.url, judge.key_file) == ("lexical", None, None)


def test_a_key_file_of_the_study_does_not_go_to_a_server_of_the_command_line(settings, tmp_path):
    text = f"judge: {{model: m, url: {HERE}, key_file: k}}\nembeddings: {{model: e, url: {HERE}, key_file: k}}"
    (judge,) = settings(text, "--judge-url", THERE, "--embedding-url", THERE).judges
    assert (judge.url, judge.key_file, judge.embedding_url, judge.embedding_key_file) == (THERE, None, THERE, None)
    (judge,) = settings(text, "--judge-url", THERE, "--judge-key-file", "mine").judges
    assert judge.key_file == Path("mine")


def test_a_study_does_not_draw_a_key_to_a_server_other_than_the_variables_name(settings):
    text = f"judge: {{model: m, url: {HERE}}}"
    assert keys(settings(text), **KEY) == ["planted-variable"]
    assert keys(settings(text), **KEY, EVALPARITY_JUDGE_URL=HERE + "/") == ["planted-variable"]
    with pytest.raises(UsageError, match=r"EVALPARITY_JUDGE_URL.*the study names https://here\.example") as caught:
        keys(settings(text), **KEY, EVALPARITY_JUDGE_URL=THERE)
    assert "planted" not in str(caught.value)
    embeddings = f"judge: lexical\nembeddings: {{model: e, url: {HERE}}}"
    variables = {"EVALPARITY_EMBEDDING_API_KEY": "planted", "EVALPARITY_EMBEDDING_URL": THERE}
    with pytest.raises(UsageError, match="EVALPARITY_EMBEDDING_API_KEY belongs to the server"):
        keys(settings(embeddings), **variables)


def test_several_judges(settings, tmp_path):
    (tmp_path / "k").write_text("planted-file")
    text = (
        f"judges: [lexical, {{name: strict, model: m, url: {HERE}, key_file: k, seed: 5}}, {{model: n, url: {HERE}}}]\n"
        "embeddings: lexical"
    )
    judges = resolve_judges(settings(text, "--concurrency", "2").judges, KEY)
    assert [judge.name for judge in judges] == ["lexical", "strict", "n"]
    assert [judge.label for judge in judges] == ["lexical", "strict", "n"]
    assert [judge.api_key for judge in judges] == [None, "planted-file", "planted-variable"]
    assert [judge.seed for judge in judges] == [0, 5, 0]
    assert {judge.concurrency for judge in judges} == {2}


def test_one_judge_in_a_list_of_judges_is_one_judge(settings):
    (judge,) = settings("judges: [lexical]").judges
    assert judge.label is None


def test_one_key_is_not_sent_to_several_servers(settings, tmp_path):
    (tmp_path / "k").write_text("planted-file")
    apart = f"judges: [{{model: a, url: {HERE}}}, {{model: b, url: {THERE}}}]\nembeddings: lexical"
    with pytest.raises(UsageError, match="not all of which may see it: name a key_file"):
        keys(settings(apart), **KEY)
    assert keys(settings(apart)) == [None, None]
    named = f"judges: [{{model: a, url: {HERE}, key_file: k}}, {{model: b, url: {THERE}}}]\nembeddings: lexical"
    assert keys(settings(named), **KEY) == ["planted-file", "planted-variable"]
    openai = f"judges: [gpt-5, {{model: b, url: {THERE}}}]\nembeddings: lexical"
    assert keys(settings(openai), OPENAI_API_KEY="planted-openai") == ["planted-openai", None]
    with pytest.raises(UsageError, match="several servers"):
        keys(settings(openai), **KEY, OPENAI_API_KEY="planted-openai")


def test_judges_must_share_their_embeddings(settings):
    text = f"judges: [lexical, {{model: a, url: {HERE}}}]"
    with pytest.raises(UsageError, match=r"different embedding models \(lexical: lexical, a: none\)"):
        keys(settings(text))
    assert keys(settings(f"{text}\nembeddings: lexical")) == [None, None]
    apart = f"judges: [{{model: b, url: {THERE}}}, {{model: a, url: {HERE}}}]\nembeddings: "
    with pytest.raises(UsageError, match=r"e at https://there\.example/v1, a: e at https://here\.example/v1"):
        keys(settings(apart + "e"))
    assert keys(settings(apart + f"{{model: e, url: {HERE}}}")) == [None, None]


def test_a_judge_on_the_command_line_takes_the_place_of_several(settings):
    text = f"judges: [lexical, {{model: a, url: {HERE}, key_file: k, seed: 4}}]\nembeddings: lexical"
    (judge,) = settings(text, "--judge", "m", "--judge-url", THERE).judges
    assert (judge.label, judge.judge, judge.url, judge.key_file, judge.seed) == (None, "m", THERE, None, 0)
    for option in (["--judge-url", THERE], ["--judge-key-file", "k"]):
        with pytest.raises(UsageError, match=f"{option[0]} fits one judge, and .*study.yaml names 2: add --judge"):
            settings(text, *option)


def test_no_key_is_needed_where_nothing_is_sent(settings):
    plain = settings("judge: gpt-5")
    with pytest.raises(UsageError, match="needs a key"):
        resolve_judges(plain.judges, {})
    (judge,) = resolve_judges(plain.judges, {}, with_keys=False)
    assert (judge.model, judge.url, judge.api_key) == ("gpt-5", OPENAI, None)


def test_where_a_wrong_address_or_key_stands_is_told(settings, tmp_path):
    text = f"study: 1\njudge:\n  model: m\n  url: {HERE}\n  key_file: nowhere"
    with pytest.raises(UsageError, match=r"study\.yaml:5: judge\.key_file .*nowhere: cannot be read"):
        keys(settings(text))
    with pytest.raises(UsageError, match=r"--judge-key-file .*gone: cannot be read"):
        keys(settings(text, "--judge-key-file", str(tmp_path / "gone")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("frameworks: [raggas]", r"study.yaml:1: frameworks\[0\]: unknown framework 'raggas': did you mean 'ragas'"),
        ("scorers: [ragas:faithfullness]", r"study.yaml:1: scorers\[0\]: unknown scorer .* 'ragas:faithfulness'"),
        ("thresholds: {ragas:faith: 1}", r"study.yaml:1: thresholds\.ragas:faith: unknown scorer"),
        ("judge: {model: m, url: localhost:1}", r"study.yaml:1: judge\.url: the URL 'localhost:1' is no base URL"),
        ("judges: [a, {model: m, url: 'http://u:planted@h/v1'}]", r"judges\[1\]\.url: the URL holds a user name"),
        ("embeddings: {url: 'http://h/v1?key=planted'}", r"embeddings\.url: the URL: leave off"),
    ],
)
def test_names_and_addresses_of_a_study_are_checked_on_loading(settings, text, told):
    with pytest.raises(StudyError, match=told) as caught:
        settings(text)
    assert "planted" not in str(caught.value)


def test_all_unknown_names_are_told_at_once(settings):
    with pytest.raises(StudyError) as caught:
        settings("frameworks: [raggas]\nmetrics: [recal]\nrepeats: 0\nthresholds: {x:y: 1}")
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3, 4]


@pytest.mark.parametrize("threshold", ["faithfulness", "=1", "faithfulness=", "faithfulness=2", "faithfulness=nan"])
def test_a_threshold_that_is_none(threshold):
    @click.command()
    @scoring_options
    def command(**_options: object) -> None:
        raise AssertionError

    ended = CliRunner().invoke(command, ["--threshold", threshold])
    assert ended.exit_code == 2
    assert "is no threshold: write it as faithfulness=0.8" in ended.output


def test_a_threshold_of_something_unknown(settings):
    with pytest.raises(UsageError, match=r"--threshold fathfulness: unknown metric or scorer .* mean 'faithfulness'"):
        settings(None, "--threshold", "fathfulness=1")


def plans(settings: RunSettings):
    judges = resolve_judges(settings.judges, {}, with_keys=False)
    return plan_judges(suite(case("a"), case("b", output=None)), settings, judges)


def test_a_metric_that_no_chosen_framework_has_is_told_with_its_place(settings):
    lacking = settings(
        "study: 1\nframeworks: [promptfoo]\nmetrics:\n  - faithfulness\n  - context_precision\n"
        "scorers: [deepeval:faithfulness]"
    )
    with pytest.raises(UsageError) as caught:
        plans(lacking)
    first, second = str(caught.value).splitlines()
    assert "study.yaml:5: metrics[1]: none of promptfoo measures context_precision: add one of " in first
    assert "deepeval" in first
    assert "study.yaml:6: scorers[0]: deepeval:faithfulness is no scorer of promptfoo" in second
    with pytest.raises(StudyError, match=r"metrics\[1\]"):
        refuse_what_is_unmeasured(lacking.study)


def test_what_the_command_line_overrides_is_not_held_against_the_study(settings):
    text = "frameworks: [promptfoo]\nmetrics: [context_precision]"
    assert plans(settings(text, "--metric", "faithfulness"))
    assert plans(settings(text, "--framework", "deepeval"))
    with pytest.raises(UsageError, match=r"metrics\[0\]: none of builtin measures context_precision"):
        plans(settings(text.replace("promptfoo", "ragas"), "--framework", "builtin"))


def test_a_scorer_of_a_metric_that_is_not_measured(settings):
    with pytest.raises(UsageError, match=r"scorers\[0\]: ragas:faithfulness measures faithfulness: add that"):
        plans(settings("frameworks: [ragas]\nmetrics: [context_recall]\nscorers: [ragas:faithfulness]"))


def test_thresholds_of_other_frameworks_stay_without_effect(settings):
    text = "frameworks: [deepeval]\nmetrics: [faithfulness]\nthresholds: {ragas:faithfulness: 0.4, faithfulness: 0.6}"
    (one,) = plans(settings(text))
    assert {cell.threshold for cell in one.plan.cells} == {0.6}


def test_every_judge_scores_everything_that_asks_one_and_the_rest_is_scored_once(settings):
    text = "frameworks: [ragas, builtin]\nmetrics: [faithfulness, exact_match]\nrepeats: 2\nwiring: lean\njudges: "
    judges = "[{name: a, model: lexical}, {name: b, model: lexical}]"
    first, second = (one.plan for one in plans(settings(text + judges, "--scorer", "ragas:faithfulness")))
    assert first.wiring == second.wiring == "lean"
    judged = [cell.key for cell in first.cells if cell.binding.asks_judge]
    assert [cell.key for cell in second.cells] == judged
    assert len(judged) == 2 * 2
    free = [cell for cell in first.cells if not cell.binding.asks_judge]
    assert {cell.repeat for cell in free} == {0}
    assert any(cell.binding.metric == "exact_match" for cell in free)
