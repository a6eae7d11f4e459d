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
from improve.transcripts.database import opened
from improve.transcripts.whole import LARGEST, entries, mapping, moment, parsed_text, path_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from improve.transcripts.database import Database

    TurnsOf = Callable[..., Iterator[Turn]]

_CHATS = "key >= 'composerData:' AND key < 'composerData;'"
_MARK = b"\x0a\x20"
_ID = 32
_FIRST = 5
"""Messages in which the directory is looked for before any is told."""
_MOST = 100_000
"""Messages of a chat, or chats of a store."""


def sessions(path: str, turns_of: TurnsOf) -> Iterator[Session]:
    """Give the chats of a database.

    Args:
        turns_of: Gives the turns of a message as the model gets it.

    Raises:
        Unreadable: it is no database, or none of Cursor's.
    """
    base = opened(path)
    if base.columns("cursorDiskKV") >= {"key", "value"}:
        yield from _composers(base, path)
    elif base.columns("blobs") >= {"id", "data"} and "value" in base.columns("meta"):
        yield from _chat(base, path, turns_of)
    else:
        raise Unreadable("it is no database of Cursor")


def _chat(base: Database, path: str, turns_of: TurnsOf) -> Iterator[Session]:
    about = next(filter(None, (_described(value) for (value,) in base.rows("SELECT value FROM meta"))), {})
    found = Session("cursor", path, id=clean(about.get("agentId")) or os.path.basename(os.path.dirname(path)))
    found.started = moment(about.get("createdAt"))
    turns = (
        turn
        for number, id in enumerate(_ids(base, clean(about.get("latestRootBlobId"))))
        for message in (_json(_raw(base, id)),)
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


def _ids(base: Database, root: str) -> list[str]:
    """List the ids of the messages in their order, from the blob that is the root."""
    data, found = _raw(base, root), list[str]()
    step = len(_MARK) + _ID
    for at in range(0, min(len(data), _MOST * step), step):
        if not data.startswith(_MARK, at) or at + step > len(data):
            break
        found.append(data[at + len(_MARK) : at + step].hex())
    return found


def _raw(base: Database, id: str) -> bytes:
    data = next(base.rows("SELECT data FROM blobs WHERE id = ? AND length(data) <= ?", id, LARGEST), (b"",))[0]
    return data if isinstance(data, bytes) else data.encode("utf-8", "replace") if isinstance(data, str) else b""


def _json(data: object) -> dict[str, Any]:
    try:
        return mapping(json.loads(data)) if isinstance(data, bytes | str) else {}
    except (ValueError, RecursionError):
        return {}


def _composers(base: Database, path: str) -> Iterator[Session]:
    keys = list(base.rows(f"SELECT key FROM cursorDiskKV WHERE {_CHATS} LIMIT ?", _MOST))
    for (key,) in keys:
        about = _value(base, key)
        id = clean(key).partition(":")[2]
        if not about or not id:
            continue
        found = Session("cursor", path, id=id, started=moment(about.get("createdAt")))
        listed = entries(about.get("fullConversationHeadersOnly")) or entries(about.get("conversation"))
        found.cwd = next(filter(None, map(_workspace, _bubbles(base, id, listed[:_FIRST]))), "")
        yield found.with_turns(_turns(found, _bubbles(base, id, listed[:_MOST])))


def _value(base: Database, key: object) -> dict[str, Any]:
    query = "SELECT value FROM cursorDiskKV WHERE key = ? AND length(value) <= ?"
    return _json(next(base.rows(query, key, LARGEST), ("",))[0])


def _bubbles(base: Database, composer: str, listed: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for header in listed:
        id = clean(header.get("bubbleId"))
        yield (_value(base, f"bubbleId:{composer}:{id}") if id else {}) or header


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
