"""Spans of time as a person types them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from improve.errors import UsageError

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
