"""Moments of records: what follows another at once was not typed then."""

from __future__ import annotations

from datetime import datetime

BREATH = 0.5
"""Seconds after the end of the agent's work within which nobody types the next prompt: it had waited."""


def seconds(before: str, after: str) -> float:
    """Count the seconds from one moment to another; -1 where one of them cannot be read."""
    try:
        return (datetime.fromisoformat(after) - datetime.fromisoformat(before)).total_seconds()
    except (ValueError, TypeError):
        return -1.0
