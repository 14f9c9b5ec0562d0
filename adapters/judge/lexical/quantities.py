"""Numbers, dates, amounts and measures, whatever way they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from evalparity.adapters.judge.lexical.numerals import (
    MONTHS,
    NUMERAL_CHARACTERS,
    ORDINALS,
    SCALES,
    SPELT,
    SYMBOLS,
    UNITS,
    chinese_number,
    either,
    spelt_number,
)

_LATIN_UNITS = either(form for form in UNITS if form.isascii() and form.isalpha())
_OTHER_UNITS = either(form for form in UNITS if not (form.isascii() and form.isalpha()))
_CHINESE_UNITS = either(form for form in UNITS if not form.isascii() and "°" not in form)
_WORD_SCALES = either(form for form in SCALES if len(form) > 1 or not form.isascii())
_MONTH = rf"\b(?:{either(MONTHS)})\b\.?"
_THOUSANDS = r"\d{1,3}(?:,\d{3}){1,6}(?!\d)"
_DIGITS = rf"(?:(?:{_THOUSANDS}|\d{{1,18}})\.\d{{1,12}}|{_THOUSANDS}|\d{{1,12}},\d\d(?!\d)|\d{{1,18}})"
_NUMERAL = f"[{NUMERAL_CHARACTERS}]{{1,12}}"
_SHORT_NUMERAL = r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})"
_YEAR = r"(?:\d{4}|[零〇一二三四五六七八九]{4})"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_LATIN_UNIT = rf"(?:business|working|square)[ -](?:days?|miles?|kilomet(?:re|er)s?)|{_LATIN_UNITS}"

QUANTITY = re.compile(
    rf"""
    (?:(?=[\d$€£¥百第{NUMERAL_CHARACTERS}])|\b(?=[a-z]))  # told apart first: most characters begin no quantity
    (?:
    (?P<iso>(?<![\d.])\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}(?!\d))
  | (?P<cjkdate>{_YEAR}\ ?年(?:\ ?{_SHORT_NUMERAL}\ ?月(?:\ ?{_SHORT_NUMERAL}\ ?[日号])?)?
      | {_SHORT_NUMERAL}月(?:{_SHORT_NUMERAL}[日号])?)
  | (?P<dmy>{_DAY}(?:\ of)?\ {_MONTH}(?:,?\ \d{{4}}(?!\d))?)
  | (?P<mdy>{_MONTH}\ {_DAY}(?![\d:%])(?:,?\ \d{{4}}(?!\d))?)
  | (?P<my>{_MONTH},?\ (?:of\ )?\d{{4}}(?!\d))
  | (?P<clock>\d{{1,2}}:\d{{2}}(?:\ ?[ap]\.?m\b\.?)?|\d{{1,2}}\ ?[ap]\.?m\b\.?)
  | (?P<ordinal>\d{{1,4}}(?:st|nd|rd|th)\b|第\ ?(?:\d{{1,6}}|{_NUMERAL})|(?<!\ba\ )\b(?:{either(ORDINALS)})\b)
  | 百分之(?P<percent>{_DIGITS}|{_NUMERAL})
  | (?P<symbol>(?:US|HK)?\$|€|£|¥|\b(?:USD|EUR|GBP|RMB|CNY)\b)\ ?(?P<amount>{_DIGITS})
      (?P<amountscale>\ ?(?:{_WORD_SCALES}|[kmb])(?![a-z]))?
  | (?P<digits>{_DIGITS})(?P<scale>[ -]?(?:{_WORD_SCALES})(?![a-z]))?
      (?:[ -]?(?P<unit>(?:{_LATIN_UNIT})(?![a-z])|{_OTHER_UNITS}))?
  | \b(?P<spelt>(?:{either(SPELT)})(?:[ -](?:and\ )?(?:{either(SPELT)}|{_WORD_SCALES})){{0,6}})(?![a-z])
      (?:[ -](?P<speltunit>(?:{_LATIN_UNIT})(?![a-z])))?
  | (?<![统唯单期周])(?P<numeral>{_NUMERAL})(?P<numeralunit>{_CHINESE_UNITS})
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)

_FAMILIES = MappingProxyType(
    {
        kind: family
        for family, kinds in (
            ("span", ("clock span", "days", "working days", "months")),
            ("money", ("dollars", "hong kong dollars", "euros", "pounds", "yuan", "yen")),
            ("distance", ("length", "miles", "feet", "inches")),
            ("volume", ("volume", "gallons")),
            ("area", ("area", "acres")),
            ("temperature", ("celsius", "fahrenheit")),
        )
        for kind in kinds
    }
)
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_DATE_PARTS = 3
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d\d\Z)")
_NOON = 12
_TINY = 1e-9

Value = float | tuple[int, int, int]
Groups = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number with its meaning: `days`, 7 for "7 days", "seven days", "1 week" and "七天".

    Attributes:
        kind: date, clock, ordinal, number, or what its unit measures.
        value: in the base unit of its kind; a date is (year, month, day) with 0 for what is not told.
        text: as it was written.
        bound: "min" or "max" when it is a limit, else "".
    """

    kind: str
    value: Value
    text: str
    bound: str = ""

    @property
    def date(self) -> tuple[int, int, int] | None:
        """Return (year, month, day) of a date or of a bare number that may be a year, else None."""
        if isinstance(self.value, tuple):
            return self.value
        is_year = self.kind == "number" and self.text.isdecimal() and _FIRST_YEAR <= self.value <= _LAST_YEAR
        return (int(self.value), 0, 0) if is_year else None

    @property
    def family(self) -> str:
        """Return what it could be confused with, as one currency or unit with another of its sort."""
        if self.date is not None:
            return "date"
        return _FAMILIES.get(self.kind, self.kind)

    @property
    def marks(self) -> tuple[str, ...]:
        """Return marks of which two quantities that agree share at least one."""
        parts = tuple(f"#{place}:{part}" for place, part in zip("ymd", self.date or (), strict=False) if part)
        return parts if isinstance(self.value, tuple) else (*parts, f"#{round(self.value, 6)}")

    def agrees(self, other: Quantity) -> bool:
        """Say whether both mean the same: equal values, or dates of which one tells less."""
        if isinstance(self.value, tuple) or isinstance(other.value, tuple):
            return _dates_agree(self.date, other.date)
        same_kind = self.kind == other.kind or "number" in (self.kind, other.kind)
        return same_kind and abs(self.value - other.value) <= _TINY * max(abs(self.value), 1.0)

    def rivals(self, other: Quantity) -> bool:
        """Say whether the other could stand in this one's place: same family, another value."""
        return self.family == other.family and not self.agrees(other)


def _dates_agree(first: tuple[int, int, int] | None, second: tuple[int, int, int] | None) -> bool:
    if first is None or second is None:
        return False
    told = [(a, b) for a, b in zip(first, second, strict=True) if a and b]
    return bool(told) and all(a == b for a, b in told)


def read_quantity(match: re.Match[str]) -> Quantity:
    """Return the quantity of a match of `QUANTITY`."""
    groups = {name: value for name, value in match.groupdict().items() if value is not None}
    reader = next(_READERS[name] for name in _READERS if name in groups)
    kind, value = reader(groups)
    return Quantity(kind, value, " ".join(match.group().split()))


def _numbers(text: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", text)]


def _iso(groups: Groups) -> tuple[str, Value]:
    year, month, day = _numbers(groups["iso"])
    return "date", (year, month, day)


def _cjk_date(groups: Groups) -> tuple[str, Value]:
    text = groups["cjkdate"]
    parts = [chinese_number(part) for part in re.findall(rf"\d+|[{NUMERAL_CHARACTERS}]+", text)]
    padded = [*([] if "年" in text else [0]), *parts, 0, 0][:_DATE_PARTS]
    return "date", (padded[0], padded[1], padded[2])


def _month(text: str) -> int:
    return next(MONTHS[word] for word in re.findall(r"[a-z]+", text.lower()) if word in MONTHS)


def _day_month(groups: Groups) -> tuple[str, Value]:
    text = groups.get("dmy") or groups["mdy"]
    day, *year = _numbers(text)
    return "date", (year[0] if year else 0, _month(text), day)


def _month_year(groups: Groups) -> tuple[str, Value]:
    return "date", (_numbers(groups["my"])[0], _month(groups["my"]), 0)


def _clock(groups: Groups) -> tuple[str, Value]:
    text = groups["clock"].lower()
    hour, *minute = _numbers(text)
    if "p" in text and hour < _NOON:
        hour += _NOON
    elif "a" in text and hour == _NOON:
        hour = 0
    return "clock", float(60 * hour + (minute[0] if minute else 0))


def _ordinal(groups: Groups) -> tuple[str, Value]:
    text = groups["ordinal"].lower()
    if text in ORDINALS:
        return "ordinal", float(ORDINALS[text])
    return "ordinal", float(chinese_number(re.sub(rf"[^\d{NUMERAL_CHARACTERS}]", "", text)))


def _percent(groups: Groups) -> tuple[str, Value]:
    return "percent", _digits(groups["percent"])


def _digits(text: str) -> float:
    # A comma before exactly two digits is a decimal one: 3,50.
    bare = _DECIMAL_COMMA.sub(".", text).replace(",", "")
    return float(bare) if bare[0].isdecimal() else float(chinese_number(bare))


def _scale(text: str | None) -> int:
    return SCALES[text.strip(" -").lower()] if text else 1


def _money(groups: Groups) -> tuple[str, Value]:
    amount = _digits(groups["amount"]) * _scale(groups.get("amountscale"))
    return SYMBOLS[groups["symbol"].lower()], amount


def _in_unit(value: float, unit: str | None) -> tuple[str, Value]:
    if unit is None:
        return "number", value
    form = re.sub(r"[ -]", "", unit.lower())
    kind, factor = UNITS.get(form, (form.rstrip("s"), 1))
    return kind, value * factor


def _plain(groups: Groups) -> tuple[str, Value]:
    return _in_unit(_digits(groups["digits"]) * _scale(groups.get("scale")), groups.get("unit"))


def _spelt(groups: Groups) -> tuple[str, Value]:
    return _in_unit(float(spelt_number(groups["spelt"])), groups.get("speltunit"))


def _numeral(groups: Groups) -> tuple[str, Value]:
    return _in_unit(float(chinese_number(groups["numeral"])), groups["numeralunit"])


_READERS: Mapping[str, Callable[[Groups], tuple[str, Value]]] = MappingProxyType(
    {
        "iso": _iso, "cjkdate": _cjk_date, "dmy": _day_month, "mdy": _day_month, "my": _month_year, "clock": _clock,
        "ordinal": _ordinal, "percent": _percent, "amount": _money, "digits": _plain, "spelt": _spelt,
        "numeral": _numeral,
    }
)  # fmt: skip
