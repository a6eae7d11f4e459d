"""The only place that reads the clock; everything else gets `now` as a parameter."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime


def now() -> datetime:
    """Return the present moment with the local zone."""
    from datetime import datetime

    return datetime.now().astimezone()


def stamp() -> str:
    """Return the present moment as ISO text with the local zone, for whoever needs no more than that."""
    import time

    # importing datetime would take 2 ms of every prompt
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def seconds() -> float:
    """Return the present moment in seconds since 1970."""
    import time

    return time.time()
