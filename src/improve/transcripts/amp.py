"""Amp's threads, `threads/T-*.json`: https://ampcode.com/manual. Taken from public readers of them, not measured.

A thread is one document that is rewritten; results of tools come as blocks of a user's message.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from improve import session
from improve.session import Call, Result, Session, Turn
from improve.stamp import DENIED
from improve.transcripts import spoken
from improve.transcripts.base import Reader, Unreadable, below, clean, text_of
from improve.transcripts.calling import call
from improve.transcripts.whole import document, entries, mapping, moment, path_in


def _files(place: str) -> Iterator[str]:
    return (path for path in below(place, (".json",)) if _is_thread(path))


def _is_thread(path: str) -> bool:
    return os.path.basename(path).startswith("T-") and path.endswith(".json")


def _claims(path: str, head: bytes) -> bool:
    return _is_thread(path) and head.lstrip().startswith(b"{")


def _read(path: str, offset: int) -> Iterable[Session]:
    thread = document(path)
    if not isinstance(thread, dict) or not isinstance(thread.get("messages"), list):
        raise Unreadable("it holds no thread")
    id = clean(thread.get("id")) or os.path.basename(path).removesuffix(".json")
    found = Session("amp", path, id=id, started=moment(thread.get("created")))
    initial = mapping(mapping(thread.get("env")).get("initial"))
    found.cwd = next(filter(None, (path_in(tree.get("uri")) for tree in entries(initial.get("trees")))), "")
    parent = clean(thread.get("mainThreadID"))
    found.parent = parent if parent != id else ""
    yield found.with_turns(_turns(found, entries(thread["messages"])))


def _turns(found: Session, messages: list[dict[str, Any]]) -> Iterator[Turn]:
    for number, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        id = _id(message)
        meta, usage = mapping(message.get("meta")), mapping(message.get("usage"))
        at = moment(meta.get("sentAt")) or moment(usage.get("timestamp"))
        blocks = entries(content)
        if role == "assistant":
            text, calls = text_of(content), tuple(map(_call, _of_type(blocks, "tool_use")))
            if text or calls:
                yield Turn(session.AGENT, at=at, id=id, offset=number, text=text, calls=calls)
            if mapping(message.get("state")).get("type") == "cancelled":
                yield Turn(session.HOST, at=at, id=id, offset=number, how=session.INTERRUPTED)
        elif role == "user":
            results = tuple(map(_result, _of_type(blocks, "tool_result")))
            if results:
                failed = any(result.failed for result in results)
                yield Turn(session.TOOL, at=at, id=id, offset=number, failed=failed, results=results)
            turn = None if found.parent else spoken.said(text_of(content), at=at, id=id, offset=number)
            if turn:
                yield turn


def _id(message: dict[str, Any]) -> str:
    given = message.get("messageId", message.get("id"))
    return str(given) if isinstance(given, int) and abs(given) < 1 << 53 else clean(given)


def _of_type(blocks: list[dict[str, Any]], type: str) -> list[dict[str, Any]]:
    return [block for block in blocks if block.get("type") == type]


def _call(block: dict[str, Any]) -> Call:
    return call(block.get("name"), block.get("input"), block.get("id"))


def _result(block: dict[str, Any]) -> Result:
    run = mapping(block.get("run"))
    status, outcome = clean(run.get("status")), run.get("result")
    details = mapping(outcome)
    code = details.get("exitCode")
    ended = ""
    if "reject" in status or "denied" in status:
        ended = session.BY_PERSON
    elif status == "cancelled":
        ended = session.CUT_OFF
    failed = bool(ended) or status == "error" or details.get("success") is False or bool(code)
    text = outcome if isinstance(outcome, str) else details.get("output", details.get("content", details.get("diff")))
    text = clean(text) or text_of(text) or clean(mapping(run.get("error")).get("message"))
    if failed and DENIED in f"{text} {clean(run.get('reason'))}":
        ended = session.BY_RULE
    reason = clean(run.get("reason")) if ended == session.BY_PERSON else ""
    return Result(clean(block.get("toolUseID") or block.get("tool_use_id")), failed, text, ended, reason)


READER = Reader(host="amp", files=_files, read=_read, claims=_claims, grows=False)
