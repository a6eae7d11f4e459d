"""GitHub Copilot CLI: https://docs.github.com/en/copilot/how-tos/copilot-cli.

`session-state/ID/events.jsonl`, before that `session-state/ID.jsonl`: events `{type, id, timestamp, data}`. The
database `session-store.db` keeps the prompts of sessions, too; it is asked only about those without events.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from improve.session import (
    AGENT,
    ANSWER,
    BY_PERSON,
    BY_RULE,
    COMPACTED,
    CUT_OFF,
    FAILED,
    HOST,
    INTERRUPTED,
    QUEUED,
    REWOUND,
    SCRIPTED,
    STEERED,
    TOOL,
    TYPED,
    Call,
    Result,
    Session,
    Turn,
)
from improve.transcripts.base import Reader, Unreadable, below, clean, lines, parsed, rows
from improve.transcripts.calling import call
from improve.transcripts.database import MAGIC, Database, opened
from improve.transcripts.moment import millis
from improve.transcripts.spoken import said
from improve.transcripts.whole import entries, mapping, moment

_STORE, _EVENTS = "session-store.db", "events.jsonl"
_START = re.compile(rb'"type"\s*:\s*"session\.start"')
_NOT_TYPED = ("skill-", "system", "agent", "subagent", "autopilot", "hook", "jit-", "thinking-", "task-")
"""How the sources of messages begin that nobody typed."""
_CONTEXT = "<skill-context"
_HOW = {"steering": STEERED, "queued": QUEUED, "enqueue": QUEUED}
_FEEDBACK = "User feedback: "
_REJECTED = "The user rejected"
_ABORTS = ("abort", "session.abort", "assistant.abort")
_NOTES = {"session.error": FAILED, "session.compaction_complete": COMPACTED, "session.snapshot_rewind": REWOUND}
_FIRST_MARKED = (1, 0, 64)
"""Since this version at the latest a terminal's session says which model it starts with, a script's does not."""
_FASTER = 2_500
"""Milliseconds between a session that goes on and a prompt within which nobody can have typed it."""
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
        try:
            return _is_store(opened(path))
        except (OSError, Unreadable):
            return False
    first = head.partition(b"\n")[0]
    return _START.search(first) is not None and (b"copilot" in first or b'"sessionId"' in first)


def read(path: str, offset: int = 0) -> Iterable[Session]:
    """Give the session in a file of events, or those of the database that have no such file."""
    with open(path, "rb") as stream:
        stored = stream.read(len(MAGIC)) == MAGIC
    return _stored(path) if stored else _recorded(path, offset)


def _recorded(path: str, offset: int) -> Iterator[Session]:
    folder, name = os.path.split(path)
    session = Session("copilot", path, id=os.path.basename(folder) if name == _EVENTS else name.split(".")[0])
    whole = known = False
    for _, (_, line, ended) in zip(range(_LOOKED_AT), lines(path), strict=False):
        row = parsed(line.strip(b" \t\r\x00\xef\xbb\xbf")) if line else None
        whole = whole or (ended and bool(line))
        known = known or (row is not None and "data" in row and "type" in row)
        if row is None:
            continue
        if row.get("type") == "user.message":
            break
        _facts(session, row)
    if whole and not known:
        raise Unreadable("it has no event of Copilot")
    yield session.with_turns(_turns(session, rows(session, path, offset)))


def _facts(session: Session, row: dict[str, Any]) -> None:
    """Take in what an event tells of its session."""
    kind, data = row.get("type"), mapping(row.get("data"))
    if kind in ("session.start", "session.resume", "session.context_changed"):
        context = mapping(data.get("context")) or data
        session.cwd = clean(context.get("cwd")) or session.cwd
        session.branch = clean(context.get("branch")) or session.branch
    if kind == "session.start":
        session.id = clean(data.get("sessionId")) or session.id
        session.started = moment(data.get("startTime")) or moment(row.get("timestamp"))
        session.headless = _version(data.get("copilotVersion")) >= _FIRST_MARKED
    elif kind == "session.model_change" and data.get("source") == "startup":
        session.headless = False


def _version(text: object) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,6}", clean(text).partition("-")[0])[:3])


class _Denials(NamedTuple):
    """Who said no to calls that have not come back yet, and why."""

    known: dict[str, tuple[str, str]]

    def take(self, data: dict[str, Any]) -> None:
        """Take in how a question for permission was answered."""
        result = mapping(data.get("result"))
        kind, call_id = clean(result.get("kind")), clean(data.get("toolCallId"))
        if not kind.startswith("denied"):
            self.known.pop(call_id, None)
        elif kind == "denied-interactively-by-user":
            self.known[call_id] = BY_PERSON, clean(result.get("feedback")).strip()
        else:
            self.known[call_id] = BY_RULE, ""


def _turns(session: Session, events: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[Turn]:
    denials, seen = _Denials({}), set[str]()
    resumed = 0.0
    for at, row in events:
        kind, data, id = clean(row.get("type")), mapping(row.get("data")), clean(row.get("id"))
        if id and id in seen:
            continue
        seen.add(id)
        about: dict[str, Any] = {"at": moment(row.get("timestamp")), "id": id, "offset": at}
        _facts(session, row)
        if kind == "session.resume":
            resumed = millis(row.get("timestamp"))
        elif kind == "user.message":
            at_once = resumed > 0 and millis(row.get("timestamp")) - resumed < _FASTER
            if turn := _spoken(row, data, SCRIPTED if session.headless or at_once else "", about):
                yield turn
        elif kind == "assistant.message":
            yield from _answered(data, about)
        elif kind == "permission.completed":
            denials.take(data)
        elif kind == "tool.execution_complete" and not data.get("isUserRequested"):
            yield _returned(data, denials, about)
        elif kind == "user_input.completed" and data.get("wasFreeform"):
            if turn := said(data.get("answer"), how=ANSWER, **about):
                yield turn
        elif kind in _ABORTS:
            yield Turn(HOST, how=INTERRUPTED, **about)
        elif kind in _NOTES and data.get("success") is not False:
            text = clean(data.get("message")) if kind == "session.error" else ""
            yield Turn(HOST, how=_NOTES[kind], text=text, **about)


def _spoken(row: dict[str, Any], data: dict[str, Any], how: str, about: dict[str, Any]) -> Turn | None:
    text, source = clean(data.get("content")), clean(data.get("source"))
    if source.startswith(_NOT_TYPED) or text.startswith(_CONTEXT):
        return None
    if row.get("agentId") or data.get("parentToolCallId"):  # what the agent asked of a subagent
        return None
    return said(text, how=how or _HOW.get(clean(data.get("delivery")), TYPED), **about)


def _answered(data: dict[str, Any], about: dict[str, Any]) -> Iterator[Turn]:
    text, calls = clean(data.get("content")), tuple(map(_call, entries(data.get("toolRequests"))))
    if text or calls:
        yield Turn(AGENT, text=text, calls=calls, **about)


def _call(request: dict[str, Any]) -> Call:
    return call(request.get("name"), request.get("arguments"), request.get("toolCallId"))


def _returned(data: dict[str, Any], denials: _Denials, about: dict[str, Any]) -> Turn:
    call_id, error, result = clean(data.get("toolCallId")), data.get("error"), mapping(data.get("result"))
    code = mapping(data.get("shellExecution")).get("exitCode")
    failed = data.get("success") is False or (isinstance(code, int | float) and code != 0)
    # the short form has the notes of hooks glued to it
    text = clean(result.get("detailedContent")) or clean(result.get("content")) or clean(data.get("result"))
    ended, reason = denials.known.pop(call_id, ("", ""))
    if isinstance(error, dict):
        text = text or clean(error.get("message"))
        if not ended:
            ended, reason = _ended(clean(error.get("message")), clean(error.get("code")))
    return Turn(TOOL, failed=failed, results=(Result(call_id, failed, text, ended if failed else "", reason),), **about)


def _ended(message: str, code: str) -> tuple[str, str]:
    """Tell from an error alone who ended a call."""
    if message.startswith(_REJECTED):
        return BY_PERSON, message.partition(_FEEDBACK)[2].strip()
    if code in ("denied", "rejected"):
        return BY_RULE, ""
    return (CUT_OFF, "") if code in ("aborted", "cancelled", "canceled") else ("", "")


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
            if not text.startswith(_CONTEXT) and (turn := said(text, id=f"{session.id}:{clean(str(index))}", **about)):
                yield turn
            if text := clean(answer):
                yield Turn(AGENT, text=text, **about)
    except Unreadable:
        session.bad.append(1)


def _zoned(value: object) -> str:
    """Give a moment of the database, which is in UTC where it does not say so."""
    text = moment(value)
    return f"{text.replace(' ', 'T')}Z" if len(text) == 19 else text


READER = Reader("copilot", files, read, claims)
