"""From the claims of result files to the cells of a run, planned and settled; no judge is asked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from evalparity.adapters.base import Binding, Reading
from evalparity.adapters.exchange import NativeScore
from evalparity.comparisons.importing.gathering import UNNAMED, Claim, Gathered
from evalparity.comparisons.running.normalise import to_score
from evalparity.comparisons.running.plan import PlannedCell
from evalparity.comparisons.running.settle import Settled, to_outcome
from evalparity.unified_schema.cases import EvalCase, EvalSuite
from evalparity.unified_schema.outcomes import ERROR_KINDS, SKIP_KINDS, Details, JudgeUsage

NOT_COUNTED = JudgeUsage(
    input_tokens=None,
    cached_tokens=None,
    reasoning_tokens=None,
    output_tokens=None,
    embedding_tokens=None,
    cost_usd=None,
    requested_usd=None,
)
"""No call went through the gateway; what the calls of whoever took the score cost is not known."""

_KINDS = {**ERROR_KINDS, **SKIP_KINDS}
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCell:
    """A cell whose score was read from a file.

    Attributes:
        cell: as a run would have planned it.
        judge: name of the judge, for `judge_model`.
        settled: its end.
    """

    cell: PlannedCell
    judge: str
    settled: Settled


def judges_of(gathered: Gathered) -> tuple[str, ...]:
    """Return the judges of a run that these scores make up, in the order of the files.

    Where the files name one judge or none, all scores count as taken by one: a file that names none then says nothing
    against it. Where they name several, scores without a judge stand by themselves.
    """
    told = list(dict.fromkeys(judge for _, judge, _ in gathered.claims if judge is not None))
    named = [judge for judge in told if judge != UNNAMED]
    return tuple(told if len(named) > 1 else named or [UNNAMED])


def import_cells(gathered: Gathered, suite: EvalSuite) -> Iterator[ImportedCell]:
    """Yield a cell for every case of the suite, scorer, judge and repeat that the files hold any score of.

    The first file with a scorer and judge is its first repeat, the next the second: one file may stand for one run.
    """
    judges = judges_of(gathered)
    repeats: dict[tuple[str, str], int] = {}
    for (scorer, judge, _), claims in sorted(gathered.claims.items(), key=lambda one: one[0][2]):
        name = judge if judge in judges else judges[0]
        repeat = repeats.get((scorer, name), 0)
        repeats[(scorer, name)] = repeat + 1
        any_claim = next(iter(claims.values()))
        for case in suite.cases:
            yield _cell(case, claims.get(case.id), any_claim, name, repeat)


def _cell(case: EvalCase, claim: Claim | None, other: Claim, judge: str, repeat: int) -> ImportedCell:
    binding = other.binding
    cell = PlannedCell(
        case=case,
        binding=binding,
        framework=binding.scorer.partition(":")[0],
        repeat=repeat,
        threshold=_threshold((claim or other).scores[0], binding),
    )
    outcome = to_outcome(cell, _reading(claim, other.file), judge, NOT_COUNTED)
    return ImportedCell(cell=cell, judge=judge, settled=Settled(outcome=outcome))


def _reading(claim: Claim | None, file: str) -> Reading:
    if claim is None:
        return Reading(kind="not_in_results", reason=f"no row of {file} belongs to this case")
    if len(claim.scores) > 1:
        said = ", ".join(f"{_shown(score)} ({score.place})" for score in claim.scores[:_SHOWN])
        return Reading(kind="framework_error", reason=f"rows of {file} contradict each other: {said}; keep one of them")
    (score,) = claim.scores
    raw, kind, reason = _finite(score.raw), score.kind, score.reason
    if kind is not None and kind not in _KINDS:
        kind, reason = "framework_error", f"{kind}: {reason}"
    if kind is None and raw is None:
        kind = "framework_error"
        reason = reason or f"the file has {_shown(score)} here, and does not say why"
    return Reading(raw=raw, kind=kind, reason=reason, details=_details(score, file))


def _details(score: NativeScore, file: str) -> Details:
    notes = [f"read from {file}, {score.place}"]
    if score.judge_model is not None:
        notes.append(f"judged by {score.judge_model}, as the file says")
    return score.details.model_copy(update={"notes": (*score.details.notes, *notes)})


def _finite(raw: float | None) -> float | None:
    return raw if raw is not None and math.isfinite(raw) else None


def _shown(score: NativeScore) -> str:
    if score.raw is None:
        return (score.kind or "no number").replace("_", " ")
    return f"{score.raw:g}" if math.isfinite(score.raw) else "no finite number"


def _threshold(score: NativeScore, binding: Binding) -> float | None:
    """Return the file's threshold on the common scale; None where it has none, or one that is not on the scale."""
    given = score.threshold
    return None if given is None or not math.isfinite(given) else to_score(given, binding.scale).score
