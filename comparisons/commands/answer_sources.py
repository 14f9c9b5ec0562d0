"""From the settings of a run to where its answers come from and go to, beside the judge's servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from evalparity.adapters.judge.answering import Sources
from evalparity.adapters.judge.budget import Budget
from evalparity.adapters.judge.cache import Cache
from evalparity.adapters.judge.cassette import Cassette, read_cassette
from evalparity.adapters.judge.ledger import Ledger
from evalparity.adapters.judge.prices import Prices
from evalparity.adapters.judge.replies import Tokens
from evalparity.adapters.judge.traffic import CallKind
from evalparity.comparisons.studies.study_plan import JudgePlan
from evalparity.comparisons.studies.study_settings import RunSettings
from evalparity.unified_schema.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """A model on a server that a run will ask."""

    kind: CallKind
    model: str
    url: str


def open_cassette(settings: RunSettings) -> Cassette | None:
    """Return the cassette that all answers come from; None: they come from the judges.

    Raises:
        UsageError: the file is no cassette.
    """
    return read_cassette(settings.answers.replay) if settings.answers.replay is not None else None


def check_answers(settings: RunSettings, plans: Sequence[JudgePlan], cassette: Cassette | None, prices: Prices) -> None:
    """Do nothing when the settings can be held.

    Raises:
        UsageError: the cassette is of other judges, there is nothing to record, or a limit of dollars meets a model
            whose price is unknown.
    """
    judges = [one.judge for one in plans]
    if cassette is not None:
        cassette.check(judges)
    models = asked_models(plans)
    if settings.answers.record is not None and not models:
        raise UsageError("--record: no server is asked (the lexical judge is built in), so there is nothing to record.")
    if settings.budget.cost is not None and cassette is None:
        for asked in models:
            _refuse_unknown_price(asked, prices)


def asked_models(plans: Sequence[JudgePlan]) -> tuple[AskedModel, ...]:
    """Return which models on servers the plans will ask; the lexical judge is none."""
    return tuple(dict.fromkeys(asked for one in plans for asked in _asked_of(one)))


def _asked_of(one: JudgePlan) -> Iterator[AskedModel]:
    judge, cells = one.judge, [cell for cell in one.plan.cells if cell.refusal is None]
    if judge.url is not None and any(not cell.binding.calls.none for cell in cells):
        yield AskedModel(kind="chat", model=judge.model, url=judge.url)
    url, model = judge.embedding_server, judge.embedding_model
    if url is not None and model is not None and any(not cell.binding.embedding_calls.none for cell in cells):
        yield AskedModel(kind="embedding", model=model, url=url)


def _refuse_unknown_price(asked: AskedModel, prices: Prices) -> None:
    some = Tokens(input_tokens=1, output_tokens=1)
    if prices.cost(asked.model, asked.url, some, asked.kind) is None:
        raise UsageError(
            f"--max-cost: the price of {asked.model!r} at {asked.url} is unknown, so the limit could not be held; name "
            "its price with --prices FILE (docs/prices.md), or limit --max-tokens or --max-calls instead."
        )


@contextmanager
def open_sources(
    settings: RunSettings,
    plans: Sequence[JudgePlan],
    *,
    ledger: Path,
    cassette: Cassette | None,
    tell: Callable[[str], None],
) -> Iterator[Sources]:
    """Open ledger, cache and budget of a run, and close them when it has ended.

    Args:
        settings: of the run.
        plans: what it is to score.
        ledger: path of the ledger; one that is there is continued.
        cassette: where all answers come from; None: from the judges.
        tell: is told when the cache cannot be used.
    """
    with closing(Ledger(ledger)) as calls, _cache(settings, plans, tell) as cache:
        yield Sources(
            ledger=calls,
            cassette=cassette,
            cache=cache,
            budget=Budget(settings.budget, calls.sent()),
            keep_requests=settings.answers.keep_requests,
        )


@contextmanager
def _cache(settings: RunSettings, plans: Sequence[JudgePlan], tell: Callable[[str], None]) -> Iterator[Cache | None]:
    if settings.answers.cache is None or not asked_models(plans):
        yield None
        return
    with closing(Cache(settings.answers.cache, tell)) as cache:
        yield cache
