"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec

import click
from click.core import ParameterSource

from evalparity.comparisons.studies.asked import Asked

P = ParamSpec("P")

MOST_REPEATS = 100
"""As in a study, which is not read for `--help`."""


def asked_for(context: click.Context, values: Mapping[str, Any]) -> Asked:
    """Return the options of a command with what is known of where they came from."""
    given = {name for name in values if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    return Asked(values=values, flags=frozenset(given))


class _Seconds(click.FloatRange):
    """A number of seconds: positive, at most a year, and never `nan`, which no comparison would refuse."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return number


class _Threshold(click.ParamType):
    """`NAME=VALUE`: a metric or a scorer, and a score of 0..1."""

    name = "threshold"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:  # noqa: ANN401 - click's signature
        name, mark, number = str(value).rpartition("=")
        try:
            score = float(number)
        except ValueError:
            score = math.nan
        if not mark or not name.strip() or not 0 <= score <= 1:
            self.fail(f"{value!r} is no threshold: write it as faithfulness=0.8, the score being 0..1.", param, ctx)
        return name.strip(), score


class _Dollars(click.FloatRange):
    """An amount of US dollars: positive, finite."""

    name = "dollars"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        amount = float(super().convert(value, param, ctx))
        if not math.isfinite(amount):
            self.fail(f"{value!r} is no amount of US dollars.", param, ctx)
        return amount


SECONDS = _Seconds(min=0, min_open=True, max=31_536_000)

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    show_default=True,
    help="What to print.",
)

STUDY_OPTIONS = (
    click.option(
        "--study",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Study file with any of these settings; options given here go first.",
    ),
    click.option(
        "--framework",
        "frameworks",
        multiple=True,
        metavar="NAME",
        help="A name of `evalparity adapters`; repeat for several. Default: all that are installed.",
    ),
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        metavar="NAME|all",
        help="A metric of `evalparity adapters --table`; repeat for several. Default: the core metrics.",
    ),
    click.option(
        "--scorer",
        "scorers",
        multiple=True,
        metavar="NAME|all",
        help="A scorer of the same table, where a framework has several; repeat for several. Default: its first.",
    ),
    click.option(
        "--threshold",
        "thresholds",
        multiple=True,
        type=_Threshold(),
        metavar="NAME=VALUE",
        help="Score (0..1) from which on a case passes, by metric or scorer; repeat for several.",
    ),
    click.option(
        "--repeats",
        default=1,
        show_default=True,
        type=click.IntRange(1, MOST_REPEATS),
        help="How often every score that asks a judge is taken.",
    ),
    click.option(
        "--wiring",
        default="stock",
        show_default=True,
        type=click.Choice(["stock", "lean"]),
        help="stock: frameworks as they ship; lean: without what does not change a score.",
    ),
)
"""What scores a suite, and how often; a study can say it all."""

TIME_OPTIONS = (
    click.option(
        "--cell-timeout",
        default=1800.0,
        show_default=True,
        type=SECONDS,
        help="Seconds that one score may take, waiting for its turn included.",
    ),
    click.option(
        "--framework-timeout",
        default=21600.0,
        show_default=True,
        type=SECONDS,
        help="Seconds that one framework may take for the whole suite.",
    ),
    click.option(
        "--run-timeout",
        metavar="SECONDS",
        type=SECONDS,
        help="Seconds that the whole run may take, all its judges included.",
    ),
)

BUDGET_OPTIONS = (
    click.option(
        "--max-calls",
        type=click.IntRange(min=1),
        metavar="N",
        help="Send at most so many requests to judge and embedding servers, retries included.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="Send none once so many tokens, in and out, were used.",
    ),
    click.option(
        "--max-cost",
        type=_Dollars(min=0, min_open=True),
        metavar="USD",
        help="Send none once so many US dollars were spent.",
    ),
)
"""What a run may spend, its earlier sessions included."""

CACHE_OPTIONS = (
    click.option(
        "--cache-file",
        envvar="EVALPARITY_CACHE_FILE",
        show_envvar=True,
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="The cache of judge answers. Default: answers.sqlite in the user's cache folder.",
    ),
)

ANSWER_OPTIONS = (
    click.option(
        "--no-cache",
        is_flag=True,
        envvar="EVALPARITY_NO_CACHE",
        show_envvar=True,
        help="Ask the judge anew, even what it was asked before.",
    ),
    *CACHE_OPTIONS,
    click.option(
        "--cache-megabytes",
        envvar="EVALPARITY_CACHE_MEGABYTES",
        show_envvar=True,
        default=2048,
        show_default=True,
        type=click.IntRange(min=1),
        help="Size of the cache at most; what was used longest ago goes first.",
    ),
    click.option(
        "--cache-days",
        envvar="EVALPARITY_CACHE_DAYS",
        show_envvar=True,
        default=90,
        show_default=True,
        type=click.IntRange(min=0),
        help="Age of an answer in the cache at most.",
    ),
    click.option(
        "--record",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write all answers of the run into a cassette, for --replay.",
    ),
    click.option(
        "--replay",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Take all answers from a cassette; no server is asked and no key is needed.",
    ),
    click.option(
        "--keep-requests",
        is_flag=True,
        envvar="EVALPARITY_KEEP_REQUESTS",
        show_envvar=True,
        help="Keep what the judge was sent, texts of the suite among it, in the run's ledger.",
    ),
)
"""Where answers come from and go to, beside the judge's servers."""

JUDGE_OPTIONS = (
    click.option(
        "--judge",
        envvar="EVALPARITY_JUDGE",
        show_envvar=True,
        default="lexical",
        show_default=True,
        metavar="lexical|MODEL",
        help="Judge model; lexical is built in and compares words only.",
    ),
    click.option(
        "--judge-url",
        envvar="EVALPARITY_JUDGE_URL",
        show_envvar=True,
        metavar="URL",
        help="Base URL of an OpenAI-compatible server (…/v1).",
    ),
    click.option(
        "--judge-key-file",
        envvar="EVALPARITY_JUDGE_KEY_FILE",
        show_envvar=True,
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File with the judge's key; else EVALPARITY_JUDGE_API_KEY is used.",
    ),
    click.option(
        "--judge-timeout",
        envvar="EVALPARITY_JUDGE_TIMEOUT",
        show_envvar=True,
        default=600.0,
        show_default=True,
        type=SECONDS,
        help="Seconds that one judge reply may take.",
    ),
    click.option(
        "--embedding-model",
        envvar="EVALPARITY_EMBEDDING_MODEL",
        show_envvar=True,
        metavar="MODEL",
        help="Embedding model for answer relevancy; `lexical` is built in.",
    ),
    click.option(
        "--embedding-url",
        envvar="EVALPARITY_EMBEDDING_URL",
        show_envvar=True,
        metavar="URL",
        help="Its base URL; default: the judge's.",
    ),
    click.option(
        "--embedding-key-file",
        envvar="EVALPARITY_EMBEDDING_KEY_FILE",
        show_envvar=True,
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="File with the key of another embedding host; else EVALPARITY_EMBEDDING_API_KEY is used.",
    ),
    click.option(
        "--prices",
        envvar="EVALPARITY_PRICES",
        show_envvar=True,
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Your own prices (docs/prices.md), before those of the public table.",
    ),
    click.option(
        "--max-output-tokens",
        envvar="EVALPARITY_MAX_OUTPUT_TOKENS",
        show_envvar=True,
        default=4096,
        show_default=True,
        type=click.IntRange(1, 1_000_000),
        help="Limit of every judge reply.",
    ),
    click.option(
        "--concurrency",
        envvar="EVALPARITY_CONCURRENCY",
        show_envvar=True,
        default=16,
        show_default=True,
        type=click.IntRange(1, 1000),
        help="Judge calls in flight, shared fairly by the frameworks.",
    ),
    click.option(
        "--requests-per-minute",
        envvar="EVALPARITY_REQUESTS_PER_MINUTE",
        show_envvar=True,
        metavar="N",
        type=click.IntRange(min=1),
        help="Requests to each server in any minute at most.",
    ),
    click.option(
        "--tokens-per-minute",
        envvar="EVALPARITY_TOKENS_PER_MINUTE",
        show_envvar=True,
        metavar="N",
        type=click.IntRange(min=1),
        help="Tokens, in and out, of each server in any minute at most.",
    ),
)
"""How a command is told which judge to ask; each can also be set by its environment variable."""

READ_OPTIONS = (
    click.option(
        "--skip-bad-rows", is_flag=True, help="Leave out rows with a problem, each named, instead of refusing the file."
    ),
    click.option(
        "--allow-files", is_flag=True, help="Let a file name others outside of its own folder, as promptfoo's may."
    ),
    click.option(
        "--list-separator",
        metavar="TEXT",
        help="What stands between the texts of one cell of a table, as '|' or '\\n'; '' for one text a cell.",
    ),
)
"""What is allowed when a test set is read."""


def adding(*options: Callable[[Any], Any]) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Return what adds options to a command, in this order."""

    def add(command: Callable[P, None]) -> Callable[P, None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


read_options = adding(*READ_OPTIONS)
"""Add the options that say what is allowed when a test set is read."""

scoring_options = adding(*STUDY_OPTIONS, *JUDGE_OPTIONS, *TIME_OPTIONS, *BUDGET_OPTIONS, *READ_OPTIONS)
"""Add the options that say what scores a suite, how and by which judge."""

answer_options = adding(*ANSWER_OPTIONS)
"""Add the options that say where answers come from and go to."""
