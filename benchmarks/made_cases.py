"""A made-up test set of any size: the same cases for the same seed, on every machine.

Most answers follow from their contexts; one in four gets a number wrong and one in five adds what no context says.
"""

from __future__ import annotations

import json
import random
from dataclasses import asdict, dataclass
from pathlib import Path

SEED = 20261201

_PRODUCTS = ("kettle", "desk lamp", "backpack", "coffee grinder", "tent", "bicycle pump", "headset", "rain jacket")
_COLOURS = ("black", "green", "red", "silver", "blue")
_PLACES = ("Leeds", "Porto", "Graz", "Lyon", "Turku", "Ghent")


@dataclass(frozen=True, slots=True)
class MadeCase:
    """One case, under the names that evalparity's suites use."""

    id: str
    input: str
    output: str
    reference: str
    retrieved_contexts: list[str]


def make_cases(count: int) -> list[MadeCase]:
    """Return so many cases."""
    random_numbers = random.Random(SEED)
    return [_make_case(number, random_numbers) for number in range(count)]


def _make_case(number: int, chosen: random.Random) -> MadeCase:
    name = f"{chosen.choice(_COLOURS)} {chosen.choice(_PRODUCTS)} model {100 + number}"
    days, months, price, place = (
        chosen.randint(7, 60),
        chosen.randint(6, 48),
        chosen.randint(15, 400),
        chosen.choice(_PLACES),
    )
    told_days = days if chosen.random() < 0.75 else days + chosen.randint(1, 9)
    addition = " It was also voted product of the year by its readers." if chosen.random() < 0.2 else ""
    return MadeCase(
        id=f"made-{number:04}",
        input=f"How long can I return the {name}, and what does its warranty cover?",
        output=(
            f"The {name} can be returned within {told_days} days of delivery. "
            f"Its warranty covers faults of material for {months} months.{addition}"
        ),
        reference=(
            f"The {name} can be returned within {days} days of delivery. "
            f"The warranty of the {name} covers faults of material for {months} months. "
            f"Repairs are done in {place}."
        ),
        retrieved_contexts=[
            f"Returns: the {name} can be returned within {days} days of delivery. The card that paid is refunded.",
            f"Warranty: the warranty of the {name} covers faults of material for {months} months, but not wear.",
            f"Price list: the {name} costs {price} euros. Shipping within the country is free above 50 euros.",
        ],
    )


def write_suite(cases: list[MadeCase], path: Path) -> None:
    """Write a suite for `evalparity run`; the frameworks' own runs read the same file."""
    suite = {"evalparity": 1, "name": "made-cases", "cases": [_case_json(case) for case in cases]}
    path.write_text(json.dumps(suite, indent=1), encoding="utf-8")


def _case_json(case: MadeCase) -> dict[str, object]:
    contexts = [{"id": f"c{n}", "text": text} for n, text in enumerate(case.retrieved_contexts)]
    return {**asdict(case), "retrieved_contexts": contexts}


def read_cases(path: Path) -> list[MadeCase]:
    """Return the cases of a file that `write_suite` wrote."""
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [
        MadeCase(**{**case, "retrieved_contexts": [chunk["text"] for chunk in case["retrieved_contexts"]]})
        for case in cases
    ]
