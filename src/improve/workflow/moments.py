"""When a line was written, by the clock of this machine; one reading of it for all that judge a rule by its past."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from improve.rule import Rule, Written


def moment(said: str) -> float | None:
    """Read a moment, or a day, which begins when it begins here; None when it is neither.

    >>> moment("2026-03-01T10:00:00Z"), moment("yesterday")
    (1772359200.0, None)
    """
    try:
        return datetime.fromisoformat(said).timestamp() if said else None
    except (ValueError, OverflowError, OSError):
        return None


def age(day: str, today: str) -> int | None:
    """Count the days from one to another; None where one is none.

    >>> age("2026-03-01", "2026-03-08"), age("", "2026-03-08")
    (7, None)
    """
    try:
        return (date.fromisoformat(today[:10]) - date.fromisoformat(day[:10])).days
    except ValueError:
        return None


def written_at(written: Written) -> float | None:
    """Say from when on a line stood in its file; of a day only its end is sure."""
    exact = moment(written.at)
    if exact is not None:
        return exact
    try:
        return (datetime.fromisoformat(written.date[:10]) + timedelta(days=1)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def first_written(rule: Rule) -> float | None:
    """Say since when a rule stands in any of the files it stands in now; None where that is not known."""
    return min((at for w in rule.written_to if (at := written_at(w)) is not None), default=None)


def stood(rule: Rule, at: str) -> list[Written]:
    """Give the lines of a rule that stood in their files at a moment."""
    then = moment(at)
    lines = ((written_at(line), line) for line in rule.written_to)
    return [line for since, line in lines if since is not None and then is not None and since <= then]
