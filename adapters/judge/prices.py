"""What a call costs: by the user's own prices, else by the public table of `genai-prices`, else unknown."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from yarl import URL

from evalparity.adapters.judge.replies import Tokens
from evalparity.adapters.judge.settings import LEXICAL
from evalparity.adapters.judge.traffic import CallKind
from evalparity.unified_schema.price_file import UNITS, LoadedPrices, ModelPrice, load_price_file

TABLE = "genai-prices"
"""The package whose table is used; its data come with it, and nothing is fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """The prices of one run.

    Attributes:
        own: the user's own, which go first; None: the public table alone.
    """

    own: LoadedPrices | None = None

    @property
    def table(self) -> str:
        """Return name and version of the public table."""
        return f"{TABLE} {version(TABLE)}"

    def cost(self, model: str, url: str | None, tokens: Tokens, kind: CallKind = "chat") -> float | None:
        """Return what one call costs in US dollars; None where no price or no token count is known.

        A model is looked up at the server that is asked: the same name on a server of one's own costs something else.
        Cached tokens are part of the input tokens, reasoning tokens part of the output tokens; where a server does
        not tell how many were cached, none counts as such. The lexical judge costs nothing.

        Args:
            model: name as it is sent to the server.
            url: base URL of the server; None for the lexical judge.
            tokens: as the server counted them.
            kind: chat or embedding; an embedding writes nothing.
        """
        if url is None:
            return 0.0 if model == LEXICAL else None
        into, out = tokens.input_tokens, tokens.output_tokens if kind == "chat" else 0
        if into is None or out is None:
            return None
        cached = min(tokens.cached_tokens or 0, into)
        own = self._own_price(model, url)
        amount = self._by_own(own, into, cached, out) if own is not None else _by_table(model, url, into, cached, out)
        return None if amount is None else float(amount)

    def _own_price(self, model: str, url: str) -> ModelPrice | None:
        if self.own is None:
            return None
        address = URL(url)
        hosts = (str(address.host), f"{address.host}:{address.port}")
        return next((entry for entry in self.own.content.models if entry.fits(model, hosts)), None)

    def _by_own(self, price: ModelPrice, into: int, cached: int, out: int) -> Decimal | None:
        assert self.own is not None
        if out and price.output is None:
            return None
        cached_input = price.input if price.cached_input is None else price.cached_input
        parts = ((into - cached, price.input), (cached, cached_input), (out, price.output or 0))
        total = sum((Decimal(number) * Decimal(str(each)) for number, each in parts), Decimal(0))
        return total / UNITS[self.own.content.per]


def load_prices(path: Path | None) -> Prices:
    """Return the prices of a run, with those of the user's file going first.

    Raises:
        PriceFileError: the file cannot be read or breaks the format.
    """
    return Prices(own=load_price_file(path) if path is not None else None)


def _by_table(model: str, url: str, into: int, cached: int, out: int) -> Decimal | None:
    return _calculated(model, url, into, cached, out) if _is_listed(model, url) else None


@lru_cache
def _is_listed(model: str, url: str) -> bool:
    """Tell whether the table has a model at a server; looking for one that it does not have takes longest."""
    return _calculated(model, url, 1, 0, 1) is not None


def _calculated(model: str, url: str, into: int, cached: int, out: int) -> Decimal | None:
    # Imported here: it takes a third of a second, which a run on the lexical judge need not wait for.
    from genai_prices import Usage, calc_price  # noqa: PLC0415

    usage = Usage(input_tokens=into, cache_read_tokens=cached, output_tokens=out)
    try:
        return Decimal(calc_price(usage, model, provider_api_url=url).total_price)
    except (LookupError, ValueError):  # no such provider, no such model there, or counts that contradict each other
        return None
