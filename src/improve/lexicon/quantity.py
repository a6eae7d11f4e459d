"""Quantities in a rule: `80-100 characters`, `Python 3.12`, `at least 80 %`."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from improve.lexicon.look import SINGLE
from improve.lexicon.tables import words_of

UNITS = words_of(
    "line line-length character level percent column word space-indent second minute ms px mb kb hour day byte row"
)
HOLDERS = {
    word: word
    for word in words_of(
        """
        python node java php version port golang rust kotlin typescript react junit csharp ruby line-length next
        angular vue svelte nuxt django rail laravel spring postgres mysql swift xcode ios android dotnet tailwind
        vite gradle pydantic sqlalchemy cpp elixir flutter dart terraform ubuntu debian
        """
    )
} | {"depth": "level", "nesting": "level", "deep": "level", "timeout": "second", "coverage": "percent"}
"""Things named before their number, with what the number counts."""

_MORE = words_of("higher more above greater better newer later")
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?(?:\.\d+)*(?:\.\.(\d+))?%?(\+?)")


class Number(NamedTuple):
    """A quantity: `80-100 characters` is (80, 100, "character"), `80+ %` is open at its end."""

    low: float
    high: float
    unit: str


def quantity(tokens: Sequence[str], stems: Sequence[str], at: int) -> Number | None:
    """Read the number at a place, with what it counts; a number that counts nothing is none."""
    found = _NUMBER.match(tokens[at])
    if found is None:
        return None
    low = float(found[1]) + (float(found[2]) / 1000 if found[2] else 0.0)  # 3.9 is before 3.12
    high = float(found[3]) if found[3] else math.inf if found[4] or _open(tokens, at) else low
    unit = "percent" if "%" in tokens[at] else _unit(stems, at)
    return Number(low, high, unit) if unit else None


def _open(tokens: Sequence[str], at: int) -> bool:
    """Say whether a number is a lower bound: `at least 80`, `80 or more`."""
    after = tokens[at + 1 : at + 4]
    more = any(one == "or" and two in _MORE for one, two in pairwise(after))
    return more or list(tokens[max(0, at - 2) : at]) == ["at", "least"]


def _unit(stems: Sequence[str], at: int) -> str:
    """Find what a number counts: the unit behind it, else the thing named before it."""
    behind = [SINGLE.get(near, near) for near in stems[at + 1 : at + 4]]
    ahead = [SINGLE.get(near, near) for near in reversed(stems[max(0, at - 3) : at])]
    before = stems[max(0, at - 6) : at]
    if "length" in before and "line" in before:
        return "line-length"
    unit = next((near for near in behind if near in UNITS), "")
    return unit or next((HOLDERS[near] for near in ahead if near in HOLDERS), "")


def of_lines(numbers: list[Number]) -> list[Number]:
    """Take characters and columns as a line length, for a rule that speaks of lines."""
    return [n._replace(unit="line-length") if n.unit in ("character", "column") else n for n in numbers]


def meet(mine: Sequence[Number], theirs: Sequence[Number]) -> bool:
    """Say whether two rules can both be kept as to one unit.

    Limits are compared (the highest number each names); an open end (`80+`) holds all above it, unless both are open.
    """
    one, two = max(mine, key=lambda number: number.high), max(theirs, key=lambda number: number.high)
    if one.high == two.high == math.inf:
        return one.low == two.low
    if math.inf in (one.high, two.high):
        return any(a.low <= b.high and b.low <= a.high for a in mine for b in theirs)
    return one.high == two.high


def say(number: Number) -> str:
    """Write a quantity without its unit."""
    low, high = _plain(number.low), _plain(number.high)
    return low if low == high else f"{low}+" if high == "inf" else f"{low}-{high}"


def _plain(value: float) -> str:
    if value != math.inf and value != int(value):  # a version, see `quantity`
        return f"{int(value)}.{round((value - int(value)) * 1000)}"
    return f"{value:g}"
