"""Spans of time as a person types them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from improve.errors import UsageError

USUAL = "30d"
"""What is read unless somebody asks for more."""
_NAMES = {"h": "hour", "d": "day", "w": "week", "m": "month", "y": "year"}
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
"""A month has 30 days here, a year 365."""


def began(text: str, now: datetime) -> str:
    """Give the moment a span that ends now began, in UTC: `12h`, `30d`, `4w`, `6m`, `1y`, or a date.

    Raises:
        UsageError: it is none of those.
    """
    word = text.strip().lower()
    try:
        if word[-1:] in _HOURS and word.isascii() and word[:-1].isdecimal():
            at = now - timedelta(hours=_HOURS[word[-1]] * int(word[:-1]))
        else:
            at = datetime.fromisoformat(text.strip()).astimezone(None)
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{text!r} is no span of time; say 12h, 30d, 4w, 6m, 1y or a date such as 2026-11-02"
        ) from None
    return at.astimezone(UTC).isoformat(timespec="seconds")


def spelled(text: str) -> str:
    """Spell a span of time out: `30d` is 30 days."""
    number, unit = text[:-1], text[-1:]
    if not number.isdecimal() or unit not in _NAMES:
        return text
    return _NAMES[unit] if number == "1" else f"{number} {_NAMES[unit]}s"
