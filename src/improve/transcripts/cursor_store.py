"""Cursor's databases: a chat of its command line as a graph of blobs, and the editor's store of all chats.

`chats/HASH/ID/store.db` has `meta` (a description in hexadecimal JSON that names the root) and `blobs`: the root lists
the ids of the messages, 32 bytes each behind `0A 20`. `globalStorage/state.vscdb` has `cursorDiskKV` with
`composerData:ID` and `bubbleId:ID:BUBBLE`. Undocumented and taken from public readers of both; opened for reading only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from improve import session
from improve.session import Result, Session, Turn
from improve.transcripts import spoken
from improve.transcripts.base import Unreadable, clean
from improve.transcripts.calling import call
from improve.transcripts.whole import LARGEST, entries, mapping, moment, parsed_text, path_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    TurnsOf = Callable[..., Iterator[Turn]]

_MARK = b"\x0a\x20"
_ID = 32
_MOST = 100_000
"""Messages of a chat, or chats of a store."""


def sessions(path: str, turns_of: TurnsOf) -> Iterator[Session]:
    """Give the chats of a database.

    Args:
        turns_of: Gives the turns of a message as the model gets it.

    Raises:
        Unreadable: it is no database, or none of Cursor's.
    """
    import sqlite3
    from contextlib import closing
    from urllib.parse import quote

    os.stat(path)
    try:
        base = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True, timeout=2)
        with closing(base):
            base.text_factory = lambda raw: raw.decode("utf-8", "replace")
            tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "cursorDiskKV" in tables:
                yield from _composers(base, path)
            elif {"blobs", "meta"} <= tables:
                yield from _chat(base, path, turns_of)
            else:
                raise Unreadable("it is no database of Cursor")
    except sqlite3.Error as error:
        raise Unreadable(f"its database cannot be read: {error}") from None


def _chat(base: sqlite3.Connection, path: str, turns_of: TurnsOf) -> Iterator[Session]:
    about = next(filter(None, (_described(value) for (value,) in base.execute("SELECT value FROM meta"))), {})
    found = Session("cursor", path, id=clean(about.get("agentId")) or os.path.basename(os.path.dirname(path)))
    found.started = moment(about.get("createdAt"))
    messages = [message for id in _ids(base, clean(about.get("latestRootBlobId"))) if (message := _blob(base, id))]
    turns = (
        turn
        for number, message in enumerate(messages)
        for turn in turns_of(found, message.get("role"), message.get("content"), number, id=clean(message.get("id")))
    )
    yield found.with_turns(turns)


def _described(value: object) -> dict[str, Any]:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if not isinstance(text, str):
        return {}
    if not text.lstrip().startswith("{"):
        try:
            text = bytes.fromhex(text).decode("utf-8", "replace")
        except ValueError:
            return {}
    return mapping(parsed_text(text))


def _ids(base: sqlite3.Connection, root: str) -> list[str]:
    """List the ids of the messages in their order, from the blob that is the root."""
    found: list[str] = []
    rest = _raw(base, root)
    while rest.startswith(_MARK) and len(rest) >= _ID + 2 and len(found) < _MOST:
        found.append(rest[2 : _ID + 2].hex())
        rest = rest[_ID + 2 :]
    return found


def _raw(base: sqlite3.Connection, id: str) -> bytes:
    row = base.execute("SELECT data FROM blobs WHERE id = ? AND length(data) <= ?", (id, LARGEST)).fetchone()
    data = row[0] if row else b""
    return data if isinstance(data, bytes) else data.encode("utf-8", "replace") if isinstance(data, str) else b""


def _blob(base: sqlite3.Connection, id: str) -> dict[str, Any]:
    return _json(_raw(base, id))


def _json(data: object) -> dict[str, Any]:
    try:
        return mapping(json.loads(data)) if isinstance(data, bytes | str) else {}
    except (ValueError, RecursionError):
        return {}


def _composers(base: sqlite3.Connection, path: str) -> Iterator[Session]:
    keys = base.execute(
        "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' LIMIT ?", (_MOST,)
    ).fetchall()
    for (key,) in keys:
        about = _value(base, key)
        id = clean(key).partition(":")[2]
        if not about or not id:
            continue
        found = Session("cursor", path, id=id, started=moment(about.get("createdAt")))
        listed = entries(about.get("fullConversationHeadersOnly")) or entries(about.get("conversation"))
        bubbles = (_bubble(base, id, header) for header in listed[:_MOST])
        yield found.with_turns(iter(list(_turns(found, bubbles))))


def _value(base: sqlite3.Connection, key: object) -> dict[str, Any]:
    row = base.execute("SELECT value FROM cursorDiskKV WHERE key = ? AND length(value) <= ?", (key, LARGEST)).fetchone()
    return _json(row[0]) if row else {}


def _bubble(base: sqlite3.Connection, composer: str, header: dict[str, Any]) -> dict[str, Any]:
    id = clean(header.get("bubbleId"))
    return (_value(base, f"bubbleId:{composer}:{id}") if id else {}) or header


def _turns(found: Session, bubbles: Iterator[dict[str, Any]]) -> Iterator[Turn]:
    for number, bubble in enumerate(bubbles):
        found.cwd = found.cwd or _workspace(bubble)
        at, id, text = moment(bubble.get("createdAt")), clean(bubble.get("bubbleId")), clean(bubble.get("text"))
        if bubble.get("type") == 1:
            turn = spoken.said(text, at=at, id=id, offset=number)
            if turn:
                yield turn
        elif bubble.get("type") == 2:
            tool = mapping(bubble.get("toolFormerData"))
            calls = (call(tool.get("name"), tool.get("rawArgs") or tool.get("params"), tool.get("toolCallId")),)
            if text or tool:
                yield Turn(session.AGENT, at=at, id=id, offset=number, text=text, calls=calls if tool else ())
            if tool:
                yield _result(tool, at, number)


def _workspace(bubble: dict[str, Any]) -> str:
    uris = bubble.get("workspaceUris")
    named = [bubble.get("workspaceProjectDir"), *(uris if isinstance(uris, list) else ())]
    return next(filter(None, map(path_in, named)), "")


def _result(tool: dict[str, Any], at: str, number: int) -> Turn:
    status = clean(tool.get("status"))
    denied = tool.get("userDecision") == "rejected" or status == "rejected"
    ended = session.BY_PERSON if denied else session.CUT_OFF if status == "cancelled" else ""
    failed = bool(ended) or status == "error"
    text = clean(tool.get("result"))
    result = Result(clean(tool.get("toolCallId")), failed, text, ended)
    return Turn(session.TOOL, at=at, offset=number, failed=failed, results=(result,))
