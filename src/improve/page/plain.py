"""The report as a short text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from improve.escape import one_line
from improve.page.account import Account, Share
from improve.page.words import bounds_text, counts_note, lead, rate_text, tally

_FEW = 5
_NAME = 28


def as_text(account: Account) -> str:
    """Say the most important first, in about a screen."""
    return "\n".join(_lines(account))


def _lines(account: Account) -> Iterator[str]:
    yield lead(account)
    yield counts_note(account)
    for name, shares in (("agent", account.hosts), ("project", account.projects)):
        yield from _shares(name, shares)
    if account.rules:
        yield ""
        yield f"Rules: {tally(account)}"
    if account.steps:
        yield ""
        yield "Next:"
        yield from (f"  {step.command}\n      {step.why}" for step in account.steps)
    yield ""
    yield "The whole report as a page: improve report --open"


def _shares(name: str, shares: Sequence[Share]) -> Iterator[str]:
    if not shares:
        return
    yield ""
    yield f"{'by ' + name:<{_NAME}}{'corrections':>12}{'messages':>10}{'per 100':>9}   95 %"
    for s in shares[:_FEW]:
        c = s.tally
        row = f"{one_line(s.name, _NAME - 1):<{_NAME}}{c.corrections:>12,}{c.messages:>10,}{rate_text(c):>9}"
        yield f"{row}   {bounds_text(c)}"
    if len(shares) > _FEW:
        yield f"and {len(shares) - _FEW} more"
