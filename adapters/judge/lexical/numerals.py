"""Units of measure and numbers written as words, in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

UNITS: Mapping[str, tuple[str, float]] = MappingProxyType(
    {
        form: (kind, factor)
        for kind, factor, forms in (
            ("clock span", 1, "second seconds sec secs 秒 秒钟"),
            ("clock span", 60, "minute minutes min mins 分钟"),
            ("clock span", 3600, "hour hours hr hrs 小时 个小时 钟头 个钟头"),
            ("days", 1, "day days 天 日 个自然日 自然日"),
            ("days", 7, "week weeks 周 星期 个星期 礼拜 个礼拜"),
            ("working days", 1, "workday workdays businessday businessdays workingday workingdays 个工作日 工作日"),
            ("months", 1, "month months 个月"),
            ("months", 12, "year years yr yrs 年 周年"),
            ("months", 120, "decade decades"),
            ("months", 1200, "century centuries 世纪 个世纪"),
            ("percent", 1, "% percent pct 个百分点"),
            ("dollars", 1, "dollar dollars usd 美元 美金"),
            ("dollars", 0.01, "cent cents 美分"),
            ("euros", 1, "euro euros eur 欧元"),
            ("pounds", 1, "pound pounds gbp lb lbs 英镑 磅"),
            ("yuan", 1, "yuan rmb cny 元 块钱 块 人民币 圆"),
            ("yen", 1, "yen jpy 日元"),
            ("mass", 0.001, "mg milligram milligrams 毫克"),
            ("mass", 1, "g gram grams gramme grammes 克"),
            ("mass", 1000, "kg kilogram kilograms kilo kilos 千克 公斤"),
            ("mass", 1_000_000, "tonne tonnes 吨"),
            ("length", 0.001, "mm millimetre millimetres millimeter millimeters 毫米"),
            ("length", 0.01, "cm centimetre centimetres centimeter centimeters 厘米"),
            ("length", 1, "m metre metres meter meters 米"),
            ("length", 1000, "km kilometre kilometres kilometer kilometers 公里 千米"),
            ("miles", 1, "mile miles 英里"),
            ("feet", 1, "ft feet foot 英尺"),
            ("inches", 1, "inch inches 英寸"),
            ("volume", 0.001, "ml millilitre millilitres milliliter milliliters 毫升"),
            ("volume", 1, "l litre litres liter liters 升"),
            ("gallons", 1, "gallon gallons 加仑"),
            ("area", 0.01, "hectare hectares 公顷"),
            ("acres", 1, "acre acres 英亩"),
            ("celsius", 1, "°c celsius 摄氏度 度"),
            ("fahrenheit", 1, "°f fahrenheit 华氏度"),
            ("bytes", 0.001, "kb kilobyte kilobytes"),
            ("bytes", 1, "mb megabyte megabytes"),
            ("bytes", 1000, "gb gigabyte gigabytes"),
            ("area", 1, "平方公里 平方千米"),
            ("times", 1, "times 倍 次"),
            ("number", 1, "人 名 个 件 位 条 所 座 家 间 项 种 岁 页 张 台 辆 款 层 门 颗 枚 届 部 本"),
        )
        for form in forms.split()
    }
)  # fmt: skip
"""Kind and factor to the kind's base unit, by lower-case form. A month is never a number of days."""

SYMBOLS: Mapping[str, str] = MappingProxyType(
    {
        "$": "dollars", "us$": "dollars", "hk$": "hong kong dollars", "usd": "dollars", "€": "euros", "eur": "euros",
        "£": "pounds", "gbp": "pounds", "¥": "yuan", "rmb": "yuan", "cny": "yuan",
    }
)  # fmt: skip

SCALES: Mapping[str, int] = MappingProxyType(
    {
        "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12,
        "bn": 10**9, "k": 1000, "m": 10**6, "b": 10**9, "万": 10**4, "亿": 10**8, "百万": 10**6, "千万": 10**7,
    }
)  # fmt: skip

MONTHS: Mapping[str, int] = MappingProxyType(
    {
        form: number
        for number, forms in enumerate(
            [
                "january jan",
                "february feb",
                "march mar",
                "april apr",
                "may",
                "june jun",
                "july jul",
                "august aug",
                "september sept sep",
                "october oct",
                "november nov",
                "december dec",
            ],
            start=1,
        )
        for form in forms.split()
    }
)

ORDINALS: Mapping[str, int] = MappingProxyType(
    {
        word: rank
        for rank, word in enumerate(["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 3)
    }
)
"""Spelt ordinals; `first` and `second` are left out, because they are mostly something else."""

_TEENS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SPELT: Mapping[str, int] = MappingProxyType(
    {word: value for value, word in enumerate(_TEENS)} | {word: 10 * tens for tens, word in enumerate(_TENS, 2)}
)

NUMERAL_CHARACTERS = "零〇一二两三四五六七八九十百千万亿"
_CHINESE_DIGITS = MappingProxyType(
    {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
)
_CHINESE_SCALES = MappingProxyType({"十": 10, "百": 100, "千": 1000})
_CHINESE_GROUPS = MappingProxyType({"万": 10**4, "亿": 10**8})


def either(words: Iterable[str]) -> str:
    """Return a regular expression for any of the words, longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def spelt_number(text: str) -> int:
    """Return the value of an English number in words, as `two hundred and fifty thousand`."""
    total = current = 0
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in SPELT:
            current += SPELT[word]
        elif SCALES.get(word) == SCALES["hundred"]:
            current = max(current, 1) * 100
        elif word in SCALES:
            total += max(current, 1) * SCALES[word]
            current = 0
    return total + current


def chinese_number(text: str) -> int:
    """Return the value of Arabic digits or of a Chinese numeral: `三十五`, `两千零三`, `二〇〇三`."""
    if text.isdecimal():
        return int(text)
    if all(character in _CHINESE_DIGITS for character in text):
        return int("".join(str(_CHINESE_DIGITS[character]) for character in text))
    total = group = digit = 0
    for character in text:
        if character in _CHINESE_DIGITS:
            digit = _CHINESE_DIGITS[character]
        elif character in _CHINESE_SCALES:
            group += (digit or 1) * _CHINESE_SCALES[character]
            digit = 0
        else:
            total = (total + group + digit) * _CHINESE_GROUPS.get(character, 1)
            group = digit = 0
    return total + group + digit
