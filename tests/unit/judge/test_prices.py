"""What a call costs: known prices, the user's own, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalparity.adapters.judge.prices import Prices, load_prices
from evalparity.adapters.judge.replies import Tokens

OPENAI = "https://api.openai.com/v1"
MILLION = Tokens(input_tokens=1_000_000, cached_tokens=0, output_tokens=0)


def own(folder: Path, text: str) -> Prices:
    file = folder / "prices.yaml"
    file.write_text(text, encoding="utf-8")
    return load_prices(file)


@pytest.fixture
def house(tmp_path: Path) -> Prices:
    return own(
        tmp_path,
        """\
per: 1M tokens
models:
  - {model: house-large, host: "llm.example:8443", input: 2.0, cached_input: 0.5, output: 6}
  - {model: "house-*", input: 1, output: 3}
  - {model: gpt-4o-mini, host: api.openai.com, input: 100, output: 200}
  - {model: embed, input: 0.02}
  - {model: free, host: localhost, input: 0, output: 0}
""",
    )


def test_the_public_price_of_a_known_model_at_its_own_server() -> None:
    # genai-prices 0.2.3: 0.15 and 0.60 US dollars for a million tokens
    cost = Prices().cost("gpt-4o-mini", OPENAI, Tokens(input_tokens=1000, cached_tokens=0, output_tokens=100))
    assert cost == pytest.approx((1000 * 0.15 + 100 * 0.60) / 1e6, rel=1e-12)


def test_cached_tokens_have_a_price_of_their_own() -> None:
    tokens = Tokens(input_tokens=1000, cached_tokens=800, output_tokens=0)
    assert Prices().cost("gpt-4o-mini", OPENAI, tokens) == pytest.approx((200 * 0.15 + 800 * 0.075) / 1e6, rel=1e-12)


def test_reasoning_tokens_are_part_of_the_output_and_not_billed_twice() -> None:
    plain = Tokens(input_tokens=10, output_tokens=500)
    thinking = Tokens(input_tokens=10, output_tokens=500, reasoning_tokens=400)
    assert Prices().cost("gpt-5", OPENAI, plain) == Prices().cost("gpt-5", OPENAI, thinking)


def test_embeddings() -> None:
    tokens = Tokens(input_tokens=1_000_000)
    assert Prices().cost("text-embedding-3-small", OPENAI, tokens, "embedding") == pytest.approx(0.02)


@pytest.mark.parametrize("url", ["http://localhost:11434/v1", "http://127.0.0.1:8000/v1", "https://llm.example/v1"])
def test_a_known_name_on_another_server_has_no_known_price(url: str) -> None:
    assert Prices().cost("gpt-4o-mini", url, MILLION) is None


@pytest.mark.parametrize(
    ("model", "url", "tokens"),
    [
        ("no-such-model", OPENAI, MILLION),
        ("gpt-4o-mini", OPENAI, Tokens(input_tokens=5)),
        ("gpt-4o-mini", OPENAI, Tokens(output_tokens=5)),
        ("gpt-4o-mini", OPENAI, Tokens()),
        ("gpt-4o-mini", None, MILLION),
    ],
)
def test_what_is_not_known_is_none_and_never_0(model: str, url: str | None, tokens: Tokens) -> None:
    assert Prices().cost(model, url, tokens) is None


def test_the_lexical_judge_costs_nothing() -> None:
    assert Prices().cost("lexical", None, MILLION) == 0.0
    assert Prices().cost("lexical", "https://llm.example/v1", MILLION) is None, "a server's model of that name"


@pytest.mark.parametrize(
    ("model", "url", "expected"),
    [
        ("house-large", "https://llm.example:8443/v1", 2.0),
        ("house-large", "https://elsewhere.example/v1", 1.0),
        ("house-small", "http://127.0.0.1:8000/v1", 1.0),
        ("gpt-4o-mini", OPENAI, 100.0),
        ("free", "http://localhost:11434/v1", 0.0),
        ("free", "http://127.0.0.1:11434/v1", None),
    ],
)
def test_own_prices_go_first_and_the_first_that_fits_counts(
    house: Prices, model: str, url: str, expected: float | None
) -> None:
    assert house.cost(model, url, MILLION) == expected


def test_own_prices_of_cached_and_written_tokens(house: Prices) -> None:
    tokens = Tokens(input_tokens=1000, cached_tokens=400, output_tokens=50)
    cost = house.cost("house-large", "https://llm.example:8443/v1", tokens)
    assert cost == pytest.approx((600 * 2.0 + 400 * 0.5 + 50 * 6) / 1e6, rel=1e-12)


def test_a_model_without_an_output_price_has_a_price_only_while_it_writes_nothing(house: Prices) -> None:
    assert house.cost("embed", "https://llm.example/v1", MILLION, "embedding") == pytest.approx(0.02)
    assert house.cost("embed", "https://llm.example/v1", Tokens(input_tokens=1, output_tokens=1)) is None


@pytest.mark.parametrize(("unit", "factor"), [("1M tokens", 1e-6), ("1K tokens", 1e-3), ("1 token", 1.0)])
def test_the_unit_of_the_file(tmp_path: Path, unit: str, factor: float) -> None:
    prices = own(tmp_path, f"per: {unit}\nmodels: [{{model: m, input: 3, output: 1}}]\n")
    tokens = Tokens(input_tokens=7, output_tokens=0)
    assert prices.cost("m", "http://x.example/v1", tokens) == pytest.approx(21 * factor, rel=1e-12)


def test_ten_thousand_small_amounts_add_up_exactly(tmp_path: Path) -> None:
    prices = own(tmp_path, "per: 1M tokens\nmodels: [{model: m, input: 0.1, output: 0.1}]\n")
    cost = prices.cost("m", "http://x.example/v1", Tokens(input_tokens=1, output_tokens=0))
    assert cost == 1e-7
