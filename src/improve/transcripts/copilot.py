"""GitHub Copilot CLI: https://docs.github.com/en/copilot/how-tos/copilot-cli.

`session-state/ID/events.jsonl`, before that `session-state/ID.jsonl`: events `{type, id, timestamp, data}`. The
database `session-store.db` keeps the prompts of sessions, too; it is asked only about those without events.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from improve.session import AGENT, Session, Turn
from improve.transcripts.base import Reader, Unreadable, below, clean, lines, row_in, rows
from improve.transcripts.copilot_turns import CONTEXT, learn, turns
from improve.transcripts.database import MAGIC, Database, fits, is_database, opened, sides
from improve.transcripts.spoken import said
from improve.transcripts.whole import moment

_STORE, _EVENTS = "session-store.db", "events.jsonl"
_START = re.compile(rb'"type"\s*:\s*"session\.start"')
_LOOKED_AT = 200
"""Events at the beginning of a file among which those are that tell of the session."""


def files(place: str) -> Iterator[str]:
    """Name the transcripts at a place: events of sessions, and the database."""
    if os.path.isfile(place):
        yield place
        return
    for path in below(place, (".jsonl", _STORE)):
        folder, name = os.path.split(path)
        if name in (_EVENTS, _STORE) or name.endswith(f".{_EVENTS}"):
            yield path
        elif os.path.basename(folder) == "session-state" or folder == place.rstrip(os.sep):
            newer = os.path.join(path.removesuffix(".jsonl"), _EVENTS)
            if not os.path.isfile(newer):
                yield path


def claims(path: str, head: bytes) -> bool:
    """Tell whether a file is one of Copilot's."""
    if head.startswith(MAGIC):
        return fits(path, _is_store)
    first = head.partition(b"\n")[0]
    return _START.search(first) is not None and (b"copilot" in first or b'"sessionId"' in first)


def read(path: str, offset: int = 0) -> Iterable[Session]:
    """Give the session in a file of events, or those of the database that have no such file."""
    return _stored(path) if is_database(path) else _recorded(path, offset)


def _recorded(path: str, offset: int) -> Iterator[Session]:
    folder, name = os.path.split(path)
    session = Session("copilot", path, id=os.path.basename(folder) if name == _EVENTS else name.split(".")[0])
    whole = known = False
    for _, (_, line, ended) in zip(range(_LOOKED_AT), lines(path), strict=False):
        row = row_in(line)
        whole = whole or (ended and bool(line))
        known = known or (row is not None and "data" in row and "type" in row)
        if row is None:
            continue
        if row.get("type") == "user.message":
            break
        learn(session, row)
    if whole and not known:
        raise Unreadable("it has no event of Copilot")
    yield session.with_turns(turns(session, rows(session, path, offset if _still_fits(path, offset) else 0)))


def _still_fits(path: str, offset: int) -> bool:
    """Tell whether a line begins there: the events are written anew, and fewer, when a person goes back."""
    with open(path, "rb") as stream:
        stream.seek(max(offset - 1, 0))
        return offset == 0 or stream.read(1) == b"\n"


def _is_store(database: Database) -> bool:
    turns = database.columns("turns")
    return {"session_id", "user_message"} <= turns and "id" in database.columns("sessions")


def _stored(path: str) -> Iterator[Session]:
    database = opened(path)
    if not _is_store(database):
        raise Unreadable("its tables are not those of Copilot: sessions, turns")
    there = database.columns("sessions")
    wanted = [name if name in there else f"NULL AS {name}" for name in ("id", "cwd", "branch", "created_at")]
    events = os.path.join(os.path.dirname(path), "session-state")
    for id, cwd, branch, created in list(database.rows(f"SELECT {', '.join(wanted)} FROM sessions")):
        name = clean(id)
        older = os.path.join(events, f"{name}.jsonl")
        if name and (os.path.isfile(os.path.join(events, name, _EVENTS)) or os.path.isfile(older)):
            continue
        session = Session("copilot", path, id=name, cwd=clean(cwd), started=_zoned(created))
        session.branch = clean(branch)
        yield session.with_turns(_prompts(database, session))


def _prompts(database: Database, session: Session) -> Iterator[Turn]:
    there = database.columns("turns")
    wanted = [
        name if name in there else f"NULL AS {name}" for name in ("turn_index", "assistant_response", "timestamp")
    ]
    query = f"SELECT user_message, {', '.join(wanted)} FROM turns WHERE session_id = ? ORDER BY 2"
    try:
        for number, (prompt, index, answer, at) in enumerate(database.rows(query, session.id)):
            about: dict[str, Any] = {"at": _zoned(at), "offset": number}
            text = clean(prompt)
            if not text.startswith(CONTEXT) and (turn := said(text, id=f"{session.id}:{clean(str(index))}", **about)):
                yield turn
            if text := clean(answer):
                yield Turn(AGENT, text=text, **about)
    except Unreadable:
        session.bad.append(1)


def _zoned(value: object) -> str:
    """Give a moment of the database, which is in UTC where it does not say so."""
    text = moment(value)
    return f"{text.replace(' ', 'T')}Z" if len(text) == 19 else text


READER = Reader("copilot", files, read, claims, beside=sides)
