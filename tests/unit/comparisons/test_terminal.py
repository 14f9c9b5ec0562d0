import io
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from evalparity.comparisons.render.inert import inert
from evalparity.comparisons.render.terminal import render_terminal, wants_colour
from evalparity.comparisons.report import SuiteInfo, build_report
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
    cells = [
        make.cell("ragas", 1.0, judge=JudgeUsage(calls=1, input_tokens=None, output_tokens=5)),
        make.cell("deepeval", 1.0, judge=JudgeUsage(calls=1, input_tokens=7, output_tokens=5, cost_usd=0.25)),
    ]
    text = render_terminal(build_report(make.run(), cells, {}, [], case_order=["c1"]))
    rows = {line.split()[0]: line.split() for line in text.split("COST")[1].splitlines()[2:]}
    assert (rows["ragas"][3], rows["ragas"][-2]) == ("unknown", "unknown")
    assert (rows["deepeval"][3], rows["deepeval"][-2]) == ("7", "0.2500")
    assert (rows["all"][3], rows["all"][-1]) == ("unknown", "unknown")


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
