"""The command line: parse, call, print. Whatever is heavy is imported inside the command that needs it."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec

import click

from evalparity.comparisons.render.inert import inert

P = ParamSpec("P")

_READER_GONE = 141
"""What a shell reports for a program whose reader closed the pipe."""

EXIT_CODES = """\b
Exit codes, the first that holds:
  130  interrupted; `evalparity report RUN` reads what was done
    2  wrong usage, or the suite has an error
    3  some cells errored, or a named framework is not installed
    0  done
"""

RUN_EXAMPLES = """\b
Examples:
  evalparity run examples/refund_policy/suite.yaml
  evalparity run suite.yaml --framework ragas --framework deepeval --metric faithfulness
  evalparity run suite.yaml --judge qwen3 --judge-url http://localhost:11434/v1
"""


def main() -> None:
    """Run the command line, turning every foreseen error into a message and an exit code."""
    try:
        cli(standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", 130)
    except BrokenPipeError:
        # The reader had enough (`evalparity report RUN | head`). Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_READER_GONE)
    except Exception as error:
        # Imported only when something was raised: `--help` must not wait for the schema.
        from evalparity.unified_schema.errors import EvalparityError  # noqa: PLC0415

        if not isinstance(error, EvalparityError):
            raise
        _fail(str(error), 2)


def _fail(message: str, code: int) -> None:
    _tell(f"evalparity: {message}")
    sys.exit(code)


def _tell(message: str) -> None:
    """Write to standard error; ids and texts of a suite may be part of a message and must not move the cursor."""
    for line in message.split("\n"):
        click.echo(inert(line), err=True)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, epilog=EXIT_CODES)
@click.version_option(package_name="evalparity")
def cli() -> None:
    """Score one RAG test set with Ragas, DeepEval and Promptfoo, with the same judge, in one report."""


def judge_options(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options that name the judge."""
    for option in reversed(
        (
            click.option(
                "--judge",
                envvar="EVALPARITY_JUDGE",
                default="lexical",
                show_default=True,
                metavar="lexical|MODEL",
                help="Judge model; lexical is built in and compares words only.",
            ),
            click.option(
                "--judge-url",
                envvar="EVALPARITY_JUDGE_URL",
                metavar="URL",
                help="Base URL of an OpenAI-compatible server (…/v1).",
            ),
            click.option(
                "--judge-key-file",
                envvar="EVALPARITY_JUDGE_KEY_FILE",
                metavar="FILE",
                type=click.Path(path_type=Path, dir_okay=False),
                help="File with the judge's key; else EVALPARITY_JUDGE_API_KEY is used.",
            ),
            click.option(
                "--embedding-model",
                envvar="EVALPARITY_EMBEDDING_MODEL",
                metavar="MODEL",
                help="Embedding model for answer relevancy; `lexical` is built in.",
            ),
            click.option(
                "--embedding-url",
                envvar="EVALPARITY_EMBEDDING_URL",
                metavar="URL",
                help="Its base URL; default: the judge's.",
            ),
            click.option(
                "--max-output-tokens",
                envvar="EVALPARITY_MAX_OUTPUT_TOKENS",
                default=4096,
                show_default=True,
                type=click.IntRange(1),
                help="Limit of every judge reply.",
            ),
            click.option(
                "--concurrency",
                envvar="EVALPARITY_CONCURRENCY",
                default=16,
                show_default=True,
                type=click.IntRange(1),
                help="Judge calls in flight, shared fairly by the frameworks.",
            ),
        )
    ):
        command = option(command)
    return command


FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    show_default=True,
    help="What to print.",
)


@cli.command(epilog="Example: evalparity validate examples/refund_policy/suite.yaml")
@click.argument("suite", type=click.Path(path_type=Path))
def validate(suite: Path) -> None:
    """Check a suite file and say everything that is wrong with it."""
    from evalparity.unified_schema import load_suite  # noqa: PLC0415 - heavy

    loaded = load_suite(suite)
    for note in loaded.notes:
        _tell(f"note: {note}")
    click.echo(f"{suite}: {len(loaded.suite.cases)} cases, no errors")


@cli.command(epilog=RUN_EXAMPLES)
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--framework",
    "frameworks",
    multiple=True,
    metavar="NAME",
    help="A name of `evalparity adapters`; repeat for several. Default: all that are installed.",
)
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    help="A metric of `evalparity adapters --table`; repeat for several. Default: all.",
)
@judge_options
@click.option(
    "--cell-timeout",
    default=1800.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Seconds that one score may take, waiting for its turn included.",
)
@click.option(
    "--framework-timeout",
    default=21600.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Seconds that one framework may take for the whole suite.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Run folder to make. Default: runs/DATE-TIME.",
)
@FORMAT
def run(form: str, **options: Any) -> None:  # noqa: ANN401 - click's options, checked by click
    """Score a suite with every framework and print the report."""
    from evalparity.comparisons.command_run import exit_code, run_command  # noqa: PLC0415 - heavy

    report, interrupted = run_command(dict(os.environ), **options)
    _print_report(report, form)
    sys.exit(130 if interrupted else exit_code(report))


@cli.command(epilog="Example: evalparity report runs/demo --format json")
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@FORMAT
def report(run_folder: Path, form: str) -> None:
    """Print the report of a run folder, finished or not."""
    from evalparity.comparisons.run_folder import read_report  # noqa: PLC0415 - heavy

    _print_report(read_report(run_folder), form)


def _print_report(report: Any, form: str) -> None:  # noqa: ANN401 - a Report; naming it would import it
    from evalparity.comparisons.render import json_report, terminal  # noqa: PLC0415 - heavy

    if form == "json":
        click.echo(json_report.render_json(report), nl=False)
        return
    width = shutil.get_terminal_size((terminal.WIDEST, 0)).columns
    colour = terminal.wants_colour(sys.stdout, os.environ)
    click.echo(terminal.render_terminal(report, width=width, colour=colour), nl=False, color=colour)


@cli.group(invoke_without_command=True)
@click.option("--table", is_flag=True, help="Show which framework measures what, and how it differs.")
@click.pass_context
def adapters(context: click.Context, *, table: bool) -> None:
    """Show the frameworks, their versions and what each can measure."""
    if context.invoked_subcommand is not None:
        return
    from evalparity.comparisons.render import capabilities  # noqa: PLC0415 - heavy

    click.echo(capabilities.render_table() if table else capabilities.render_versions())


@adapters.command()
def install() -> None:
    """Install what the frameworks need beyond Python packages (Promptfoo's Node package), once."""
    from evalparity.adapters.registry import ADAPTERS, load_adapter  # noqa: PLC0415 - heavy

    for name in ADAPTERS:
        adapter = load_adapter(name)
        if adapter.install is not None and adapter.installed_version() is not None:
            adapter.install(functools.partial(click.echo, err=True))
