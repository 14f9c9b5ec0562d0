"""A price file says everything that is wrong with it at once, with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalparity.unified_schema.errors import PriceFileError
from evalparity.unified_schema.price_file import load_price_file

GOOD = "per: 1M tokens\nmodels:\n  - {model: m, input: 0.15, output: 0.6}\n"


def problems(folder: Path, text: str | bytes, name: str = "prices.yaml") -> list[str]:
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(PriceFileError) as caught:
        load_price_file(file)
    return [str(problem).removeprefix(str(file)) for problem in caught.value.problems]


def test_a_good_file_with_its_digest(tmp_path: Path) -> None:
    file = tmp_path / "prices.yml"
    file.write_text(GOOD, encoding="utf-8")
    loaded = load_price_file(file)
    assert loaded.content.models[0].output == 0.6
    assert loaded.content.models[0].cached_input is None
    assert len(loaded.sha256) == 64


WRONG = {
    "unit missing": ("models: [{model: m, input: 1}]", "per: is missing: add it."),
    "unit unknown": (GOOD.replace("1M tokens", "million"), ":1: per: must be '1M tokens', '1K tokens' or '1 token'"),
    "unit a number": (GOOD.replace("1M tokens", "1000000"), ":1: per:"),
    "negative": (GOOD.replace("0.15", "-0.15"), ":3: models[0].input: must be 0 or more"),
    "not a number": (GOOD.replace("0.15", ".nan"), ":3: models[0].input: NaN and Infinity are no values"),
    "infinite": (GOOD.replace("0.6", ".inf"), ":3: models[0].output: NaN and Infinity are no values"),
    "absurd": (GOOD.replace("0.15", "1.0e300"), ":3: models[0].input: must be 1000000 or less"),
    "a URL for a host": (
        GOOD.replace("input:", 'host: "http://localhost:8000/", input:'),
        "models[0].host: 'http://localhost:8000/' is no host: write it without http:// and path",
    ),
    "text": (GOOD.replace("0.15", "cheap"), ":3: models[0].input: must be a number"),
    "truth value": (GOOD.replace("0.15", "true"), ":3: models[0].input: must be a number"),
    "price missing": ("per: 1M tokens\nmodels: [{model: m, output: 1}]", "models[0].input: is missing: add it."),
    "model missing": ("per: 1M tokens\nmodels: [{input: 1}]", "models[0].model: is missing: add it."),
    "unknown key": (
        GOOD.replace("output", "outputs"),
        "unknown key 'outputs': did you mean output?",
    ),
    "no models": ("per: 1M tokens\nmodels: []", "models: is empty: put at least one item in it."),
    "models missing": ("per: 1M tokens\n", "models: is missing: add it."),
    "another currency": (f"currency: EUR\n{GOOD}", "currency: must be 'USD'"),
    "empty": ("", "a price file is a mapping"),
    "a list": ("- 1\n", "a price file is a mapping"),
    "no YAML": ("per: [1\n", ":"),
    "no UTF-8": (b"per: \xc3\xa9\xff\n", "is not UTF-8"),
    "a second price": (
        GOOD + "  - {model: m, input: 9}\n",
        ":4: models[1]: is a second price for 'm', after models[0]: keep one.",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, what: str) -> None:
    text, said = WRONG[what]
    found = problems(tmp_path, text)
    assert any(said in one for one in found), found


def test_all_is_said_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, "models:\n  - {model: m, input: -1}\n  - {model: '', input: 1, output: x}\n")
    assert len(found) == 4, found


def test_a_twin_at_another_server_is_none(tmp_path: Path) -> None:
    file = tmp_path / "prices.yaml"
    file.write_text(GOOD + "  - {model: m, host: localhost, input: 0, output: 0}\n", encoding="utf-8")
    assert len(load_price_file(file).content.models) == 2


@pytest.mark.parametrize("name", ["prices.json", "prices"])
def test_another_ending_is_refused(tmp_path: Path, name: str) -> None:
    assert ".yaml" in problems(tmp_path, GOOD, name)[0]


def test_no_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "prices.yaml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(PriceFileError, match=r"did you mean 'prices\.yaml'"):
        load_price_file(tmp_path / "price.yaml")
