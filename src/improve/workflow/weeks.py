"""The calendar of the report: ISO weeks, and the local day of a moment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta, tzinfo

from improve.page.account import Count, Week

MOST = 106
"""Weeks that are shown: two years."""


def local_day(at: str, zone: tzinfo | None) -> str:
    """Give the local day of a moment, ISO 8601; empty for what is none."""
    try:
        return datetime.fromisoformat(at).astimezone(zone).date().isoformat()
    except (ValueError, OverflowError):
        return ""


def is_day(text: str) -> bool:
    """Tell whether a text is a calendar day."""
    return _day(text) is not None


def earlier(day: str, days: int) -> str:
    """Give the day so many days before another; the first there is when it would be before all."""
    try:
        return (date.fromisoformat(day) - timedelta(days=days)).isoformat()
    except OverflowError:
        return date.min.isoformat()


def span(since: str, until: str) -> int:
    """Count the days from one to another, both included."""
    return (date.fromisoformat(until) - date.fromisoformat(since)).days + 1


def monday(day: str) -> str:
    """Give the Monday of a day's week."""
    found = date.fromisoformat(day)
    return date.fromordinal(max(found.toordinal() - found.weekday(), 1)).isoformat()


def mondays(since: str, until: str) -> list[str]:
    """List the Mondays of the weeks a time touches, the last `MOST` of them."""
    first, last = (date.fromisoformat(monday(day)).toordinal() for day in (since, until))
    first = max(first, last - 7 * (MOST - 1))
    return [date.fromordinal(at).isoformat() for at in range(first, last + 1, 7)]


def laid_out(counts: Mapping[str, Count], since: str, until: str) -> tuple[Week, ...]:
    """Put counts by Monday into the weeks of a time, those with nothing among them."""
    weeks = []
    for begin in mondays(since, until):
        year, number, _ = date.fromisoformat(begin).isocalendar()
        end = (date.fromisoformat(begin) + timedelta(days=6)).isoformat()
        part = begin < since or end > until
        weeks.append(Week(f"{year}-W{number:02d}", begin, counts.get(begin, Count()), part))
    return tuple(weeks)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
