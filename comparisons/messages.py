"""What is said beside the result: one line at a time on standard error, harmless and never in the way."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import click

from evalparity.comparisons.render.inert import inert


def tell(message: str) -> None:
    """Write a message to standard error, control codes of a suite's texts written out.

    When nobody reads any more, nothing is written and nothing else happens: a run goes on.
    """
    try:
        for line in message.split("\n"):
            click.echo(inert(line), err=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Send what is still to be written to a stream nowhere: Python would complain when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
