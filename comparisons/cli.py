"""The command line: parse, call, print. Whatever is heavy is imported inside the command that needs it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from evalparity.comparisons.cli_options import (
    CACHE_OPTIONS,
    FORMAT,
    adding,
    answer_options,
    asked_for,
    read_options,
    scoring_options,
)
from evalparity.comparisons.data_options import convert_options, record_options
from evalparity.comparisons.messages import silence, tell

_READER_GONE = 141
"""What a shell reports for a program whose reader closed the pipe."""

EXIT_CODES = """\b
Exit codes, the first that holds:
  130  interrupted; `evalparity report RUN` reads what was done
    2  wrong usage, or the suite has an error
    4  the budget was reached (--max-calls, --max-tokens, --max-cost)
    3  some cells errored, or a named framework is not installed; a case could not be recorded
    0  done
"""

RUN_EXAMPLES = """\b
Examples:
  evalparity run examples/refund_policy/suite.yaml
  evalparity run suite.yaml --framework ragas --framework deepeval --metric faithfulness
  evalparity run suite.yaml --study study.yaml --metric all --threshold faithfulness=0.8
  evalparity run suite.yaml --judge qwen3 --judge-url http://localhost:11434/v1
  evalparity run suite.yaml --judge gpt-4.1-mini --max-cost 2.50 --record answers.cassette
  evalparity run --resume runs/20261201-093000
"""

CONVERT_EXAMPLES = """\b
Examples:
  evalparity convert goldens.json suite.yaml
  evalparity convert suite.yaml dataset.jsonl --to ragas
  evalparity convert suite.yaml promptfoo/ --to promptfoo --losses losses.json
  evalparity convert ragas.csv deepeval.json --suite suite.yaml --to run --out runs/imported
"""

RECORD_EXAMPLES = """\b
Examples:
  evalparity record suite.yaml --app your_rag_app:rag_pipeline
  evalparity record suite.yaml --app shop.rag:answer --concurrency 8 --timeout 30 --out today.yaml
  evalparity record suite.yaml --app shop.rag:answer --resume
"""

REPORT_EXAMPLES = """\b
Examples:
  evalparity report runs/demo
  evalparity report runs/demo --case cut-before-the-prompt
  evalparity report runs/demo --format json
"""

DOCTOR_EXAMPLES = """\b
Examples:
  evalparity adapters doctor
  evalparity adapters doctor --judge qwen3 --judge-url http://localhost:11434/v1 --embedding-model nomic-embed-text
  evalparity adapters doctor --study study.yaml
"""

PLAN_EXAMPLES = """\b
Examples:
  evalparity plan examples/refund_policy/suite.yaml
  evalparity plan suite.yaml --judge gpt-4.1-mini --metric all --scorer all
  evalparity plan suite.yaml --study study.yaml --rehearse 0 --format json
"""


def main() -> None:
    """Run the command line, turning every foreseen error into a message and an exit code."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        # A terminal that cannot show a character gets its code instead of an error.
        stream.reconfigure(errors="backslashreplace")
    try:
        cli(standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", 130)
    except Exception as error:
        # Imported only when something was raised: `--help` must not wait for the schema.
        from evalparity.unified_schema.errors import EvalparityError  # noqa: PLC0415

        if not isinstance(error, EvalparityError):
            raise
        _fail(str(error), 2)


def _fail(message: str, code: int) -> None:
    tell(f"evalparity: {message}")
    sys.exit(code)


def _print(text: str, *, colour: bool = False) -> None:
    """Write a result to standard output."""
    try:
        click.echo(text, nl=False, color=colour)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader had enough (`evalparity report RUN | head`); Python would complain again when it closes the stream.
        silence(sys.stdout)
        sys.exit(_READER_GONE)
    except OSError as error:
        silence(sys.stdout)
        _fail(f"standard output cannot be written ({error.strerror})", 2)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, epilog=EXIT_CODES)
@click.version_option(package_name="evalparity")
def cli() -> None:
    """Score one RAG test set with Ragas, DeepEval and Promptfoo, with the same judge, in one report."""


@cli.command(epilog="Example: evalparity validate examples/refund_policy/suite.yaml")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--schema", is_flag=True, help="Print the JSON Schema of suites, by which editors complete and check.")
@read_options
def validate(file: Path | None, *, schema: bool, **options: Any) -> None:  # noqa: ANN401 - click's options, checked by click
    """Check a suite, a study or another tool's test set and say everything that is wrong with it."""
    from evalparity.comparisons.commands.validate import schema_text, validate_command  # noqa: PLC0415 - heavy
    from evalparity.comparisons.reading_options import reading_of  # noqa: PLC0415 - heavy

    if schema == (file is not None):
        raise click.UsageError("name one FILE to check, or give --schema alone.")
    _print(schema_text() if file is None else validate_command(file, reading_of(options)))


@cli.command(epilog=CONVERT_EXAMPLES)
@click.argument("paths", metavar="SOURCE TARGET | RESULTS...", nargs=-1, required=True, type=click.Path(path_type=Path))
@convert_options
def convert(paths: tuple[Path, ...], to: str | None, suite: Path | None, out: Path | None, **options: Any) -> None:  # noqa: ANN401 - click's options, checked by click
    """Read a test set of any kind that is known, and write it as another tool reads it.

    With `--to run`, read the scores that frameworks wrote into RESULTS, and make a run folder of them for `report`.
    """
    from evalparity.comparisons.commands import convert as command  # noqa: PLC0415 - heavy
    from evalparity.comparisons.reading_options import reading_of  # noqa: PLC0415 - heavy
    from evalparity.comparisons.render import convert_view  # noqa: PLC0415 - heavy

    losses, overwrite, model = options.pop("losses"), options.pop("overwrite"), options.pop("model")
    if to == command.RUN:
        _print(convert_view.render_imported(command.import_command(paths, suite, out, reading_of(options))))
        return
    source, target = command.source_and_target(paths, suite, out)
    converted = command.convert_command(source, target, to, reading_of(options), overwrite=overwrite, model=model)
    if losses is not None:
        command.write_losses(converted.losses, losses)
    _print(convert_view.render_converted(converted))


@cli.command(epilog=RECORD_EXAMPLES)
@click.argument("suite", type=click.Path(path_type=Path))
@record_options
def record(suite: Path, **options: Any) -> None:  # noqa: ANN401 - click's options, checked by click
    """Ask your own RAG application every question of a suite, and write the suite with its answers.

    The function gets the question and returns the answer as text, contexts and answer, or a mapping (docs/record.md).
    It runs in a process of its own, which never sees the judge's key.
    """
    from evalparity.comparisons.commands.record import RecordOptions, exit_code, record_command  # noqa: PLC0415 - heavy
    from evalparity.comparisons.reading_options import take_reading  # noqa: PLC0415 - heavy
    from evalparity.comparisons.render.record_view import render_summary  # noqa: PLC0415 - heavy

    if options["resume"] and options["fresh"]:
        raise click.UsageError("--resume and --fresh exclude each other: go on with a recording, or throw it away.")
    reading = take_reading(options)
    summary = record_command(suite, RecordOptions(**options, reading=reading), dict(os.environ))
    _print(render_summary(summary))
    sys.exit(exit_code(summary))


@cli.command(epilog=RUN_EXAMPLES)
@click.argument("suite", required=False, type=click.Path(path_type=Path))
@scoring_options
@answer_options
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Run folder to make. Default: runs/DATE-TIME.",
)
@click.option(
    "--preflight/--no-preflight",
    default=True,
    show_default=True,
    help="Ask the judge one question before any score is taken, and stop if it cannot be used.",
)
@click.option(
    "--resume",
    metavar="RUN",
    type=click.Path(path_type=Path),
    help="Bring a run that was stopped to its end, in place of a new one.",
)
@click.option("--retry-errors", is_flag=True, help="With --resume: run cells that ended in an error again, too.")
@FORMAT
@click.pass_context
def run(context: click.Context, /, suite: Path | None, form: str, **options: Any) -> None:  # noqa: ANN401 - click's options, checked by click
    """Score a suite with every framework and print the report."""
    from evalparity.comparisons.commands.resume import resume_command  # noqa: PLC0415 - heavy
    from evalparity.comparisons.commands.run import exit_code, run_command  # noqa: PLC0415 - heavy

    resume, out, retry = options.pop("resume"), options.pop("out"), options.pop("retry_errors")
    preflight = options.pop("preflight")
    _check_resume(suite, resume, out, retry_errors=retry)
    asked = asked_for(context, options)
    if resume is not None:
        report, interrupted = resume_command(resume, asked, dict(os.environ), retry_errors=retry)
    else:
        assert suite is not None
        report, interrupted = run_command(suite, asked, dict(os.environ), out=out, preflight=preflight)
    _print_report(report, form)
    sys.exit(130 if interrupted else exit_code(report))


def _check_resume(suite: Path | None, resume: Path | None, out: Path | None, *, retry_errors: bool) -> None:
    if (suite is None) == (resume is None):
        raise click.UsageError("name one SUITE to run, or give --resume RUN alone.")
    if resume is not None and out is not None:
        raise click.UsageError("--resume writes into the folder of the run: leave --out off.")
    if resume is None and retry_errors:
        raise click.UsageError("--retry-errors goes with --resume RUN.")


@cli.command(epilog=PLAN_EXAMPLES)
@click.argument("suite", type=click.Path(path_type=Path))
@scoring_options
@click.option(
    "--rehearse",
    "most",
    default=20,
    show_default=True,
    type=click.IntRange(0, 1_000_000),
    metavar="N",
    help="Cases of each scorer to rehearse on the lexical judge, to estimate tokens; 0: start no framework.",
)
@FORMAT
@click.pass_context
def plan(context: click.Context, /, suite: Path, most: int, form: str, **options: Any) -> None:  # noqa: ANN401 - as above
    """Show what `run` would do and cost, before anything is spent: takes the same options, needs no key."""
    from evalparity.comparisons.commands.plan import exit_code, plan_command  # noqa: PLC0415 - heavy

    planned = plan_command(suite, asked_for(context, options), dict(os.environ), most=most)
    _print_plan(planned, form)
    sys.exit(exit_code(planned))


def _print_plan(planned: Any, form: str) -> None:  # noqa: ANN401 - a PlanReport; naming it would import it
    from evalparity.comparisons.render import plan_terminal  # noqa: PLC0415 - heavy

    if form == "json":
        _print(planned.model_dump_json(indent=2) + "\n")
    else:
        _print_screen(plan_terminal.render_plan, planned)


@cli.command(epilog=REPORT_EXAMPLES)
@click.argument("run_folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--case", "cases", multiple=True, metavar="ID", help="Show all that is known of this case; repeat for several."
)
@FORMAT
def report(run_folder: Path, cases: tuple[str, ...], form: str) -> None:
    """Print the report of a run folder, finished or not, or everything about single cases."""
    from evalparity.comparisons.run_folder import read_report  # noqa: PLC0415 - heavy

    found = read_report(run_folder)
    if cases:
        _print_cases(run_folder, found, cases, form)
    else:
        _print_report(found, form)


def _print_cases(folder: Path, report: Any, cases: tuple[str, ...], form: str) -> None:  # noqa: ANN401 - as below
    from evalparity.comparisons.commands.case import shown_cases  # noqa: PLC0415 - heavy
    from evalparity.comparisons.render import case_view, json_report  # noqa: PLC0415 - heavy

    shown = shown_cases(folder, report, cases)
    if form == "json":
        _print(json_report.render_cells([cell for one in shown for cell in one.cells]))
    else:
        _print_screen(case_view.render_cases, shown)


def _print_report(report: Any, form: str) -> None:  # noqa: ANN401 - a Report; naming it would import it
    from evalparity.comparisons.render import json_report, terminal  # noqa: PLC0415 - heavy

    if form == "json":
        _print(json_report.render_json(report))
    else:
        _print_screen(terminal.render_terminal, report)


def _print_screen(render: Any, shown: Any) -> None:  # noqa: ANN401 - a view and what it shows, whatever that is
    """Write a view that fits the terminal, in colour where that is wanted."""
    from evalparity.comparisons.render import terminal  # noqa: PLC0415 - heavy

    width = shutil.get_terminal_size((terminal.WIDEST, 0)).columns
    colour = sys.stdout is not None and terminal.wants_colour(sys.stdout, os.environ)
    _print(render(shown, width=width, colour=colour), colour=colour)


@cli.group(invoke_without_command=True)
@click.option("--table", is_flag=True, help="Show which framework measures what, and how it differs.")
@click.option("--metric", metavar="NAME", help="Show that table for one metric only.")
@click.pass_context
def adapters(context: click.Context, *, table: bool, metric: str | None) -> None:
    """Show the frameworks, their versions and what each can measure."""
    if context.invoked_subcommand is not None:
        return
    from evalparity.comparisons.render import capabilities  # noqa: PLC0415 - heavy

    shown = capabilities.render_table(metric) if table or metric is not None else capabilities.render_versions()
    _print(shown + "\n")


@cli.group()
def cache() -> None:
    """Show or empty the cache of judge answers, by which no answer is paid for twice."""


@cache.command()
@adding(*CACHE_OPTIONS)
def stats(**options: Any) -> None:  # noqa: ANN401 - as above
    """Show where the cache stands, how many answers it holds, and how much room they take."""
    from evalparity.comparisons.commands.cache import stats_text  # noqa: PLC0415 - heavy

    _print(stats_text(options))


@cache.command()
@adding(*CACHE_OPTIONS)
@click.option("--older-than", type=click.FloatRange(min=0), metavar="DAYS", help="Only what came before that.")
def clear(older_than: float | None, **options: Any) -> None:  # noqa: ANN401 - as above
    """Take answers out of the cache: all, or those of a certain age."""
    from evalparity.comparisons.commands.cache import clear_text  # noqa: PLC0415 - heavy

    _print(clear_text(options, older_than=older_than))


@adapters.command()
def install() -> None:
    """Install what the frameworks need beyond Python packages (Promptfoo's Node package), once."""
    from evalparity.adapters.registry import adapter_names, load_adapter  # noqa: PLC0415 - heavy

    for name in adapter_names():
        adapter = load_adapter(name)
        if adapter.install is not None and adapter.installed_version() is not None:
            adapter.install(tell)


@adapters.command(epilog=DOCTOR_EXAMPLES)
@scoring_options
@click.pass_context
def doctor(context: click.Context, /, **options: Any) -> None:  # noqa: ANN401 - as above
    """Look at all that a run needs: frameworks, folders, judge and embedding model. Takes the options of `run`.

    Each framework is started, and the judge is asked one question; no score is taken. Exit code 0, or 2 where a run
    would fail.
    """
    from evalparity.comparisons.commands.doctor import doctor_command, exit_code  # noqa: PLC0415 - heavy
    from evalparity.comparisons.render.doctor_view import render_checks  # noqa: PLC0415 - heavy

    checks = doctor_command(asked_for(context, options), dict(os.environ), tell)
    _print_screen(render_checks, checks)
    sys.exit(exit_code(checks))
