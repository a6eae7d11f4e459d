"""Claude Code's history of typed prompts: one file for all sessions, without a word of any agent."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from improve.cue import is_ours, words_only
from improve.session import COMMAND, PERSON, TYPED, Session, Turn
from improve.transcripts.base import below, clean, rows

_LEFT_OUT = re.compile(r"\[(?:Pasted text|Image|\.\.\.Truncated text) #[^\]\n]{0,80}\]")
"""What stands for what was pasted."""


def read(host: str, path: str, offset: int) -> Iterator[Session]:
    """Give a session for each stretch of prompts that were typed in one; a session may come in several stretches.

    Those that have a transcript beside the history are left out: the same prompts stand there.
    """
    recorded = _recorded(os.path.dirname(path))
    whole = Session(host, path)
    found = rows(whole, path, offset)
    for (id, project), stretch in groupby(found, lambda row: _whose(row[1])):
        session = Session(host, path, id=id, cwd=project)
        if id in recorded:
            continue
        yield session.with_turns(_turns(session, stretch, whole))
        session.with_turns(iter(list(session)))  # read on, whether or not somebody has: the next stretch begins behind


def _recorded(folder: str) -> set[str]:
    """List the sessions that have a transcript in the directories beside a history."""
    paths = below(os.path.join(folder, "projects"), (".jsonl",))
    return {os.path.basename(path).removesuffix(".jsonl") for path in paths}


def _whose(row: dict[str, Any]) -> tuple[str, str]:
    return clean(row.get("sessionId")), clean(row.get("project"))


def _turns(session: Session, stretch: Iterator[tuple[int, dict[str, Any]]], whole: Session) -> Iterator[Turn]:
    for offset, row in stretch:
        session.offset, session.bad = whole.offset, whole.bad
        at = _time(row.get("timestamp"))
        session.started = session.started or at
        said, how = words(clean(row.get("display")))
        if said:
            yield Turn(PERSON, at=at, offset=offset, how=how, text=said)


def words(shown: str) -> tuple[str, str]:
    """Give what was typed, without what stands for pasted text; of a slash command its arguments, of `!cmd` nothing.

    >>> words("no, use uv [Pasted text #1 +20 lines]"), words("/review only the tests"), words("/home/me is my home")
    (('no, use uv', 'typed'), ('only the tests', 'command'), ('/home/me is my home', 'typed'))
    """
    said, how = words_only(_LEFT_OUT.sub("", shown)), TYPED
    first, _, rest = said.partition(" ")
    if first[:1] == "/" and first.count("/") == 1:
        said, how = rest.strip(), COMMAND
    if said[:1] == "!" and said[1:2].isalnum():
        return "", how
    return ("", how) if not said or is_ours(said) else (said, how)


def _time(stamp: object) -> str:
    """Give milliseconds since 1970 as ISO 8601."""
    if isinstance(stamp, str):
        return clean(stamp)
    if isinstance(stamp, bool) or not isinstance(stamp, int | float):
        return ""
    from datetime import UTC, datetime

    try:
        return datetime.fromtimestamp(stamp / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""
