"""pydantic-deep's sessions inside a project: https://github.com/vstorm-co/pydantic-deepagents.

`.pydantic-deep/sessions/ID/messages.json` is a dump of pydantic-ai's messages, rewritten after each turn;
`tool_log.jsonl` beside it says which tools failed. Runs without a terminal leave nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from improve import session
from improve.session import Call, Result, Session, Turn
from improve.transcripts import spoken
from improve.transcripts.base import Reader, Unreadable, below, clean, rows, text_of
from improve.transcripts.calling import call
from improve.transcripts.whole import document, entries, mapping, moment

_FOLDER = ".pydantic-deep"
_PREVIEW = 200
"""Characters by which a result is found in the log of tools, which holds its beginning."""


def _files(place: str) -> Iterator[str]:
    return (path for path in below(place, ("messages.json",)) if os.path.basename(path) == "messages.json")


def _claims(path: str, head: bytes) -> bool:
    return path.endswith("messages.json") and (b'"part' in head or _FOLDER in path)


def _read(path: str, offset: int) -> Iterable[Session]:
    messages = document(path)
    if not isinstance(messages, list):
        raise Unreadable("it holds no messages")
    folder = os.path.dirname(os.path.abspath(path))
    found = Session("pydantic-deep", path, id=os.path.basename(folder), cwd=_project(folder))
    known = entries(messages)
    found.started = next(filter(None, (moment(message.get("timestamp")) for message in known)), "")
    found.cwd = found.cwd or next(filter(None, map(_workspace, known)), "")
    yield found.with_turns(_turns(known, _failures(found, folder)))


def _project(folder: str) -> str:
    inside, _, _ = folder.rpartition(os.sep + _FOLDER + os.sep)
    return inside


def _workspace(message: dict[str, Any]) -> str:
    place = mapping(message.get("workspace_ref"))
    return clean(place.get("id")) if place.get("provider") == "local" else ""


def _failures(found: Session, folder: str) -> set[tuple[str, str]]:
    """Read from the log of tools which results were errors: (tool, how the result begins)."""
    log = Session(found.host, os.path.join(folder, "tool_log.jsonl"))
    try:
        return {
            (clean(row.get("tool")), clean(row.get("result_preview"))[:_PREVIEW])
            for _, row in rows(log, log.path)
            if row.get("error") is True
        }
    except OSError:
        return set()


def _turns(messages: list[dict[str, Any]], failures: set[tuple[str, str]]) -> Iterator[Turn]:
    for number, message in enumerate(messages):
        at, parts = moment(message.get("timestamp")), entries(message.get("parts"))
        if message.get("kind") == "response":
            text = text_of([{"text": part.get("content")} for part in _of_kind(parts, "text")])
            calls = tuple(map(_call, _of_kind(parts, "tool-call")))
            if text or calls:
                yield Turn(session.AGENT, at=at, offset=number, text=text, calls=calls)
            if message.get("state") == "interrupted":
                yield Turn(session.HOST, at=at, offset=number, how=session.INTERRUPTED)
        elif message.get("kind") == "request":
            results = tuple(_result(part, failures) for part in _of_kind(parts, "tool-return", "retry-prompt"))
            if results:
                failed = any(result.failed for result in results)
                yield Turn(session.TOOL, at=at, offset=number, failed=failed, results=results)
            for part in _of_kind(parts, "user-prompt"):
                turn = spoken.said(_prompt(part.get("content")), at=moment(part.get("timestamp")) or at, offset=number)
                if turn:
                    yield turn


def _of_kind(parts: list[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [part for part in parts if part.get("part_kind") in kinds]


def _call(part: dict[str, Any]) -> Call:
    return call(part.get("tool_name"), part.get("args"), part.get("tool_call_id"))


def _prompt(content: object) -> str:
    """Give the words of a prompt; those that say where they come from were put in by the program."""
    if not isinstance(content, list):
        return clean(content)
    return "\n".join(filter(None, map(_own, content)))


def _own(item: object) -> str:
    if not isinstance(item, dict):
        return clean(item)
    is_text = item.get("kind") in ("text-content", "text") and not mapping(item.get("metadata")).get("origin")
    return clean(item.get("content")) if is_text else ""


def _result(part: dict[str, Any], failures: set[tuple[str, str]]) -> Result:
    content = part.get("content")
    text = clean(content) or text_of(content)
    tool = clean(part.get("tool_name"))
    outcome = part.get("outcome")
    denied = outcome == "denied" or text == f"User denied {tool}"
    failed = part.get("part_kind") == "retry-prompt" or outcome == "failed" or (tool, text[:_PREVIEW]) in failures
    return Result(clean(part.get("tool_call_id")), failed or denied, text, session.BY_PERSON if denied else "")


READER = Reader(host="pydantic-deep", files=_files, read=_read, claims=_claims, grows=False)
