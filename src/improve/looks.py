"""How a file looks from outside: what says, without reading it, that it is still what it was."""

from __future__ import annotations

import os

_UNSETTLED = 2.0
"""Seconds within which a file system may give two changes the same time."""


def looks(path: str, now: float) -> str:
    """Say how a file looks; empty when there is none, and for one that changed just now: it may change unseen again.

    Args:
        now: The moment, in seconds since 1970.
    """
    try:
        seen = os.stat(path)
    except OSError:
        return ""
    if abs(now - max(seen.st_mtime, seen.st_ctime)) < _UNSETTLED:
        return ""
    return f"{seen.st_dev} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"
