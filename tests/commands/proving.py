"""Rules that were written a while ago: what sessions since then say of them can be judged."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

NOW = datetime.now(UTC)
WRITTEN = 30
"""Days ago that the rule was written."""


def ago(days: float) -> datetime:
    """Give a moment so many days ago."""
    return NOW - timedelta(days=days)


def aged(rules: Path, *files: Path, days: float = WRITTEN) -> None:
    """Let a rule have been written, and its file changed, so long ago."""
    at = ago(days)
    text = rules.read_bytes().decode()
    head, mark, rest = text.partition("written_to:")
    rest = re.sub(r"date: \S+", f"date: {at.date()}", rest, count=1)
    rest = re.sub(r"at: \S+", f'at: "{at.isoformat(timespec="seconds")}"', rest, count=1)
    rules.write_bytes((head + mark + rest).encode())
    for file in files:
        os.utime(file, (at.timestamp(), at.timestamp()))


def seen_before(rules: Path, days: float = 40) -> None:
    """Let the occasions that led to the rule be from before it was written."""
    text = rules.read_bytes().decode()
    day = str(ago(days).date())
    head, mark, rest = text.partition("observations:")
    seen, following, tail = rest.partition("cross_project:")
    seen = re.sub(r"date: \S+", f"date: {day}", seen)
    seen = re.sub(r"at: \S+", f'at: "{ago(days).isoformat(timespec="seconds")}"', seen)
    rules.write_bytes((head + mark + seen + following + tail).encode())
