"""Cursor's transcripts of agents and its two databases: https://cursor.com/docs.

`projects/DASHED-PATH/agent-transcripts/ID[/ID].jsonl`, or `.txt` where there is no other; the name of the project's
directory does not tell its path. The databases are read in `cursor_store`. Taken from public readers, not measured.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from improve import session
from improve.hosts.base import editor
from improve.session import Call, Result, Session, Turn
from improve.transcripts import cursor_store, database, spoken
from improve.transcripts.base import Reader, below, clean, rows, text_of
from improve.transcripts.calling import call
from improve.transcripts.whole import entries, text_lines

PLACES = (editor("Cursor", "globalStorage", "state.vscdb"),)
_FOLDER = "agent-transcripts"
_STORES = ("store.db", "state.vscdb")
_SPEAKERS = {"user:": session.PERSON, "assistant:": session.AGENT}
_CALL = "[Tool call] "
_MARKS = ("[Thinking]", _CALL, "[Tool result]")
_WORKSPACE = re.compile(r"^Workspace Path: *(\S.*)$", re.MULTILINE)
_LONGEST = 1 << 20
"""Characters of one turn in a `.txt` that are kept."""


def _files(place: str) -> Iterator[str]:
    for path in below(place, (".jsonl", ".txt", *_STORES)):
        told_better = path.endswith(".txt") and os.path.exists(f"{path[:-4]}.jsonl")
        if os.path.basename(path) in _STORES or (_FOLDER in path.split(os.sep) and not told_better):
            yield path


def _claims(path: str, head: bytes) -> bool:
    if os.path.basename(path) in _STORES:
        return head.startswith(b"SQLite format 3\0")
    inside = _FOLDER in path.split(os.sep) and path.endswith((".jsonl", ".txt"))
    return inside or head.startswith((b'{"role":"user","message":', b"user:\n<user_query>"))


def sides(path: str) -> tuple[str, ...]:
    """Name what beside a transcript changes when it does: a database's log."""
    return database.sides(path) if os.path.basename(path) in _STORES else ()


def _read(path: str, offset: int) -> Iterable[Session]:
    if os.path.basename(path) in _STORES or path.endswith((".db", ".vscdb")):
        yield from cursor_store.sessions(path, turns_of)
        return
    found = Session("cursor", path, id=os.path.splitext(os.path.basename(path))[0])
    parts = path.split(os.sep)
    if parts[-2:-1] == ["subagents"]:
        found.parent = parts[-3]
    if path.endswith(".txt"):
        yield found.with_turns(_told(found, path))
    else:
        found.cwd = _workspace(path)
        yield found.with_turns(_turns(found, path, offset))


def _workspace(path: str) -> str:
    """Look for the directory in the context of the first prompt."""
    head = Session("cursor", path)
    for number, (_, row) in enumerate(rows(head, path)):
        message = row.get("message")
        where = _WORKSPACE.search(text_of(message.get("content")) if isinstance(message, dict) else "")
        if where or number > 4:
            return where[1].strip() if where else ""
    return ""


def _turns(found: Session, path: str, offset: int) -> Iterator[Turn]:
    for at, row in rows(found, path, offset):
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else row.get("content")
        yield from turns_of(found, row.get("role"), content, at)


def turns_of(found: Session, role: object, content: object, offset: int, *, id: str = "") -> Iterator[Turn]:
    """Give the turns of one message in the form of the model's interface, a person's words between their tags."""
    blocks = entries(content)
    results = tuple(_result(block) for block in blocks if block.get("type") in ("tool_result", "tool-result"))
    if results:
        failed = any(result.failed for result in results)
        yield Turn(session.TOOL, id=id, offset=offset, failed=failed, results=results)
    if role == "user" and not found.parent:
        turn = spoken.said(_query(text_of(content)), id=id, offset=offset)
        if turn:
            yield turn
    elif role == "assistant":
        text = text_of(content)
        calls = tuple(_call(block) for block in blocks if block.get("type") in ("tool_use", "tool-call"))
        if text or calls:
            yield Turn(session.AGENT, id=id, offset=offset, text=text, calls=calls)


def _query(text: str) -> str:
    """Give what stands between the tags; where there are none, what is left without the context around it."""
    queries = spoken.within(text, "user_query")
    if queries:
        return "\n".join(queries)
    return "" if text.lstrip().startswith(("<user_info>", "<rules>", "<project_layout>")) else text


def _call(block: dict[str, Any]) -> Call:
    name, given = block.get("name") or block.get("toolName"), block.get("input", block.get("args"))
    return call(name, given, block.get("id") or block.get("toolCallId"))


def _result(block: dict[str, Any]) -> Result:
    content = block.get("content", block.get("result"))
    text = clean(content) or text_of(content)
    failed = block.get("is_error") is True or block.get("isError") is True
    return Result(clean(block.get("tool_use_id") or block.get("toolCallId")), failed, text)


def _told(found: Session, path: str) -> Iterator[Turn]:
    """Read the older form: the speaker on a line of its own, calls and results as marks with lines set in."""
    who, begun, kept, size = "", 0, [""], 0
    for offset, line, ended in text_lines(found, path):
        found.offset = offset
        speaker = _SPEAKERS.get(line.strip())
        if speaker is None:
            if size < _LONGEST and ended:
                kept.append(line)
                size += len(line) + 1
            continue
        yield from _block(found, who, kept, begun)
        who, begun, kept, size = speaker, offset, [], 0
    yield from _block(found, who, kept, begun)


def _block(found: Session, who: str, kept: list[str], offset: int) -> Iterator[Turn]:
    if who == session.PERSON:
        yield from turns_of(found, "user", "\n".join(kept), offset)
    elif who == session.AGENT:
        text, calls = _agent(kept)
        if text or calls:
            yield Turn(session.AGENT, offset=offset, text=text, calls=calls)


def _agent(kept: list[str]) -> tuple[str, tuple[Call, ...]]:
    words: list[str] = []
    made: list[tuple[str, dict[str, str]]] = []
    inside = ""
    for line in kept:
        mark = next((mark for mark in _MARKS if line.startswith(mark)), "")
        if mark:
            inside = mark
            if mark == _CALL:
                made.append((line[len(mark) :].strip(), {}))
        elif inside and (not line.strip() or line[0] in " \t"):
            key, equals, value = line.strip().partition("=")
            if inside == _CALL and equals and key.strip().isidentifier():
                made[-1][1][key.strip()] = value.strip()
        else:
            inside = ""
            words.append(line)
    return "\n".join(words).strip(), tuple(call(name, given) for name, given in made)


READER = Reader(host="cursor", files=_files, read=_read, claims=_claims, grows=False, beside=sides)
