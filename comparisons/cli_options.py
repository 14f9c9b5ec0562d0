"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec

import click

P = ParamSpec("P")


class _Seconds(click.FloatRange):
    """A number of seconds: positive, at most a year, and never `nan`, which no comparison would refuse."""

    name = "seconds"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number of seconds.", param, ctx)
        return number


SECONDS = _Seconds(min=0, min_open=True, max=31_536_000)

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    show_default=True,
    help="What to print.",
)

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
)
"""How a command is told which judge to ask; each can also be set by its environment variable."""


def judge_options(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options that name the judge."""
    for option in reversed(JUDGE_OPTIONS):
        command = option(command)
    return command
