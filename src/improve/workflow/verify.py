"""verify: whether each written rule did something, from what was done before and after it was written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from improve.proof import Judgement
from improve.rule import Rule

if TYPE_CHECKING:
    from improve.workflow.here import Here
    from improve.workflow.past import Covered


class Slip(NamedTuple):
    """One time the mistake was made."""

    at: str
    host: str
    session: str
    project: str
    what: str
    """What was said, or the part of the call."""
    by: str
    """`correction`, `call` or `guard`: what showed it."""


class Proof(NamedTuple):
    """What is known of one written rule."""

    rule: Rule
    written: str
    """The moment it was first written, ISO 8601 with zone, or the day."""
    judgement: Judgement
    occasions_before: int
    occasions_after: int
    slips: tuple[Slip, ...]
    """Since it was written, newest first."""
    cause: str = ""
    """As in `rule.Verdict.cause`."""
    detail: str = ""
    fix: str = ""
    """The command that fixes it; empty when nothing is wrong."""


class Verified(NamedTuple):
    """What one run of verify found."""

    proofs: tuple[Proof, ...]
    covered: Covered


def verify(here: Here, ids: Sequence[str] = (), *, since: str = "") -> Verified:
    """Judge the written rules named, or all of them; the verdicts are kept with the rules and in the journal.

    Args:
        since: The earliest moment of the history that is looked at, ISO 8601, UTC; empty for all that is known.

    Raises:
        NoSuchRule: an id is not known.
    """
    raise NotImplementedError
