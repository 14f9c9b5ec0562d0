"""Each cause alone: planted cases that show it, and look-alikes that must not trigger it."""

import pytest

from evalparity.adapters.base import Scale
from evalparity.comparisons.comparing.causes import (
    ambiguous_claims,
    different_definition,
    different_inputs,
    find_causes,
    missing_inputs,
    missing_verdicts,
    no_claims_convention,
    not_measured,
)
from evalparity.comparisons.comparing.evidence import Cell, Comparison
from evalparity.unified_schema.outcomes import Details, Item


@pytest.fixture
def compare(make):
    """A comparison of cells; `deepeval` is bound to a framework whose unclear verdicts pass."""
    bindings = {
        "ragas": make.binding("ragas", item="statement"),
        "deepeval": make.binding("deepeval", empty_score=1.0, unclear_passes=True),
        "promptfoo": make.binding("promptfoo", item="statement"),
        "strict": make.binding("strict", unclear_passes=False),
    }

    def build(*outcomes, gap="from scores", bind=bindings):
        cells = tuple(Cell(outcome=outcome, binding=bind.get(outcome.framework)) for outcome in outcomes)
        scores = [cell.outcome.score for cell in cells if cell.comparable]
        wide = max(scores) - min(scores) if len(scores) > 1 else None
        return Comparison(cells=cells, gap=wide if gap == "from scores" else gap)

    return build


# not measured


def test_not_measured_names_framework_kind_and_message(make, compare):
    outcome = make.cell("promptfoo", kind="truncated", reason="cut off\nat 4096 tokens")
    cause = not_measured(compare(make.cell("ragas", 0.5), outcome))
    assert (cause.name, cause.grade, cause.closes) == ("not_measured", "confirmed", None)
    assert cause.evidence == "promptfoo has no score: cut off at 4096 tokens (truncated)"


def test_not_measured_without_a_message_tells_what_the_kind_means(make, compare):
    cause = not_measured(compare(make.cell("ragas", 0.5), make.cell("promptfoo", kind="auth")))
    assert cause.evidence == "promptfoo has no score: the judge refused the key (HTTP 401 or 403) (auth)"


@pytest.mark.parametrize("kind", ["no_claims", "missing_verdicts", "surplus_verdicts"])
def test_kinds_with_a_cause_of_their_own_are_not_told_twice(make, compare, kind):
    assert not_measured(compare(make.cell("ragas", 0.5), make.cell("promptfoo", kind=kind))) is None


def test_a_score_of_zero_is_measured(make, compare):
    assert not_measured(compare(make.cell("ragas", 1.0), make.cell("promptfoo", 0.0))) is None


@pytest.mark.parametrize("kind", ["framework_absent", "interrupted", "budget"])
def test_what_befalls_the_run_is_no_cause_of_a_gap(make, compare, kind):
    cells = (
        make.cell("ragas", 0.0, verdicts="nn"),
        make.cell("promptfoo", 1.0, verdicts="yy"),
        make.cell("deepeval", kind=kind),
    )
    assert [cause.name for cause in find_causes(compare(*cells))] == ["unexplained"]


# no claims


def test_no_claims_convention_names_who_answers_what(make, compare):
    cause = no_claims_convention(
        compare(
            make.cell("ragas", kind="no_claims"),
            make.cell("deepeval", 1.0, flags=("vacuous",)),
            make.cell("promptfoo", 0.0, verdicts="n"),
        )
    )
    assert (cause.name, cause.grade) == ("no_claims_convention", "confirmed")
    assert cause.evidence == (
        "ragas answers nothing when its judge finds no statements; "
        "deepeval answers 1 when its judge finds no claims; promptfoo: 1 statement no"
    )


def test_a_vacuous_score_other_than_the_declared_one_is_only_consistent(make, compare):
    cause = no_claims_convention(compare(make.cell("ragas", 0.0), make.cell("deepeval", 0.5, flags=("vacuous",))))
    assert cause.grade == "consistent"


@pytest.mark.parametrize("verdicts", ["y", "yyy", ""])
def test_a_full_score_from_claims_is_no_convention(make, compare, verdicts):
    cells = (make.cell("ragas", 0.0, verdicts="n"), make.cell("deepeval", 1.0, verdicts=verdicts))
    assert no_claims_convention(compare(*cells)) is None


def test_another_error_is_no_convention(make, compare):
    cells = (make.cell("ragas", kind="bad_json"), make.cell("deepeval", 1.0, verdicts="y"))
    assert no_claims_convention(compare(*cells)) is None


# missing verdicts


def test_missing_verdicts_counts_items_and_verdicts(make, compare):
    cell = make.cell("deepeval", 1.0, verdicts="y--", flags=("degraded",))
    cause = missing_verdicts(compare(make.cell("ragas", 0.33), cell))
    assert (cause.name, cause.grade) == ("missing_verdicts", "confirmed")
    assert cause.evidence == (
        "deepeval got 1 verdicts for 3 claims and scored 1.00; with the others as no it would be 0.33"
    )


def test_unclear_verdicts_count_by_the_frameworks_own_rule_when_others_are_missing(make, compare):
    cell = make.cell("deepeval", 1.0, verdicts="yu-", flags=("degraded",))
    assert "it would be 0.67" in missing_verdicts(compare(make.cell("ragas", 0.33), cell)).evidence


def test_missing_verdicts_without_a_score(make, compare):
    cell = make.cell("promptfoo", verdicts="y-", kind="missing_verdicts", reason="1 verdict for 2 statements")
    cause = missing_verdicts(compare(make.cell("ragas", 0.5), cell))
    assert cause.grade == "confirmed"
    assert cause.evidence == "promptfoo got 1 verdicts for 2 statements and no score is accepted"


def test_a_degraded_score_whose_steps_are_hidden_is_only_consistent(make, compare):
    cause = missing_verdicts(compare(make.cell("ragas", 0.5), make.cell("promptfoo", 0.0, flags=("degraded",))))
    assert cause.grade == "consistent"


@pytest.mark.parametrize("verdicts", ["yn", "un", ""])
def test_complete_verdicts_are_not_missing(make, compare, verdicts):
    cells = (make.cell("ragas", 0.0, verdicts="nn"), make.cell("deepeval", 0.5, verdicts=verdicts))
    assert missing_verdicts(compare(*cells)) is None


# ambiguous claims


def test_ambiguous_claims_confirmed_when_the_other_rule_closes_the_gap(make, compare):
    cause = ambiguous_claims(
        compare(make.cell("ragas", 0.4, verdicts="yynnn"), make.cell("deepeval", 1.0, verdicts="yyuuu"))
    )
    assert (cause.name, cause.grade, cause.closes) == ("ambiguous_claims", "confirmed", 1.0)
    assert cause.evidence == "3 of 5 claims unclear; counted as no, deepeval scores 0.40: gap 0.60 -> 0.00"


@pytest.mark.parametrize(
    ("ragas", "deepeval", "grade", "closes"),
    [
        pytest.param("ynnnnnnnnn", "yyuuuuuuuu", "consistent", 8 / 9, id="just below nine tenths"),
        pytest.param("nnnnnnnnnn", "yuuuuuuuuu", "confirmed", 0.9, id="nine tenths"),
        pytest.param("nnnn", "yyuu", "consistent", 0.5, id="half"),
        pytest.param("nnnnnnnnnn", "yyyyyyyyyu", "consistent", 0.1, id="a tenth"),
        pytest.param("n" * 20, "y" * 19 + "u", None, None, id="next to nothing"),
    ],
)
def test_how_much_is_closed_decides_the_grade(make, compare, ragas, deepeval, grade, closes):
    cells = (
        make.cell("ragas", ragas.count("y") / len(ragas), verdicts=ragas),
        make.cell("deepeval", 1 - deepeval.count("n") / len(deepeval), verdicts=deepeval),
    )
    cause = ambiguous_claims(compare(*cells))
    assert (cause and cause.grade) == grade
    assert (cause and cause.closes) == (closes and pytest.approx(closes, abs=1e-6))


def test_a_gap_that_falls_below_the_limit_and_hardly_shrinks_is_not_confirmed(make, compare):
    cells = (make.cell("ragas", 0.7, verdicts="yyyyyyynnn"), make.cell("deepeval", 1.0, verdicts="y" * 19 + "u"))
    cause = ambiguous_claims(compare(*cells))
    assert cause.grade == "consistent"
    assert cause.evidence.endswith("gap 0.30 -> 0.25")


def test_a_gap_that_turns_round_is_not_closed(make, compare):
    """0.80 becomes 0.05, but now the other framework scores higher: something else is at work too."""
    cells = (make.cell("ragas", 0.2, verdicts="ynnnn"), make.cell("deepeval", 1.0, verdicts="yyy" + "u" * 17))
    cause = ambiguous_claims(compare(*cells))
    assert (cause.grade, cause.closes) == ("consistent", pytest.approx(0.9375))
    assert cause.evidence.endswith("gap 0.80 -> 0.05, the other way round")


def test_beside_a_score_without_visible_steps_a_recomputation_confirms_nothing(make, compare):
    cells = (make.cell("promptfoo", 0.5), make.cell("deepeval", 1.0, verdicts="yyuu"))
    cause = ambiguous_claims(compare(*cells))
    assert (cause.grade, cause.closes) == ("consistent", 1.0)


def test_the_other_rule_is_tried_in_both_directions(make, compare):
    cause = ambiguous_claims(
        compare(make.cell("strict", 0.0, verdicts="uuuu"), make.cell("ragas", 1.0, verdicts="yyyy"))
    )
    assert (cause.grade, cause.closes) == ("confirmed", 1.0)
    assert "counted as yes, strict scores 1.00" in cause.evidence


def test_a_scorer_that_already_keeps_the_rule_is_not_called_recomputed(make, compare):
    cells = (make.cell("strict", 0.0, verdicts="nnuu"), make.cell("deepeval", 1.0, verdicts="yuuu"))
    cause = ambiguous_claims(compare(*cells))
    assert cause.evidence == "3 of 4 claims unclear; counted as no, deepeval scores 0.25: gap 1.00 -> 0.25"


def test_two_scorers_with_the_same_rule_are_recomputed_together(make, compare):
    bind = {name: make.binding(name, unclear_passes=True) for name in ("new", "old")}
    cells = (
        make.cell("new", 1.0, verdicts="uuuu"),
        make.cell("old", 1.0, verdicts="yuuuuuuuuuuu"),
        make.cell("ragas", 0.0, verdicts="nnnn"),
    )
    cause = ambiguous_claims(compare(*cells, bind=bind))
    assert (cause.grade, cause.closes) == ("confirmed", pytest.approx(11 / 12, abs=1e-6))
    assert "new scores 0.00" in cause.evidence
    assert "old scores 0.08" in cause.evidence


@pytest.mark.parametrize(
    ("why", "score", "verdicts"),
    [
        ("no verdict is unclear", 1.0, "yyyy"),
        ("its own rule does not give its score", 0.9, "yyuu"),
        ("the verdicts are hidden", 1.0, ""),
        ("the other rule widens the gap", 0.5, "uunn"),
    ],
)
def test_look_alikes_of_ambiguous_claims(make, compare, why, score, verdicts):
    other = make.cell("ragas", 0.0 if why != "the other rule widens the gap" else 0.9, verdicts="nnnn")
    assert ambiguous_claims(compare(other, make.cell("deepeval", score, verdicts=verdicts))) is None, why


def test_unclear_verdicts_of_a_framework_without_such_a_rule_prove_nothing(make, compare):
    cells = (make.cell("deepeval", 0.0, verdicts="nn"), make.cell("ragas", 1.0, verdicts="uu"))
    assert ambiguous_claims(compare(*cells)) is None


def test_a_score_that_does_not_count_is_not_recomputed(make, compare):
    cells = (
        make.cell("ragas", 0.0, verdicts="nn"),
        make.cell("promptfoo", 1.0, verdicts="yy"),
        make.cell("deepeval", 1.0, verdicts="uu-", flags=("degraded",)),
    )
    assert ambiguous_claims(compare(*cells)) is None


# different definitions


@pytest.fixture
def cosine(make):
    """A cell whose score is the mean cosine of generated questions, and its binding."""

    def build(framework, *values, score=None):
        items = tuple(Item(kind="question", text="?", value=value) for value in values)
        own = sum(values) / len(values) if score is None else score
        return make.cell(framework, own, metric="answer_relevancy", details=Details(items=items))

    return build


@pytest.fixture
def compare_relevancy(make, compare):
    names = {"item": "question", "scale": Scale(cosine=True)}
    bind = {name: make.binding(name, "answer_relevancy", **names) for name in ("ragas", "promptfoo")}
    bind |= {
        name: make.binding(name, "answer_relevancy", item="statement", unclear_passes=True)
        for name in ("deepeval", "share")
    }
    return lambda *cells: compare(*cells, bind=bind)


def test_different_definition_says_who_measures_what(make, compare_relevancy, cosine):
    cells = (cosine("ragas", 0.4, 0.6, 0.5), make.cell("deepeval", 1.0, verdicts="yu"), cosine("promptfoo", 0.5, 0.5))
    cause = different_definition(compare_relevancy(*cells))
    assert (cause.name, cause.grade, cause.closes) == ("different_definition", "consistent", None)
    assert cause.evidence == (
        "ragas: mean cosine of 3 generated questions; deepeval: share of 2 statements (1 yes, 1 unclear); "
        "promptfoo: mean cosine of 2 generated questions"
    )


def test_frameworks_that_measure_the_same_are_named_together(make, compare_relevancy, cosine):
    cells = (cosine("ragas", 0.4), make.cell("deepeval", 1.0, verdicts="yy"), cosine("promptfoo", 0.5))
    evidence = different_definition(compare_relevancy(*cells)).evidence
    assert evidence.startswith("ragas and promptfoo: mean cosine of 1 generated question; deepeval: ")


def test_a_score_that_is_not_the_mean_of_its_numbers_is_not_called_one(make, compare_relevancy, cosine):
    cells = (cosine("ragas", 0.4, 0.6, score=0.0), make.cell("deepeval", 1.0, verdicts="yy"))
    evidence = different_definition(compare_relevancy(*cells)).evidence
    assert evidence.startswith("ragas: a rule of its own over 2 generated questions with a cosine of 0.40 to 0.60; ")


def test_a_share_that_comes_near_a_cosine_when_counted_otherwise_shows_nothing(make, compare_relevancy, cosine):
    comparison = compare_relevancy(cosine("ragas", 0.5, 0.5), make.cell("deepeval", 1.0, verdicts="yu"))
    assert ambiguous_claims(comparison) is None
    assert [(cause.name, cause.grade) for cause in find_causes(comparison)] == [("different_definition", "consistent")]


def test_a_cosine_is_known_by_its_scale_where_its_steps_are_hidden(make, compare_relevancy):
    hidden = make.cell("promptfoo", 0.5, metric="answer_relevancy")
    comparison = compare_relevancy(hidden, make.cell("deepeval", 1.0, verdicts="yu"))
    assert ambiguous_claims(comparison) is None
    assert different_definition(comparison).evidence.startswith("promptfoo: no steps visible; ")


@pytest.mark.parametrize(
    ("cosines", "shares"),
    [
        pytest.param({"ragas": 0.1, "promptfoo": 0.9}, {"deepeval": "yn"}, id="the gap is one between two cosines"),
        pytest.param({"ragas": 0.1}, {"share": "nnnn", "deepeval": "yyyy"}, id="it is as wide between two shares"),
        pytest.param({"ragas": 0.1, "promptfoo": 0.9}, {}, id="there are only cosines"),
        pytest.param({}, {"share": "nnn", "deepeval": "yyy"}, id="there are only shares"),
    ],
)
def test_look_alikes_of_different_definition(make, compare_relevancy, cosine, cosines, shares):
    cells = [cosine(name, value) for name, value in cosines.items()]
    cells += [make.cell(name, v.count("y") / len(v), verdicts=v) for name, v in shares.items()]
    assert different_definition(compare_relevancy(*cells)) is None


# different and missing inputs


def test_different_inputs_name_the_framework(make, compare):
    cause = different_inputs(compare(make.cell("ragas", 1.0), make.cell("promptfoo", 0.0, flags=("input_rewritten",))))
    assert (cause.name, cause.grade, cause.closes) == ("different_inputs", "consistent", None)
    assert cause.evidence.startswith("promptfoo: ")
    assert "judge" in cause.evidence


def test_a_score_whose_judge_saw_less_does_not_count_and_says_why(make, compare):
    comparison = compare(make.cell("ragas", 1.0), make.cell("promptfoo", 0.5, flags=("input_missing",)))
    assert different_inputs(comparison) is None
    cause = missing_inputs(comparison)
    assert (cause.name, cause.grade) == ("missing_inputs", "confirmed")
    assert cause.evidence == (
        "promptfoo scored 0.50, and a text that the framework should send never reached the judge"
    )
    assert missing_inputs(compare(make.cell("ragas", 1.0), make.cell("deepeval", 0.5))) is None


def test_other_flags_are_no_different_input(make, compare):
    cells = (make.cell("ragas", 1.0), make.cell("promptfoo", 0.0, flags=("below_range", "inconsistent")))
    assert different_inputs(compare(*cells)) is None


# all together


def test_a_gap_without_a_cause_is_unexplained_and_shows_the_verdicts(make, compare):
    cells = (make.cell("ragas", 0.25, verdicts="ynnn"), make.cell("promptfoo", 1.0))
    (cause,) = find_causes(compare(*cells))
    assert (cause.name, cause.grade, cause.closes) == ("unexplained", "unexplained", None)
    assert cause.evidence == "ragas: 1 statement yes, 3 no; promptfoo: 1.00, no steps visible"


def test_a_cell_may_have_several_causes(make, compare):
    cells = (
        make.cell("ragas", 0.0, verdicts="nn"),
        make.cell("deepeval", 1.0, verdicts="uu"),
        make.cell("promptfoo", kind="timeout"),
    )
    assert [cause.name for cause in find_causes(compare(*cells))] == ["ambiguous_claims", "not_measured"]


def test_a_missing_score_alone_is_not_called_unexplained(make, compare):
    cells = (make.cell("ragas", 0.5), make.cell("promptfoo", kind="timeout"))
    assert [cause.name for cause in find_causes(compare(*cells))] == ["not_measured"]


def test_scorers_of_one_framework_are_told_apart(make, compare):
    strict = make.cell("deepeval", scorer="deepeval:strict", kind="timeout")
    cause = not_measured(compare(make.cell("deepeval", 1.0), strict))
    assert cause.evidence.startswith("deepeval:strict has no score")


# formulas of other kinds


@pytest.fixture
def compare_precision(make, compare):
    """Average precision here, a plain share there, a formula of its own elsewhere, and ratings."""
    bindings = {
        "ragas": make.binding("ragas", "context_precision", item="context", formula="ranked"),
        "deepeval": make.binding("deepeval", "context_precision", item="context", formula="share"),
        "promptfoo": make.binding("promptfoo", "context_precision", item="sentence", formula="own"),
        "other": make.binding("other", "context_precision", item="sentence", formula="own"),
        "rater": make.binding("rater", "context_precision", item="rating", formula="mean"),
    }
    return lambda *outcomes: compare(*outcomes, bind=bindings)


def test_each_formula_is_told_in_its_own_words(make, compare_precision):
    rated = make.cell("rater", 0.25, details=Details(items=(Item(kind="rating", value=0.25, native_verdict="2"),)))
    cause = different_definition(
        compare_precision(
            make.cell("ragas", 1.0, verdicts="ynn"),
            make.cell("deepeval", 0.33, verdicts="ynn"),
            make.cell("promptfoo", 0.2, verdicts="yn"),
            rated,
        )
    )
    assert (cause.name, cause.grade) == ("different_definition", "consistent")
    assert cause.evidence == (
        "ragas: mean precision at the ranks of the passing ones of 3 contexts (1 yes, 2 no); "
        "deepeval: share of 3 contexts (1 yes, 2 no); "
        "promptfoo: a rule of its own over 2 sentences (1 yes, 1 no); "
        "rater: 1 rating at 0.25 of 1"
    )


def test_two_formulas_of_their_own_are_two_definitions(make, compare_precision):
    cells = (make.cell("promptfoo", 0.2, verdicts="yn"), make.cell("other", 0.9, verdicts="yn"))
    assert different_definition(compare_precision(*cells)).grade == "consistent"


def test_a_ranked_score_is_not_recounted_as_a_share(make, compare_precision):
    cells = (make.cell("ragas", 1.0, verdicts="yu"), make.cell("deepeval", 0.5, verdicts="yn"))
    assert ambiguous_claims(compare_precision(*cells)) is None
