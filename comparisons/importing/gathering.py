"""Gathers the scores of result files into cells: one for each case, scorer, judge and repeat."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evalparity.adapters.base import Binding
from evalparity.adapters.exchange import NativeResults, NativeScore
from evalparity.comparisons.importing.joining import Joiner, Miss, Why
from evalparity.unified_schema.cases import EvalCase
from evalparity.unified_schema.metrics import METRICS
from evalparity.unified_schema.outcomes import Frozen

UNNAMED = "unknown"
"""What the judge of scores is called whose file names none."""

Reason = Why | Literal["unknown_scorer", "repeated", "contradicting"]


class Unused(Frozen):
    """A score of a result file that became no cell, or not by itself."""

    file: str
    place: str
    case: str | None
    """Id in the file, where it has one."""
    scorer: str
    raw: float | None
    why: Reason
    """`unknown_scorer`: no adapter has this scorer, so that its scale is not known; `repeated`: another place has the
    same score; `contradicting`: others have other scores for the same cell; else as the join says."""
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOfScores:
    """A result file that was read.

    Attributes:
        file: path as the user gave it.
        results: what it holds.
    """

    file: str
    results: Sequence[NativeResults]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Scores of one file for one cell; more than one where its rows contradict each other.

    Attributes:
        file: the file.
        case: whose score it is.
        binding: how it was taken.
        judge: as the file names it, else `UNNAMED`; None where the scorer asks none.
        scores: the score, or the different ones.
    """

    file: str
    case: EvalCase
    binding: Binding
    judge: str | None
    scores: tuple[NativeScore, ...]


@dataclass(slots=True)
class Gathered:
    """What the files came to.

    Attributes:
        claims: by scorer, judge and number of the file, then by case; every place that is used is in one of them.
        unused: every place that is not.
        versions: of each framework, as the files say; more than one where they differ.
    """

    claims: dict[tuple[str, str | None, int], dict[str, Claim]] = field(default_factory=dict)
    unused: list[Unused] = field(default_factory=list)
    versions: dict[str, dict[str, None]] = field(default_factory=dict)


def gather(files: Sequence[FileOfScores], joiner: Joiner, bindings: Mapping[str, Binding]) -> Gathered:
    """Return the claims of all files, and everything that is none.

    Args:
        files: as they were read, in the order given.
        joiner: finds cases.
        bindings: by scorer, of all adapters.
    """
    gathered = Gathered()
    for number, one in enumerate(files):
        for results in one.results:
            used = _take(number, one.file, results, joiner, bindings, gathered)
            if used and results.version is not None:
                gathered.versions.setdefault(results.framework, {}).setdefault(results.version)
    return gathered


def _take(
    number: int,
    file: str,
    results: NativeResults,
    joiner: Joiner,
    bindings: Mapping[str, Binding],
    gathered: Gathered,
) -> int:
    """Take the scores of one framework in one file; return how many became claims."""
    rows: dict[tuple[str, str | None, str], list[NativeScore]] = {}
    cases: dict[str, EvalCase] = {}
    for score in results.scores:
        binding = bindings.get(score.scorer)
        found = joiner.find(score.case, METRICS[binding.metric].requires) if binding is not None else _unknown(score)
        if isinstance(found, Unused):
            gathered.unused.append(found.model_copy(update={"file": file}))
        elif isinstance(found, Miss):
            gathered.unused.append(_unused(file, score, found.why, found.told))
        else:
            judge = (score.judge_model or UNNAMED) if binding is not None and binding.asks_judge else None
            rows.setdefault((score.scorer, judge, found.id), []).append(score)
            cases[found.id] = found
    for (scorer, judge, case_id), scores in rows.items():
        claim = Claim(file=file, case=cases[case_id], binding=bindings[scorer], judge=judge, scores=_different(scores))
        gathered.unused.extend(_set_aside(claim, scores))
        gathered.claims.setdefault((scorer, judge, number), {})[case_id] = claim
    return len(rows)


def _unknown(score: NativeScore) -> Unused:
    told = "no adapter knows this scorer, and so not the scale of its scores"
    return _unused("", score, "unknown_scorer", told)


def _unused(file: str, score: NativeScore, why: Reason, told: str) -> Unused:
    given = score.case.get("id")
    return Unused(
        file=file,
        place=score.place,
        case=None if given is None else str(given),
        scorer=score.scorer,
        raw=score.raw if score.raw is not None and math.isfinite(score.raw) else None,
        why=why,
        told=told,
    )


def _different(scores: Sequence[NativeScore]) -> tuple[NativeScore, ...]:
    """Return the first of the scores that say the same, for each thing that is said."""
    first: dict[tuple[str, str | None], NativeScore] = {}
    for score in scores:
        first.setdefault((repr(score.raw), score.kind), score)
    return tuple(first.values())


def _set_aside(claim: Claim, scores: Sequence[NativeScore]) -> Iterator[Unused]:
    """Yield the rows of a cell that are not its score: all where they contradict each other."""
    if len(claim.scores) > 1:
        told = f"is one of {len(scores)} rows for case {claim.case.id}, which do not say the same"
        yield from (_unused(claim.file, score, "contradicting", told) for score in scores)
        return
    told = f"says again what {claim.scores[0].place} says of case {claim.case.id}"
    for score in scores:
        if score is not claim.scores[0]:
            yield _unused(claim.file, score, "repeated", told)
