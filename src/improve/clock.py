"""The only place that reads the clock; everything else gets `now` as a parameter."""

from __future__ import annotations

from datetime import datetime


def now() -> datetime:
    """Return the present moment with the local zone."""
    return datetime.now().astimezone()
