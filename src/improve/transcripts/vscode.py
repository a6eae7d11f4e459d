"""Chats of Visual Studio Code and its like: https://code.visualstudio.com/docs/copilot/chat/chat-sessions.

`workspaceStorage/HASH/chatSessions/ID.json` or `.jsonl`, a log of changes to such a document: 0 the whole, 1 a value
set, 2 values put into a list, 3 a value taken away. The folder is told by `workspace.json`. Taken from public readers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from improve import session
from improve.hosts.base import editor
from improve.session import Call, Result, Session, Turn
from improve.transcripts import spoken
from improve.transcripts.base import Reader, Unreadable, below, clean, rows
from improve.transcripts.calling import call, kind_of
from improve.transcripts.whole import LARGEST, beside, document, entries, mapping, moment, path_in

_EDITORS = ("Code", "Code - Insiders", "VSCodium")
_FOLDERS = ("chatSessions", "emptyWindowChatSessions")
_INSIDE = (("workspaceStorage",), ("globalStorage", "emptyWindowChatSessions"))
PLACES = tuple(editor(name, *parts) for name in _EDITORS for parts in _INSIDE)
"""Where chats are; the workspaces hold much else, so only their folders of chats are looked into."""

_DENIED, _SKIPPED = 0, 5
"""How a call was confirmed, as a number: https://github.com/microsoft/vscode, `ToolConfirmKind`."""
_MOST = 1 << 16
"""Entries of a list; a log that says more is no chat."""


def _files(place: str) -> Iterator[str]:
    if os.path.basename(place) != "workspaceStorage":
        yield from filter(_is_chat, below(place, (".json", ".jsonl")))
        return
    try:
        with os.scandir(place) as found:
            folders = [os.path.join(entry.path, _FOLDERS[0]) for entry in found]
    except OSError:
        return
    for folder in folders:
        yield from filter(_is_chat, below(folder, (".json", ".jsonl")))


def _is_chat(path: str) -> bool:
    return os.path.basename(os.path.dirname(path)) in _FOLDERS


def _claims(path: str, head: bytes) -> bool:
    if not path.endswith((".json", ".jsonl")):
        return False
    return _is_chat(path) or (head.startswith(b'{"kind":0,"v":{"version"') or b'"requesterUsername"' in head)


def _read(path: str, offset: int) -> Iterable[Session]:
    found = Session("vscode", path, id=os.path.splitext(os.path.basename(path))[0])
    chat = _replayed(found, path) if path.endswith(".jsonl") else document(path)
    if not isinstance(chat, dict):
        raise Unreadable("it holds no chat")
    found.id = clean(chat.get("sessionId")) or found.id
    found.started = moment(chat.get("creationDate"))
    where = mapping(beside(os.path.dirname(path), "workspace.json"))
    found.cwd = path_in(where.get("folder")) or os.path.dirname(path_in(where.get("workspace")))
    yield found.with_turns(_turns(entries(chat.get("requests"))))


def _replayed(found: Session, path: str) -> Any:
    """Apply the changes of a log one after the other; those that lead nowhere are passed over."""
    if os.path.getsize(path) > LARGEST:
        raise Unreadable(f"it is larger than {LARGEST >> 20} MiB")
    chat: Any = None
    for _, row in rows(found, path):
        kind, keys, value = row.get("kind"), row.get("k"), row.get("v")
        if kind == 0:
            chat = value
        elif isinstance(keys, list) and keys:
            _change(_at(chat, keys[:-1]), keys[-1], row)
    return chat


def _at(value: Any, keys: list[Any]) -> Any:
    for key in keys:
        value = _child(value, key)
    return value


def _child(value: Any, key: Any) -> Any:
    if isinstance(value, dict) and isinstance(key, str):
        return value.get(key)
    if isinstance(value, list) and _is_index(key, len(value)):
        return value[int(key)]
    return None


def _is_index(key: Any, size: int) -> bool:
    if isinstance(key, str):
        return key.isascii() and key.isdigit() and len(key) < 9 and int(key) < size
    return isinstance(key, int) and not isinstance(key, bool) and 0 <= key < size


def _change(holder: Any, key: Any, row: dict[str, Any]) -> None:
    kind, value = row.get("kind"), row.get("v")
    if kind == 2:
        items, start = _child(holder, key), row.get("i")
        if isinstance(items, list) and isinstance(value, list) and len(items) + len(value) < _MOST:
            if isinstance(start, int) and 0 <= start < len(items):
                del items[start:]
            items.extend(value)
        elif items is None and isinstance(holder, dict) and isinstance(key, str) and isinstance(value, list):
            holder[key] = list(value)
    elif kind == 1 and isinstance(holder, dict) and isinstance(key, str):
        holder[key] = value
    elif kind == 1 and isinstance(holder, list) and _is_index(key, len(holder)):
        holder[int(key)] = value
    elif kind == 3 and isinstance(holder, dict) and isinstance(key, str):
        holder.pop(key, None)


def _turns(requests: list[dict[str, Any]]) -> Iterator[Turn]:
    for number, request in enumerate(requests):
        at, id = moment(request.get("timestamp")), clean(request.get("requestId"))
        if not request.get("confirmation"):
            turn = spoken.said(mapping(request.get("message")).get("text"), at=at, id=id, offset=number)
            if turn:
                yield turn
        yield from _answer(request, at, number)
        if request.get("isHidden") is True or request.get("shouldBeRemovedOnSend"):
            yield Turn(session.HOST, at=at, id=id, offset=number, how=session.REWOUND)


def _answer(request: dict[str, Any], at: str, number: int) -> Iterator[Turn]:
    """Give what the agent said and did until the next request: its text and calls, results, and how it ended."""
    items = entries(request.get("response"))
    text = "".join(_words(item) for item in items if item.get("kind") in (None, "markdownContent")).strip()
    done = [item for item in items if item.get("kind") == "toolInvocationSerialized"]
    id = clean(request.get("responseId"))
    if text or done:
        yield Turn(session.AGENT, at=at, id=id, offset=number, text=text, calls=tuple(map(_call, done)))
    results = tuple(map(_result, done))
    if results:
        failed = any(result.failed for result in results)
        yield Turn(session.TOOL, at=at, offset=number, failed=failed, results=results)
    error = mapping(mapping(request.get("result")).get("errorDetails"))
    message = clean(error.get("message"))
    if request.get("isCanceled") is True or message in ("Canceled", "Cancelled"):
        yield Turn(session.HOST, at=at, offset=number, how=session.INTERRUPTED)
    elif error:
        yield Turn(session.HOST, at=at, offset=number, how=session.FAILED, text=message)


def _words(item: dict[str, Any]) -> str:
    value = item.get("value", item.get("content"))
    return clean(value) or clean(mapping(value).get("value"))


def _call(item: dict[str, Any]) -> Call:
    data = mapping(item.get("toolSpecificData"))
    line = clean(data.get("command")) or clean(mapping(data.get("commandLine")).get("original"))
    raw = mapping(data.get("rawInput"))
    given = call(item.get("toolId"), raw, item.get("toolCallId"))
    if line:
        return given._replace(kind=session.SHELL, subject=line, input=raw or {"command": line})
    return given._replace(subject=given.subject or _message(item), kind=kind_of(given.tool))


def _message(item: dict[str, Any]) -> str:
    said = item.get("pastTenseMessage") or item.get("invocationMessage")
    return clean(said) or clean(mapping(said).get("value"))


def _result(item: dict[str, Any]) -> Result:
    confirmed = item.get("isConfirmed")
    how = mapping(confirmed).get("type") if isinstance(confirmed, dict) else confirmed
    denied = how is False or (not isinstance(how, bool) and how in (_DENIED, _SKIPPED))
    data, details = mapping(item.get("toolSpecificData")), mapping(item.get("resultDetails"))
    code = mapping(data.get("terminalCommandState")).get("exitCode")
    cut = not denied and item.get("isComplete") is False
    failed = denied or cut or details.get("isError") is True or (isinstance(code, int) and code != 0)
    output = details.get("output") or mapping(data.get("terminalCommandOutput")).get("text")
    text = clean(output) or "\n".join(filter(None, (clean(part.get("value")) for part in entries(output))))
    ended = session.BY_PERSON if denied else session.CUT_OFF if cut else ""
    return Result(clean(item.get("toolCallId")), failed, text, ended)


READER = Reader(host="vscode", files=_files, read=_read, claims=_claims, grows=False)
