"""What nobody has worded as a rule yet: how much it is, and the few to begin with.

A session's start has no time to read years of an inbox, so both are noted beside the stamp of the file they are from.
"""

from __future__ import annotations

import os

from improve.frozen import Frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from improve.inbox import Candidate
    from improve.workflow.here import Here

FEW = 3
"""Candidates that are shown: the oldest of the likeliest."""
_LIKELIEST = 20
_WORDS = 120
"""Characters of a person's words."""
_CAP = 10_000


class Waiting(Frozen):
    """The candidates that wait."""

    count: int = 0
    few: tuple[str, ...] = ()
    """A line each: id, signal, day and words, tabs between them."""


def waiting(here: Here) -> Waiting:
    """Look what waits; an inbox that cannot be read is told by `improve inbox`."""
    try:
        seen = os.stat(here.home.file("inbox.jsonl"))
    except OSError:
        return Waiting()
    state = f"{seen.st_ino} {seen.st_size} {seen.st_mtime_ns}"
    noted = os.path.join(here.home.cache, "waiting")
    try:
        with open(noted, encoding="utf-8") as stream:
            first, *few = stream.read(_CAP).split("\n")
        of, _, count = first.rpartition(" ")
        if of == state:
            return Waiting(int(count), tuple(filter(None, few)))
    except (OSError, ValueError):
        pass
    return _looked(here, state, noted)


def _looked(here: Here, state: str, noted: str) -> Waiting:
    from improve import inbox
    from improve.errors import ImproveError

    try:
        found = inbox.read(here.home.file("inbox.jsonl")).ranked
    except ImproveError:
        return Waiting()
    first = sorted(found[:_LIKELIEST], key=lambda candidate: candidate.at)[:FEW]
    told = Waiting(len(found), tuple(map(_line, first)))
    try:
        with open(noted, "w", encoding="utf-8") as stream:
            stream.write("\n".join([f"{state} {told.count}", *told.few]))
    except OSError:  # looked at again next time
        pass
    return told


def _line(candidate: Candidate) -> str:
    from improve.escape import one_line

    parts = (candidate.id, candidate.signal, candidate.at[:10], one_line(candidate.text, _WORDS))
    return "\t".join(" ".join(part.split()) for part in parts).encode("utf-8", "replace").decode()


def wording_wanted(count: int) -> str:
    """Say that corrections wait to be worded."""
    what = (
        "1 message of this person may hold a correction and is"
        if count == 1
        else (f"{count} messages of this person may hold corrections and are")
    )
    return f"{what} not worded as a rule yet: improve inbox --for-agent"
