"""The verdict on a written rule, from how often its mistake was made before and after. Pure.

The statistic is an e-value: how many times better a bet on "much rarer now" or "still made" explains the sessions than
the best that can be said for the opposite. By Ville's inequality it exceeds 1/a with a chance of at most a, however
often one looks and whenever one stops (https://arxiv.org/abs/2210.01948). Verdicts are looked at weekly, and a rule is
written just after its mistake was made twice: a test that supposes one look and a chance moment is misled by both.
"""

from __future__ import annotations

from math import lgamma, log, sqrt
from typing import NamedTuple

from improve.rule import VERDICTS

HELD, RECURRING, UNKNOWN = VERDICTS
LEAST_SESSIONS = 5
"""Exposed sessions below which there is no verdict."""
LEAST_DAYS = 7
MUCH_RARER = 0.5
"""A rule held when its mistake is made less than this many times as often as before."""
RARE = 0.05
"""A mistake in fewer sessions than this is rare, whatever was before."""
RARE_ALONE = 0.1
"""The same where too little before is known to compare with."""
_PERHAPS_RARER = 1 / 3
"""A mistake made less than this many times as often as before, as far as one sees, is no proof that a rule failed."""
STILL = 0.05
"""Share of sessions that stray matches may reach: a mistake is still made only when it is clearly made in more."""
_STRAY = 1
"""Sessions that never make a rule recurring."""
_SURE = 20.0
"""The e-value from which on something is clear: wrong at most once in 20 histories, at any of all looks together."""
_SURE_RARER = 10.0
"""The same for a comparison with before. The rate that suits the opposite best is taken from the same sessions, which
is so strict that of 100 simulated histories hardly one is wrong where the proof allows ten."""

Prior = tuple[float, float]
_BEFORE: Prior = (1.0, 2.0)
_RARE_NOW: Prior = (0.5, 9.5)
"""What is bet on when a rule works: about one session in twenty."""
_STILL_NOW: Prior = (1.0, 2.0)
_FLAT: Prior = (0.5, 0.5)


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
        before: Sessions before it was written, those without the mistake among them: two occasions of which the
            sessions in between are not known are no rate. What is not known is 0 of 0.
        after: Sessions since then.
        days: Time since it was written.
    """
    before, after = _sound(before), _sound(after)
    low, high = interval(after)
    state, because = _state(before, after, days)
    return Judgement(state, before, after, low, high, f"{_told(before, after)}: {because}")


def interval(tally: Tally) -> tuple[float, float]:
    """Give bounds of a rate that hold with 95 % at all looks together (a confidence sequence of Robbins)."""
    exposed, failed = tally
    if not exposed:
        return 0.0, 1.0
    least = _bet(tally, _FLAT) - log(_SURE)
    middle = failed / exposed
    return _edge(tally, least, (0.0, middle)), _edge(tally, least, (1.0, middle))


def _sound(tally: Tally) -> Tally:
    """Never more mistakes than sessions."""
    exposed = max(tally.exposed, 0)
    return Tally(exposed, min(max(tally.failed, 0), exposed))


def _state(before: Tally, after: Tally, days: float) -> tuple[str, str]:
    if after.exposed < LEAST_SESSIONS:
        return UNKNOWN, f"fewer than {LEAST_SESSIONS} sessions"
    if days < LEAST_DAYS:
        return UNKNOWN, f"fewer than {LEAST_DAYS} days"
    if _rarer(before, after):
        return HELD, "clearly less than half as often"
    bound = RARE if before.exposed >= LEAST_SESSIONS else RARE_ALONE
    if _below(after, bound):
        return HELD, f"clearly in fewer than {bound:.0%} of the sessions"
    if after.failed <= _STRAY or not _above(after, STILL):
        return UNKNOWN, "too few to tell from chance"
    if before.exposed >= LEAST_SESSIONS and _rate(after) < _PERHAPS_RARER * _rate(before):
        return UNKNOWN, "still made, but perhaps much rarer"
    return RECURRING, "clearly still made"


def _rarer(before: Tally, after: Tally) -> bool:
    """Say whether the mistake is clearly made less than half as often as before."""
    if _rate(after) >= MUCH_RARER * _rate(before):
        return False
    bet = _bet(before, _BEFORE) + _bet(after, _RARE_NOW)
    return bet - _best_tied(before, after, MUCH_RARER) >= log(_SURE_RARER)


def _below(after: Tally, bound: float) -> bool:
    return _rate(after) < bound and _bet(after, _RARE_NOW) - _likelihood(after, bound) >= log(_SURE)


def _above(after: Tally, bound: float) -> bool:
    return _rate(after) > bound and _bet(after, _STILL_NOW) - _likelihood(after, bound) >= log(_SURE)


def _rate(tally: Tally) -> float:
    return tally.failed / tally.exposed if tally.exposed else 0.0


def _bet(tally: Tally, prior: Prior) -> float:
    """Give the logarithm of what a bet spread over rates by a beta distribution makes of sessions in their order."""
    a, b = prior
    exposed, failed = tally
    return _log_beta(a + failed, b + exposed - failed) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _likelihood(tally: Tally, rate: float) -> float:
    exposed, failed = tally
    made = failed * log(rate) if failed else 0.0
    return made + ((exposed - failed) * log(1.0 - rate) if exposed > failed else 0.0)


def _best_tied(before: Tally, after: Tally, times: float) -> float:
    """Give the likelihood under the rate that suits both best when the rate after is `times` the one before."""
    made = before.failed + after.failed
    fine, later = before.exposed - before.failed, after.exposed - after.failed
    # where the derivative is 0: a p² - b p + made = 0
    a = times * (made + fine + later)
    b = made * (1.0 + times) + fine + times * later
    rate = min((b - sqrt(max(b * b - 4.0 * a * made, 0.0))) / (2.0 * a), 1.0 - 1e-12)
    return _likelihood(before, rate) + _likelihood(after, times * rate)


def _edge(tally: Tally, least: float, between: tuple[float, float]) -> float:
    """Find where the likelihood falls to a value, between a rate too far off and the likeliest one."""
    off, near = between
    made, fine = tally.failed, tally.exposed - tally.failed
    if off == near:
        return near
    for _ in range(16):
        middle = (off + near) / 2
        if made * log(middle) + fine * log(1.0 - middle) < least:
            off = middle
        else:
            near = middle
    return near


def _told(before: Tally, after: Tally) -> str:
    since = f"in {after.failed} of {after.exposed} sessions since"
    return f"{since}, in {before.failed} of {before.exposed} before" if before.exposed else f"{since}, before unknown"
