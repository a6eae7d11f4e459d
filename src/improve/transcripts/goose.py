"""Goose: https://goose-docs.ai/docs/guides/sessions/session-management/.

A database `sessions.db` with `sessions` and `messages`, before that one `*.jsonl` a session: a line about it, then its
messages. A message is `{role, created, content: [{type, …}]}`; what came back from tools has the role of a user.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from improve.session import (
    AGENT,
    BY_PERSON,
    BY_RULE,
    COMPACTED,
    CUT_OFF,
    EDIT,
    FAILED,
    HOST,
    INTERRUPTED,
    READ,
    SCRIPTED,
    TOOL,
    TYPED,
    WRITE,
    Call,
    Result,
    Session,
    Turn,
)
from improve.transcripts.base import Reader, Unreadable, below, clean, lines, parsed, rows, text_of
from improve.transcripts.calling import kind_of, subject_of
from improve.transcripts.database import MAGIC, WHOLE, Database, fits, is_database, opened, sides
from improve.transcripts.moment import millis
from improve.transcripts.spoken import said
from improve.transcripts.whole import entries, mapping, moment, parsed_text

_OLD = re.compile(rb'^\s*\{[^{}\[\]]*"(working_dir|message_count)"')
_FACTS = ("id", "working_dir", "created_at", "session_type", "parent_session_id")
_SUBAGENT, _BY_ITSELF = ("sub_agent", "subagent"), ("scheduled", "hidden")
_EDITOR = {"view": READ, "write": WRITE, "create": WRITE}
_DECLINED = "The user has declined to run this tool"
_SKIPPED = "Let the user know the tool call was skipped"
_INTERRUPTED = "Interrupted by the user"
_NOTES = {"conversationCompacted": COMPACTED, "summarizationRequested": COMPACTED, "error": FAILED}


class _Message(NamedTuple):
    """A message, wherever it is kept."""

    offset: int
    id: str
    role: str
    at: object
    content: list[dict[str, Any]]


def files(place: str) -> Iterator[str]:
    """Name the transcripts at a place: the database, and the files of older sessions."""
    if os.path.isfile(place):
        yield place
        return
    for path in below(place, (".db", ".jsonl")):
        if path.endswith(".jsonl") or os.path.basename(path) == "sessions.db":
            yield path


def claims(path: str, head: bytes) -> bool:
    """Tell whether a file is one of Goose's."""
    if head.startswith(MAGIC):
        return fits(path, _is_ours)
    return _OLD.match(head.partition(b"\n")[0]) is not None


def read(path: str, offset: int = 0) -> Iterable[Session]:
    """Give the sessions in a database, or the one in an older file; a changed file is read whole again."""
    return _from_database(path) if is_database(path) else _from_lines(path)


def _is_ours(database: Database) -> bool:
    messages = database.columns("messages")
    return {"session_id", "role", "content_json"} <= messages and "id" in database.columns("sessions")


def _from_database(path: str) -> Iterator[Session]:
    database = opened(path)
    if not _is_ours(database):
        raise Unreadable("its tables are not those of Goose: sessions, messages")
    there = database.columns("sessions")
    wanted = [name if name in there else f"NULL AS {name}" for name in _FACTS]
    for row in list(database.rows(f"SELECT {', '.join(wanted)} FROM sessions")):
        id, cwd, created, kind, parent = row
        session = Session("goose", path, id=clean(id), cwd=clean(cwd), started=_zoned(created))
        if kind in _SUBAGENT:  # with a parent alone it is a fork, in which somebody types
            session.parent = clean(parent) or "unknown"
        session.headless = kind in _BY_ITSELF
        yield session.with_turns(_turns(session, _rows(database, session)))


def _rows(database: Database, session: Session) -> Iterator[_Message]:
    there = database.columns("messages")
    names = ("message_id", "created_timestamp", "timestamp", "metadata_json")
    wanted = [name if name in there else f"NULL AS {name}" for name in names]
    whole = f"CASE WHEN length(content_json) <= {8 * WHOLE} THEN content_json END"
    order = "created_timestamp, rowid" if "created_timestamp" in there else "rowid"
    query = f"SELECT rowid, role, {whole}, {', '.join(wanted)} FROM messages WHERE session_id = ? ORDER BY {order}"
    number = 0
    try:
        for row, role, content, id, created, at, about in database.rows(query, session.id):
            number += 1
            blocks = _json(content)
            if not isinstance(blocks, list):
                session.bad.append(number)
            elif mapping(parsed_text(about)).get("userVisible") is not False:
                name = clean(id) or f"{session.id}:{row}"
                yield _Message(number - 1, name, clean(role), created or at, entries(blocks))
    except Unreadable:
        session.bad.append(number + 1)


def _json(text: object) -> Any:
    try:
        return json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return None


def _from_lines(path: str) -> Iterator[Session]:
    head = next((parsed(line) for _, line, _ in lines(path) if line and line.strip()), None) or {}
    name = os.path.basename(path).removesuffix(".jsonl")
    session = Session("goose", path, id=name, cwd=clean(head.get("working_dir")))
    if not head and os.path.getsize(path):
        raise Unreadable("its first line is no JSON object")
    if head.get("schedule_id"):
        session.headless = True
    yield session.with_turns(_turns(session, _lines(session, path)))


def _lines(session: Session, path: str) -> Iterator[_Message]:
    for offset, row in rows(session, path):
        content = row.get("content")
        if isinstance(content, list) and mapping(row.get("metadata")).get("userVisible") is not False:
            yield _Message(offset, clean(row.get("id")), clean(row.get("role")), row.get("created"), entries(content))
    session.offset = 0  # an older file is written anew when it grows


def _turns(session: Session, messages: Iterable[_Message]) -> Iterator[Turn]:
    for message in messages:
        at = _zoned(message.at)
        session.started = session.started or at
        about: dict[str, Any] = {"at": at, "id": message.id, "offset": message.offset}
        note = next((how for block in message.content if (how := _NOTES.get(clean(block.get("type"))))), "")
        if note:
            yield Turn(HOST, how=note, **about)
        elif message.role == "assistant":
            yield from _answered(message, about)
        elif message.role == "user":
            results = tuple(_result(block) for block in message.content if block.get("type") == "toolResponse")
            if results:
                yield Turn(TOOL, failed=any(result.failed for result in results), results=results, **about)
            if any(result.ended == CUT_OFF for result in results):
                yield Turn(HOST, how=INTERRUPTED, at=at, offset=message.offset, id=f"{message.id}:end")
            how = SCRIPTED if session.headless else TYPED
            # beside results stands what the program adds to them
            if not results and not session.parent and (turn := said(text_of(message.content), how=how, **about)):
                yield turn


def _answered(message: _Message, about: dict[str, Any]) -> Iterator[Turn]:
    calls = tuple(_call(block) for block in message.content if block.get("type") == "toolRequest")
    text = text_of(message.content)
    if text or calls:
        yield Turn(AGENT, text=text, calls=calls, **about)


def _call(block: dict[str, Any]) -> Call:
    asked = mapping(block.get("toolCall", block.get("tool_call")))
    made = mapping(asked.get("value")) or mapping(asked.get("Ok")) or asked
    tool, given = clean(made.get("name")), mapping(made.get("arguments"))
    bare = tool.rpartition("__")[2]
    kind = _EDITOR.get(clean(given.get("command")), EDIT) if bare == "text_editor" else kind_of(bare)
    subject = subject_of(kind, {k: v for k, v in given.items() if bare != "text_editor" or k != "command"})
    return Call(clean(block.get("id")), tool, kind, subject, given)


def _result(block: dict[str, Any]) -> Result:
    came = mapping(block.get("toolResult", block.get("tool_result")))
    value = came.get("value", came.get("Ok"))
    content = value.get("content") if isinstance(value, dict) else value
    error = clean(came.get("error")) or clean(came.get("Err"))
    text = text_of(content) or error
    failed = came.get("status") == "error" or bool(error) or (isinstance(value, dict) and value.get("isError") is True)
    ended = next((by for told, by in _ENDED if text.startswith(told) or told in error[:400]), "")
    return Result(clean(block.get("id")), failed or bool(ended), text, ended)


_ENDED = ((_DECLINED, BY_PERSON), (_SKIPPED, BY_RULE), (_INTERRUPTED, CUT_OFF))


def _zoned(value: object) -> str:
    """Give a moment, which is in UTC where it does not say so."""
    if isinstance(value, str):
        text = moment(value)
        return f"{text.replace(' ', 'T')}Z" if len(text) == 19 else text
    return moment(millis(value))


READER = Reader("goose", files, read, claims, grows=False, beside=sides)
