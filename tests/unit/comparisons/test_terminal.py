import io
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.text import Text

from evalparity.comparisons.comparing.report import build_report
from evalparity.comparisons.render.columns import shortened_inside
from evalparity.comparisons.render.inert import inert
from evalparity.comparisons.render.terminal import render_terminal, wants_colour
from evalparity.comparisons.running.run_info import JudgeInfo, SuiteInfo
from evalparity.unified_schema.outcomes import JudgeUsage

GOLDEN = Path(__file__).parent / "golden" / "report.txt"

HOSTILE = "a\x1b[2J\x1b]0;owned\x07[bold red]b[/] c\nd\r\te \u202egnp.exe \x9b31m :smile: {{x}}"
HOSTILE_SHOWN = r"a\x1b[2J\x1b]0;owned\x07[bold red]b[/] c d e \u202egnp.exe \x9b31m :smile: {{x}}"


@pytest.fixture
def hostile_report(make):
    """Hostile text in every field that the terminal shows."""
    cells = [
        make.cell("ragas", 0.0, case=HOSTILE, verdicts="nn"),
        make.cell("deepeval", 1.0, case=HOSTILE, verdicts="yy", reason=HOSTILE),
        make.cell("promptfoo", case=HOSTILE, kind="bad_json", reason=HOSTILE),
        make.cell("ragas", 0.5, case="c2"),
        make.cell("promptfoo", case="c2", kind="timeout", reason=HOSTILE),
    ]
    suite = SuiteInfo(name=HOSTILE, path=HOSTILE, sha256="0" * 64, cases=2)
    return build_report(make.run(suite=suite), cells, {}, [], case_order=[HOSTILE, "c2"])


def widths(text):
    return {cell_len(line) for line in text.splitlines()}


def test_golden(make):
    """The whole screen; after a wanted change, write the new text to the file and read it."""
    assert render_terminal(make.planted()) == GOLDEN.read_text(encoding="utf-8")


def test_one_screen(make):
    text = render_terminal(make.planted(complete=False))
    assert max(widths(text)) <= 100
    assert len(text.splitlines()) <= 60


@pytest.mark.parametrize("width", [60, 72, 91, 92, 100])
@pytest.mark.parametrize("colour", [False, True])
def test_no_line_is_wider_than_the_terminal(make, hostile_report, width, colour):
    for report in (make.planted(), hostile_report):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", render_terminal(report, width=width, colour=colour))
        assert max(widths(plain)) <= width


@pytest.mark.parametrize(("asked", "widest"), [(20, 60), (400, 100)])
def test_the_width_stays_between_60_and_100(make, asked, widest):
    assert render_terminal(make.planted(), width=asked) == render_terminal(make.planted(), width=widest)


def test_numbers_are_whole_at_every_width(make):
    for width in (60, 80, 100):
        text = render_terminal(make.planted(), width=width)
        for expected in ("0.84  8/10*", "1.00", "63,620", "5,400", "29/29", "27/29", "unknown"):
            assert expected in text, (width, expected)


def test_chinese_names_are_measured_as_they_are_shown(make):
    cells = [make.cell(name, score, case="退款政策" * 12) for name, score in (("ragas", 0.0), ("deepeval", 1.0))]
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=[]), width=60)
    assert max(widths(text)) <= 60
    assert "退款政策" in text


def test_a_lexical_judge_is_told_in_the_first_lines(make):
    assert "NOT A LANGUAGE MODEL" in "".join(render_terminal(make.planted()).splitlines()[:4])


def test_another_judge_is_named_and_not_called_lexical(make):
    judge = {"kind": "endpoint", "model": "qwen3", "url": "http://localhost:1/v1", "temperature": 0.0, "seed": 0}
    text = render_terminal(make.planted(judge=judge | {"max_output_tokens": 100}))
    assert "judge qwen3, no embeddings" in text
    assert "NOT A LANGUAGE MODEL" not in text


def test_an_interrupted_run_says_so_first(make):
    assert "INTERRUPTED" in "".join(render_terminal(make.planted(complete=False)).splitlines()[:5])
    assert "INTERRUPTED" not in render_terminal(make.planted())


def test_an_absent_framework_is_named(make):
    text = render_terminal(build_report(make.run(("ragas", "other")), [], {}, [], case_order=[]))
    assert "ragas 0.4.3, other not installed" in text


def test_worst_comes_first_and_what_is_hidden_is_counted(make):
    gaps = [0.3, 0.9, 0.4, 0.8, 0.5, 0.7, 0.6, 0.35, 0.45]
    cells = [make.cell("ragas", 0.0, case=f"gap-{gap}") for gap in gaps]
    cells += [make.cell("deepeval", gap, case=f"gap-{gap}") for gap in gaps]
    cells += [make.cell("ragas", 0.5, case="one-sided"), make.cell("deepeval", case="one-sided")]
    lines = render_terminal(build_report(make.run(), cells, {}, [], case_order=[])).splitlines()
    shown = [line.split()[0] for line in lines if re.match("gap-|one-sided", line)]
    assert shown == ["gap-0.9", "gap-0.8", "gap-0.7", "gap-0.6", "gap-0.5", "gap-0.45"]
    assert "… and 4 more in report.json" in lines


def test_without_disagreements_it_says_none(make):
    cells = [make.cell("ragas", 1.0), make.cell("deepeval", 1.0)]
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=["c1"]))
    assert "DISAGREEMENTS  none" in text
    assert "NOT MEASURED" not in text


def test_a_run_without_cells_is_shown(make):
    assert render_terminal(build_report(make.run(), [], {}, [], case_order=[])).startswith("evalparity  refund-policy")


LONG = "the judge could not be reached at http://localhost:11434/v1 (connection refused): " + "check the address. " * 3
VERY_LONG = "start the server with a longer context and run again; " * 9


def unmeasured_lines(make, cells, width):
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=[]), width=width)
    return text.split("NOT MEASURED")[1].split("\n\n")[0].splitlines()[1:]


@pytest.mark.parametrize("width", [60, 92, 100])
def test_a_long_reason_is_told_whole_below(make, width):
    cells = [make.cell("ragas", kind="connect", reason=LONG), make.cell("deepeval", kind="timeout", reason="it hung")]
    first, *below, last = unmeasured_lines(make, cells, width)
    assert first.split() == ["1", "connect", "ragas"]
    if width > 60:
        assert " ".join(" ".join(below).split()) == LONG.strip()
    assert last.split() == ["1", "timeout", "deepeval", "it", "hung"]


def test_a_very_long_reason_is_cut_and_ends_in_an_ellipsis(make):
    _, *below = unmeasured_lines(make, [make.cell("ragas", kind="connect", reason=VERY_LONG)], 100)
    assert len(below) == 2
    assert below[-1].endswith("…")


@pytest.mark.parametrize(("width", "lines"), [(100, 8), (60, 12)])
def test_many_long_reasons_do_not_fill_the_screen(make, width, lines):
    kinds = ["connect", "timeout", "auth", "rate_limited", "bad_json", "truncated", "refusal"]
    cells = [make.cell("ragas", case=f"c{at}", kind=kind, reason=VERY_LONG) for at, kind in enumerate(kinds)]
    shown = unmeasured_lines(make, cells, width)
    assert len(shown) <= lines
    told = sum(line.split()[0] == "1" for line in shown)
    assert shown[-1] == f"… and {len(kinds) - told} more in report.json"


def test_a_score_whose_judge_saw_less_is_marked_and_explained(make):
    cells = [make.cell("ragas", 1.0, flags=("input_missing",)), make.cell("ragas", 0.5, case="c2")]
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=[]))
    assert "* not counted: input missing" in text
    assert "0.50   1/2*" in text
    assert re.search(r"1  input missing  ragas +a text that the framework should send", text)


def test_unknown_cost_is_unknown_and_known_cost_is_shown(make):
    one = {"calls": 1, "billed_calls": 1, "output_tokens": 5}
    unpriced = JudgeUsage(**one, input_tokens=None, cost_usd=None, unpriced_calls=1, requested_usd=None)
    priced = JudgeUsage(**one, input_tokens=7, cost_usd=0.25, at_least_usd=0.25, requested_usd=0.25)
    cells = [
        make.cell("ragas", 1.0, judge=unpriced),
        make.cell("deepeval", 1.0, judge=priced),
    ]
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=["c1"]))
    rows = {line.split()[0]: line.split() for line in text.split("COST")[1].splitlines()[2:]}
    assert (rows["ragas"][3], rows["ragas"][-2]) == ("unknown", "unknown")
    assert (rows["deepeval"][3], rows["deepeval"][-2]) == ("7", "0.2500")
    assert (rows["all"][3], rows["all"][-3:]) == ("unknown", ["at", "least", "0.2500"])
    assert "1 calls unpriced: the server told no usable token counts" in text
    tokens_known = JudgeUsage(**one, input_tokens=7, cost_usd=None, unpriced_calls=2, requested_usd=None)
    cells = [make.cell("ragas", 1.0, judge=tokens_known), make.cell("deepeval", 1.0, judge=unpriced)]
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=["c1"]))
    assert "2 calls unpriced: no price is known for this model at this server" in text
    assert "1 calls unpriced: the server told no usable token counts" in text


def test_names_that_begin_alike_can_be_told_apart_when_they_are_cut():
    names = ("context_precision", "context_recall", "context_relevancy", "context_utilisation")
    for width in (7, 8, 10, 12):
        cut = [shortened_inside(Text(name), width) for name in names]
        assert len({text.plain for text in cut}) == len(names)
        assert all(text.cell_len == width for text in cut)
    assert shortened_inside(Text("漢字漢字漢字"), 8).cell_len <= 8
    assert shortened_inside(Text("short"), 8).plain == "short"


def test_what_was_billed_beside_what_was_asked_for(make):
    paid = JudgeUsage(calls=3, billed_calls=2, cost_usd=0.03, at_least_usd=0.03, requested_usd=0.02)
    small = JudgeUsage(calls=1, billed_calls=1, cost_usd=3e-7, at_least_usd=3e-7, requested_usd=3e-7)
    cells = [make.cell("ragas", 1.0, judge=paid), make.cell("deepeval", 1.0, judge=small)]
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=["c1"]))
    assert "3 (2 billed)" in text
    assert "0.0300 (asked 0.0200)" in text
    assert "<0.0001" in text, "not 0"


def test_several_scorers_of_one_framework_get_a_line_each(make):
    strict = make.cell("deepeval", 0.25, scorer="deepeval:faithfulness_strict")
    cells = [make.cell("ragas", 0.5), make.cell("deepeval", 1.0), strict]
    bindings = {cell.scorer: make.binding(cell.framework) for cell in cells}
    text = render_terminal(build_report(make.run(), cells, bindings, [], case_order=["c1"]))
    assert re.search(r"^  ?faithfulness_strict +– +0\.25 +1/1", text, re.MULTILINE)
    assert "1.00 / 0.25" in text


def test_hostile_text_is_shown_as_text(hostile_report):
    text = render_terminal(hostile_report)
    assert HOSTILE_SHOWN[:40] in text
    assert not set(text) & {"\x1b", "\x07", "\x9b", "\u202e", "\r", "\t"}


def test_hostile_text_adds_no_colour_of_its_own(hostile_report):
    text = render_terminal(hostile_report, colour=True)
    assert set(re.findall(r"\x1b.", text)) == {"\x1b["}
    assert "\x1b[2J" not in text
    assert "[bold red]" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (HOSTILE, HOSTILE_SHOWN),
        ("你好 naïve café 🤖 👩‍👩‍👧", "你好 naïve café 🤖 👩‍👩‍👧"),
        ("a\u2028b\u00a0c\x85d", "a b c d"),
        ("\ud800", r"\ud800"),
        ("\u200b\ufeff\U000e0041", r"\u200b\ufeff\U000e0041"),
        ("  \n ", ""),
    ],
)
def test_inert(text, shown):
    assert inert(text) == shown


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_colour_is_written_only_where_it_is_wanted(make, monkeypatch):
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"):
        monkeypatch.setenv(name, "1")
    assert "\x1b[" not in render_terminal(make.planted())
    assert "\x1b[" in render_terminal(make.planted(), colour=True)


@pytest.mark.parametrize(
    ("stream", "environment", "wanted"),
    [
        (Terminal(), {}, True),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colour_is_wanted_by_a_terminal_only(stream, environment, wanted):
    assert wants_colour(stream, environment) is wanted


def test_what_the_gateway_took_out_of_replies_is_told(make):
    cells = [
        make.cell("ragas", 0.5, flags=("reasoning_removed",)),
        make.cell("deepeval", 0.5, flags=("reasoning_removed", "fence_removed")),
    ]
    for width in (60, 100):
        text = render_terminal(build_report(make.run(), cells, {}, [], case_order=["c1"]), width=width)
        told = " ".join(" ".join(section(text, "REPLIES")).split())
        assert "2 cells reasoning removed: the judge wrote its reasoning into a reply or beside it; no" in told
        assert "1 cell fence removed: the judge put a reply's JSON into a fence; every framework got it without" in told
    assert "REPLIES" not in render_terminal(make.planted())


@pytest.mark.parametrize("width", [60, 100])
def test_the_pre_flight_is_counted_beside_the_rows(make, width):
    asked = JudgeUsage(calls=2, billed_calls=2, embedding_calls=1, input_tokens=1234, output_tokens=None, cost_usd=0.01)
    cells = [make.cell("ragas", 0.5)]
    text = render_terminal(build_report(make.run(preflight=asked), cells, {}, [], case_order=["c1"]), width=width)
    told = " ".join(" ".join(section(text, "COST")).split())
    assert "pre-flight, in no row: 2 calls, 1 embeddings, 1,234 tokens in, unknown out, US$ 0.0100" in told
    assert "pre-flight" not in render_terminal(make.planted(), width=width)


# --- thresholds, repeats, several judges


def crowded(make):
    """Two judges, three repeats, thresholds, two scorers of one framework, one scorer without a judge."""
    judges = [
        JudgeInfo(kind=kind, name=name, model=name, temperature=0.0, seed=0, max_output_tokens=9)
        for kind, name in (("lexical", "lexical"), ("endpoint", "a-judge-with-a-long-name"))
    ]
    cells = [
        make.cell(
            framework,
            score := round((at + repeat * (framework == "ragas")) / 10, 2) if judge is judges[0] else 0.5,
            case=f"case-{at}", repeat=repeat, judge_model=judge.name, threshold=0.5, scorer=f"{framework}:{scorer}",
            verdict="pass" if score >= 0.5 else "fail",
        )
        for judge in judges
        for at in range(8)
        for repeat in range(3)
        for framework, scorer in (("ragas", "faithfulness"), ("deepeval", "faithfulness"), ("deepeval", "strict"))
    ]  # fmt: skip
    cells += [make.cell("builtin", 0.5, case=f"case-{at}", judge_model=None, closeness="proxy") for at in range(8)]
    run = make.run(
        ("ragas", "deepeval", "builtin"), judge=judges[0], other_judges=(judges[1],), repeats=3, wiring="lean"
    )
    return build_report(run, cells, {}, [], case_order=[f"case-{at}" for at in range(8)])


def section(text, heading):
    return re.search(rf"^{heading}.*?(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)[0].splitlines()


def test_the_head_tells_repeats_wiring_and_judges(make):
    lines = render_terminal(crowded(make)).splitlines()
    assert "10 cases x 3 repeats  lean wiring" in lines[0]
    assert "judges lexical, a-judge-with-a-long-name" in lines[1]
    assert "lexical: Verdicts by word comparison" in lines[2]


def test_scores_have_a_line_for_each_judge(make):
    _, _, free, first, strict, *_ = section(render_terminal(crowded(make)), "SCORES")
    assert free.split() == ["faithfulness", "–", "–", "0.50", "8/8"]
    # Means of (at + repeat) / 10 and at / 10 over 8 cases and 3 repeats.
    assert first.split() == ["lexical", "0.45", "24/24", "0.35", "24/24", "–"]
    assert strict.split() == ["strict", "–", "0.35", "24/24", "–"]


def test_pass_rates_stand_beside_their_thresholds(make):
    lines = section(render_terminal(crowded(make)), "PASS RATE")
    # lexical, ragas: at + repeat >= 5 in 3 + 4 + 5 of 24; deepeval: at >= 5 in 9 of 24.
    assert [line.split() for line in lines[3:5]] == [
        ["lexical", "50%", "at", "0.50", "38%", "at", "0.50"], ["strict", "–", "38%", "at", "0.50"],
    ]  # fmt: skip


def test_the_spread_over_repeats_is_shown(make):
    lines = section(render_terminal(crowded(make)), "NOISE")
    assert "over 3 repeats" in lines[0]
    assert lines[3].split() == ["lexical", "0.10", "0.00"]


def test_what_the_judge_changes_is_shown(make):
    for width in (60, 100):
        text = "\n".join(section(render_terminal(crowded(make), width=width), "JUDGES"))
        effect = crowded(make).judge_effects[0]
        for number in (
            f"{effect.between_judges:.2f}",
            f"{effect.between_frameworks:.2f}",
            f"{effect.shares.judge:.0%}",
        ):
            assert number in text


def test_repeats_of_a_disagreement_are_one_line_and_flips_come_first(make):
    text = render_terminal(crowded(make))
    lines = [line for line in section(text, "DISAGREEMENTS") if line.startswith("case-")]
    assert len({line.split()[0] for line in lines}) == len(lines)
    assert re.match(r"case-\d \(\d of 3\)", lines[0])
    assert all("flip" in line for line in lines)


@pytest.mark.parametrize("width", [60, 72, 91, 92, 100])
def test_a_crowded_report_keeps_to_the_width(make, width):
    assert max(widths(render_terminal(crowded(make), width=width))) <= width


def test_hostile_names_of_judges_are_shown_as_text(make):
    judge = JudgeInfo(kind="endpoint", name=HOSTILE, model="m", temperature=0.0, seed=0, max_output_tokens=9)
    run = make.run(judge=judge, other_judges=(judge.model_copy(update={"name": "b"}),))
    cells = [make.cell(f, s, judge_model=HOSTILE) for f, s in (("ragas", 0.0), ("deepeval", 1.0))]
    for width in (60, 100):
        text = render_terminal(build_report(run, cells, {}, [], case_order=["c1"]), width=width)
        assert not set(text) & {"\x1b", "\x07", "\x9b", "\u202e", "\r", "\t"}


def test_cost_has_a_line_for_each_judge(make):
    usage = JudgeUsage(calls=2, billed_calls=2, attempts=2, input_tokens=7, output_tokens=5)
    judges = [JudgeInfo(kind="endpoint", model=name, temperature=0.0, seed=0, max_output_tokens=9) for name in "xy"]
    cells = [make.cell("ragas", 0.5, judge_model=judge.model, judge=usage) for judge in judges]
    run = make.run(("ragas",), judge=judges[0], other_judges=(judges[1],))
    for width in (60, 100):
        text = render_terminal(build_report(run, cells, {}, [], case_order=["c1"]), width=width)
        assert [line.split()[:3] for line in section(text, "COST")[2:5]] == [
            ["ragas", "4", "0"], ["judge", "x", "2"], ["judge", "y", "2"],
        ]  # fmt: skip


def test_a_plain_run_shows_none_of_it(make):
    text = render_terminal(make.planted())
    for heading in ("PASS RATE", "NOISE", "JUDGES", "repeats", "flip"):
        assert heading not in text
