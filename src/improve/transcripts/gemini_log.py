"""The log of typed prompts of Gemini CLI: `~/.gemini/tmp/<project>/logs.json`, one array for all sessions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from improve.session import Session, Turn
from improve.transcripts import base, spoken
from improve.transcripts.base import clean
from improve.transcripts.gemini_place import directory_of
from improve.transcripts.whole import content, entries, parsed_text, text_in

_HEAD = re.compile(rb'\[\s*\{\s*"sessionId"\s*:')


def claims(head: bytes) -> bool:
    """Tell a log by its first bytes."""
    return _HEAD.match(head) is not None and b'"messageId"' in head


def read(path: str) -> Iterator[Session]:
    """Give the sessions of a log, without those whose chat is beside it: there the same prompts stand."""
    data = content(path)
    rows = parsed_text(text_in(data))
    kept = _kept(path)
    cwd = directory_of(path, "")
    turns: dict[str, list[Turn]] = {}
    for row in entries(rows):
        id, at = clean(row.get("sessionId")), clean(row.get("timestamp"))
        number = row.get("messageId")
        name = f"{id}:{number if isinstance(number, int) else clean(number)}"
        turn = spoken.said(row.get("message"), at=at, id=name)
        if turn and id[:8] not in kept:
            turns.setdefault(id, []).append(turn)
    for id, found in turns.items() or [("", [])]:
        session = Session("gemini", path, id=id, cwd=cwd, started=found[0].at if found else "")
        session.offset = len(data)
        if rows is None and data.strip():
            session.bad = [1]
        yield session.with_turns(iter(found))


def _kept(path: str) -> set[str]:
    """List the beginnings of the ids of the sessions whose chats are there."""
    chats = os.path.join(os.path.dirname(path), "chats")
    names = (os.path.basename(found) for found in base.below(chats, (".jsonl", ".json")))
    return {name.rpartition(".")[0].rpartition("-")[2] for name in names}
