"""The verdict on a written rule, from how often its mistake was made before and after. Pure."""

from __future__ import annotations

from typing import NamedTuple

HELD, RECURRING, UNKNOWN = "held", "recurring", "not-enough-data"
LEAST_SESSIONS = 5
"""Exposed sessions below which there is no verdict."""
LEAST_DAYS = 7


class Tally(NamedTuple):
    """How many sessions could have made the mistake, and how many did."""

    exposed: int
    failed: int


class Judgement(NamedTuple):
    """A verdict and what it rests on."""

    state: str
    before: Tally
    after: Tally
    low: float
    """Bounds of the rate after, 0 to 1."""
    high: float
    why: str
    """One clause for people: the numbers in words."""


def judge(before: Tally, after: Tally, days: float) -> Judgement:
    """Say whether a rule held.

    Args:
        before: Sessions before it was written; what is not known is 0 of 0.
        after: Sessions since then.
        days: Time since it was written.
    """
    raise NotImplementedError
