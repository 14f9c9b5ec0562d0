"""What a judge takes is found out once: the cache and a cassette know it as well as the judge does."""

import asyncio
import dataclasses
from contextlib import closing, contextmanager

import pytest

from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.budget import Budget, BudgetLimits
from evalparity.adapters.judge.cache import Cache, CacheSettings
from evalparity.adapters.judge.ledger import Ledger, read_answers, read_calls
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.settings import JudgeSettings
from evalparity.comparisons.commands.clearance import as_found
from evalparity.comparisons.run_description import judge_info
from evalparity.comparisons.running.judge_check import check_judge
from evalparity.comparisons.running.plan import Plan
from evalparity.comparisons.studies.study_plan import JudgePlan
from support.judge_faults import failing
from support.judge_server import JudgeServer

BOTH = frozenset({"chat", "embedding"})


def plain(request, _n):
    return failing(400, "unknown parameter") if "response_format" in request else "Yes."


def by_object(request, _n):
    form = request.get("response_format", {}).get("type")
    return failing(400, "unknown type") if form == "json_schema" else '{"verdict": "yes"}'


def check(server, sources, **settings):
    told = []
    judge = JudgeSettings(**{"model": "m", "url": server.url, "embedding_model": "e", "attempts": 1} | settings)
    found = asyncio.run(check_judge(judge, BOTH, sources, Prices(), lambda: told.append("waiting")))
    return found, told


class Recording:
    """Answers of a ledger, as a cassette has them."""

    def __init__(self, path):
        self._answers = read_answers(path)

    def find(self, key):
        return self._answers.get(key)


@contextmanager
def kept(folder):
    cache, ledger = Cache(CacheSettings(file=folder / "cache.sqlite"), print), Ledger(folder / "ledger.sqlite")
    with closing(cache), closing(ledger):
        yield Sources(cache=cache, ledger=ledger)


@pytest.mark.parametrize(("answer", "takes"), [(plain, ()), (by_object, ("json_object",))])
def test_a_judge_that_the_cache_or_a_cassette_knows_is_not_asked_again(tmp_path, answer, takes):
    with JudgeServer(answer) as server:
        with kept(tmp_path) as sources:
            first, told = check(server, sources)
            assert told == ["waiting"]
            asked = len(server.requests)
            second, told = check(server, sources)
        third, _ = check(server, Sources(cassette=Recording(tmp_path / "ledger.sqlite")))
        assert len(server.requests) == asked
    assert told == []
    for found in (first, second, third):
        assert found.structured_output == takes
        assert {one.state for one in found.checks} == {"ok"}
        assert found.known
    assert sum(call.attempts for call in second.calls + third.calls) == 0
    assert all(" answers" in one.told for one in first.checks)
    assert all(" answered before" in one.told for one in second.checks + third.checks)
    assert read_calls(tmp_path / "ledger.sqlite", "pre-flight")


def test_a_cassette_that_was_recorded_without_a_pre_flight_says_nothing(tmp_path):
    with closing(Ledger(tmp_path / "ledger.sqlite")), JudgeServer(plain) as server:
        found, _ = check(server, Sources(cassette=Recording(tmp_path / "ledger.sqlite")))
        assert server.requests == []
    assert (found.structured_output, found.checks, found.calls, found.known) == (None, (), (), False)


@pytest.mark.parametrize("fault", [failing(401), failing(429)])
def test_a_pre_flight_that_broke_off_is_flown_again_and_teaches_nothing(tmp_path, fault):
    broken = True

    def answer(_request, n):
        return fault if broken and n == 1 else '{"verdict": "yes"}'

    with JudgeServer(answer) as server, kept(tmp_path) as sources:
        first, _ = check(server, sources)
        assert [one.state for one in first.checks if one.what == "judge"] == ["failed"]
        broken = False
        second, told = check(server, sources)
    assert told == ["waiting"]
    assert second.structured_output == ("json_schema", "json_object")


def test_another_model_is_asked_whatever_the_cache_knows(tmp_path):
    with JudgeServer(by_object) as server, kept(tmp_path) as sources:
        check(server, sources)
        before = len(server.requests)
        _, told = check(server, sources, model="other")
        assert len(server.requests) > before
    assert told == ["waiting"]


def test_a_budget_that_is_spent_is_no_fault_of_the_judges():
    with JudgeServer(by_object) as server:
        found, _ = check(server, Sources(budget=Budget(BudgetLimits(calls=1))))
        assert len(server.requests) == 1
    assert not any(one.state == "failed" for one in found.checks)


def test_the_built_in_judge_needs_no_check():
    with JudgeServer() as server:
        found, told = check(server, Sources(), model="lexical", url=None, embedding_model="lexical")
        assert server.requests == []
    assert (found.checks, told) == ((), [])


def test_a_run_that_goes_on_asks_as_it_began():
    empty = Plan(cells=(), adapters={}, versions={}, metrics=())
    judges = [JudgeSettings(label=name, model="m", url="http://j/v1") for name in "ab"]
    began = [judge_info(dataclasses.replace(judges[0], structured_output=("json_object",))), judge_info(judges[1])]
    plans = as_found([JudgePlan(judge=judge, plan=empty) for judge in judges], began)
    assert [one.judge.structured_output for one in plans] == [("json_object",), None]
