"""The arithmetic that docs/metrics.md shows, and that texts stay texts in it; the real page is held by an e2e test."""

from __future__ import annotations

import pytest

from evalparity.adapters.base import CallCount, Scale
from evalparity.adapters.registry import ADAPTERS, load_adapter
from evalparity.comparisons.render.capabilities import calls_of, count_of, render_table, render_versions, scale_of
from evalparity.comparisons.render.metrics_page import render_page
from evalparity.comparisons.render.worked_example import example_lines, how, plain
from evalparity.comparisons.worked_examples import Example, run_examples
from evalparity.unified_schema.errors import UsageError
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import Details, Item
from support.cases import HOSTILE_TEXTS, hostile_case


def numbers(kind: str, *values: float, said: str | None = None) -> Details:
    return Details(items=tuple(Item(kind=kind, text="q", value=value, native_verdict=said) for value in values))


def example(make, *pairs, **fields) -> Example:
    return Example(metric=METRICS["faithfulness"], case=hostile_case("x", "text"), scored=pairs, **fields)


# how a score comes about


def test_a_share_shows_its_verdicts_and_its_fraction(make) -> None:
    binding = make.binding("ragas", formula="share")
    assert how(binding, make.cell("ragas", 1 / 3, verdicts="ynn")) == "3 claims (1 yes, 2 no): 1/3"


@pytest.mark.parametrize(
    ("passes", "score", "words"),
    [
        (True, 2 / 3, "3 claims (1 yes, 1 no, 1 unclear; unclear counts as yes): 2/3"),
        (False, 1 / 3, "3 claims (1 yes, 1 no, 1 unclear; unclear counts as no): 1/3"),
    ],
)
def test_a_share_says_what_unclear_counts_as(make, passes: bool, score: float, words: str) -> None:
    binding = make.binding("deepeval", formula="share", unclear_passes=passes)
    assert how(binding, make.cell("deepeval", score, verdicts="ynu")) == words


def test_a_mean_shows_its_numbers(make) -> None:
    binding = make.binding("ragas", item="question", formula="mean", scale=Scale(cosine=True))
    cell = make.cell("ragas", 0.5, details=numbers("question", 0.25, 0.5, 0.75))
    assert how(binding, cell) == "(0.250 + 0.500 + 0.750) / 3"


@pytest.mark.parametrize(
    ("metric", "said", "value", "words"),
    [
        ("answer_correctness", "4", 0.75, "rated 4 on the rubric of 1 to 5: (4 - 1) / (5 - 1)"),
        ("answer_correctness", "4", 0.4, "a rating of 4 counts as 0.400"),  # on another scale than the rubric's
        ("answer_correctness", "(B)", 0.6, "a rating of (B) counts as 0.600"),
        ("context_relevancy", "2", 1.0, "a rating of 2 counts as 1.000"),
    ],
)
def test_a_rating_says_what_it_counts_as(make, metric: str, said: str, value: float, words: str) -> None:
    binding = make.binding("deepeval", metric, item="rating", formula="mean")
    assert (
        how(binding, make.cell("deepeval", value, metric=metric, details=numbers("rating", value, said=said))) == words
    )


def test_several_ratings_show_their_mean(make) -> None:
    binding = make.binding("ragas", "context_relevancy", item="rating", formula="mean")
    items = (Item(kind="rating", value=1.0, native_verdict="2"), Item(kind="rating", value=0.5, native_verdict="1"))
    cell = make.cell("ragas", 0.75, metric="context_relevancy", details=Details(items=items))
    expected = "a rating of 2 counts as 1.000, a rating of 1 counts as 0.500; (1.000 + 0.500) / 2"
    assert how(binding, cell) == expected


@pytest.mark.parametrize(
    ("verdicts", "score", "words"),
    [
        ("nyy", (1 / 2 + 2 / 3) / 2, "precision at the ranks that pass: (1/2 + 2/3) / 2"),
        ("yn", 1.0, "precision at the ranks that pass: (1/1) / 1"),
        ("nn", 0.0, "none of 2 contexts passes"),
    ],
)
def test_ranked_items_show_the_precision_at_each_rank_that_passes(make, verdicts, score, words) -> None:
    binding = make.binding("ragas", item="context", formula="ranked")
    assert how(binding, make.cell("ragas", score, verdicts=verdicts)) == words


def test_a_formula_of_its_own_is_called_so_and_the_notes_follow(make) -> None:
    binding = make.binding("ragas", formula="own")
    cell = make.cell("ragas", 0.5, details=Details(items=(Item(kind="claim", verdict="yes"),), notes=("F1 is 2/3.",)))
    assert how(binding, cell) == "a formula of the framework's own; see above; F1 is 2/3"
    assert how(binding, cell, "half: 1/2") == "a formula of the framework's own; half: 1/2; F1 is 2/3"


def test_without_steps_the_scorers_own_words_stand(make) -> None:
    binding = make.binding("builtin", item=None)
    assert how(binding, make.cell("builtin", 0.5, reason="1 of 2 | words.")) == "1 of 2 \\| words"
    assert how(binding, make.cell("builtin", 0.5)) == "computed from the texts"
    assert how(binding, make.cell("builtin", 0.5, reason="Passed."), "half | of it: 1/2") == "half \\| of it: 1/2"


def test_no_score_says_why_and_a_convention_is_called_one(make) -> None:
    binding = make.binding("ragas", formula="share")
    assert how(binding, make.cell("ragas", kind="no_claims", reason="None.")) == "no score, no claims: None."
    assert "a convention" in how(binding, make.cell("ragas", 1.0, flags=("vacuous",)))


@pytest.mark.parametrize(
    ("formula", "fields"),
    [
        ("share", {"verdicts": "yn"}),
        ("ranked", {"verdicts": "ny"}),
        ("mean", {"details": numbers("question", 0.1, 0.2)}),
    ],
)
def test_arithmetic_that_does_not_give_the_score_is_never_shown(make, formula: str, fields: dict) -> None:
    with pytest.raises(ValueError, match=r"ragas:faithfulness scored 0\.9"):
        how(make.binding("ragas", formula=formula), make.cell("ragas", 0.9, **fields))


def test_scorers_with_the_same_verdicts_share_one_list(make) -> None:
    pairs = [
        (make.binding(name, formula="share"), make.cell(name, score, verdicts=verdicts))
        for name, score, verdicts in (("ragas", 0.5, "yn"), ("deepeval", 0.0, "nn"), ("promptfoo", 0.5, "yn"))
    ]
    lines = list(example_lines(example(make, *pairs)))
    assert "`ragas:faithfulness`, `promptfoo:faithfulness`:" in lines
    assert lines.count("1. yes: claim 0") == 1
    assert lines.count("2. no: claim 1") == 2


# texts stay texts


@pytest.mark.parametrize("text", [*HOSTILE_TEXTS.values(), "a | b `c` <b>*d*</b> [e](f) _g_ h_i", "\x1b[31m\nx"])
def test_no_text_is_read_as_markdown_or_html(make, text: str) -> None:
    shown = plain(text)
    assert "\n" not in shown
    assert "\x1b" not in shown
    assert "<" not in shown
    assert shown.count("|") == shown.count("\\|")
    assert shown.count("`") == shown.count("\\`")

    details = Details(items=(Item(kind="claim", text=text, verdict="yes", reason=text),), notes=(text,))
    pair = (make.binding("ragas", formula="share"), make.cell("ragas", 1.0, details=details, reason=text))
    one = Example(metric=METRICS["faithfulness"], case=hostile_case("x", text), scored=(pair,))
    rows = [line for line in example_lines(one) if line.startswith("| `")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 4
    quoted = [line for line in example_lines(one) if line.startswith("    ")]
    assert len(quoted) == 2 + 3  # input, output, three contexts: a line each


def test_names_keep_their_underscores() -> None:
    assert plain("context_utilisation and _this_") == "context_utilisation and \\_this\\_"


# the page and the table in the terminal


def test_the_page_explains_every_metric_every_scorer_and_every_absence(make) -> None:
    page = render_page(Example(metric=metric, case=hostile_case("x", "y"), scored=()) for metric in METRICS.values())
    for metric in METRICS.values():
        assert f"\n## {metric.name}\n\n{metric.definition}\n" in page
        assert metric.source in page
        assert metric.caution is None or f"> **Beware.** {metric.caution}" in page
    for adapter in map(load_adapter, ADAPTERS):
        for binding in adapter.scorers():
            assert f"| `{binding.scorer}` | {binding.native_name} | {binding.closeness} |" in page
        for why in adapter.unsupported.values():
            assert f"- not by {adapter.name} ({why.kind.replace('_', ' ')}): {why.reason}".replace("|", "\\|") in page
    widths = {line.replace("\\|", "").count("|") for line in page.splitlines() if line.startswith("| `")}
    assert widths == {9}


def test_examples_that_leave_out_a_metric_are_refused(tmp_path) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text("evalparity: 1\nname: s\ncases:\n  - {id: faithfulness, input: i}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no case is named after answer_correctness"):
        run_examples(suite)


def test_the_table_of_one_metric_is_that_metrics_part_of_the_whole() -> None:
    whole, one = render_table(), render_table("context_recall")
    assert one.startswith("context_recall: ")
    assert one.rpartition("\n\n")[0] in whole
    assert "beware: It does not look at the output." in one
    assert "context_utilisation" in one
    assert "faithfulness" not in one
    assert max(map(len, whole.splitlines())) <= 100
    with pytest.raises(UsageError, match=r"did you mean 'context_recall'\?"):
        render_table("contxt_recall")


def test_the_table_holds_every_scorer_and_every_absence() -> None:
    words = " ".join(render_table().split())
    for adapter in map(load_adapter, ADAPTERS):
        for binding in adapter.scorers():
            assert " ".join((binding.scorer, binding.closeness, scale_of(binding.scale), *calls_of(binding))) in words
            assert binding.differs in words
        for why in adapter.unsupported.values():
            assert f"not by {adapter.name} ({why.kind}): {why.reason}" in words


def test_the_list_of_frameworks_stays_short() -> None:
    lines = render_versions().splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (CallCount(low=2, high=2), "2"),
        (CallCount(low=1, high=2), "1-2"),
        (CallCount(low=0, high=0, per_context=1), "C"),
        (CallCount(low=1, high=1, per_context=2), "2C + 1"),
    ],
)
def test_calls_in_words(calls: CallCount, words: str) -> None:
    assert count_of(calls) == words


def test_scales_in_words() -> None:
    assert scale_of(Scale()) == "0..1"
    assert scale_of(Scale(low=1, high=5)) == "1..5"
    assert scale_of(Scale(higher_is_better=False, cosine=True)) == "0..1, lower is better, cosine"
