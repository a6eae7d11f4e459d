"""How much a rule is needed: its occasions, each worth half as much as one that is a half-life younger. Pure.

The rank is log2(Σ 2^(dayᵢ / H)) over the occasions of a rule, dayᵢ being the day of each and H the half-life in days.
It is the logarithm of what the occasions are worth by now, Σ 2^(−ageᵢ / H), but for a constant that is the same for
all rules: their order does not depend on today's date, so that an index can keep it.
"""

from __future__ import annotations

from math import fsum, log2

from improve.rule import Rule

HALF_LIFE = 60
"""Days, unless config.yaml says otherwise."""
_TOO_OLD = 1000.0
"""Half-lives after which an occasion adds nothing that a number can hold."""
_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


def rank(rule: Rule, half_life: int = HALF_LIFE) -> float:
    """Rank a rule; higher is needed more. Folded occasions count at the last day of their total.

    >>> from improve.rule import Observation
    >>> old, new = Observation("p", "2026-01-01", session="a"), Observation("p", "2026-03-02", session="b")
    >>> round(rank(Rule("r", "R", observations=(new,))) - rank(Rule("r", "R", observations=(old,))), 6)
    1.0
    """
    days = [(day / half_life, number) for day, number in _days(rule)]
    if not days:
        return 0.0
    top = max(days)[0]
    worth = fsum(number * 2.0 ** (day - top) for day, number in days if top - day < _TOO_OLD)
    return round(top + log2(worth), 6)


def worth(rule: Rule, today: str, half_life: int = HALF_LIFE) -> float:
    """Say how many occasions of today a rule's own are worth.

    >>> from improve.rule import Observation
    >>> worth(Rule("r", "R", observations=(Observation("p", "2026-01-01"),)), "2026-03-02")
    0.5
    """
    if not any(number for _, number in _days(rule)):
        return 0.0
    return float(round(2.0 ** min(rank(rule, half_life) - _day(today) / half_life, 60.0), 4))


def _days(rule: Rule) -> list[tuple[int, int]]:
    """List day and number of the occasions; a session is one, on its last day."""
    usual = rule.last_reinforced or rule.created
    sessions: dict[tuple[str, str], str] = {}
    days = [(_day(f.last or usual), f.occasions) for f in rule.folded if f.occasions]
    for o in rule.observations:
        if not o.session:
            days.append((_day(o.date or usual), 1))
        elif o.date >= sessions.get((o.host, o.session), ""):
            sessions[o.host, o.session] = o.date
    return days + [(_day(date or usual), 1) for date in sessions.values()]


def _day(date: str) -> int:
    """Count days, as a calendar does; a date that is none is the first day. Quicker than the parser of dates."""
    try:
        year, month, day = int(date[:4]), int(date[5:7]), int(date[8:10])
        leap = month > 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        before = year - 1
        return before * 365 + before // 4 - before // 100 + before // 400 + _BEFORE[month - 1] + leap + day
    except (ValueError, IndexError):
        return 0
