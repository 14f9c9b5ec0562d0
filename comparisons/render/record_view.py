"""What a recording came to, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalparity.comparisons.recording.summary import Summary
from evalparity.comparisons.render.inert import inert


def render_summary(summary: Summary) -> str:
    """Return the result of `evalparity record`: how many cases have an answer, which have none and why; what next."""
    return "".join(f"{line}\n" for line in _lines(summary))


def _lines(summary: Summary) -> Iterator[str]:
    new = summary.answered - summary.resumed
    yield f"recorded {new} of {new + len(summary.failures)} cases that were asked"
    if summary.resumed:
        yield f"took over {summary.resumed} from the journal"
    if summary.kept:
        yield f"kept the output that {summary.kept} had already (--overwrite asks again)"
    if summary.unasked > 0:
        yield f"left {summary.unasked} without an output, as they were not to be asked"
    yield from _listed(f"{len(summary.failures)} without an answer:", summary.failures)
    yield from _listed("noticed:", summary.remarks)
    if summary.log is not None:
        yield f"what the application printed: {summary.log}"
    if summary.file is None:
        yield f"interrupted: the answers stand in {summary.journal}; the same command with --resume goes on"
        return
    if summary.failures:
        yield f"the suite with these answers: {summary.file}; the same command with --resume asks again for the others"
    else:
        yield f"next: evalparity run {summary.file}"


def _listed(head: str, by_case: Mapping[str, str]) -> Iterator[str]:
    if by_case:
        yield head
        yield from (f"  {inert(f'{case_id}: {told}')}" for case_id, told in by_case.items())
