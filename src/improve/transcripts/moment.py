"""Moments as hosts record them, to be compared. Pure."""

from __future__ import annotations

_SECONDS = 1e11
"""What is less counts seconds, not milliseconds."""


def millis(value: object) -> float:
    """Give a moment in milliseconds since 1970, from ISO text or a count of either; 0 when it is none.

    >>> millis("1970-01-02T00:00:00Z"), millis(1796054323), millis(1796054323217)
    (86400000.0, 1796054323000, 1796054323217)
    """
    if isinstance(value, str):
        from datetime import datetime

        try:
            return datetime.fromisoformat(value).timestamp() * 1000
        except (ValueError, OverflowError, OSError):
            return 0
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return 0
    return value * 1000 if abs(value) < _SECONDS else value
