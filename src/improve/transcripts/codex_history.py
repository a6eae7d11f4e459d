"""The prompts somebody typed into Codex CLI, over all sessions: `~/.codex/history.jsonl`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from improve.session import Session, Turn
from improve.transcripts import base, spoken
from improve.transcripts.base import clean
from improve.transcripts.whole import moment

_HEAD = re.compile(rb'\{(?=[^{}]{0,200}"ts": ?\d)"(?:session_id|ts)": ?["\d]')
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST = 100_000
"""Prompts that are held at once."""


def claims(head: bytes) -> bool:
    """Tell a history by its first bytes."""
    return _HEAD.match(head) is not None


def read(path: str, offset: int) -> Iterator[Session]:
    """Give the sessions of a history, without those that have a rollout beside it: there the same prompts stand."""
    recorded = _recorded(os.path.dirname(path))
    whole = Session("codex", path)
    found: dict[str, Session] = {}
    turns: dict[str, list[Turn]] = {}
    held = 0
    for place, row in base.rows(whole, path, offset):
        id, text, ts = clean(row.get("session_id")), row.get("text"), row.get("ts")
        at = moment(ts * 1000) if isinstance(ts, int | float) and not isinstance(ts, bool) else ""
        turn = spoken.said(text, at=at, offset=place)
        if not turn or not id or id in recorded:
            continue
        found.setdefault(id, Session("codex", path, id=id, started=at))
        turns.setdefault(id, []).append(turn)
        held += 1
        if held >= _MOST:
            yield from _given(whole, found, turns)
            found, turns, held = {}, {}, 0
    if not found:
        found, turns = {"": whole}, {"": []}
    yield from _given(whole, found, turns)


def _given(whole: Session, found: dict[str, Session], turns: dict[str, list[Turn]]) -> Iterator[Session]:
    """Hand out the sessions; the first one tells of the bad rows, all of them where the next reading may begin."""
    for id, session in found.items():
        session.offset = whole.offset
        if session is not whole:
            session.bad, whole.bad = whole.bad, []
        yield session.with_turns(iter(turns[id]))


def _recorded(folder: str) -> set[str]:
    """List the sessions that have a rollout in the directories beside a history."""
    names = (
        os.path.basename(path)
        for place in ("sessions", "archived_sessions")
        for path in base.below(os.path.join(folder, place), (".jsonl", ".jsonl.zst"))
    )
    return {id for name in names for id in _UUID.findall(name)}
