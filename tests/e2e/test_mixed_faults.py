"""Three in ten replies are bad, each in another way: no wrong score, no cell lost, every call and token counted."""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.unified_schema.outcomes import ERROR_KINDS, Outcome
from support.cases import case
from support.judge_faults import (
    BAD_GATEWAY_HTML,
    DISCONNECT,
    EMPTY_CHOICES,
    HANG,
    HTML,
    NULL_CONTENT,
    REFUSAL,
    SERVER_ERROR,
    TRUNCATED_JSON,
    WRONG_TYPE,
    Fault,
    Json,
    cut_off,
    rate_limited,
)
from support.judge_server import JudgeServer
from support.replies import reply_to
from support.runs import FRAMEWORKS, METRICS, plan_cases, run_cases

pytestmark = pytest.mark.slow

SHARE = 0.3
SEED = random.SystemRandom().randrange(10**6)
BAD_IN_ANY_FORM: tuple[Fault, ...] = (
    rate_limited(after=0.01),
    rate_limited(),
    SERVER_ERROR,
    BAD_GATEWAY_HTML,
    DISCONNECT,
    TRUNCATED_JSON,
    HTML,
    EMPTY_CHOICES,
    NULL_CONTENT,
    REFUSAL,
    cut_off('{"verdicts": ['),
    Fault(body=b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'),
)
BAD: tuple[Fault, ...] = (*BAD_IN_ANY_FORM, Fault(text='{"something": "else"}'), Fault(text="x" * 10_000_000))
"""Those by which a prompt that asks for JSON may be answered; where a text is asked for, any text is an answer."""
HANGS = 2
"""Calls that are never answered: each takes its whole time limit."""
TIME_LIMIT = 3.0


class Judge:
    """Replies well or badly by what it is asked and how often it was: the same in whatever order the calls come."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.hung = self.billed = self.cut_connections = 0

    def __call__(self, request: Json, _n: int) -> str | Fault:
        reply = self.reply(request)
        fault = Fault() if isinstance(reply, str) else reply
        self.billed += fault.status == 200 and not fault.disconnect
        self.cut_connections += fault.disconnect
        return reply

    def reply(self, request: Json) -> str | Fault:
        content = json.dumps(request["messages"])
        self.asked[content] += 1
        chance = random.Random(hashlib.sha256(f"{SEED}{self.asked[content]}{content}".encode()).digest())
        good = reply_to(request)
        if chance.random() >= SHARE:
            return good if chance.random() < 0.9 else of_wrong_type(good)  # which is good all the same
        if self.hung < HANGS and chance.random() < 0.1:
            self.hung += 1
            return HANG
        return chance.choice(BAD if good.startswith("{") else BAD_IN_ANY_FORM)


def of_wrong_type(text: str) -> Fault:
    return Fault(text=text, edit=WRONG_TYPE.edit, headers=WRONG_TYPE.headers)


def cells() -> list:
    return [
        case(
            f"c{number}",
            input=f"What holds in {number}?",
            output=f"It holds {number}. It is {number}.",
            reference=f"It holds {number}. It is {number}.",
            retrieved_contexts=[f"A chunk about {number}.", f"Another one about {number}."],
        )
        for number in range(8)
    ]


def run(server: JudgeServer, folder: Path) -> list[Outcome]:
    judge = JudgeSettings(
        model="m", url=server.url, embedding_model="e", attempts=3, deadline=20, request_timeout=TIME_LIMIT
    )
    return [one.outcome for one in run_cases(plan_cases(cells(), judge=judge), folder, judge=judge)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[list[Outcome], list[Outcome], Judge, JudgeServer, Path]:
    folder = tmp_path_factory.mktemp("mixed")
    with JudgeServer(lambda request, _n: reply_to(request)) as server:
        good = run(server, folder / "good")
    judge = Judge()
    with JudgeServer(judge) as server:
        mixed = run(server, folder / "mixed")
        return good, mixed, judge, server, folder / "mixed"


def key(outcome: Outcome) -> tuple[str, str]:
    return outcome.case_id, outcome.scorer


def test_every_planned_cell_has_exactly_one_outcome(runs) -> None:
    good, mixed, *_ = runs
    assert sorted(map(key, mixed)) == sorted(map(key, good))
    assert len(mixed) == len(FRAMEWORKS) * len(METRICS) * 8
    errored = [outcome for outcome in mixed if outcome.status == "errored"]
    assert errored, f"seed {SEED}"
    assert {outcome.kind for outcome in errored} <= set(ERROR_KINDS)
    assert {outcome.framework for outcome in errored} == set(FRAMEWORKS), f"seed {SEED}"


def test_what_is_scored_is_scored_as_by_a_judge_that_works(runs) -> None:
    good, mixed, *_ = runs
    right = {key(outcome): outcome for outcome in good}
    scored = [outcome for outcome in mixed if outcome.status == "scored"]
    assert scored, f"seed {SEED}"
    for outcome in scored:
        assert outcome.raw == pytest.approx(right[key(outcome)].raw), (SEED, key(outcome))
        assert outcome.flags == right[key(outcome)].flags, (SEED, key(outcome))


def test_the_ledger_is_what_the_server_counted_call_for_call_and_token_for_token(runs) -> None:
    *_, judge, server, folder = runs
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger:
        attempts, billable = ledger.execute("SELECT SUM(attempts), SUM(billable) FROM calls").fetchone()
        into, out = ledger.execute(
            "SELECT SUM(input_tokens), SUM(output_tokens) FROM calls WHERE kind = 'chat'"
        ).fetchone()
    # A request into a connection that the server is just cutting is sent and never arrives.
    assert len(server.requests) <= attempts <= len(server.requests) + judge.cut_connections, f"seed {SEED}"
    assert billable == judge.billed + len(server.embedding_requests), f"seed {SEED}"
    assert (into, out) == (server.input_tokens, server.output_tokens), f"seed {SEED}"
