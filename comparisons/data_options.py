"""Options of the commands that make and change test sets."""

from __future__ import annotations

from pathlib import Path

import click

from evalparity.comparisons.cli_options import READ_OPTIONS, SECONDS, adding

record_options = adding(
    click.option(
        "--app",
        required=True,
        metavar="PACKAGE.MODULE:FUNCTION",
        help="What answers a question: a function, sync or async; found from the current folder.",
    ),
    click.option(
        "--out",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Suite to write, .yaml or .json. Default: NAME.recorded.yaml beside the suite.",
    ),
    click.option("--case", "cases", multiple=True, metavar="ID", help="Ask this case only; repeat for several."),
    click.option("--overwrite", is_flag=True, help="Ask also for cases that have an output already."),
    click.option(
        "--resume",
        is_flag=True,
        help="Go on with an earlier recording: ask only what it holds no answer of.",
    ),
    click.option("--fresh", is_flag=True, help="Throw an earlier recording away."),
    click.option(
        "--accept-changes",
        is_flag=True,
        help="With --resume: keep earlier answers although the application's files changed since.",
    ),
    click.option(
        "--concurrency",
        default=1,
        show_default=True,
        type=click.IntRange(1, 1000),
        help="Calls at the same time; a function that is not async is then called in several threads.",
    ),
    click.option(
        "--timeout",
        default=120.0,
        show_default=True,
        type=SECONDS,
        help="Seconds that one call may take.",
    ),
    click.option(
        "--retries",
        default=1,
        show_default=True,
        type=click.IntRange(0, 20),
        help="Further calls, after growing waits, for a case whose call raised or was late.",
    ),
    *READ_OPTIONS,
)
"""Add the options that say how an application is recorded."""

convert_options = adding(
    click.option("--to", metavar="KIND", help="Kind of file to write. Default: by the ending of TARGET."),
    click.option(
        "--losses",
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write what the target cannot hold, case by case, as JSON.",
    ),
    click.option("--overwrite", is_flag=True, help="Replace TARGET if it is there."),
    click.option(
        "--model", metavar="NAME", help="Only the answers of this model, where the cases name one (metadata.model_id)."
    ),
    click.option(
        "--suite",
        metavar="SUITE",
        type=click.Path(path_type=Path),
        help="With --to run: the suite whose answers the RESULTS are scores of.",
    ),
    click.option(
        "--out",
        metavar="RUN",
        type=click.Path(path_type=Path),
        help="With --to run: run folder to make. Default: runs/DATE-TIME.",
    ),
    *READ_OPTIONS,
)
"""Add the options that say how a test set is converted."""
