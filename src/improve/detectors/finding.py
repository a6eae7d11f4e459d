"""What a detector found in a session: the person's words or the agent's doing, and what it is taken for."""

from __future__ import annotations

from typing import NamedTuple

SURE, REVIEW, NONE = "sure", "review", "none"
"""Tiers: counted without asking; shown to somebody who decides; dropped."""


class Finding(NamedTuple):
    """A candidate as a detector yields it: nothing is stored, nothing redacted yet."""

    signal: str
    """`correction`, `preference`, `frustration`, `remember`, `denial`, `interrupt`, `tool-failure`, `contradicted`,
    `waste`, `admission` or `repeated-ask`."""
    severity: int
    """1-5: the cost of recurrence."""
    words: str
    """The exact words, of the person where there are any."""
    confidence: float
    """0 to 1: how sure it is that it is a signal at all."""
    tier: str
    durable: bool = False
    """Whether a rule for later sessions may come of it."""
    rank: float = 0.0
    """0 to 1: how likely something durable is in it; what waits is shown in this order."""
    rule: str = ""
    """One imperative sentence where the words are clear enough to phrase it without a model; else empty."""
    did: str = ""
    """What the agent had just done or said, in short."""
    at: str = ""
    id: str = ""
    """Identity of the turn in its host's records."""
    offset: int = 0
    """Where the turn begins."""


class Verdict(NamedTuple):
    """What the words of one message are taken for."""

    signal: str
    """`correction`, `preference`, `frustration`, `remember` or `none`."""
    durable: bool
    severity: int
    confidence: float
    tier: str
    rank: float = 0.0
    rule: str = ""
