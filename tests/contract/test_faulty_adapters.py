"""An adapter may come from anywhere and fail anywhere: its cells are errored, and those of the others are not."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from evalparity.adapters.base import Adapter
from evalparity.adapters.registry import load_adapter
from evalparity.comparisons.running.plan import make_plan
from evalparity.comparisons.running.settle import Settled
from support.cases import case, suite
from support.runs import run_cases


def fail(*_arguments: Any) -> Any:
    raise RuntimeError("planted")


def run_with(faulty: Adapter, metric: str, folder: Path) -> dict[str, Settled]:
    """Run a faulty adapter beside one that is not, and return the end of each one's cell."""
    sound = dataclasses.replace(load_adapter("builtin"), name="sound")
    plan = make_plan(
        suite(case()),
        adapters={faulty.name: faulty, "sound": sound},
        versions={faulty.name: "1", "sound": "1"},
        metrics=[metric, "exact_match"],
        has_embeddings=True,
    )
    ended = run_cases(plan, folder)
    assert len(ended) == len(plan.cells)
    return {f"{one.outcome.framework} {one.outcome.metric}": one for one in ended}


@pytest.mark.parametrize("part", ["translate", "read"])
def test_one_without_a_process_that_cannot_translate_or_read(part: str, tmp_path: Path) -> None:
    builtin = load_adapter("builtin")
    binding = dataclasses.replace(builtin.binding("exact_match"), scorer="faulty:exact_match")
    bindings = {"exact_match": (binding,)}
    faulty = dataclasses.replace(builtin, name="faulty", bindings=bindings, **{part: fail})
    ended = run_with(faulty, "exact_match", tmp_path)
    assert ended["sound exact_match"].outcome.status == "scored"
    outcome = ended["faulty exact_match"].outcome
    assert (outcome.status, outcome.kind) == ("errored", "framework_error")
    assert "planted" in (outcome.reason or "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ("translate", "framework_error"),
        ("read", "framework_error"),
        ("command", "framework_crash"),
        ("install", "framework_absent"),
    ],
)
def test_one_with_a_process_of_its_own(part: str, kind: str, tmp_path: Path) -> None:
    deepeval = load_adapter("deepeval")
    faulty = dataclasses.replace(
        deepeval, bindings={"faithfulness": (deepeval.binding("faithfulness"),)}, **{part: fail}
    )
    ended = run_with(faulty, "faithfulness", tmp_path)
    assert ended["sound exact_match"].outcome.status == "scored"
    outcome = ended["deepeval faithfulness"].outcome
    assert (outcome.status, outcome.kind) == ("errored", kind)
    assert "planted" in (outcome.reason or "")
    assert outcome.score is None
